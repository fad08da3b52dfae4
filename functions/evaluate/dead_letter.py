"""The doorway of the dead-letter queue: what was retried in vain is recorded as `internal_error`."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from evaluate.dead_letters import DeadLetterRecorder
from evaluate.notices import InvalidMessage, read_result_keys
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.errors import UnknownObject
from storage.benchmarks.store import BenchmarkStore
from storage.keys import ResultKey
from storage.metrics import Measure, measure
from storage.settings import DeadLetterSettings
from storage.submissions.store import SubmissionStore

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def recorder() -> DeadLetterRecorder:
    """Build, once, what records: the environment is read here and nowhere else."""
    settings = DeadLetterSettings.read(os.environ)
    return DeadLetterRecorder(
        submissions=SubmissionStore(
            s3=s3_client(), dynamodb=dynamodb_client(), bucket=settings.results_bucket, table=settings.submissions_table
        ),
        benchmarks=BenchmarkStore(s3=s3_client(), bucket=settings.results_bucket, clock=now),
        clock=now,
    )


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Record what one message was about."""
    try:
        keys = read_result_keys(record.body)
    except InvalidMessage as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    for key in keys:
        with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
            record_failure(key)


def record_failure(key: ResultKey) -> None:
    """Record that one result was retried in vain; where even that fails, the message comes back."""
    try:
        written = recorder().bury(key)
    except UnknownObject as error:
        logger.warning("foreign object acknowledged", extra={"reason": str(error)})
        return
    except Exception:
        logger.exception("a dead letter could not be recorded, will be retried")
        raise
    for record in written:
        measured = {} if record.rescored else measure({Measure.OUTCOMES: 1}, moment=now())
        logger.error("retried in vain", extra={"recorded": True, "outcome": record.outcome, **measured})
    if not written:
        logger.error("retried in vain", extra={"recorded": False})


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the dead-letter queue with the messages that failed."""
    recorder()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
