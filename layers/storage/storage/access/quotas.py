"""Quotas: for each player and benchmark one item a day, which holds the counted ids as sets.

A set makes counting idempotent: an id that is in it already changes nothing, whether it is added, moved or freed again.
What is freed is counted by a number, which rises in the write that takes the id out of its set, so once for each id.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
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
"""How long an item is kept after its day: results that are retried to the end settle late."""
TIMES_FREED = 3
"""How many quotas of a day may be freed. Each freed result was run, no matter who caused it to fail."""


class QuotaKind(StrEnum):
    """What is counted, in attributes of the item: the first three are sets of ids, the others numbers."""

    USED = "used"
    INVALID = "invalid"
    DROPPED = "dropped"
    FREED = "freed"
    FREED_DROPPED = "freed_dropped"
    TICKETS = "tickets"


class QuotaExceeded(Conflict):
    """A quota of the day is used up."""

    def __init__(self, kind: QuotaKind, *, limit: int, resets_at: datetime) -> None:
        super().__init__(f"{kind}: {limit} of {limit} until {resets_at.isoformat()}")
        self.kind = kind
        self.limit = limit
        self.resets_at = resets_at


class QuotaKey(NamedTuple):
    """Whose quota of which day, in UTC; the holder of a guest's is `origin#` and the origin that guests share."""

    benchmark: str
    holder: str
    day: date

    @property
    def resets_at(self) -> datetime:
        """When the next day begins."""
        return datetime.combine(self.day + timedelta(days=1), time(), tzinfo=UTC)


class _Day(NamedTuple):
    """What was counted on a day, except what is used."""

    invalid: frozenset[str]
    dropped: frozenset[str]
    freed: int
    freed_dropped: int


def quota_key_of(submission: Submission) -> QuotaKey:
    """Return the quota that a submission counts towards, of the day of its id."""
    player = submission.player
    holder = player.id if player.verified else f"origin#{submission.origin or ''}"
    return QuotaKey(submission.benchmark, holder, time_of(submission.id).date())


