"""The columns that rows of a board with parts have beside its metrics: how many parts are done, and their values.

They are stored among the scores of a row, under names that start with a mark, so that all code that moves rows keeps
them, also that of releases that do not know them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from scoring_core.scorers.base import Scores

MARK = "#"
"""Starts the names of these columns; no metric that is published may start so."""
DONE = f"{MARK}done"
"""How many parts a row has done."""
MAX_PART_VALUES = 24
"""So many values of parts a row has at most: a head of 100 rows stays small. The player's page has all."""
_NUMBERED = re.compile(r"([A-Za-z]+)[._-]?\d+")


class PartColumns(NamedTuple):
    """What rows say of the parts of their board.

    Args:
        total: How many parts there are; 0 if rows say nothing of them.
        parts: Those that have columns.
        metrics: The metrics whose values those columns have.
    """

    total: int = 0
    parts: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[str], metrics: Sequence[str], *, primary: str) -> Self:
        """Return the columns of a board.

        They have all metrics of each part, else the primary one, else no values but how many parts are done.
        One part has the values of the row itself. If the name of a metric starts with the mark, there are no columns.
        """
        if len(parts) < 2 or any(name.startswith(MARK) for name in metrics):  # noqa: PLR2004  # several
            return cls()
        for shown in (metrics, (primary,)):
            if len(parts) * len(shown) <= MAX_PART_VALUES:
                return cls(len(parts), tuple(parts), tuple(shown))
        return cls(len(parts))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        values = tuple(name_column(part, metric) for part in self.parts for metric in self.metrics)
        return (DONE, *values) if self.total else ()

    def read(self, parts: Mapping[str, Scores], *, done: int | None) -> Scores:
        """Return what a standing has in these columns, without what is unknown or absent."""
        if not self.total or done is None:
            return {}
        values = {
            name_column(part, metric): parts[part][metric]
            for part in self.parts
            for metric in self.metrics
            if metric in parts.get(part, {})
        }
        return {DONE: done, **values}


def name_column(part: str, metric: str) -> str:
    """Return the name of the column of a part and a metric; no part has a slash.

    >>> name_column("level-1", "Time")
    '#level-1/Time'
    """
    return f"{MARK}{part}/{metric}"


def read_done(scores: Mapping[str, int | float]) -> int | None:
    """Return how many parts are done; None if the row does not say it."""
    done = scores.get(DONE)
    return None if done is None else int(done)


def without_parts(scores: Mapping[str, int | float]) -> dict[str, int | float]:
    """Return the scores of a row without what it says of parts."""
    return {name: value for name, value in scores.items() if not name.startswith(MARK)}


def read_parts(scores: Mapping[str, int | float]) -> dict[str, dict[str, int | float]]:
    """Return part → its scores, of what a row has."""
    parts: dict[str, dict[str, int | float]] = {}
    for name, value in scores.items():
        part, slash, metric = name.removeprefix(MARK).partition("/")
        if slash and name.startswith(MARK):
            parts.setdefault(part, {})[metric] = value
    return parts


def count_done(parts: Iterable[str | None]) -> Scores:
    """Return the column that says how many parts a submission alone has done."""
    return {DONE: len(frozenset(parts) - {None})}


def name_parts(parts: Sequence[str]) -> str:
    """Return the plural of what the parts are, by their names.

    >>> name_parts(["level-1", "level-2"]), name_parts(["q1", "q2"]), name_parts(["north", "south"])
    ('levels', 'parts', 'parts')
    """
    words = {match[1].lower() if (match := _NUMBERED.fullmatch(part)) else "" for part in parts}
    word = words.pop() if len(words) == 1 else ""
    return f"{word}s" if len(word) > 2 else "parts"  # noqa: PLR2004  # "q1" names no word
