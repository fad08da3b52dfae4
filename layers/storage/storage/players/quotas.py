"""Quotas: for each player and benchmark one item a day, of counts and of the ids that were counted last.

The guests at a network address share one more item, so a guest's result counts towards two. A benchmark with `in_all`
has one more for each player, which never expires and remembers all ids: they are at most MAX_IN_ALL.

The ids make counting idempotent: one that the item remembers changes nothing when it is charged again, and it is moved
or freed once. They are two sets that take turns: when the first has TURN ids it replaces the second, so the last TURN
ids at least are remembered and no item grows with its counts. A charge that repeats after so many others is not
recognised; a claimed idempotency key and the existing result stop nearly all such repeats before. Nor is an outcome
that comes after so many charges: the result then stays counted, and an invalid one counts as used.

The entries of a batch are charged by chunks. Their order never changes, so how many of the chunk are charged, the first
ones, is enough. What is charged of a day stays so: a player may submit ten thousand of them, or as many as the owner
says.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from scoring_core.benchmarks.terms import MAX_IN_ALL, DailyLimits, SubmissionTerms
from scoring_core.outcome import Outcome
from storage.gateway.conditions import (
    Absent,
    Below,
    Contains,
    CopyOf,
    Equals,
    ItemChange,
    ItemCondition,
    Lacks,
    SizeAtLeast,
    SizeBelow,
)
from storage.gateway.errors import Conflict, StoreError
from storage.gateway.schema import Schema
from storage.gateway.table import Table, retry_on_conflict
from storage.keys import time_of
from storage.submissions.models import NAMELESS, Submission

KEEP = timedelta(days=2)
"""How long an item is kept after its day: results that are retried to the end settle late."""
TIMES_FREED = 3
"""How many quotas of a day may be freed. Each freed result was run, no matter who caused it to fail."""

TURN = 64
"""How many ids a set holds before it is replaced: two sets of them and the counts take less than a write unit."""
LENGTH = 6
"""Characters of an id in a set: two of 128 are alike once in 500 million charges, and one more result is accepted."""
_UNBOUNDED = 10**9


_ADDRESS = "origin#"


class QuotaKind(StrEnum):
    """What is limited, by the names that people and logs see."""

    USED = "used"
    INVALID = "invalid"
    FREED = "freed"
    TICKETS = "tickets"
    MAILS = "mails"


class QuotaExceeded(Conflict):
    """A quota is used up; `resets_at` is None for what may be submitted in all."""

    def __init__(self, kind: QuotaKind, *, limit: int, quota: "QuotaKey") -> None:
        super().__init__(f"{kind}: {limit} of {limit} until {quota.resets_at}")
        self.kind = kind
        self.limit = limit
        self.quota = quota
        self.resets_at = quota.resets_at


class QuotaKey(NamedTuple):
    """Whose quota of which day, in UTC; without a day, of what may be submitted in all.

    The holder is a player's id, or `origin#` and a network address's hash.
    """

    benchmark: str
    holder: str
    day: date | None

    @property
    def is_shared(self) -> bool:
        """Return whether it is that of all guests at a network address."""
        return self.holder.startswith(_ADDRESS)

    @property
    def resets_at(self) -> datetime | None:
        """When the next day begins; None if the quota never comes back."""
        return datetime.combine(self.day + timedelta(days=1), time(), tzinfo=UTC) if self.day else None


class QuotaLeft(NamedTuple):
    """How many results a quota still allows, of how many."""

    quota: QuotaKey
    limit: int
    left: int


_RECENT, _EARLIER = "recent", "earlier"
"""The two sets of ids."""


class _Day(NamedTuple):
    """What an item says of a day, in DynamoDB's form; empty without one."""

    item: Mapping[str, Any]

    def number(self, name: str) -> int:
        """Return a count; 0 without one."""
        return int(self.item.get(name, {}).get("N", 0))

    def ids(self, *names: str) -> frozenset[str]:
        """Return the ids of these sets."""
        return frozenset(short for name in names for short in self.item.get(name, {}).get("SS", ()))

    def equals(self, name: str) -> ItemCondition:
        """Return the condition that a count has not changed since."""
        return Equals(name, self.number(name)) if name in self.item else Absent(name)


def quota_of_address(benchmark: str, origin: str, day: date) -> QuotaKey:
    """Return the quota that the guests at a network address share."""
    return QuotaKey(benchmark, f"{_ADDRESS}{origin}", day)


def quotas_of(submission: Submission) -> list[QuotaKey]:
    """Return the quotas of the day of its id that a submission counts towards."""
    day = time_of(submission.id).date()
    return list_quotas(submission.benchmark, submission.player.id, submission.origin, day, late=submission.late)


def list_quotas(benchmark: str, player: str, origin: str | None, day: date, *, late: bool) -> list[QuotaKey]:
    """Return the quotas of a day that a player's results count towards.

    Late ones have their own. These are the player's, if the player has a name, and that of the network address, if the
    player is a guest.
    """
    benchmark = f"{benchmark}@late" if late else benchmark
    named = [QuotaKey(benchmark, player, day)] if player not in NAMELESS else []
    shared = [quota_of_address(benchmark, origin, day)] if origin is not None else []
    return named + shared


