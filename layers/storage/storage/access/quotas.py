"""Quotas: for each player and benchmark one item a day, with the ids that count as sets.

A set makes counting idempotent: an id that is there already changes nothing, whether it comes twice, moves or is freed.
What is freed is counted by a number, which rises in the write that takes the id out of its set: once for each id.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.attributes import Value
from storage.aws.errors import Conflict, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.ids import time_of
from storage.submissions.models import Submission

KEEP = timedelta(days=2)
"""How long the item of a day is kept after that day: results that are retried in vain settle late."""
TIMES_FREED = 3
"""How many quotas of a day may be given back before no more is taken: each was run, whoever's fault its end was."""


class QuotaKind(StrEnum):
    """What is counted: attributes of the item, of which the first three are sets of ids and the others numbers."""

    USED = "used"
    INVALID = "invalid"
    DROPPED = "dropped"
    FREED = "freed"
    FREED_DROPPED = "freed_dropped"
    TICKETS = "tickets"


class QuotaExceeded(Conflict):
    """The quota of the day is used up.

    Args:
        count: Which.
        limit: How many it allows.
        resets_at: When the next day begins, in UTC.
    """

    def __init__(self, count: QuotaKind, *, limit: int, resets_at: datetime) -> None:
        super().__init__(f"{count}: {limit} of {limit} until {resets_at.isoformat()}")
        self.count = count
        self.limit = limit
        self.resets_at = resets_at


class QuotaKey(NamedTuple):
    """Whose quota of which day.

    Args:
        benchmark: The benchmark's id.
        holder: The player's id; of guests `origin#` and the origin that they share.
        day: In UTC.
    """

    benchmark: str
    holder: str
    day: date

    @property
    def resets_at(self) -> datetime:
        """When the next day begins."""
        return datetime.combine(self.day + timedelta(days=1), time(), tzinfo=UTC)


class _Day(NamedTuple):
    """What was counted on a day, but for what is used."""

    invalid: frozenset[str]
    dropped: frozenset[str]
    freed: int
    freed_dropped: int


def quota_key_of(submission: Submission) -> QuotaKey:
    """Give the quota that a submission counts towards: that of the day on which it came."""
    player = submission.player
    holder = player.id if player.verified else f"origin#{submission.origin or ''}"
    return QuotaKey(submission.benchmark, holder, time_of(submission.id).date())


