"""A player's improvements, kept so that a later submission is added without those before it, and in few bytes."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

from scoring_core.metrics.score_type import Direction

MAX_IMPROVEMENTS = 50
"""Improvements of a player that are kept."""

type Improvement = tuple[str, int | float]
"""A submission, and the value of the primary metric after it."""

type Improvements = tuple[Improvement, ...]
"""In order of submission."""

_OTHER = "="
"""Starts what is no UUID."""


def pack_id(submission: str) -> str:
    """Return a submission's id in 22 characters.

    DynamoDB charges a write for each KB of its item.

    >>> pack_id("019a5b1e-0000-7000-8000-00000000002a")
    'AZpbHgAAcACAAAAAAAAAKg'
    """
    digits = submission.replace("-", "")
    if len(digits) == 32:  # noqa: PLR2004
        try:
            packed = urlsafe_b64encode(bytes.fromhex(digits)).decode()[:22]
        except ValueError:
            pass
        else:
            if unpack_id(packed) == submission:
                return packed
    return f"{_OTHER}{submission}"


def unpack_id(packed: str) -> str:
    """Return the id that was packed."""
    if packed.startswith(_OTHER):
        return packed.removeprefix(_OTHER)
    digits = urlsafe_b64decode(f"{packed}==").hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def write_json(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))


class ImprovementList(NamedTuple):
    """The improvements of a player, in order of submission, thinned.

    They stay packed: a later submission is compared with the last one alone, however many there are.

    Args:
        total: How many there were.
        packed: Of those that `list_kept` names, the packed submission and the value, in turn.
    """

    total: int = 0
    packed: tuple[Any, ...] = ()

    @property
    def kept(self) -> tuple[Improvement, ...]:
        """Those that `list_kept` names."""
        return tuple(zip(map(unpack_id, self.packed[::2]), self.packed[1::2], strict=True))

    def append(self, submission: str, value: float | None, direction: Direction) -> Self:
        """Return the list with the value after a submission later than all before."""
        if value is None or (self.packed and not is_better(value, self.packed[-1], direction)):
            return self
        packed, total = (*self.packed, pack_id(submission), value), self.total + 1
        if total > MAX_IMPROVEMENTS:
            kept = frozenset(list_kept(total))
            ordinals = enumerate([*list_kept(self.total), self.total])
            packed = tuple(
                each for place, ordinal in ordinals if ordinal in kept for each in packed[2 * place : 2 * place + 2]
            )
        return type(self)(total, packed)

    def insert(self, submission: str, value: float | None, direction: Direction) -> Self | None:
        """Return the list with a submission of any time; each value counts for itself.

        Only where values are not joined from several parts or submissions. None: those left out by thinning decide, so
        all submissions must be read.
        """
        if not self._may_be_improvement(submission, value, direction):
            return self
        if not self.packed or unpack_id(self.packed[-2]) < submission:
            return self.append(submission, value, direction)
        if self.total > len(self.packed) // 2:
            return None
        before = [each for each in self.kept if each[0] < submission]
        after = [each for each in self.kept if each[0] > submission]
        return type(self).of([*before, (submission, value), *after], direction)

    def remove(self, submission: str, value: float | None, direction: Direction) -> Self | None:
        """Return the list without a submission; each value counts for itself, or None."""
        return None if self._may_be_improvement(submission, value, direction) else self

    def to_json(self) -> str:
        """Return the list compactly."""
        return write_json([self.total, *self.packed])

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` returned."""
        total, *packed = json.loads(text)
        return cls(total, tuple(packed))

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
        if not self.packed:
            return True
        if unpack_id(self.packed[-2]) < submission:
            return is_better(value, self.packed[-1], direction)
        earlier = [each for name, each in self.kept if name < submission]
        return not earlier or is_better(value, earlier[-1], direction)


def is_better(value: float, other: float, direction: Direction) -> bool:
    """Return whether a value beats another one."""
    return value > other if direction is Direction.HIGHER else value < other


def list_kept(total: int) -> Sequence[int]:
    """Return which improvements are kept: every one, or every 2nd, 4th, …; the last.

    Those that are kept of one more are among those kept of fewer, so thinning what was thinned changes nothing.

    >>> list_kept(3), len(list_kept(50)), list_kept(51)[-3:], list_kept(52)[-3:]
    ([0, 1, 2], 50, [46, 48, 50], [48, 50, 51])
    """
    stride = 1
    while True:
        kept = range(0, total, stride)
        rest = () if not kept or kept[-1] == total - 1 else (total - 1,)
        if len(kept) + len(rest) <= MAX_IMPROVEMENTS:
            return [*kept, *rest]
        stride *= 2


def downsample[Item](items: Sequence[Item], length: int) -> tuple[Item, ...]:
    """Return at most `length` (at least 2) items, evenly spaced, with both ends.

    >>> downsample("abcdefg", 4)
    ('a', 'c', 'e', 'g')
    """
    if len(items) <= length:
        return tuple(items)
    last = len(items) - 1
    return tuple(items[index * last // (length - 1)] for index in range(length))