def _quota_in_all(submission: Submission) -> QuotaKey:
    return QuotaKey(submission.benchmark, submission.player.id, None)


class QuotaStore(NamedTuple):
    """The quotas in the access table."""

    table: Table
    turn: int = TURN

    def charge(
        self, submission: Submission, limits: DailyLimits, *, shared: DailyLimits, in_all: int | None = None
    ) -> tuple[QuotaLeft, ...]:
        """Count a submission once, before it is stored; return what is left of each quota.

        `shared` are the limits of all guests at the submission's network address, if it has one. `in_all` is how many
        results of the player may count, ever; late ones never do.

        Raises QuotaExceeded, Busy.
        Concurrent calls never exceed a quota, nor TIMES_FREED × per_day freed ones. If one is exceeded or busy, none
        counts the submission.
        """
        charged = list[QuotaLeft]()
        quotas = [(quota, shared if quota.is_shared else limits) for quota in quotas_of(submission)]
        if in_all is not None and not submission.late:
            quotas.append((_quota_in_all(submission), _limit_in_all(in_all)))
        for quota, limit in quotas:
            try:
                charged.append(QuotaLeft(quota, limit.per_day, self._charge(quota, submission, limit)))
            except StoreError:  # exceeded, or busy: then a repeat is another submission
                for earlier in charged:
                    self._take_out(earlier.quota, submission, None)
                raise
        return tuple(charged)

    def find_left(self, terms: SubmissionTerms, player: str, origin: str | None, *, now: datetime) -> list[QuotaLeft]:
        """Return what is left to a player now, of each quota (consistent)."""
        late = terms.is_late(now, player)
        limits = {
            quota: terms.limits_of_address if quota.is_shared else terms.limits_of_player
            for quota in list_quotas(terms.id, player, origin, now.date(), late=late)
        }
        if terms.in_all is not None and not late:
            limits[QuotaKey(terms.id, player, None)] = _limit_in_all(terms.in_all)
        items = {item["key"]["S"]: item for item in self.table.get_many({"key": _key(quota)} for quota in limits)}
        return [_left_of(quota, limit, _read_day(items.get(_key(quota)))) for quota, limit in limits.items()]

    def _charge(self, quota: QuotaKey, submission: Submission, daily: DailyLimits) -> int:
        """Count a submission towards one quota; return how many are left.

        Raises QuotaExceeded, Busy.
        """
        short = _short_hash(submission.id)

        def attempt() -> QuotaExceeded | int:
            try:
                return self._count(quota, short, daily, is_full=False)
            except Conflict:
                return self._explain(quota, short, daily)

        charged = retry_on_conflict(attempt, what=f"quota of {quota.holder} on {quota.benchmark}")
        if isinstance(charged, QuotaExceeded):
            raise charged
        return max(0, daily.per_day - charged)

    def _count(self, quota: QuotaKey, short: str, limits: DailyLimits, *, is_full: bool) -> int:
        """Count an id that is not remembered, if no limit is reached; return the count.

        Raises Conflict.
        """
        turn, ids = self._turn_of(quota), frozenset({short})
        room = SizeAtLeast(_RECENT, turn) if is_full else Absent(_RECENT) | SizeBelow(_RECENT, turn)
        condition = (
            room
            & (Lacks(_RECENT, short) & Lacks(_EARLIER, short))
            & _is_below("count", limits.per_day)
            & _is_below("invalid_count", limits.invalid_per_day)
            & _is_below("freed", TIMES_FREED * limits.per_day)
        )
        if is_full:
            change = ItemChange(set={_EARLIER: CopyOf(_RECENT), _RECENT: ids}, add={"count": 1})
        else:
            change = ItemChange(add={"count": 1, _RECENT: ids})
        return self._update(quota, change, condition).number("count")

    def _turn_of(self, quota: QuotaKey) -> int:
        """Return how many ids a set of a quota holds: all, of what counts in all."""
        return self.turn if quota.day else MAX_IN_ALL + 1

    def _explain(self, quota: QuotaKey, short: str, limits: DailyLimits) -> QuotaExceeded | int:
        """Return what is exceeded; else the count, with what one write did not count.

        Raises Conflict.
        """
        day = self._read(quota)
        if short in day.ids(_RECENT, _EARLIER):
            return day.number("count")
        for kind, name, limit in (
            (QuotaKind.INVALID, "invalid_count", limits.invalid_per_day),
            (QuotaKind.FREED, "freed", TIMES_FREED * limits.per_day),
            (QuotaKind.USED, "count", limits.per_day),
        ):
            if day.number(name) >= limit:
                return QuotaExceeded(kind, limit=limit, quota=quota)
        return self._count(quota, short, limits, is_full=len(day.ids(_RECENT)) >= self._turn_of(quota))

    def charge_entries(self, submissions: Sequence[Submission], *, in_all: int) -> int:
        """Count entries of a batch, in order, of what may be submitted in all.

        Return how many are counted; one that is counted already is not counted again. Raises Busy.
        """
        for counted, submission in enumerate(submissions):
            try:
                self._charge(_quota_in_all(submission), submission, _limit_in_all(in_all))
            except QuotaExceeded:
                return counted
        return len(submissions)

    def charge_batch(self, quota: QuotaKey, chunk: str, submissions: Sequence[str], *, per_day: int) -> int:
        """Count a part of a batch in order; return how many are counted. Raises Busy.

        `chunk` names the part, which always has the same submissions: those that are counted are not counted again.
        """
        name = f"chunk_{hashlib.sha256(chunk.encode()).hexdigest()[:12]}"

        def attempt() -> int:
            day = self._read(quota)
            counted = day.number(name)
            more = min(max(0, per_day - day.number("batch_count")), len(submissions) - counted)
            if more > 0:
                change = ItemChange(set={name: counted + more}, add={"batch_count": more})
                self._update(quota, change, day.equals("batch_count") & day.equals(name))
            return counted + more

        return retry_on_conflict(attempt, what=f"quota of {quota.holder} on {quota.benchmark}")

    def charge_action(self, quota: QuotaKey, kind: QuotaKind, *, per_day: int, times: int = 1) -> None:
        """Count what is no submission, at most `per_day` times.

        Raises QuotaExceeded and counts nothing.
        """
        try:
            self._update(quota, ItemChange(add={kind: times}), _is_below(kind, per_day - times + 1))
        except Conflict as error:
            raise QuotaExceeded(kind, limit=per_day, quota=quota) from error

    def settle(self, submission: Submission, outcome: Outcome, *, in_all: bool = False) -> None:
        """Move an invalid submission to the invalid ones; free one that failed otherwise.

        With `in_all`, what has no score no longer counts towards what its player may submit in all. Freed submissions
        are counted, so that results that break a script are not free. Nothing changes if this is called again, if the
        item is gone or does not remember the submission; nor, of the day, for an entry of a batch.
        """
        if outcome is Outcome.SCORED:
            return
        for quota in () if submission.batch else quotas_of(submission):
            self._take_out(quota, submission, "invalid_count" if outcome is Outcome.INVALID else "freed")
        if in_all:
            self._take_out(_quota_in_all(submission), submission, None)

    def refund(self, submission: Submission, *, in_all: bool = False) -> None:
        """Take back what was charged for a submission that could not be stored."""
        in_all = in_all and not submission.late
        for quota in [*quotas_of(submission), *([_quota_in_all(submission)] if in_all else [])]:
            self._take_out(quota, submission, None)

    def _take_out(self, quota: QuotaKey, submission: Submission, counter: str | None) -> None:
        """Stop counting an id that is remembered, or count it by another counter."""
        short = _short_hash(submission.id)
        counts = {"count": -1, **({counter: 1} if counter else {})}
        change = ItemChange(add=counts, take_out=dict.fromkeys((_RECENT, _EARLIER), frozenset({short})))
        with suppress(Conflict):  # it is not remembered
            self._update(quota, change, Contains(_RECENT, short) | Contains(_EARLIER, short))

    def _update(self, quota: QuotaKey, change: ItemChange, condition: ItemCondition) -> _Day:
        """Change the counts of a day, and return what was changed. Raises Conflict."""
        if quota.resets_at:
            change = change._replace(set={**change.set, "expires_at": int((quota.resets_at + KEEP).timestamp())})
        return _Day(self.table.update(Schema.QUOTA, {"key": _key(quota)}, change, condition))

    def _read(self, quota: QuotaKey) -> _Day:
        return _read_day(self.table.get_item(key=_key(quota)))


