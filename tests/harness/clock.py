"""The clock of the tests."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that stands still until a test advances it."""

    moment: datetime = START

    def __call__(self) -> datetime:
        """Return the time."""
        return self.moment

    def advance(self, **by: float) -> None:
        """Advance the clock; the arguments are those of `timedelta`."""
        self.moment += timedelta(**by)
