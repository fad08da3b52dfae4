"""A player's improvements, kept so that a later submission is added without those before it."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.packing import pack_id, unpack_id, write_json

MAX_IMPROVEMENTS = 50
"""Improvements of a player that are kept."""

type Improvement = tuple[str, int | float]
"""A submission, and the value of the primary metric after it."""


class ImprovementList(NamedTuple):
    """The improvements of a player, in order of submission, thinned.

    Args:
        total: How many there were.
        kept: Those that `list_kept` names.
    """

    total: int = 0
    kept: tuple[Improvement, ...] = ()

    def append(self, submission: str, value: float | None, direction: Direction) -> Self:
        """Return the list with the value after a submission later than all before."""
        if value is None or (self.kept and not is_better(value, self.kept[-1][1], direction)):
            return self
        ordinals = [*list_kept(self.total), self.total]
        kept = frozenset(list_kept(self.total + 1))
        improvements = zip(ordinals, (*self.kept, (submission, value)), strict=True)
        return type(self)(self.total + 1, tuple(each for ordinal, each in improvements if ordinal in kept))

    def insert(self, submission: str, value: float | None, direction: Direction) -> Self | None:
        """Return the list with a submission of any time; each value counts for itself.

        Only where values are not joined from several parts or submissions. None: those left out by thinning decide, so
        all submissions must be read.
        """
        if not self._may_be_improvement(submission, value, direction):
            return self
        if not self.kept or self.kept[-1][0] < submission:
            return self.append(submission, value, direction)
        if self.total > len(self.kept):
            return None
        before = [each for each in self.kept if each[0] < submission]
        after = [each for each in self.kept if each[0] > submission]
        return type(self).of([*before, (submission, value), *after], direction)

    def remove(self, submission: str, value: float | None, direction: Direction) -> Self | None:
        """Return the list without a submission; each value counts for itself, or None."""
        return None if self._may_be_improvement(submission, value, direction) else self

    def to_json(self) -> str:
        """Return the list compactly."""
        return write_json(
            [self.total, *(each for submission, value in self.kept for each in (pack_id(submission), value))]
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        total, *kept = json.loads(text)
        return cls(total, tuple(zip(map(unpack_id, kept[::2]), kept[1::2], strict=True)))

    @classmethod
    def of(cls, values: Iterable[tuple[str, int | float | None]], direction: Direction) -> Self:
        """Return the list of the values after submissions, which are in order."""
        improvements = cls()
        for submission, value in values:
            improvements = improvements.append(submission, value, direction)
        return improvements

    def _may_be_improvement(self, submission: str, value: float | None, direction: Direction) -> bool:
        """Return whether a value is better than each kept one before its submission."""
        if value is None:
            return False
        earlier = [each for name, each in self.kept if name < submission]
        return not earlier or is_better(value, earlier[-1], direction)


def is_better(value: float, other: float, direction: Direction) -> bool:
    """Return whether a value beats another one."""
    return value > other if direction is Direction.HIGHER else value < other


def thin(improvements: Sequence[Improvement]) -> tuple[Improvement, ...]:
    """Return the improvements that are kept of all, MAX_IMPROVEMENTS at most."""
    return tuple(improvements[ordinal] for ordinal in list_kept(len(improvements)))


def list_kept(total: int) -> Sequence[int]:
    """Return which improvements are kept: every one, or every 2nd, 4th, …; the last.

    Those that are kept of one more are among those kept of fewer, so thinning what was thinned changes nothing.

    >>> list_kept(3), len(list_kept(50)), list_kept(51)[-3:], list_kept(52)[-3:]
    ([0, 1, 2], 50, [46, 48, 50], [48, 50, 51])
    """
    stride = 1
    while True:
        kept = list(range(0, total, stride))
        if kept and kept[-1] != total - 1:
            kept.append(total - 1)
        if len(kept) <= MAX_IMPROVEMENTS:
            return kept
        stride *= 2