def _limit_in_all(in_all: int) -> DailyLimits:
    """Return the limits of what a player may submit in all.

    The day bounds what is invalid.
    """
    return DailyLimits(in_all, _UNBOUNDED)


def _left_of(quota: QuotaKey, limits: DailyLimits, day: _Day) -> QuotaLeft:
    is_over = day.number("invalid_count") >= limits.invalid_per_day
    is_over = is_over or day.number("freed") >= TIMES_FREED * limits.per_day
    return QuotaLeft(quota, limits.per_day, 0 if is_over else max(0, limits.per_day - day.number("count")))


def _read_day(item: Mapping[str, Any] | None) -> _Day:
    if item:
        Schema.QUOTA.check(int(item["schema"]["N"]))
    return _Day(item or {})


def _is_below(name: str, limit: int) -> ItemCondition:
    """Return the condition that a count, which may be absent, is below a limit."""
    return Absent(name) | Below(name, limit)


def key_in_all(benchmark: str, player: str) -> str:
    """Return the key of the item that counts all that a player has submitted."""
    return _key(QuotaKey(benchmark, player, None))


def _key(quota: QuotaKey) -> str:
    return f"quota#{quota.benchmark}#{quota.holder}#{quota.day.isoformat() if quota.day else 'all'}"


def _short_hash(submission: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(submission.encode()).digest())[:LENGTH].decode()
