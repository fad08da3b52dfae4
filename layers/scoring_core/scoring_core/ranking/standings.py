"""What one player has on one board, and who leads: combined parts, and a place per row, smaller ones first."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple, Self

from scoring_core.benchmarks.definition import Combine, Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.exact_sums import ExactSum
from scoring_core.ranking.part_columns import DONE
from scoring_core.scorers.base import Scores

NO_PART = ""
"""The part of a benchmark without parts."""
_PUBLIC = "#public/"
"""Begins the names of public scores, which the results of a final have beside those by which it ranks."""
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


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's row on a board.

    Args:
        scores: The combined scores; an absent one is a missing key.
        submission: The last submission that the scores rest on; it decides ties by time.
        submissions: How many scored submissions the player has.
        done: How many of the declared parts have a scored submission; None if the benchmark has none.
        parts: Part → the kept scores, of the parts that are done, in the order in which they are declared.
    """

    scores: Scores
    submission: str
    submissions: int
    done: int | None = None
    parts: Mapping[str, Scores] = field(default_factory=dict)


def name_public(scores: Scores) -> Scores:
    """Return scores under the names that those of the public rows have in a final."""
    return {f"{_PUBLIC}{name}": value for name, value in scores.items()}


def read_public(scores: Scores) -> Scores:
    """Return the public scores of a result of a final, by the metrics' own names.

    >>> read_public({"rmse": 2.5} | name_public({"rmse": 2}))
    {'rmse': 2}
    """
    return {name.removeprefix(_PUBLIC): value for name, value in scores.items() if name.startswith(_PUBLIC)}


def combine_parts(
    by_part: Mapping[str, Scores], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Scores:
    """Return the combined scores of some parts, as a board shows them.

    In a final they have the public ones beside them. A part without scores counts 0 for metrics where higher is better
    and makes the combined score absent where lower is better; an absent score of a part makes it absent too. What a row
    of an earlier board says of all parts together, as NO_PART, stays until the parts rank better.
    """
    if parts and NO_PART in by_part:
        whole, key = by_part[NO_PART], RankOrder.of(ranking, score_type).key
        rest = {part: scores for part, scores in by_part.items() if part != NO_PART}
        own = combine_parts(rest, ranking=ranking, score_type=score_type, parts=parts) if rest else {}
        in_order = {name: whole[name] for name in score_type.names if name in whole}
        return own if key(own) < key(whole) else in_order | whole
    counted = parts or (NO_PART,)
    totals: Scores = {}
    for metric in score_type.headers:
        untried: Scores = {metric.name: 0} if metric.direction is Direction.HIGHER else {}
        scores = [by_part.get(part, untried) for part in counted]
        if all(metric.name in each for each in scores):
            values = [each[metric.name] for each in scores]
            totals[metric.name] = _total(values, mean=ranking.combine is Combine.MEAN)
    public = {part: read_public(by_part[part]) for part in counted if part in by_part}
    if not any(public.values()):
        return totals
    return totals | name_public(combine_parts(public, ranking=ranking, score_type=score_type, parts=parts))


def _total(values: Sequence[int | float], *, mean: bool) -> int | float:
    """Add exactly, so that the order does not matter; ints stay ints unless divided."""
    if len(values) == 1:
        return values[0]
    try:
        total = sum(values) if all(isinstance(value, int) for value in values) else math.fsum(values)
    except OverflowError:  # maybe only on the way
        return reduce(ExactSum.add, values, ExactSum()).round(len(values) if mean else 1)
    return total / len(values) if mean else total
