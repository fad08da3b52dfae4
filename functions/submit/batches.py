"""The doorway of the drop queue: each message a notice that a drop has come, failures retried one by one."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storage.access.players import PlayerStore
from storage.access.quotas import QuotaStore
from storage.aws.bucket import Bucket
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.aws.queue import Queue
from storage.aws.s3_events import InvalidMessage, Notice, read_notices
from storage.aws.table import Table
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.store import BenchmarkStore
from storage.keys import parse_batch_key
from storage.mail.outbox import MailOutbox
from storage.metrics import Measure, measure
from storage.settings import DropDeadLetterSettings, DropSettings
from storage.submissions.store import SubmissionStore
from submit.batch_import.importer import BatchImporter, OrphanBatch

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def desk() -> tuple[BatchImporter, Queue]:
    """Build, once, what receives: the environment is read here and nowhere else."""
    settings = DropSettings.read(os.environ)
    queue = Queue(sqs_client(), settings.drop_queue_url, base_seconds=settings.retry_base_seconds)
    return build_desk(settings), queue


def build_desk(settings: DropDeadLetterSettings) -> BatchImporter:
    """Build what receives drops."""
    s3, dynamodb = s3_client(), dynamodb_client()
    return BatchImporter(
        drops=BatchUploadStore(Bucket(s3, settings.results_bucket)),
        reports=BatchReportStore(Bucket(s3, settings.results_bucket)),
        benchmarks=BenchmarkStore(Bucket(s3, settings.results_bucket), clock=now),
        players=PlayerStore(Table(dynamodb, settings.access_table)),
        quotas=QuotaStore(Table(dynamodb, settings.access_table)),
        submissions=SubmissionStore(Table(dynamodb, settings.submissions_table), Bucket(s3, settings.results_bucket)),
        mail=MailOutbox(Table(dynamodb, settings.mail_table)),
        clock=now,
    )


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Receive what one message announces; what fails is put off, and raised to be retried."""
    try:
        notices = read_notices(record.body)
    except InvalidMessage as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    for notice in notices:
        with logger.append_context_keys(drop=notice.key, version_id=notice.version_id):
            receive_drop(notice, record)


def receive_drop(notice: Notice, record: SQSRecord) -> None:
    """Receive one drop; where that fails, put the message off and raise."""
    received, queue = desk()
    key = parse_batch_key(notice.key)
    if key is None or notice.version_id is None:
        logger.warning("quarantined", extra={"reason": "the key names no benchmark, player and file"})
        return
    try:
        report = received.receive(key, notice.version_id)
    except OrphanBatch as error:
        logger.warning("quarantined", extra={"reason": str(error)})
        return
    except Exception:
        receives = int(record.attributes.approximate_receive_count or 1)
        logger.exception("a drop could not be received, will be retried", extra={"receives": receives})
        queue.defer(record.receipt_handle, receives=receives)
        raise
    counts = {"entries": len(report.entries), "refused": len(report.refusals)}
    counts |= measure({Measure.SUBMISSIONS: len(report.entries) - len(report.refusals)}, moment=now())
    logger.info(report.state.value, extra={"benchmark": key.benchmark, "player": key.player, **counts})


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the drop queue with the messages that failed."""
    desk()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
