"""Pending mails, the digests that they go out in, and the lease under which a digest is sent."""

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
_CORRECTION = "correction-"
"""How the batch of a digest about a correction starts; the batches of players are UUIDs."""
_STALLS = "stalls-"
"""How the batch of a digest about boards that are set aside starts."""
_BATCHES = "batches"
"""The batch of a digest about all batches of a player."""
LEASE = "lease"
PENDING_PREFIX = "intent#"
NO_BENCHMARK = ""
"""Stands for the benchmark in a digest about files that are of none."""
WAITING = "mail"
"""The only value of `waiting`, which a pending mail has until it is sent or refused, and no other item ever has."""


class Recipient(StrEnum):
    """Who gets a mail."""

    UPLOADER = "uploader"
    OWNER = "owner"
    ADMIN = "admin"


class MailState(StrEnum):
    """The state of a mail; only a lease is ever `sending`."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    REFUSED = "refused"


class DigestKey(NamedTuple):
    """What pending mails must share to go out as one mail.

    `outcome` is None in the digest of batches, `player` for owner and admin, `batch` in a digest of single submissions.
    One for a player with the batch `batches` is about all batches; code that does not know it finds no report. One with
    the id of a batch is about that batch alone; the release before wrote it.
    A digest for the admin with a batch is about a comparison of boards; the batch then is the day. Code that does not
    know it looks for a report of that batch, and finds none. One for the admin without outcome and batch is about
    batches of players or benchmarks that do not exist; code that does not know it looks for records of them, and finds
    none. One for a player whose batch starts with `correction-` is about a correction; code that does not know it finds
    no report. One for the owner with the outcome `scored` is about what is held; code that does not know it cannot read
    a held record, and defers the mail.
    """

    recipient: Recipient
    benchmark: str
    outcome: Outcome | None = None
    player: str | None = None
    batch: str | None = None

    @property
    def is_comparison(self) -> bool:
        """Return whether the mail is about boards that differ from their standings."""
        return self.recipient is Recipient.ADMIN and self.batch is not None and not self.is_about_stalls

    @property
    def is_about_stalls(self) -> bool:
        """Return whether the mail is about boards that are set aside."""
        return self.recipient is Recipient.ADMIN and (self.batch or "").startswith(_STALLS)

    @property
    def is_about_orphans(self) -> bool:
        """Return whether the mail is about batches of nobody, or of no benchmark."""
        return self.recipient is Recipient.ADMIN and self.outcome is None and self.batch is None

    @property
    def is_correction(self) -> bool:
        """Return whether the mail is about a correction that changed the player's rank."""
        return self.recipient is Recipient.UPLOADER and (self.batch or "").startswith(_CORRECTION)

    @property
    def is_about_batches(self) -> bool:
        """Return whether the mail is about batches in which something failed."""
        return self.recipient is Recipient.UPLOADER and self.batch is not None and not self.is_correction

    @property
    def is_about_holds(self) -> bool:
        """Return whether the mail is about submissions that wait for the owner's look."""
        return self.recipient is Recipient.OWNER and self.outcome is Outcome.SCORED

    def __str__(self) -> str:
        return "#".join((self.recipient, self.benchmark, self.outcome or "", self.player or "", self.batch or ""))


def batches_digest(benchmark: str, *, player: str) -> DigestKey:
    """Return the key of the mails that a player gets about batches."""
    return DigestKey(Recipient.UPLOADER, benchmark, player=player, batch=_BATCHES)


def correction_digest(benchmark: str, *, player: str, at: datetime) -> DigestKey:
    """Return the key of the one mail that a player gets about a correction."""
    return DigestKey(Recipient.UPLOADER, benchmark, player=player, batch=f"{_CORRECTION}{at.timestamp():.6f}")


def stalls_digest(benchmark: str, *, since: datetime) -> DigestKey:
    """Return the key of the one mail about the boards that stalled on a day."""
    return DigestKey(Recipient.ADMIN, benchmark, batch=f"{_STALLS}{since:%Y-%m-%d}")


def holds_digest(benchmark: str) -> DigestKey:
    """Return the key of the mails that an owner gets about what is held."""
    return DigestKey(Recipient.OWNER, benchmark, Outcome.SCORED)


def parse_digest_key(text: str) -> DigestKey:
    """Read a digest's key back from its text. Raises ValueError."""
    recipient, benchmark, outcome, player, batch = text.split("#", 4)
    return DigestKey(
        Recipient(recipient), benchmark, Outcome(outcome) if outcome else None, player or None, batch or None
    )


