"""The mail table with pending mails, leases and suppressed addresses."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.gateway.conditions import Absent, Equals, Prefix
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table
from storage.mail.models import (
    LEASE,
    PENDING_PREFIX,
    WAITING,
    DigestKey,
    DigestKind,
    Lease,
    MailState,
    PendingMail,
    lease_from_item,
    parse_digest_key,
    pending_mail_from_item,
    to_seconds,
)

MAX_COUNTED = 500
LEASE_SECONDS = 180
"""Longer than the function that sends may take."""
DEFERRAL = timedelta(hours=1)
"""Longer than the queue keeps trying: for so long the schedule leaves a deferred mail to the queue."""
BATCH_WINDOW = timedelta(minutes=10)
"""So long the report of a batch waits for those of others, which one command may have submitted with it."""
MAX_CRASHES = 1
_WAITING = "waiting"
_SUPPRESSION = "suppression"
_NEVER_SENT = Lease(state=MailState.SENT, lock_version=0)


class LeasedMail(NamedTuple):
    """The right to send one mail, which is never empty, until the lease ends."""

    digest: DigestKey
    lease: Lease
    mails: tuple[PendingMail, ...]


class MailOutbox(NamedTuple):
    """The mail table; one mail of a digest counts `max_counted` pending mails, the others wait for the next."""

    table: Table
    digest_interval_seconds: int = 3600
    max_counted: int = MAX_COUNTED

    def add(self, mail: PendingMail) -> None:
        """Add a pending mail, or keep the existing one, also if that is sent."""
        item = mail.to_item(MailState.PENDING)
        self.table.put_if(Schema.PENDING_MAIL, item, Absent("item"))

    def find_states(self, mails: Iterable[PendingMail]) -> dict[DigestKey, MailState]:
        """Return digest → state, of mails that are alone in theirs (consistent).

        Raises Busy.
        """
        items = self.table.get_many({"thread": str(mail.digest), "item": mail.key} for mail in mails)
        stored = map(Schema.PENDING_MAIL.read, items)
        return {parse_digest_key(str(plain["thread"])): MailState(str(plain["state"])) for plain in stored}

    def add_batch_failure(self, benchmark: str, *, player: str, batch: str, now: datetime) -> None:
        """Add the mail that a batch's uploader gets if something of the batch failed."""
        self.add(PendingMail(DigestKey(DigestKind.BATCHES, benchmark, player=player), batch, "", to_seconds(now)))

    def add_orphan(self, benchmark: str, *, batch: str, reason: str, now: datetime) -> None:
        """Add what the administrator reads about a batch of nobody."""
        digest = DigestKey(DigestKind.ORPHANS, benchmark)
        self.add(PendingMail(digest, batch, "", to_seconds(now), text=reason))

    def find_due(self, now: datetime) -> Iterator[DigestKey]:
        """Yield the digests with a waiting mail whose lease allows sending now.

        They are sorted. Raises Busy.
        """
        threads = {str(item["thread"]["S"]) for item in self.table.query((_WAITING, WAITING), index=_WAITING)}
        items = self.table.get_many({"thread": thread, "item": LEASE} for thread in threads)
        leases = {str(plain["thread"]): lease_from_item(plain) for plain in map(Schema.LEASE.read, items)}
        for thread in sorted(threads):
            digest = parse_digest_key(thread)
            if self._due_at(digest, leases.get(thread, _NEVER_SENT)) <= to_seconds(now):
                yield digest

    def list_pending(self, digest: DigestKey) -> list[PendingMail]:
        """Read the pending mails of a digest (consistent), in order of submission."""
        items = self.table.query(
            ("thread", str(digest)), Prefix("item", PENDING_PREFIX), keep=Equals("state", MailState.PENDING)
        )
        return [pending_mail_from_item(Schema.PENDING_MAIL.read(item)) for item in items]

    def find_lease(self, digest: DigestKey) -> Lease | None:
        """Read a digest's lease (consistent); None if nothing was ever sent."""
        plain = self.table.get(Schema.LEASE, thread=str(digest), item=LEASE)
        return None if plain is None else lease_from_item(plain)

    def lease(
        self,
        digest: DigestKey,
        *,
        now: datetime,
        choose: Callable[[Sequence[PendingMail]], Sequence[PendingMail]] = tuple,
    ) -> LeasedMail | None:
        """Take the lease of a digest, if a mail may go now and something is pending.

        A sender may have stopped after a mail was sent or refused. What that mail contained is closed first.

        Args:
            digest: The digest.
            now: The time.
            choose: Returns those of some pending mails that can go now; the others wait for the next mail. A mail that
                was begun is not chosen again.

        Returns:
            None if nothing can go, the last mail is too recent, others may still come, or somebody else has the lease.
        """
        before, pending = self.find_lease(digest) or _NEVER_SENT, self.list_pending(digest)
        begun, crashed = before.state in {MailState.PENDING, MailState.SENDING}, before.state is MailState.SENDING
        if not begun:
            self._close((mail for mail in pending if mail.key in before.counted), before.state, reason=before.reason)
            pending = [mail for mail in pending if mail.key not in before.counted]
        is_due = before.state is MailState.PENDING or self._due_at(digest, before) <= to_seconds(now)
        if not pending or not is_due or self._may_grow(digest, pending, now):
            return None
        counted = before.counted if begun else ()
        chosen = [mail for mail in pending if mail.key in counted] or choose(pending)[: self.max_counted]
        if not chosen:
            return None
        lease = Lease(
            state=MailState.SENDING,
            lock_version=before.lock_version + 1,
            counted=tuple(mail.key for mail in chosen),
            until=to_seconds(now) + LEASE_SECONDS,
            sent_at=before.sent_at,
            crashes=before.crashes + 1 if crashed else 0,
            uncertain=crashed or (begun and before.uncertain),
        )
        try:
            self._write_lease(digest, lease)
        except Conflict:
            return None
        leased = LeasedMail(digest, lease, tuple(chosen))
        if lease.crashes > MAX_CRASHES:
            self.refuse(leased, reason="its sender stopped half-way, twice")
            return None
        return leased

    def finish(self, leased: LeasedMail, *, now: datetime) -> None:
        """Record that the mail was sent; nothing happens if the lease is lost."""
        self._end(leased, leased.lease._replace(state=MailState.SENT, sent_at=to_seconds(now), uncertain=False))

    def refuse(self, leased: LeasedMail, *, reason: str) -> None:
        """Record that the mail will never be sent, and why."""
        self._end(leased, leased.lease._replace(state=MailState.REFUSED, reason=reason, uncertain=False))

    def defer(self, leased: LeasedMail, *, until: datetime, uncertain: bool = False) -> None:
        """Release the lease; the queue retries the mail, and from `until` the schedule.

        Args:
            leased: The lease.
            until: When the schedule takes the mail up.
            uncertain: Whether SES may have accepted the mail.
        """
        lease = leased.lease._replace(state=MailState.PENDING, until=to_seconds(until), crashes=0)
        self._end(leased, lease._replace(uncertain=lease.uncertain or uncertain))

    def discard(self, mails: Iterable[PendingMail], *, reason: str) -> None:
        """Refuse some of the pending mails, because their records no longer say so."""
        self._close(mails, MailState.REFUSED, reason=reason)

    def _interval_of(self, digest: DigestKey) -> int:
        """Return how many seconds lie between two mails of a digest."""
        window = int(BATCH_WINDOW.total_seconds())
        return (
            min(window, self.digest_interval_seconds)
            if digest.kind is DigestKind.BATCHES
            else self.digest_interval_seconds
        )

    def _may_grow(self, digest: DigestKey, pending: Sequence[PendingMail], now: datetime) -> bool:
        """Return whether others that were submitted with the first may still come."""
        first = min(mail.added_at for mail in pending)
        return digest.kind is DigestKind.BATCHES and to_seconds(now) < first + self._interval_of(digest)

    def _due_at(self, digest: DigestKey, lease: Lease) -> int:
        """Return from when on the schedule may enqueue a digest, in seconds since 1970."""
        if lease.state in {MailState.PENDING, MailState.SENDING}:
            return lease.until
        return lease.sent_at + self._interval_of(digest) if lease.sent_at else 0

    def _end(self, leased: LeasedMail, lease: Lease) -> None:
        try:
            self._write_lease(leased.digest, lease._replace(lock_version=lease.lock_version + 1))
        except Conflict:
            return
        if lease.state is not MailState.PENDING:
            self._close(leased.mails, lease.state, reason=lease.reason)

    def _write_lease(self, digest: DigestKey, lease: Lease) -> None:
        item, seen = lease.to_item(digest), lease.lock_version - 1
        self.table.put(Schema.LEASE, item, Equals("revision", seen) if seen else Absent("item"))

    def _close(self, mails: Iterable[PendingMail], state: MailState, *, reason: str = "") -> None:
        for mail in mails:
            item = mail.to_item(state, reason=reason)
            self.table.put_if(Schema.PENDING_MAIL, item, Equals("state", MailState.PENDING))


