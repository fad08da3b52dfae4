"""The best over time: the records of the primary metric, of one player and of a whole board. Pure.

A board's records are the join of its players' records, so they follow from the standings alone: the order in which
records were delivered, repeats and rebuilds change nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from scoring_core.benchmarks.definition import Keep, Ranking
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.ranking.standings import WHOLE, Contribution, combine_parts
from storage.boards.models import Step
from storage.boards.standings import PlayerStanding, Steps
from storage.ids import time_of

MAX_STEPS = 50
"""Of one player's records this many are kept."""


def find_improvements(
    contributions: Iterable[Contribution], *, ranking: Ranking, score_type: ScoreType, parts: Sequence[str]
) -> Steps:
    """Give a player's records: the submissions after which the standing was better than ever before.

    Args:
        contributions: In any order, each (submission, part) once.
        ranking: Its first column is the primary one.
        score_type: The columns.
        parts: The declared parts; empty where the benchmark has none.

    Returns:
        (submission, value of the primary column after it), in order of submission; at most MAX_STEPS of them, among
        these the first and the last.
    """
    primary = ranking.by[0]
    direction = score_type.header(primary).direction
    kept = {part: _Kept(ranking.keep, direction) for part in parts or (WHOLE,)}
    steps: list[tuple[str, int | float]] = []
    ordered = sorted((one for one in contributions if one.part in kept), key=lambda one: one.submission)
    tried: set[str] = set()
    for submission, group in groupby(ordered, key=lambda one: one.submission):
        for one in group:
            kept[one.part].add(one.scores.get(primary))
            tried.add(one.part)
        columns = {part: {} if (value := kept[part].value()) is None else {primary: value} for part in tried}
        after = combine_parts(columns, ranking=ranking, score_type=score_type, parts=parts).get(primary)
        if after is not None and (not steps or is_better(after, steps[-1][1], direction)):
            steps.append((submission, after))
    return downsample(steps, MAX_STEPS)


def join_improvements(standings: Iterable[PlayerStanding], direction: Direction) -> tuple[Step, ...]:
    """Give the records of a board from all its standings."""
    return _improve((step for one in standings for step in _steps_of(one)), direction)


def update_improvements(
    known: Sequence[Step], touched: Mapping[str, PlayerStanding], *, players: Collection[str], direction: Direction
) -> tuple[Step, ...] | None:
    """Bring the records of a board up to date with some of its players.

    Args:
        known: All records as they were, none left out.
        touched: The present standings of those players; who has none is not in it.
        players: Whose standings may have changed.
        direction: Of the primary metric.

    Returns:
        What `join_steps` would give; None where a record is gone, so that those which it outshone may show again and
        all standings must be read.
    """
    others = [step for step in known if step[2] not in players]
    steps = _improve([*others, *(step for one in touched.values() for step in _steps_of(one))], direction)
    gone = [step for step in known if step[2] in players]
    return steps if all(any(_outshines(one, step, direction) for one in steps) for step in gone) else None


def downsample[Item](items: Sequence[Item], length: int) -> tuple[Item, ...]:
    """Leave out items evenly until there are only so many (at least two): the first and the last stay.

    >>> thin("abcdefg", 4)
    ('a', 'c', 'e', 'g')
    """
    if len(items) <= length:
        return tuple(items)
    last = len(items) - 1
    return tuple(items[index * last // (length - 1)] for index in range(length))


def is_better(one: float, other: float, direction: Direction) -> bool:
    """Tell whether a value beats another one."""
    return one > other if direction is Direction.HIGHER else one < other


def _steps_of(one: PlayerStanding) -> Iterable[Step]:
    for submission, value in one.steps:
        yield int(time_of(submission).timestamp() * 1000), value, one.player.id, submission


def _improve(steps: Iterable[Step], direction: Direction) -> tuple[Step, ...]:
    """Keep, in order of submission, each step that beats all before it."""
    records: list[Step] = []
    for step in sorted(steps, key=_order):
        if not records or is_better(step[1], records[-1][1], direction):
            records.append(step)
    return tuple(records)


def _outshines(one: Step, other: Step, direction: Direction) -> bool:
    return _order(one) <= _order(other) and not is_better(other[1], one[1], direction)


def _order(step: Step) -> tuple[str, str]:
    _, _, player, submission = step
    return submission, player


class _Kept:
    """The primary value of one part, as `fold_standing` would keep it after each try; each costs the same."""

    def __init__(self, keep: Keep, direction: Direction) -> None:
        self._keep = keep
        self._direction = direction
        self._value: int | float | None = None
        self._total = Fraction(0)  # exact, as math.fsum is
        self._tries = 0
        self._is_whole = True
        self._all_int = True

    def add(self, value: float | None) -> None:
        """Take the value of the next try, None where it has none."""
        self._tries += 1
        if self._keep is Keep.LATEST:
            self._value = value
        elif value is None:
            self._is_whole = False
        elif self._keep is Keep.BEST:
            if self._value is None or is_better(value, self._value, self._direction):
                self._value = value
        else:
            self._all_int = self._all_int and isinstance(value, int)
            self._total += Fraction(value)
            self._value = value

    def value(self) -> int | float | None:
        """Give what is kept; None where that is absent."""
        if self._keep in {Keep.BEST, Keep.LATEST}:
            return self._value
        if not self._is_whole:
            return None
        if self._tries == 1:
            return self._value
        total = self._sum()
        return total if total is None or self._keep is Keep.SUM else total / self._tries

    def _sum(self) -> int | float | None:
        if self._all_int:
            return int(self._total)
        try:
            return float(self._total)
        except OverflowError:
            return None
