"""What one player has on one board, and who leads: keep, combine, order, ranks with ties.

Pure folds: the order in which contributions arrive changes nothing.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from scoring_core.benchmarks.definition import Combine, Keep, Ranking
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.scorers.base import Scores

WHOLE = ""
"""The part of a benchmark without parts."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one scored submission brings to one part.

    Args:
        submission: The submission's id, a UUIDv7: ids sort by time.
        part: The part, or WHOLE.
        scores: The columns of that part.
    """

    submission: str
    part: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Standing:
    """One player's place on a board.

    Args:
        scores: The combined columns; one that there is no value for is a missing key.
        submission: The last submission that the scores rest on: it decides who was earlier.
        submissions: How many scored submissions the player has.
    """

    scores: Scores
    submission: str
    submissions: int


class Position(NamedTuple):
    """A rank (from 1) and whether another player shares it."""

    rank: int
    tied: bool


class RankKey(NamedTuple):
    """What orders two standings; equal keys share a rank. Each column is (absent?, value in ascending order)."""

    columns: tuple[tuple[bool, float], ...]


def rank_key(scores: Mapping[str, int | float], *, ranking: Ranking, score_type: ScoreType) -> RankKey:
    """Give the key by which standings are ordered, the leader smallest.

    Args:
        scores: The columns, at full precision.
        ranking: Names the columns that decide, the first before the second.
        score_type: Gives each column's direction.

    Returns:
        The key; an absent column sorts after every value, whatever its direction.
    """
    columns = []
    for name in ranking.by:
        if name not in scores:
            columns.append((True, 0.0))
        elif score_type.header(name).direction is Direction.HIGHER:
            columns.append((False, -scores[name]))
        else:
            columns.append((False, scores[name]))
    return RankKey(tuple(columns))


def fold_standing(
    contributions: Iterable[Contribution], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Standing | None:
    """Fold all contributions of one player into the standing.

    Args:
        contributions: In any order.
        ranking: `keep` is applied to each part, `combine` over the parts.
        score_type: The columns.
        parts: The declared parts; empty where the benchmark has none.

    Returns:
        The standing; None where there is no contribution to a declared part (others are left out of account). A part
        never tried counts 0 in a column where higher is better and makes the combined value absent where lower is
        better; an absent kept value makes it absent too.
    """
    counted = parts or (WHOLE,)
    declared = frozenset(counted)
    by_part: defaultdict[str, dict[str, Contribution]] = defaultdict(dict)
    for one in contributions:
        if one.part in declared:
            by_part[one.part][one.submission] = one
    if not by_part:
        return None
    kept = {part: _keep(tries.values(), ranking=ranking, score_type=score_type) for part, tries in by_part.items()}
    return Standing(
        scores=_combine([kept.get(part) for part in counted], ranking=ranking, score_type=score_type),
        submission=max(last for _, last in kept.values()),
        submissions=len({submission for tries in by_part.values() for submission in tries}),
    )


def combine_parts(
    by_part: Mapping[str, Scores], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Scores:
    """Give the combined columns of one submission on its own, as the board would show it."""
    kept = [(by_part[part], "") if part in by_part else None for part in parts or (WHOLE,)]
    return _combine(kept, ranking=ranking, score_type=score_type)


def order_players(keys: Mapping[str, tuple[RankKey, str]]) -> list[tuple[str, Position]]:
    """Order the players of a board.

    Args:
        keys: Player → (rank key, submission that the standing rests on).

    Returns:
        Players with their places, the leader first. Equal keys share a rank (1, 2, 2, 4), and among them the
        earlier submission comes first.
    """
    ordered = sorted(keys, key=lambda player: (*keys[player], player))
    places: list[tuple[str, Position]] = []
    for _, group in groupby(ordered, key=lambda player: keys[player][0]):
        sharers = list(group)
        rank = len(places) + 1
        places.extend((player, Position(rank=rank, tied=len(sharers) > 1)) for player in sharers)
    return places


def _keep(tries: Collection[Contribution], *, ranking: Ranking, score_type: ScoreType) -> tuple[Scores, str]:
    """Give the kept columns of one part, and the last submission that they rest on."""
    last = max(tries, key=lambda one: one.submission)
    match ranking.keep:
        case Keep.BEST:
            best = min(
                tries,
                key=lambda one: (rank_key(one.scores, ranking=ranking, score_type=score_type), one.submission),
            )
            return best.scores, best.submission
        case Keep.LATEST:
            return last.scores, last.submission
        case Keep.MEAN | Keep.SUM:
            columns = {name: [one.scores[name] for one in tries if name in one.scores] for name in score_type.names}
            whole = {name: values for name, values in columns.items() if len(values) == len(tries)}
            return _totals(whole, mean=ranking.keep is Keep.MEAN), last.submission


def _combine(kept: Sequence[tuple[Scores, str] | None], *, ranking: Ranking, score_type: ScoreType) -> Scores:
    columns: dict[str, list[int | float]] = {}
    for header in score_type.headers:
        untried: Scores = {header.name: 0} if header.direction is Direction.HIGHER else {}
        by_part = [untried if part is None else part[0] for part in kept]
        if all(header.name in scores for scores in by_part):
            columns[header.name] = [scores[header.name] for scores in by_part]
    return _totals(columns, mean=ranking.combine is Combine.MEAN)


def _totals(columns: Mapping[str, Sequence[int | float]], *, mean: bool) -> Scores:
    """Add up column by column; a total beyond the doubles is absent."""
    totals = {name: _total(values, mean=mean) for name, values in columns.items()}
    return {name: total for name, total in totals.items() if total is not None}


def _total(values: Sequence[int | float], *, mean: bool) -> int | float | None:
    """Add exactly, so that the order does not matter; one value stays as it is, ints stay ints unless divided."""
    if len(values) == 1:
        return values[0]
    if all(isinstance(value, int) for value in values):
        total = sum(values)
    else:
        try:
            total = math.fsum(sorted(values))  # sorted, because whether a sum overflows on its way depends on the order
        except OverflowError:
            return None
    return total / len(values) if mean else total