class SuppressionStore(NamedTuple):
    """Addresses that get no more mail; the first reason stays. To lift it, an operator deletes the item."""

    table: Table

    def suppress(self, address: str, *, reason: str, now: datetime) -> None:
        """Send no more mail to an address, whatever its case; the first reason stays."""
        item = {"thread": _address_key(address), "item": _SUPPRESSION, "reason": reason, "at": now.isoformat()}
        self.table.put_if(Schema.SUPPRESSION, item, Absent("item"))

    def find_reason(self, address: str) -> str | None:
        """Return why an address is suppressed (consistent); None if it is not."""
        plain = self.table.get(Schema.SUPPRESSION, thread=_address_key(address), item=_SUPPRESSION)
        return None if plain is None else str(plain["reason"])

    def find_all(self, addresses: Iterable[str]) -> frozenset[str]:
        """Return those of some addresses that are suppressed (consistent). Raises Busy."""
        keys = {address: _address_key(address) for address in addresses}
        items = self.table.get_many({"thread": key, "item": _SUPPRESSION} for key in sorted(set(keys.values())))
        suppressed = {str(Schema.SUPPRESSION.read(item)["thread"]) for item in items}
        return frozenset(address for address, key in keys.items() if key in suppressed)


def _address_key(address: str) -> str:
    return f"address#{address.strip().lower()}"
