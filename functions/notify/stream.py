"""Lambda handler of the submissions table's stream, its second reader: stores pending mails and queues digests.

On a schedule it does the same with what Lambda discarded.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from handlers.loops import logger, read_record, redelivering, stream_handler
from notify.dependencies import discarded_batches, stream_dependencies
from notify.messages import write_message
from notify.recipients import concerns_uploader, plan_mails
from scoring_core.outcome import Outcome
from storage.mail.models import DigestKey
from storage.submissions.decisions import find_decided
from storage.submissions.models import SubmissionRecord, name_item


def collect(change: Mapping[str, Any]) -> Iterator[tuple[DigestKey, SubmissionRecord]]:
    """Store the pending mails of a change, and yield the digests to queue."""
    record = None if find_decided(change["NewImage"]) else read_record(change)
    if record is None:
        return
    outbox, _, clock = stream_dependencies()
    submission = record.submission
    if submission.batch is not None and record.outcome is not Outcome.SCORED and concerns_uploader(record):
        # The schedule sends the one mail of the batch later.
        outbox.add_batch_failure(submission.benchmark, player=submission.player.id, batch=submission.batch, now=clock())
    mails = plan_mails(record, now=clock())
    for mail in mails:
        outbox.add(mail)
    if mails:
        logger.info("mails planned", extra={**name_item(change), "mails": [str(mail.digest) for mail in mails]})
    yield from ((mail.digest, record) for mail in mails)


def queue_digest(digest: DigestKey, records: list[SubmissionRecord]) -> None:  # noqa: ARG001  # the digest reads the outbox
    """Queue a digest to be sent."""
    stream_dependencies().queue.send(write_message(digest))


lambda_handler = redelivering(
    stream_handler(build=stream_dependencies, collect=collect, finish=queue_digest, key_name="mail"),
    build=discarded_batches,
)
