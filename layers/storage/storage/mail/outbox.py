"""The mail table: intents that wait, and the leases under which they are sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.mail.models import (
    INTENT_PREFIX,
    LEASE,
    WAITING,
    DigestKey,
    Lease,
    MailState,
    PendingMail,
    Recipient,
    lease_from_item,
    parse_digest_key,
    pending_mail_from_item,
    to_seconds,
)

MAX_COUNTED = 500
LEASE_SECONDS = 180
"""Longer than the function that sends may take."""
PUT_OFF = timedelta(hours=1)
"""Longer than the queue keeps trying: so long the schedule leaves a mail to it that was put off."""
MAX_CRASHES = 1
_WAITING = "waiting"


class MailClaim(NamedTuple):
    """The right to send one mail, until the lease ends.

    Args:
        thread: Which thread.
        lease: As it was written.
        intents: What the mail counts, in order of submission; never empty.
        repeated: Whether an earlier holder of the lease may have sent this very mail.
    """

    thread: DigestKey
    lease: Lease
    intents: tuple[PendingMail, ...]
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class MailOutbox:
    """The mail table.

    Args:
        table: The mail table.
        gather_seconds: From one mail of a thread to the next.
        max_counted: Intents that one mail counts; what is beyond waits for the next.
    """

    table: Table
    gather_seconds: int = 3600
    max_counted: int = MAX_COUNTED

    def note(self, intent: PendingMail) -> bool:
        """Note an intent; one that is noted already stands as it is.

        Returns:
            Whether it still waits to be sent.
        """
        try:
            self.table.put(Schema.INTENT, intent.to_item(MailState.PENDING), condition="attribute_not_exists(#item)")
        except Conflict:
            found = self.table.get(Schema.INTENT, thread=str(intent.thread), item=intent.key)
            return found is not None and found["state"] == MailState.PENDING
        return True

    def note_failed_drop(self, benchmark: str, *, player: str, drop: str, now: datetime) -> None:
        """Note that something of a drop failed, which its uploader gets one mail about; the first note stands.

        Args:
            benchmark: The benchmark's id.
            player: Who handed the drop in.
            drop: The drop's id.
            now: The time by our clock.
        """
        thread = DigestKey(Recipient.UPLOADER, benchmark, player=player, drop=drop)
        self.note(PendingMail(thread, "", "", to_seconds(now)))

    def find_due(self, now: datetime) -> Iterator[DigestKey]:
        """Find the threads that hold a waiting intent and whose lease lets them be mailed now, sorted."""
        for thread in sorted(set(self._list_waiting()), key=str):  # a field may be None
            lease = self.find_lease(thread)
            if lease is None or lease.due_at(gather_seconds=self.gather_seconds) <= to_seconds(now):
                yield thread

    def list_pending(self, thread: DigestKey) -> list[PendingMail]:
        """Give the intents of a thread that wait (consistent), in order of submission."""
        items = self.table.query(
            key=("thread", str(thread)), prefix=("item", INTENT_PREFIX), only=("state", MailState.PENDING)
        )
        return [pending_mail_from_item(Schema.INTENT.read(item)) for item in items]

    def find_lease(self, thread: DigestKey) -> Lease | None:
        """Read a thread's lease (consistent); None where nothing was ever sent."""
        found = self.table.get(Schema.LEASE, thread=str(thread), item=LEASE)
        return None if found is None else lease_from_item(found)

    def claim(self, thread: DigestKey, *, now: datetime) -> MailClaim | None:
        """Take the lease of a thread, if a mail may go now and there is something to say.

        Intents that an ended mail counted and that still wait, because its sender stopped half-way, are closed first.

        Returns:
            The claim; None where there is nothing to send, the last mail is too recent, or somebody else is at it.
        """
        seen = self.find_lease(thread)
        pending = self.list_pending(thread)
        if seen is not None and seen.state in {MailState.SENT, MailState.REFUSED}:
            self._close((one for one in pending if one.key in seen.counted), seen.state, reason=seen.reason)
            pending = [one for one in pending if one.key not in seen.counted]
        if not pending or (seen is not None and not self._may_take(seen, now)):
            return None
        begun = seen is not None and seen.state in {MailState.PENDING, MailState.SENDING}
        crashed = seen is not None and seen.state is MailState.SENDING
        counted = seen.counted if seen and begun else ()
        chosen = ([one for one in pending if one.key in counted] or pending)[: self.max_counted]
        lease = Lease(
            state=MailState.SENDING,
            revision=seen.revision + 1 if seen else 1,
            counted=tuple(one.key for one in chosen),
            until=to_seconds(now) + LEASE_SECONDS,
            sent_at=seen.sent_at if seen else 0,
            crashes=seen.crashes + 1 if seen and crashed else 0,
        )
        try:
            self._write_lease(thread, lease)
        except Conflict:
            return None
        claim = MailClaim(thread, lease, tuple(chosen), repeated=crashed)
        if lease.crashes > MAX_CRASHES:
            self.refuse(claim, reason="whoever was to send this mail stopped half-way, twice")
            return None
        return claim

    def finish(self, claim: MailClaim, *, now: datetime) -> None:
        """Say that the mail was sent; who has lost the lease meanwhile says nothing."""
        self._end(claim, replace(claim.lease, state=MailState.SENT, sent_at=to_seconds(now)))

    def refuse(self, claim: MailClaim, *, reason: str) -> None:
        """Say that the mail will never be sent, and why."""
        self._end(claim, replace(claim.lease, state=MailState.REFUSED, reason=reason))

    def put_off(self, claim: MailClaim, *, until: datetime) -> None:
        """Give the lease back; the same mail is tried again by the queue, and by the schedule from `until` on."""
        self._end(claim, replace(claim.lease, state=MailState.PENDING, until=to_seconds(until), crashes=0))

    def drop_intents(self, intents: Iterable[PendingMail], *, reason: str) -> None:
        """Refuse single intents of a mail: there is nothing to say about them any more."""
        self._close(intents, MailState.REFUSED, reason=reason)

    def _may_take(self, lease: Lease, now: datetime) -> bool:
        match lease.state:
            case MailState.SENDING:
                return lease.until <= to_seconds(now)
            case MailState.SENT | MailState.REFUSED:
                return lease.due_at(gather_seconds=self.gather_seconds) <= to_seconds(now)
            case MailState.PENDING:
                return True

    def _end(self, claim: MailClaim, lease: Lease) -> None:
        try:
            self._write_lease(claim.thread, replace(lease, revision=lease.revision + 1))
        except Conflict:
            return
        if lease.state is not MailState.PENDING:
            self._close(claim.intents, lease.state, reason=lease.reason)

    def _write_lease(self, thread: DigestKey, lease: Lease) -> None:
        item, seen = lease.to_item(thread), lease.revision - 1
        if seen:
            self.table.put(Schema.LEASE, item, condition="#revision = :seen", values={"seen": seen})
        else:
            self.table.put(Schema.LEASE, item, condition="attribute_not_exists(#item)")

    def _close(self, intents: Iterable[PendingMail], state: MailState, *, reason: str = "") -> None:
        for intent in intents:
            try:
                self.table.put(
                    Schema.INTENT,
                    intent.to_item(state, reason=reason),
                    condition="#state = :pending",
                    values={"pending": MailState.PENDING},
                )
            except Conflict:
                continue

    def _list_waiting(self) -> Iterator[DigestKey]:
        for item in self.table.query(key=(_WAITING, WAITING), index=_WAITING):
            yield parse_digest_key(str(item["thread"]["S"]))
