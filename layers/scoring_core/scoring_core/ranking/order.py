"""What orders the rows of a board: a place per row, smaller ones first, and its JSON."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from scoring_core.benchmarks.definition import Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.column_names import DONE

ABSENT = math.inf
"""Stands for an absent score in a place: it sorts after every value, whatever the metric's direction."""
AFTER_ALL = "\U0010ffff"
"""Sorts after every id of a submission."""

type PlaceKey = tuple[int | float, ...]
"""The values of the metrics that decide, each in ascending order. Rows with equal keys share a rank."""


class Place(NamedTuple):
    """Where a row belongs: among equal keys, the earlier submission comes first."""

    key: PlaceKey
    submission: str
    row: str

    def to_json(self) -> tuple[tuple[int | float | None, ...], str, str]:
        """Return the place as JSON stores it: an absent score is null."""
        return tuple(None if value == ABSENT else value for value in self.key), self.submission, self.row

    @classmethod
    def from_json(cls, stored: Sequence[Any]) -> Self:
        """Read what `to_json` returned. Raises ValueError, TypeError."""
        key, submission, row = stored
        return cls(tuple(ABSENT if value is None else value for value in key), submission, row)


def start_of(key: PlaceKey) -> Place:
    """Return a place before all rows with this key, and after all better ones."""
    return Place(key, "", "")


def end_of(key: PlaceKey) -> Place:
    """Return a place after all rows with this key, and before all worse ones."""
    return Place(key, AFTER_ALL, "")


class RankOrder(NamedTuple):
    """The columns that decide ranks, the first one first: metrics, and DONE before them if it decides."""

    by: tuple[tuple[str, Direction], ...]

    def key(self, scores: Mapping[str, int | float]) -> PlaceKey:
        """Return the key of a row with these scores.

        >>> RankOrder((("points", Direction.HIGHER), ("time", Direction.LOWER))).key({"points": 7})
        (-7, inf)
        """
        return tuple(
            ABSENT if (value := scores.get(name)) is None else -value if direction is Direction.HIGHER else value
            for name, direction in self.by
        )

    def place(self, scores: Mapping[str, int | float], submission: str, row: str) -> Place:
        """Return where a row belongs."""
        return Place(self.key(scores), submission, row)

    def to_json(self) -> list[list[str]]:
        """Return the order as JSON stores it."""
        return [[name, direction.value] for name, direction in self.by]

    @classmethod
    def from_json(cls, stored: Iterable[Sequence[str]]) -> Self:
        """Read what `to_json` returned. Raises ValueError."""
        return cls(tuple((name, Direction(direction)) for name, direction in stored))

    @classmethod
    def of(cls, ranking: Ranking, score_type: ScoreType, *, has_parts: bool = False) -> Self:
        """Return the order of a benchmark's board."""
        by_done = ((DONE, Direction.HIGHER),) if has_parts and ranking.unfinished is Unfinished.BELOW else ()
        return cls((*by_done, *((name, score_type.metric(name).direction) for name in ranking.by)))