@dataclass(frozen=True, slots=True)
class QuotaStore:
    """The quotas in the access table."""

    table: Table

    def charge(self, submission: Submission, *, per_day: int, invalid_per_day: int) -> None:
        """Count a submission once, before it is stored. Raises QuotaExceeded.

        Concurrent calls never exceed the quota, nor TIMES_FREED × per_day freed ones. If it is exceeded, nothing is
        changed.
        """
        quota, short = quota_key_of(submission), _short_hash(submission.id)
        condition = (
            "contains(#used, :id) OR ((attribute_not_exists(#used) OR size(#used) < :per_day)"
            " AND (attribute_not_exists(#invalid) OR size(#invalid) < :invalid_per_day)"
            " AND (attribute_not_exists(#freed) OR #freed < :freeable))"
        )
        freeable = TIMES_FREED * per_day
        limits = {"per_day": per_day, "invalid_per_day": invalid_per_day, "freeable": freeable}
        try:
            self._update(quota, "ADD #used :ids", condition, ids=[short], values={"id": short, **limits})
        except Conflict as error:
            counted = self._read(quota)
            kind, limit = QuotaKind.USED, per_day
            if len(counted.invalid) >= invalid_per_day:
                kind, limit = QuotaKind.INVALID, invalid_per_day
            elif counted.freed >= freeable:
                kind, limit = QuotaKind.FREED, freeable
            raise QuotaExceeded(kind, limit=limit, resets_at=quota.resets_at) from error

    def charge_batch(self, quota: QuotaKey, submissions: Sequence[str], *, per_day: int) -> int:
        """Count submissions of a batch in order; return how many are counted. Raises Busy.

        One that is counted already is not counted again. At most TIMES_FREED × per_day may be freed.
        """
        shorts = [_short_hash(submission) for submission in submissions]

        def attempt() -> int:
            day = self._read(quota)
            counted = day.dropped
            free = max(0, per_day - len(counted)) if day.freed_dropped < TIMES_FREED * per_day else 0
            new: list[str] = []
            length = 0
            for short in shorts:
                if short not in counted:
                    if len(new) == free:
                        break
                    new.append(short)
                length += 1
            if new:
                condition = "size(#dropped) = :size" if counted else "attribute_not_exists(#dropped)"
                size = {"size": len(counted)} if counted else {}
                self._update(quota, "ADD #dropped :ids", condition, ids=new, values=size)
            return length

        return retry_on_conflict(attempt, what=f"quota of {quota.holder} on {quota.benchmark}")

    def charge_upload(self, quota: QuotaKey, *, per_day: int) -> None:
        """Count an upload before it is allowed. Raises QuotaExceeded and counts nothing."""
        condition = "attribute_not_exists(#tickets) OR #tickets < :per_day"
        values = {"once": 1, "per_day": per_day}
        try:
            self._update(quota, "ADD #tickets :once", condition, ids=(), values=values)
        except Conflict as error:
            raise QuotaExceeded(QuotaKind.TICKETS, limit=per_day, resets_at=quota.resets_at) from error

    def settle(self, submission: Submission, outcome: Outcome) -> None:
        """Move an invalid submission to the invalid ones; free one that failed otherwise.

        Freed submissions are counted, so that results that break a script are not free. Nothing changes if this is
        called again, or if the item is gone or never counted the submission.
        """
        quota, short = quota_key_of(submission), _short_hash(submission.id)
        values = {"id": short}
        with suppress(Conflict):
            if outcome is Outcome.INVALID:
                change, condition = "DELETE #used :ids ADD #invalid :ids", "contains(#used, :id)"
                self._update(quota, change, condition, ids=[short], values=values)
            elif outcome is not Outcome.SCORED:
                kind = QuotaKind.FREED_DROPPED if submission.batch else QuotaKind.FREED
                self._free(quota, short, {**values, "once": 1}, f"ADD #{kind} :once")

    def release(self, submission: Submission) -> None:
        """Free what was charged for a submission that could not be stored."""
        short = _short_hash(submission.id)
        with suppress(Conflict):
            self._free(quota_key_of(submission), short, {"id": short})

    def _free(self, quota: QuotaKey, short: str, values: dict[str, Value], change: str = "") -> None:
        condition = "contains(#used, :id) OR contains(#dropped, :id)"
        self._update(quota, f"DELETE #used :ids, #dropped :ids {change}", condition, ids=[short], values=values)

    def _update(
        self, quota: QuotaKey, change: str, condition: str, *, ids: Iterable[str], values: Mapping[str, Value]
    ) -> None:
        """Change the counts of a day. Raises Conflict."""
        members = frozenset(ids)
        self.table.update(
            Schema.QUOTA,
            {"key": _key(quota)},
            attributes={"expires_at": int((quota.resets_at + KEEP).timestamp())},
            change=change,
            condition=condition,
            values={**({"ids": members} if members else {}), **values},
        )

    def _read(self, quota: QuotaKey) -> _Day:
        item = self.table.get_item(key=_key(quota)) or {}
        if item:
            Schema.QUOTA.check(int(item["schema"]["N"]))
        return _Day(
            invalid=_ids(item, QuotaKind.INVALID),
            dropped=_ids(item, QuotaKind.DROPPED),
            freed=_number(item, QuotaKind.FREED),
            freed_dropped=_number(item, QuotaKind.FREED_DROPPED),
        )


def _ids(item: Mapping[str, Any], kind: QuotaKind) -> frozenset[str]:
    return frozenset(item.get(kind.value, {}).get("SS", ()))


def _number(item: Mapping[str, Any], kind: QuotaKind) -> int:
    return int(item.get(kind.value, {}).get("N", 0))


def _key(quota: QuotaKey) -> str:
    return f"quota#{quota.benchmark}#{quota.holder}#{quota.day.isoformat()}"


def _short_hash(submission: str) -> str:
    """Return 11 characters for an id, so that three sets of 10,000 fit in an item."""
    return base64.urlsafe_b64encode(hashlib.sha256(submission.encode()).digest()[:8]).decode().rstrip("=")