@dataclass(frozen=True, slots=True)
class QuotaStore:
    """The quotas in the access table."""

    table: Table

    def charge(self, submission: Submission, *, per_day: int, invalid_per_day: int) -> None:
        """Count a submission before it is kept; of any number at the same time exactly as many pass as may.

        Args:
            submission: Counted once, however often this is called.
            per_day: How many may be used that are not invalid; TIMES_FREED times as many may be given back before no
                more are taken.
            invalid_per_day: How many may be invalid before no more are taken.

        Raises:
            Exhausted: There is nothing left; nothing was changed.
        """
        allowance, one = quota_key_of(submission), _short(submission.id)
        condition = (
            "contains(#used, :id) OR ((attribute_not_exists(#used) OR size(#used) < :per_day)"
            " AND (attribute_not_exists(#invalid) OR size(#invalid) < :invalid_per_day)"
            " AND (attribute_not_exists(#freed) OR #freed < :freeable))"
        )
        freeable = TIMES_FREED * per_day
        limits = {"per_day": per_day, "invalid_per_day": invalid_per_day, "freeable": freeable}
        try:
            self._update(allowance, "ADD #used :ids", condition, ids=[one], values={"id": one, **limits})
        except Conflict as error:
            counted = self._read(allowance)
            count, limit = QuotaKind.USED, per_day
            if len(counted.invalid) >= invalid_per_day:
                count, limit = QuotaKind.INVALID, invalid_per_day
            elif counted.freed >= freeable:
                count, limit = QuotaKind.FREED, freeable
            raise QuotaExceeded(count, limit=limit, resets_at=allowance.resets_at) from error

    def charge_drop(self, allowance: QuotaKey, submissions: Sequence[str], *, per_day: int) -> int:
        """Count submissions of a drop, in their order, as far as the quota goes.

        Args:
            allowance: Of the player and the day of the drop.
            submissions: Ids; one that is counted already is not counted again.
            per_day: How many of drops may be used; TIMES_FREED times as many may be given back.

        Returns:
            How many of them, from the first on, are counted.

        Raises:
            Busy: The race was lost too often.
        """
        shorts = [_short(one) for one in submissions]

        def attempt() -> int:
            day = self._read(allowance)
            counted = day.dropped
            free = max(0, per_day - len(counted)) if day.freed_dropped < TIMES_FREED * per_day else 0
            new: list[str] = []
            length = 0
            for one in shorts:
                if one not in counted:
                    if len(new) == free:
                        break
                    new.append(one)
                length += 1
            if new:
                condition = "size(#dropped) = :size" if counted else "attribute_not_exists(#dropped)"
                size = {"size": len(counted)} if counted else {}
                self._update(allowance, "ADD #dropped :ids", condition, ids=new, values=size)
            return length

        return retry_on_conflict(attempt, what=f"quota of {allowance.holder} on {allowance.benchmark}")

    def charge_ticket(self, allowance: QuotaKey, *, per_day: int) -> None:
        """Count an upload that is to be allowed.

        Args:
            allowance: Of the player and the day.
            per_day: How many may be allowed.

        Raises:
            Exhausted: There is nothing left; nothing was changed.
        """
        condition = "attribute_not_exists(#tickets) OR #tickets < :per_day"
        values = {"once": 1, "per_day": per_day}
        try:
            self._update(allowance, "ADD #tickets :once", condition, ids=(), values=values)
        except Conflict as error:
            raise QuotaExceeded(QuotaKind.TICKETS, limit=per_day, resets_at=allowance.resets_at) from error

    def settle(self, submission: Submission, outcome: Outcome) -> None:
        """Move a submission that turned out invalid, and give back what failed by a fault of ours or of the owner.

        What is given back is counted, so that results which break a script are not free.

        Doing it again changes nothing, nor does it where the day's item is gone, or never counted the submission.
        """
        allowance, one = quota_key_of(submission), _short(submission.id)
        values = {"id": one}
        try:
            if outcome is Outcome.INVALID:
                change, condition = "DELETE #used :ids ADD #invalid :ids", "contains(#used, :id)"
                self._update(allowance, change, condition, ids=[one], values=values)
            elif outcome is not Outcome.SCORED:
                count = QuotaKind.FREED_DROPPED if submission.drop else QuotaKind.FREED
                self._free(allowance, one, {**values, "once": 1}, f"ADD #{count} :once")
        except Conflict:
            return

    def release(self, submission: Submission) -> None:
        """Give back what was charged for a submission that was not kept, and so will not be run."""
        one = _short(submission.id)
        try:
            self._free(quota_key_of(submission), one, {"id": one})
        except Conflict:
            return

    def _free(self, allowance: QuotaKey, one: str, values: dict[str, Value], change: str = "") -> None:
        condition = "contains(#used, :id) OR contains(#dropped, :id)"
        self._update(allowance, f"DELETE #used :ids, #dropped :ids {change}", condition, ids=[one], values=values)

    def _update(
        self, allowance: QuotaKey, change: str, condition: str, *, ids: Iterable[str], values: Mapping[str, Value]
    ) -> None:
        """Change the counts of a day's item. Raises Conflict."""
        members = frozenset(ids)
        self.table.update(
            Schema.QUOTA,
            {"key": _key(allowance)},
            attributes={"expires_at": int((allowance.resets_at + KEEP).timestamp())},
            change=change,
            condition=condition,
            values={**({"ids": members} if members else {}), **values},
        )

    def _read(self, allowance: QuotaKey) -> _Day:
        item = self.table.get_item(key=_key(allowance)) or {}
        if item:
            Schema.QUOTA.check(int(item["schema"]["N"]))
        return _Day(
            invalid=_ids(item, QuotaKind.INVALID),
            dropped=_ids(item, QuotaKind.DROPPED),
            freed=_number(item, QuotaKind.FREED),
            freed_dropped=_number(item, QuotaKind.FREED_DROPPED),
        )


def _ids(item: Mapping[str, Any], count: QuotaKind) -> frozenset[str]:
    return frozenset(item.get(count.value, {}).get("SS", ()))


def _number(item: Mapping[str, Any], count: QuotaKind) -> int:
    return int(item.get(count.value, {}).get("N", 0))


def _key(allowance: QuotaKey) -> str:
    return f"quota#{allowance.benchmark}#{allowance.holder}#{allowance.day.isoformat()}"


def _short(submission: str) -> str:
    """Give 11 characters for an id: an item holds at most 400 KB, and so three sets of 10,000."""
    return base64.urlsafe_b64encode(hashlib.sha256(submission.encode()).digest()[:8]).decode().rstrip("=")
