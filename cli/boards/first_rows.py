"""Reads the head of a board and prints it, without the models, whose import takes longer than all else."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

from rich.table import Table

from cli.client import ApiError
from cli.console import make_console, plain, print_wide
from scoring_core.metrics.spelling import show_digits, show_number
from scoring_core.outcome import is_taken_over
from scoring_core.ranking.part_columns import DONE

type Row = Mapping[str, Any]
"""A row by the names of a head's columns; its `scores` lack, or have as None, what is absent."""
_ARROWS = {"higher": "↑", "lower": "↓"}
HEAD_SCHEMA = 1
"""The newest schema of a head that is understood."""


class ShownHead(NamedTuple):
    """What the head of a board says to people. Its functions raise what `explaining_contents` catches."""

    answer: Mapping[str, Any]

    @property
    def total(self) -> int:
        """The number of all rows."""
        return int(self.answer["total"])

    def list_rows(self, length: int) -> Sequence[Row]:
        """Return the first rows."""
        columns = {name: values for name, values in self.answer["rows"].items() if values and name != "scores"}
        scores = self.answer["rows"]["scores"]
        own = [dict(zip(scores, values, strict=True)) for values in zip(*scores.values(), strict=True)]
        rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
        return [{"label": None, **row, "scores": score} for row, score in zip(rows, own, strict=True)][:length]

    def print_rows(self, rows: Sequence[Row]) -> None:
        """Print rows as a table, and how many of how many they are."""
        head = self.answer
        table = Table(title=plain(head.get("board_title") or head["title"]), caption=plain(head["ranking"]["rule"]))
        table.add_column("rank", justify="right")
        table.add_column("player")
        for metric in head["metrics"]:
            unit = f" {metric['unit']}" if metric["unit"] else ""
            table.add_column(plain(f"{metric['label']}{unit} {_ARROWS[metric['direction']]}"), justify="right")
        table.add_column("submissions", justify="right")
        for row, scores in zip(rows, self._write_scores(rows), strict=True):
            table.add_row(str(row["rank"]), self._describe_player(row), *scores, str(row["submissions"]))
        print_wide(table)
        what = "players" if head["ranking"]["rows"] == "player" else "rows"
        make_console().print(f"{len(rows)} of {self.total} {what}")

    def _write_scores(self, rows: Sequence[Row]) -> list[list[str]]:
        """Return the cells of rows.

        Values of the primary metric that look equal in neighbours of different rank have all their digits.
        """
        metrics = self.answer["metrics"]
        lines = [
            [show_number(row["scores"].get(each["id"]), each["decimals"], each["unit"]) for each in metrics]
            for row in rows
        ]
        at = next((index for index, metric in enumerate(metrics) if metric["primary"]), 0)
        texts = [(row["rank"], line[at]) for row, line in zip(rows, lines, strict=True)]
        alike = {index for index, (a, b) in enumerate(pairwise(texts)) if a[0] != b[0] and a[1] == b[1]}
        for index in alike | {each + 1 for each in alike}:
            digits = show_digits(rows[index]["scores"].get(metrics[at]["id"]), metrics[at]["decimals"])
            lines[index][at] = digits or lines[index][at]
        return lines

    def _describe_player(self, row: Row) -> str:
        """Return a player with label, kind, marks, and what is missing, as markup."""
        parts, done = self.answer.get("parts"), row["scores"].get(DONE)
        baselines = {(each["player"], each["label"]) for each in self.answer.get("baselines", ())}
        tags = [*([row["label"]] if row["label"] else []), row["kind"], *([] if row["verified"] else ["guest"])]
        tags += ["baseline"] if (row["player"], row["label"]) in baselines else []
        tags += ["taken over"] if is_taken_over(row["submission"]) else []
        if parts is not None and done is not None and done < parts["total"]:
            tags.append(f"{int(done)} of {int(parts['total'])} {parts['noun']}")
        return f"{plain(row['name'])} [dim]{plain(' '.join(tags))}[/]"


def read_head(answer: Mapping[str, Any]) -> ShownHead:
    """Return the head that a site answered. Raises ApiError."""
    if answer.get("schema", 0) > HEAD_SCHEMA:
        raise ApiError("the site is newer than this command: update it, as docs/players.md says")
    return ShownHead(answer)


@contextmanager
def explaining_contents(path: str) -> Iterator[None]:
    """Raise ApiError if what a site answered is no board."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ApiError(f"{path}: expected the files of a board, found something else: {error!r}") from error
