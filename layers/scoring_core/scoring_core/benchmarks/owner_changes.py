"""What owners change of a benchmark that runs, as pointers and pages have it: data classes, which pydantic reads."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ArchiveMark:
    """When a benchmark was archived (UTC), and the public reason if its owner gave one."""

    at: datetime
    reason: str | None = None

    def describe(self) -> str:
        """Return the sentence that rejects what an archived benchmark does not take.

        >>> ArchiveMark(datetime(2026, 1, 2), "the season is over").describe()
        'this benchmark was archived by its owner on 2026-01-02 and is read-only: the season is over'
        """
        sentence = f"this benchmark was archived by its owner on {self.at:%Y-%m-%d} and is read-only"
        return sentence if self.reason is None else f"{sentence}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Extension:
    """More time for one player, in UTC, and why; `until` is None once it was taken back.

    That was last changed at `at`, as often as `changes` says, so that of two readings the later one is known.
    """

    until: datetime | None
    reason: str
    at: datetime
    changes: int


@dataclass(frozen=True, slots=True)
class MovedClose:
    """When a benchmark was to close first, and since when and why it closes later, in UTC; the reason is public."""

    before: datetime
    reason: str
    at: datetime
