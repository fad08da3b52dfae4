"""Looks up what a code opens, and bounds how fast codes are guessed."""

from collections.abc import Callable
from dataclasses import dataclass

from handlers.http.quotas import quota_problem
from storage.access.quotas import QuotaExceeded, QuotaKey, QuotaKind, QuotaStore
from storage.ids import Clock

WRONG_PER_HOUR = 300
"""Of one who guesses: that locks the codes for others at the address too, but not for long."""


@dataclass(frozen=True, slots=True)
class WrongCodes:
    """Counts wrong codes; after too many in an hour no code is answered."""

    quotas: QuotaStore
    clock: Clock

    def look_up[Opened](self, quota: QuotaKey, find: Callable[[], Opened | None]) -> Opened | None:
        """Return what a code opens; None if it is wrong. Raises Problem 429."""
        hourly = quota._replace(hour=self.clock().hour)
        try:
            self.quotas.check_left(hourly, QuotaKind.WRONG_CODES, per_day=WRONG_PER_HOUR)
            opened = find()
            if opened is None:
                self.quotas.charge_action(hourly, QuotaKind.WRONG_CODES, per_day=WRONG_PER_HOUR)
        except QuotaExceeded as error:
            raise quota_problem(error, clock=self.clock) from error
        return opened
