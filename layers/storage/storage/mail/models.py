"""Pending mails, the digests that they go out in, and the lease under which a digest is sent."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.gateway.schema import Plain, from_attributes, to_attributes

KEEP = timedelta(days=30)
LEASE = "lease"
PENDING_PREFIX = "intent#"
NO_BENCHMARK = ""
"""Stands for the benchmark in a digest about files that are of none."""
WAITING = "mail"
"""The only value of `waiting`, which a pending mail has until it is sent or refused, and no other item ever has."""


class Recipient(StrEnum):
    """The role that a mail is for."""

    UPLOADER = "uploader"
    INVITED = "invited"
    OWNER = "owner"
    ADMIN = "admin"


class MailState(StrEnum):
    """The state of a mail; only a lease is ever `sending`."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    REFUSED = "refused"


class DigestKind(StrEnum):
    """What the pending mails of a digest are about."""

    RESULTS = "results"
    """A player's results without a score."""
    BATCHES = "batches"
    EVALUATIONS = "evaluations"
    """Results at which the benchmark's evaluation failed."""
    REVIEWS = "reviews"
    FINALS = "finals"
    """That a board shows its final, or what that waits for."""
    RUNS = "runs"
    """That results have waited for the owner's runner for a day."""
    FAILURES = "failures"
    """Results at which the platform failed."""
    ORPHANS = "orphans"
    """Batches of nobody, or of no benchmark."""
    INVITATION = "invitation"
    """The link of one invitation."""

    @property
    def recipient(self) -> Recipient:
        """The role that these mails are for."""
        match self:
            case DigestKind.RESULTS | DigestKind.BATCHES:
                return Recipient.UPLOADER
            case DigestKind.EVALUATIONS | DigestKind.REVIEWS | DigestKind.FINALS | DigestKind.RUNS:
                return Recipient.OWNER
            case DigestKind.INVITATION:
                return Recipient.INVITED
            case _:
                return Recipient.ADMIN


class DigestKey(NamedTuple):
    """What pending mails must share to go out as one mail.

    `outcome` is that of the submissions that the mail is about, None if it is about something else. `player` is the
    uploader. `occasion` is the day when a runner was seen last, the version of a final, or the hash of an invitation's
    code.
    """

    kind: DigestKind
    benchmark: str
    outcome: Outcome | None = None
    player: str | None = None
    occasion: str | None = None

    def __str__(self) -> str:
        return "#".join((self.kind, self.benchmark, self.outcome or "", self.player or "", self.occasion or ""))


def parse_digest_key(text: str) -> DigestKey:
    """Read a digest's key back from its text. Raises ValueError."""
    kind, benchmark, outcome, player, occasion = text.split("#")
    return DigestKey(
        DigestKind(kind), benchmark, Outcome(outcome) if outcome else None, player or None, occasion or None
    )


class PendingMail(NamedTuple):
    """What one recipient gets mail about, once; added in seconds since 1970.

    Args:
        subject: The id of a submission, batch or invitation; "" if the mail is about a benchmark.
        topic: The version of the submission's record, the benchmark or its final; else "".
        text: What waits, whose an orphan would be, or the code of an invitation, which is stored only while the mail
            waits.
    """

    digest: DigestKey
    subject: str
    topic: str
    added_at: int
    text: str = ""

    @property
    def key(self) -> str:
        """The sort key; pending mails sort by the time of their subjects."""
        return f"{PENDING_PREFIX}{self.subject}#{self.topic}"

    def to_item(self, state: MailState, *, reason: str = "") -> dict[str, Plain | None]:
        """Return the item of the mail table; `reason` is why it was refused."""
        is_over = self.digest.kind is DigestKind.INVITATION and state is not MailState.PENDING
        return {
            "thread": str(self.digest),
            "item": self.key,
            "subject": self.subject,
            "topic": self.topic,
            "noted_at": self.added_at,
            "state": state.value,
            "reason": reason or None,
            "text": None if is_over else self.text or None,
            "waiting": WAITING if state is MailState.PENDING else None,
            "expires_at": self.added_at + int(KEEP.total_seconds()),
        }


def pending_mail_from_item(plain: Mapping[str, Plain]) -> PendingMail:
    """Read a pending mail from its item. Raises KeyError or ValueError on any other."""
    digest, added_at = parse_digest_key(str(plain["thread"])), int(plain["noted_at"])
    return from_attributes(PendingMail, plain, digest=digest, added_at=added_at)


class Lease(NamedTuple):
    """The right to send a digest, and its last mail's content: one item a digest. Times are seconds since 1970, or 0.

    `pending`: the mail was deferred. `sending`: somebody has the lease. `sent`, `refused`: the last result, and why.
    `lock_version` rises with every write, whose condition is the number that was read. `counted` are the keys of the
    pending mails in the mail; if it is sent again it contains the same. At `until` `sending` ends, or the schedule
    takes up a deferred mail. `crashes` counts the holders in a row that have not reported a result. `uncertain`: SES
    may have accepted the deferred mail.
    """

    state: MailState
    lock_version: int
    counted: tuple[str, ...] = ()
    until: int = 0
    sent_at: int = 0
    crashes: int = 0
    reason: str = ""
    uncertain: bool = False

    def to_item(self, digest: DigestKey) -> dict[str, Plain | None]:
        """Return the item of the mail table, in plain form."""
        attributes = to_attributes(self)
        revision = attributes.pop("lock_version")
        expires_at = max(self.until, self.sent_at) + int(KEEP.total_seconds())
        optional = {"reason": self.reason or None, "uncertain": self.uncertain or None}
        key = {"thread": str(digest), "item": LEASE}
        return {**key, **attributes, **optional, "revision": revision, "expires_at": expires_at}


def lease_from_item(plain: Mapping[str, Plain]) -> Lease:
    """Read a lease from its item. Raises KeyError or ValueError on any other."""
    return from_attributes(Lease, plain, lock_version=int(plain["revision"]))


def to_seconds(moment: datetime) -> int:
    """Return whole seconds since 1970."""
    return int(moment.timestamp())


def to_moment(seconds: int) -> datetime:
    """Return the moment, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)
