"""What one player has on one board, and who leads: keep, combine, and a place per row, smaller ones first, with ties.

Pure folds: the order in which contributions arrive does not matter.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Self

from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.exact_sums import round_huge
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
class Contribution:
    """What one scored submission contributes to one part.

    Args:
        submission: The submission's id, a UUIDv7: ids sort by time.
        part: The part, or NO_PART.
        scores: The scores of that part.
    """

    submission: str
    part: str
    scores: Scores


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


def fold_standing(
    contributions: Iterable[Contribution], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Standing | None:
    """Fold all contributions of one player into the standing.

    Args:
        contributions: In any order; those to undeclared parts are ignored.
        ranking: `keep` applies to each part, `combine` over the parts.
        score_type: The metrics.
        parts: The declared parts; empty if the benchmark has none.

    Returns:
        The standing, if there is any contribution. A part without one counts 0 for metrics where higher is better and
        makes the combined score absent where lower is better; an absent kept score makes it absent too.
    """
    counted = parts or (NO_PART,)
    declared = frozenset(counted)
    by_part: defaultdict[str, dict[str, Contribution]] = defaultdict(dict)
    for contribution in contributions:
        if contribution.part in declared:
            by_part[contribution.part][contribution.submission] = contribution
    if not by_part:
        return None
    kept = {part: _keep(tries.values(), ranking=ranking, score_type=score_type) for part, tries in by_part.items()}
    return Standing(
        scores=_combine([kept.get(part) for part in counted], ranking=ranking, score_type=score_type),
        submission=max(last for _, last in kept.values()),
        submissions=len({submission for tries in by_part.values() for submission in tries}),
        done=len(kept) if parts else None,
        parts=list_parts({part: scores for part, (scores, _) in kept.items()}, score_type=score_type, parts=parts),
    )


def list_parts(kept: Mapping[str, Scores], *, score_type: ScoreType, parts: Sequence[str]) -> dict[str, Scores]:
    """Return the kept scores of the declared parts, all in order of declaration."""
    return {
        part: {name: kept[part][name] for name in score_type.names if name in kept[part]}
        for part in parts
        if part in kept
    }


def name_public(scores: Scores) -> Scores:
    """Return scores under the names that those of the public rows have in a final."""
    return {f"{_PUBLIC}{name}": value for name, value in scores.items()}


def read_public(scores: Scores) -> Scores:
    """Return the public scores of a result of a final, by the metrics' own names.

    >>> read_public({"rmse": 2.5} | name_public({"rmse": 2}))
    {'rmse': 2}
    """
    return {name.removeprefix(_PUBLIC): value for name, value in scores.items() if name.startswith(_PUBLIC)}


def is_comparable(done: int, *, ranking: Ranking, parts: Sequence[str]) -> bool:
    """Return whether a value may be the best of a board after so many parts are done."""
    return ranking.unfinished is Unfinished.AS_SCORED or done >= len(parts)


def combine_parts(
    by_part: Mapping[str, Scores], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Scores:
    """Return the combined scores of one submission alone, as a board shows them."""
    kept = [(by_part[part], "") if part in by_part else None for part in parts or (NO_PART,)]
    return _combine(kept, ranking=ranking, score_type=score_type)


def _keep(tries: Collection[Contribution], *, ranking: Ranking, score_type: ScoreType) -> tuple[Scores, str]:
    """Return the kept scores of one part, and the last submission that they rest on."""
    last = max(tries, key=lambda contribution: contribution.submission)
    match ranking.keep:
        case Keep.BEST | Keep.BEST_PUBLIC:
            order, read = RankOrder.of(ranking, score_type), read_public if ranking.keep is Keep.BEST_PUBLIC else dict
            best = min(tries, key=lambda each: (order.key(read(each.scores)), each.submission))
            return best.scores, best.submission
        case Keep.LATEST:
            return last.scores, last.submission
        case Keep.MEAN | Keep.SUM:
            values = {name: [each.scores[name] for each in tries if name in each.scores] for name in score_type.names}
            complete = {name: scores for name, scores in values.items() if len(scores) == len(tries)}
            return _totals(complete, mean=ranking.keep is Keep.MEAN), last.submission


def _combine(kept: Sequence[tuple[Scores, str] | None], *, ranking: Ranking, score_type: ScoreType) -> Scores:
    """Return the combined scores, and in a final the public ones beside them."""
    values: dict[str, list[int | float]] = {}
    for metric in score_type.headers:
        untried: Scores = {metric.name: 0} if metric.direction is Direction.HIGHER else {}
        by_part = [untried if part is None else part[0] for part in kept]
        if all(metric.name in scores for scores in by_part):
            values[metric.name] = [scores[metric.name] for scores in by_part]
    totals = _totals(values, mean=ranking.combine is Combine.MEAN)
    public = [part and (read_public(part[0]), part[1]) for part in kept]
    if not any(part and part[0] for part in public):
        return totals
    return totals | name_public(_combine(public, ranking=ranking, score_type=score_type))


def _totals(values: Mapping[str, Sequence[int | float]], *, mean: bool) -> Scores:
    return {name: _total(scores, mean=mean) for name, scores in values.items()}


def _total(values: Sequence[int | float], *, mean: bool) -> int | float:
    """Add exactly, so that the order does not matter; ints stay ints unless divided."""
    if len(values) == 1:
        return values[0]
    if all(isinstance(value, int) for value in values):
        total = sum(values)
    else:
        try:
            total = math.fsum(values)
        except OverflowError:  # maybe only on the way
            exact = sum(map(Fraction, values), Fraction())
            try:
                total = float(exact)
            except OverflowError:
                return round_huge(exact, len(values) if mean else 1)
    return total / len(values) if mean else total
