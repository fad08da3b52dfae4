"""Which intents follow from a record: who is to be written to about it, if anybody."""

from datetime import datetime

from scoring_core.outcome import Outcome
from storage.mail.models import DigestKey, PendingMail, Recipient, to_seconds
from storage.submissions.models import SubmissionRecord

_OTHERS = {Outcome.EVALUATOR_ERROR: Recipient.OWNER, Outcome.INTERNAL_ERROR: Recipient.ADMIN}


def plan_mails(record: SubmissionRecord, *, now: datetime) -> list[PendingMail]:
    """Give what is to be mailed about a record; nothing where it was scored.

    What came in a drop is left out for the uploader, who gets one mail a drop.
    """
    if record.outcome is Outcome.SCORED:
        return []
    submission = record.submission
    threads = []
    if concerns_uploader(record) and submission.drop is None:
        threads.append(DigestKey(Recipient.UPLOADER, submission.benchmark, record.outcome, submission.player.id))
    if record.outcome in _OTHERS:
        threads.append(DigestKey(_OTHERS[record.outcome], submission.benchmark, record.outcome))
    return [PendingMail(thread, submission.id, record.version, to_seconds(now)) for thread in threads]


def concerns_uploader(record: SubmissionRecord) -> bool:
    """Tell whether its uploader is written to: a verified player, and not about a rescoring that others asked for."""
    return record.submission.player.verified and not record.rescored
