"""The doorway of the evaluate queue: each message a notice of results, failures retried one by one."""

import os
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from evaluate.evaluator import Evaluator
from evaluate.notices import ForeignNotice, read_result_keys
from ledger.aws import dynamodb_client, lambda_client, s3_client, sqs_client
from ledger.benchmark_store import BenchmarkStore
from ledger.errors import Foreign
from ledger.generation_store import GenerationStore
from ledger.keys import ResultKey
from ledger.measurements import Measure, measure
from ledger.retry_queue import RetryQueue
from ledger.sandbox import LambdaSandbox
from ledger.settings import EvaluateSettings
from ledger.submission_store import SubmissionStore

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def workshop() -> tuple[Evaluator, RetryQueue]:
    """Build, once, what scores: the environment is read here and nowhere else."""
    settings = EvaluateSettings.read(os.environ)
    evaluator = Evaluator(
        submissions=SubmissionStore(
            s3=s3_client(), dynamodb=dynamodb_client(), bucket=settings.results_bucket, table=settings.submissions_table
        ),
        benchmarks=BenchmarkStore(s3=s3_client(), bucket=settings.results_bucket, clock=now),
        sandbox=LambdaSandbox(
            client=lambda_client(),
            function=settings.sandbox_function,
            generations=GenerationStore(dynamodb=dynamodb_client(), table=settings.access_table),
        ),
        clock=now,
    )
    queue = RetryQueue(sqs=sqs_client(), url=settings.evaluate_queue_url, base_seconds=settings.retry_base_seconds)
    return evaluator, queue


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Score what one message announces; what fails is put off, and raised to be retried."""
    try:
        keys = read_result_keys(record.body)
    except ForeignNotice as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    for key in keys:
        with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
            evaluate_result(key, record)


def evaluate_result(key: ResultKey, record: SQSRecord) -> None:
    """Score one result; where that fails, put the message off and raise."""
    evaluator, queue = workshop()
    started = now()
    try:
        written = evaluator.evaluate(key)
    except Foreign as error:
        logger.warning("foreign object acknowledged", extra={"reason": str(error)})
        return
    except Exception:
        receives = int(record.attributes.approximate_receive_count or 1)
        logger.exception("scoring failed, will be retried", extra={"receives": receives})
        queue.put_off(record.receipt_handle, receives=receives)
        raise
    ended = now()
    for one in written:
        measured = {} if one.rescored else measure_evaluation(record, started=started, ended=ended)
        logger.info("evaluated", extra={"outcome": one.outcome, "version": one.version, **measured})
    if not written:
        logger.info("recorded before")


def measure_evaluation(record: SQSRecord, *, started: datetime, ended: datetime) -> dict[str, Any]:
    """Give the measurements of one outcome: how long its message waited, all retries included, and how long it took."""
    sent = datetime.fromtimestamp(int(record.attributes.sent_timestamp) / 1000, UTC)
    milliseconds = timedelta(milliseconds=1)
    values = {
        Measure.OUTCOMES: 1,
        Measure.WAITING: max(0, (started - sent) // milliseconds),  # SQS has a clock of its own
        Measure.SCORING: (ended - started) // milliseconds,
    }
    return measure(values, moment=ended)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the evaluate queue with the messages that failed."""
    workshop()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
