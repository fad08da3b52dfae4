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

from ledger.aws import dynamodb_client, s3_client, sqs_client
from ledger.benchmark_store import BenchmarkStore
from ledger.drop_reports import DropReportStore
from ledger.drop_store import DropStore
from ledger.keys import parse_drop_key
from ledger.mail_store import MailStore
from ledger.measurements import Measure, measure
from ledger.notices import ForeignNotice, Notice, read_notices
from ledger.player_store import PlayerStore
from ledger.quota_store import QuotaStore
from ledger.retry_queue import RetryQueue
from ledger.settings import DropDeadLetterSettings, DropSettings
from ledger.submission_store import SubmissionStore
from submit.drop_desk import DropDesk, Stray

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def desk() -> tuple[DropDesk, RetryQueue]:
    """Build, once, what receives: the environment is read here and nowhere else."""
    settings = DropSettings.read(os.environ)
    queue = RetryQueue(sqs=sqs_client(), url=settings.drop_queue_url, base_seconds=settings.retry_base_seconds)
    return build_desk(settings), queue


def build_desk(settings: DropDeadLetterSettings) -> DropDesk:
    """Build what receives drops."""
    s3, dynamodb = s3_client(), dynamodb_client()
    return DropDesk(
        drops=DropStore(s3=s3, bucket=settings.results_bucket),
        reports=DropReportStore(s3=s3, bucket=settings.results_bucket),
        benchmarks=BenchmarkStore(s3=s3, bucket=settings.results_bucket, clock=now),
        players=PlayerStore(dynamodb=dynamodb, table=settings.access_table),
        quotas=QuotaStore(dynamodb=dynamodb, table=settings.access_table),
        submissions=SubmissionStore(
            s3=s3, dynamodb=dynamodb, bucket=settings.results_bucket, table=settings.submissions_table
        ),
        mail=MailStore(dynamodb=dynamodb, table=settings.mail_table),
        clock=now,
    )


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Receive what one message announces; what fails is put off, and raised to be retried."""
    try:
        notices = read_notices(record.body)
    except ForeignNotice as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    for notice in notices:
        with logger.append_context_keys(drop=notice.key, version_id=notice.version_id):
            receive_drop(notice, record)


def receive_drop(notice: Notice, record: SQSRecord) -> None:
    """Receive one drop; where that fails, put the message off and raise."""
    received, queue = desk()
    key = parse_drop_key(notice.key)
    if key is None or notice.version_id is None:
        logger.warning("quarantined", extra={"reason": "the key names no benchmark, player and file"})
        return
    try:
        report = received.receive(key, notice.version_id)
    except Stray as error:
        logger.warning("quarantined", extra={"reason": str(error)})
        return
    except Exception:
        receives = int(record.attributes.approximate_receive_count or 1)
        logger.exception("a drop could not be received, will be retried", extra={"receives": receives})
        queue.put_off(record.receipt_handle, receives=receives)
        raise
    counts = {"entries": len(report.entries), "refused": len(report.refusals)}
    counts |= measure({Measure.SUBMISSIONS: len(report.entries) - len(report.refusals)}, moment=now())
    logger.info(report.state.value, extra={"benchmark": key.benchmark, "player": key.player, **counts})


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the drop queue with the messages that failed."""
    desk()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
