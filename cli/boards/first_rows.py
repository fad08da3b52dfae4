"""Reads the head of a board and prints it, without the models, whose import takes longer than all else."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple, Self

from rich.table import Table

from cli.client import ApiError
from cli.console import make_console, plain, print_wide
from scoring_core.metrics.spelling import show_digits, show_number
from scoring_core.outcome import is_taken_over
from scoring_core.ranking.part_columns import DONE

_ARROWS = {"higher": "↑", "lower": "↓"}
_MAX_DECIMALS = 15
HEAD_SCHEMA = 1
"""The newest schema of a head that is understood."""


class Column(NamedTuple):
    """A metric of the board."""

    id: str
    label: str
    unit: str | None
    direction: str
    decimals: int | None

    @classmethod
    def of(cls, metric: Mapping[str, Any]) -> Self:
        """Return the column of a metric in a head."""
        decimals = metric["decimals"]
        if decimals is not None and not 0 <= int(decimals) <= _MAX_DECIMALS:
            raise ValueError(f"decimals: expected 0 to {_MAX_DECIMALS}, found {decimals}")
        return cls(metric["id"], metric["label"], metric["unit"], metric["direction"], decimals and int(decimals))

    @property
    def title(self) -> str:
        """What stands above the column, as markup."""
        unit = f" {self.unit}" if self.unit else ""
        return plain(f"{self.label}{unit} {_ARROWS[self.direction]}")


class ShownRow(NamedTuple):
    """A row as people see it; `scores` lacks, or has as None, what is absent."""

    rank: int
    name: str
    kind: str
    label: str | None
    verified: bool
    scores: Mapping[str, int | float | None]
    submissions: int
    is_baseline: bool
    submission: str = ""


class ShownHead(NamedTuple):
    """What the head of a board says to people. Its functions raise what `explaining_contents` catches."""

    answer: Mapping[str, Any]

    @property
    def total(self) -> int:
        """The number of all rows."""
        return int(self.answer["total"])

    @property
    def baselines(self) -> set[tuple[str, str | None]]:
        """Player and label of each row that is a baseline."""
        return {(each["player"], each["label"]) for each in self.answer.get("baselines", ())}

    def list_rows(self, length: int) -> list[ShownRow]:
        """Return the first rows."""
        rows = self.answer["rows"]
        count = len(rows["player"])
        columns = {name: rows[name] for name in ("rank", "name", "kind", "verified", "submissions", "submission")}
        scores = {str(name): column for name, column in rows["scores"].items()}
        for column in (*columns.values(), *(scores[metric["id"]] for metric in self.answer["metrics"])):
            if len(column) != count:
                raise ValueError(f"expected {count} values in every column, found {len(column)}")
        labels = rows.get("label") or [None] * count
        return [
            ShownRow(
                rank=int(columns["rank"][index]),
                name=columns["name"][index],
                kind=columns["kind"][index],
                label=labels[index],
                verified=bool(columns["verified"][index]),
                scores={name: column[index] for name, column in scores.items() if len(column) == count},
                submissions=int(columns["submissions"][index]),
                is_baseline=(rows["player"][index], labels[index]) in self.baselines,
                submission=columns["submission"][index],
            )
            for index in range(min(length, count))
        ]

    def print_rows(self, rows: Sequence[ShownRow]) -> None:
        """Print rows as a table, and how many of how many they are."""
        columns = [Column.of(metric) for metric in self.answer["metrics"]]
        head = self.answer
        table = Table(title=plain(head.get("board_title") or head["title"]), caption=plain(head["ranking"]["rule"]))
        table.add_column("rank", justify="right")
        table.add_column("player")
        for column in columns:
            table.add_column(column.title, justify="right")
        table.add_column("submissions", justify="right")
        for row, scores in zip(rows, self._write_scores(rows, columns), strict=True):
            table.add_row(str(row.rank), self._describe_player(row), *scores, str(row.submissions))
        print_wide(table)
        what = "players" if head["ranking"]["rows"] == "player" else "rows"
        make_console().print(f"{len(rows)} of {self.total} {what}")

    def _write_scores(self, rows: Sequence[ShownRow], columns: Sequence[Column]) -> list[list[str]]:
        """Return the cells of rows.

        Values of the primary metric that look equal in neighbours of different rank have all their digits.
        """
        lines = [[show_number(row.scores.get(each.id), each.decimals, each.unit) for each in columns] for row in rows]
        at = next((index for index, metric in enumerate(self.answer["metrics"]) if metric["primary"]), 0)
        texts = [(row.rank, line[at]) for row, line in zip(rows, lines, strict=True)]
        alike = {index for index, (a, b) in enumerate(pairwise(texts)) if a[0] != b[0] and a[1] == b[1]}
        for index in alike | {each + 1 for each in alike}:
            digits = show_digits(rows[index].scores.get(columns[at].id), columns[at].decimals)
            lines[index][at] = digits or lines[index][at]
        return lines

    def _describe_player(self, row: ShownRow) -> str:
        """Return a player with label, kind, marks, and what is missing, as markup."""
        parts, done = self.answer.get("parts"), row.scores.get(DONE)
        tags = [*([row.label] if row.label else []), row.kind, *([] if row.verified else ["guest"])]
        tags += ["baseline"] if row.is_baseline else []
        tags += ["taken over"] if is_taken_over(row.submission) else []
        if parts is not None and done is not None and done < parts["total"]:
            tags.append(f"{int(done)} of {int(parts['total'])} {parts['noun']}")
        return f"{plain(row.name)} [dim]{plain(' '.join(tags))}[/]"


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
