"""What a mail is about: threads of like intents, one intent a record, and the lease under which a thread is mailed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.aws.attributes import Plain
from storage.aws.schema import Schema

KEEP = timedelta(days=30)
LEASE = "lease"
INTENT_PREFIX = "intent#"
WAITING = "mail"
"""The one value of `waiting`, which an intent carries until it is sent or refused, and no other item ever."""


class Recipient(StrEnum):
    """Who is written to."""

    UPLOADER = "uploader"
    OWNER = "owner"
    ADMIN = "admin"


class MailState(StrEnum):
    """How far a mail is: an intent is pending, sent or refused; a lease may also be sending."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    REFUSED = "refused"


class DigestKey(NamedTuple):
    """Intents that go into one mail when they gather: the same recipient, benchmark and outcome.

    Args:
        recipient: The recipient's role.
        benchmark: The benchmark's id.
        outcome: Of all its records; None where a drop is meant.
        player: Whose results they are, where the recipient is the uploader; None for owner and admin.
        drop: The drop that failed; None where single submissions are meant.
    """

    recipient: Recipient
    benchmark: str
    outcome: Outcome | None = None
    player: str | None = None
    drop: str | None = None

    def __str__(self) -> str:
        return "#".join((self.recipient, self.benchmark, self.outcome or "", self.player or "", self.drop or ""))


def parse_digest_key(text: str) -> DigestKey:
    """Read a thread back from its text. Raises ValueError where it is none."""
    recipient, benchmark, outcome, player, drop = text.split("#", 4)
    return DigestKey(
        Recipient(recipient), benchmark, Outcome(outcome) if outcome else None, player or None, drop or None
    )


@dataclass(frozen=True, slots=True)
class PendingMail:
    """That one record is to be mailed about to one recipient, once.

    Args:
        thread: Which mail it goes into.
        submission: The submission's id; "" where the thread is a drop's.
        version: The benchmark version of the record; "" where the thread is a drop's.
        noted_at: When it was noted, in seconds since 1970.
    """

    thread: DigestKey
    submission: str
    version: str
    noted_at: int

    @property
    def key(self) -> str:
        """The sort key; intents sort by the time of their submissions."""
        return f"{INTENT_PREFIX}{self.submission}#{self.version}"

    def to_item(self, state: MailState, *, reason: str = "") -> dict[str, Plain | None]:
        """Give the item of the mail table, in plain form.

        Args:
            state: `pending`, `sent` or `refused`.
            reason: Why it was refused.
        """
        waits = state is MailState.PENDING
        return {
            "thread": str(self.thread),
            "item": self.key,
            "schema": Schema.INTENT.number,
            "submission": self.submission,
            "version": self.version,
            "noted_at": self.noted_at,
            "state": state.value,
            "reason": reason or None,
            "waiting": WAITING if waits else None,
            "expires_at": self.noted_at + int(KEEP.total_seconds()),
        }


def pending_mail_from_item(plain: Mapping[str, Plain]) -> PendingMail:
    """Read an intent back from its item. Raises KeyError or ValueError on a foreign item."""
    return PendingMail(
        thread=parse_digest_key(str(plain["thread"])),
        submission=str(plain["submission"]),
        version=str(plain["version"]),
        noted_at=int(plain["noted_at"]),
    )


@dataclass(frozen=True, slots=True)
class Lease:
    """Who may mail a thread, and what its last mail counted: one item a thread.

    Args:
        state: `pending`: a mail was put off. `sending`: somebody is at it. `sent`, `refused`: the last one ended so.
        revision: Rises with every write; each write is on condition of the one that was read.
        counted: Keys of the intents that the mail counts; a mail that is sent again counts the same.
        until: When `sending` ends, or when a mail that was put off is taken up by the schedule; seconds since 1970.
        sent_at: When the last mail went; seconds since 1970, 0 where none did.
        crashes: How often in a row somebody held the lease and never said what became of it.
        reason: Why the last mail was refused.
    """

    state: MailState
    revision: int
    counted: tuple[str, ...] = ()
    until: int = 0
    sent_at: int = 0
    crashes: int = 0
    reason: str = ""

    def due_at(self, *, gather_seconds: int) -> int:
        """Give from when on the schedule may hand this thread to the queue; seconds since 1970."""
        match self.state:
            case MailState.PENDING | MailState.SENDING:
                return self.until
            case _:
                return self.sent_at + gather_seconds if self.sent_at else 0

    def to_item(self, thread: DigestKey) -> dict[str, Plain | None]:
        """Give the item of the mail table, in plain form."""
        return {
            "thread": str(thread),
            "item": LEASE,
            "schema": Schema.LEASE.number,
            "state": self.state.value,
            "revision": self.revision,
            "counted": json.dumps(self.counted),
            "until": self.until,
            "sent_at": self.sent_at,
            "crashes": self.crashes,
            "reason": self.reason or None,
            "expires_at": max(self.until, self.sent_at) + int(KEEP.total_seconds()),
        }


def lease_from_item(plain: Mapping[str, Plain]) -> Lease:
    """Read a lease back from its item. Raises KeyError or ValueError on a foreign item."""
    return Lease(
        state=MailState(str(plain["state"])),
        revision=int(plain["revision"]),
        counted=tuple(json.loads(str(plain["counted"]))),
        until=int(plain["until"]),
        sent_at=int(plain["sent_at"]),
        crashes=int(plain["crashes"]),
        reason=str(plain.get("reason", "")),
    )


def to_seconds(moment: datetime) -> int:
    """Give whole seconds since 1970."""
    return int(moment.timestamp())


def to_moment(seconds: int) -> datetime:
    """Give the moment, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