@dataclass(frozen=True, slots=True)
class PendingMail:
    """One submission record of which one recipient gets mail, once; added in seconds since 1970.

    In the digest of batches `submission` is the batch, and `version` is "". In that of a comparison `version` is the
    board, and `text` says what differs. In that of boards that are set aside `version` is the board, and `text` the
    error. In that of orphans `submission` is the batch, and `text` says whose it would be. In that of a correction
    `submission` is the row, and `text` is JSON of its rank and value before and after.
    """

    digest: DigestKey
    submission: str
    version: str
    added_at: int
    text: str = ""

    @property
    def batch(self) -> str:
        """The id of the batch, in a digest of batches or of one batch."""
        return self.submission or self.digest.batch or ""

    @property
    def key(self) -> str:
        """The sort key; pending mails sort by the time of their submissions."""
        return f"{PENDING_PREFIX}{self.submission}#{self.version}"

    def to_item(self, state: MailState, *, reason: str = "") -> dict[str, Plain | None]:
        """Return the item of the mail table; `reason` is why it was refused."""
        return {
            "thread": str(self.digest),
            "item": self.key,
            "schema": Schema.PENDING_MAIL.number,
            "submission": self.submission,
            "version": self.version,
            "noted_at": self.added_at,
            "state": state.value,
            "reason": reason or None,
            "text": self.text or None,
            "waiting": WAITING if state is MailState.PENDING else None,
            "expires_at": self.added_at + int(KEEP.total_seconds()),
        }


def pending_mail_from_item(plain: Mapping[str, Plain]) -> PendingMail:
    """Read a pending mail from its item. Raises KeyError or ValueError on any other."""
    return PendingMail(
        digest=parse_digest_key(str(plain["thread"])),
        submission=str(plain["submission"]),
        version=str(plain["version"]),
        added_at=int(plain["noted_at"]),
        text=str(plain.get("text", "")),
    )


@dataclass(frozen=True, slots=True)
class Lease:
    """Who may send a digest, and what its last mail contained: one item a digest. Times are seconds since 1970, or 0.

    `pending`: the mail was deferred. `sending`: somebody has the lease. `sent`, `refused`: the last result, and why.
    `lock_version` rises with every write, whose condition is the number that was read. `counted` are the keys of the
    pending mails in the mail; if it is sent again it contains the same. At `until` `sending` ends, or the schedule
    takes up a deferred mail. `crashes` counts the holders in a row that have not reported a result. `uncertain`: SES
    may have accepted the deferred mail; code that does not know this attribute ignores it.
    """

    state: MailState
    lock_version: int
    counted: tuple[str, ...] = ()
    until: int = 0
    sent_at: int = 0
    crashes: int = 0
    reason: str = ""
    uncertain: bool = False

    def due_at(self, *, digest_interval_seconds: int) -> int:
        """Return from when on the schedule may enqueue this digest, in seconds since 1970."""
        match self.state:
            case MailState.PENDING | MailState.SENDING:
                return self.until
            case _:
                return self.sent_at + digest_interval_seconds if self.sent_at else 0

    def to_item(self, digest: DigestKey) -> dict[str, Plain | None]:
        """Return the item of the mail table, in plain form."""
        return {
            "thread": str(digest),
            "item": LEASE,
            "schema": Schema.LEASE.number,
            "state": self.state.value,
            "revision": self.lock_version,
            "counted": json.dumps(self.counted),
            "until": self.until,
            "sent_at": self.sent_at,
            "crashes": self.crashes,
            "reason": self.reason or None,
            "uncertain": self.uncertain or None,
            "expires_at": max(self.until, self.sent_at) + int(KEEP.total_seconds()),
        }


def lease_from_item(plain: Mapping[str, Plain]) -> Lease:
    """Read a lease from its item. Raises KeyError or ValueError on any other."""
    return Lease(
        state=MailState(str(plain["state"])),
        lock_version=int(plain["revision"]),
        counted=tuple(json.loads(str(plain["counted"]))),
        until=int(plain["until"]),
        sent_at=int(plain["sent_at"]),
        crashes=int(plain["crashes"]),
        reason=str(plain.get("reason", "")),
        uncertain=bool(plain.get("uncertain", False)),
    )


def to_seconds(moment: datetime) -> int:
    """Return whole seconds since 1970."""
    return int(moment.timestamp())


def to_moment(seconds: int) -> datetime:
    """Return the moment, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
