"""The recipients of mail about a record: the player, the benchmark's owner, the site's administrator."""

from datetime import datetime
from typing import NamedTuple

from scoring_core.outcome import Outcome
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.mail.models import DigestKey, DigestKind, PendingMail, Recipient, to_seconds
from storage.mail.outbox import SuppressionStore
from storage.players.invitations import Invitation, InvitationStore
from storage.players.players import PlayerStore
from storage.submissions.models import SubmissionRecord

_OTHERS = {Outcome.EVALUATOR_ERROR: DigestKind.EVALUATIONS, Outcome.INTERNAL_ERROR: DigestKind.FAILURES}


class NoRecipient(Exception):
    """There is no address to send to, or it is suppressed; the message says why."""


class RecipientAddress(NamedTuple):
    """Where a mail goes, and the benchmark's title and version; `version` is empty if it is not published."""

    address: str
    title: str
    version: str
    published: PublishedBenchmark | None = None


def plan_mails(record: SubmissionRecord, *, now: datetime) -> list[PendingMail]:
    """Return the pending mails about a record; none if it was scored and counts.

    The player of a batch is left out: the batch makes one mail. The owner gets mail about what is in review, also if a
    rescore put it there, but not about what comes while the board is frozen.
    """
    submission = record.submission
    digests = []
    if record.outcome is not Outcome.SCORED and concerns_uploader(record) and submission.batch is None:
        digests.append(DigestKey(DigestKind.RESULTS, submission.benchmark, record.outcome, submission.player.id))
    if record.in_review and not record.frozen:
        digests.append(DigestKey(DigestKind.REVIEWS, submission.benchmark, record.outcome))
    if record.outcome in _OTHERS:
        digests.append(DigestKey(_OTHERS[record.outcome], submission.benchmark, record.outcome))
    return [PendingMail(digest, submission.id, record.version, to_seconds(now)) for digest in digests]


def concerns_uploader(record: SubmissionRecord) -> bool:
    """Return whether the player gets mail: if verified, and about no rescore."""
    return record.submission.player.verified and not record.rescored


class RecipientResolver(NamedTuple):
    """Finds addresses when a mail is sent, so that a changed address is used at once."""

    benchmarks: BenchmarkStore
    suppressions: SuppressionStore
    players: PlayerStore
    invitations: InvitationStore
    admin_address: str

    def find(self, digest: DigestKey) -> RecipientAddress:
        """Return where the mail of a digest goes.

        Raises NoRecipient if the address is unknown or suppressed.
        """
        # A result can arrive before its benchmark is published, or after it was deleted.
        published = self.benchmarks.find(digest.benchmark, fresh=True)
        address = self._find_address(digest, published)
        if not address:
            raise NoRecipient(f"no address is known of the {digest.kind.recipient.value}")
        reason = self.suppressions.find_reason(address)
        if reason is not None:
            raise NoRecipient(f"the address is suppressed: {reason}")
        if published is None:
            return RecipientAddress(address, digest.benchmark or "Uploads", "")
        return RecipientAddress(address, published.definition.title, published.version, published)

    def _find_address(self, digest: DigestKey, published: PublishedBenchmark | None) -> str | None:
        match digest.kind.recipient:
            case Recipient.OWNER:
                return published.definition.contacts.owner if published else None
            case Recipient.ADMIN:
                return self.admin_address
            case Recipient.UPLOADER:
                return self._find_email(digest.player)
            case Recipient.INVITED:
                invitation = self.find_invitation(digest)
                return (invitation.address or self._find_email(invitation.player)) if invitation else None

    def _find_email(self, player: str | None) -> str | None:
        account = self.players.find(player or "")
        return account.email if account else None

    def find_invitation(self, digest: DigestKey) -> Invitation | None:
        """Return the invitation that a digest is about; None if it is over for long."""
        return self.invitations.find(digest.occasion or "")
