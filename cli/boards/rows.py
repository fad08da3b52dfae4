"""Prints any rows of a board, as the API lists them: neighbours of a player, rows from a rank, all rows as CSV."""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx

from cli.boards.first_rows import ShownHead, ShownRow, explaining_contents, read_head
from cli.client import get, make_error
from cli.console import make_console, print_json, print_note
from cli.exit_codes import UsageError
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.ranking.part_columns import DONE, name_column
from scoring_core.urls import benchmark_url, head_url

NEIGHBOURS = 5
"""Rows above and below a player's."""
PAGE_ROWS = 100
_END = "\r\n"


class BoardRows(NamedTuple):
    """The rows of a board of a site."""

    http: httpx.Client
    benchmark: str
    board: str

    def print_around(self, player: str, label: str | None, *, parts: bool, as_json: bool) -> None:
        """Print a player's row between its neighbours. Raises UsageError."""
        query = {"board": self.board, "label": label, "above": NEIGHBOURS, "below": NEIGHBOURS}
        head = self._read_head()
        around = get(self.http, f"{benchmark_url(self.benchmark)}/players/{player}/around", query=query)
        with explaining_contents(self._path):
            if around["rank"] is None:
                raise UsageError(f"this board has no row of the player {player!r}")
            if as_json:
                print_json(around)
                return
            head.print_rows([_show_row(row, head) for row in around["rows"]], parts=parts)
            percentile = f"{around['percentile']:.1f}"
            make_console().print(f"rank {around['rank']}, ahead of or equal to {percentile} % of the others")

    def print_from(self, start: int, length: int, *, parts: bool, as_json: bool) -> None:
        """Print rows from the one of a number on."""
        query = {"board": self.board, "from": start, "limit": length}
        head, answer = self._read_head(), get(self.http, self._path, query=query)
        with explaining_contents(self._path):
            if as_json:
                print_json(answer)
            else:
                head.print_rows([_show_row(row, head) for row in answer["rows"]], parts=parts)

    def print_csv(self) -> None:
        """Print every row as CSV, part by part.

        A program reads it: a byte order mark, which tells spreadsheets the encoding of a file, would be in its first
        name.
        """
        head, start = self._read_head(), 1
        while True:
            answer = self.http.get(f"{self._path}.csv", params={"board": self.board, "from": start})
            if not answer.is_success:
                raise make_error(answer, f"{self._path}.csv")
            with explaining_contents(self._path):
                header, *lines = answer.content.decode().removeprefix(BYTE_ORDER_MARK).removesuffix(_END).split(_END)
            sys.stdout.buffer.write("".join(f"{line}{_END}" for line in ([header] * (start == 1) + lines)).encode())
            start += len(lines)
            if not lines or start > head.total:
                break
        self._note_change(head)

    @property
    def _path(self) -> str:
        return f"{benchmark_url(self.benchmark)}/rows"

    def _read_head(self) -> ShownHead:
        path = head_url(self.benchmark, self.board)
        with explaining_contents(path):
            return read_head(get(self.http, path))

    def _note_change(self, head: ShownHead) -> None:
        """Print a note if rows that were read one after the other may not fit together."""
        if head.total > PAGE_ROWS and self._read_head().answer["sequence"] != head.answer["sequence"]:
            print_note("the board changed meanwhile: a row may be there twice, or be missing; run the command again")


def _show_row(row: Mapping[str, Any], head: ShownHead) -> ShownRow:
    """Return a row as a head has it."""
    of_parts = {
        name_column(part, name): value for part, of in (row["parts"] or {}).items() for name, value in of.items()
    }
    return ShownRow(
        **{name: row[name] for name in ("rank", "name", "kind", "label", "verified", "submissions")},
        scores={**row["scores"], **of_parts, DONE: row["done"]},
        is_baseline=(row["player"], row["label"]) in head.baselines,
    )
