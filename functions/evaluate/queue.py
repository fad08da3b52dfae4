"""The handler of the evaluate queue and of the share queue: each message a notice of results."""

import os
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from evaluate.evaluator import Evaluator
from evaluate.notices import InvalidMessage, ResultNotice, read_result_notices
from evaluate.sharing import Sharing, waited_since
from storage.aws.clients import dynamodb_client, lambda_client, s3_client, sqs_client
from storage.aws.errors import UnknownObject
from storage.aws.retry_queue import RetryQueue
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.keys import ResultKey
from storage.metrics import Measure, measure
from storage.sandbox.client import LambdaSandbox
from storage.sandbox.generations import SandboxGenerations
from storage.settings import EvaluateSettings
from storage.submissions.queues import EvaluateQueue, ShareQueue
from storage.submissions.store import SubmissionStore

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


class Dependencies(NamedTuple):
    """What the handler works with."""

    evaluator: Evaluator
    sharing: Sharing
    retries: RetryQueue


@cache
def dependencies() -> Dependencies:
    """Build, once, what scores: the environment is read here and nowhere else."""
    settings = EvaluateSettings.read(os.environ)
    bucket, sqs = settings.results_bucket, sqs_client()
    return Dependencies(
        evaluator=Evaluator(
            submissions=SubmissionStore(
                s3=s3_client(), dynamodb=dynamodb_client(), bucket=bucket, table=settings.submissions_table
            ),
            benchmarks=BenchmarkStore(s3=s3_client(), bucket=bucket, clock=now),
            sandbox=LambdaSandbox(
                client=lambda_client(),
                function=settings.sandbox_function,
                generations=SandboxGenerations(dynamodb=dynamodb_client(), table=settings.access_table),
            ),
            clock=now,
        ),
        sharing=Sharing(
            share_queue=ShareQueue(sqs, settings.share_queue_url, bucket, settings.benchmark_concurrency),
            evaluate_queue=EvaluateQueue(sqs, settings.evaluate_queue_url, bucket),
            dead_letter_queue=EvaluateQueue(sqs, settings.evaluate_dead_letter_queue_url, bucket),
            base_seconds=settings.retry_base_seconds,
        ),
        retries=RetryQueue(sqs=sqs, url=settings.evaluate_queue_url, base_seconds=settings.retry_base_seconds),
    )


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Score what one message announces, or hand it on to the share of its benchmark."""
    try:
        notices = read_result_notices(record.body)
    except InvalidMessage as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    handle = handle_share if record.attributes.message_group_id else handle_notice
    for notice in notices:
        with logger.append_context_keys(submission=notice.key.submission, benchmark=notice.key.benchmark):
            handle(notice, record)


def handle_notice(notice: ResultNotice, record: SQSRecord) -> None:
    """Hand on or score a result of the evaluate queue; where that fails, put the message off and raise."""
    evaluator, sharing, retries = dependencies()
    receives = count_receives(record)
    waited = waited_since(record.attributes.sent_timestamp, now=now())
    counted = notice._replace(tries=notice.tries + receives - 1)
    try:
        published = evaluator.read_published(notice.key)
        if sharing.must_hand_on(counted, published, waited=waited):
            sharing.hand_on(counted, message=record.message_id)
            logger.info("handed on to the share of its benchmark")
        else:
            evaluate_result(notice.key, published, record)
    except Exception:
        logger.exception("scoring failed, will be retried", extra={"receives": receives})
        retries.put_off(record.receipt_handle, receives=receives)
        raise


def handle_share(notice: ResultNotice, record: SQSRecord) -> None:
    """Score a result of the share queue, once; where that fails, or a process died over it, hand it back."""
    if count_receives(record) == 1:
        try:
            evaluate_result(notice.key, dependencies().evaluator.read_published(notice.key), record)
        except Exception:
            logger.exception("scoring failed, will be retried", extra={"receives": notice.tries + 1})
        else:
            return
    dependencies().sharing.hand_back(notice)


def evaluate_result(key: ResultKey, published: PublishedBenchmark, record: SQSRecord) -> None:
    """Score one result and record what became of it."""
    started = now()
    try:
        written = dependencies().evaluator.evaluate(key, published)
    except UnknownObject as error:
        logger.warning("foreign object acknowledged", extra={"reason": str(error)})
        return
    ended = now()
    for one in written:
        measured = {} if one.rescored else measure_evaluation(record, started=started, ended=ended)
        logger.info("evaluated", extra={"outcome": one.outcome, "version": one.version, **measured})
    if not written:
        logger.info("recorded before")


def count_receives(record: SQSRecord) -> int:
    """Return how often a message was received, this time included."""
    return int(record.attributes.approximate_receive_count or 1)


def measure_evaluation(record: SQSRecord, *, started: datetime, ended: datetime) -> dict[str, Any]:
    """Return the measurements of one outcome: how long its message waited, retries included, and how long it took."""
    milliseconds = timedelta(milliseconds=1)
    values = {
        Measure.OUTCOMES: 1,
        Measure.WAITING: waited_since(record.attributes.sent_timestamp, now=started) // milliseconds,
        Measure.SCORING: (ended - started) // milliseconds,
    }
    return measure(values, moment=ended)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of either queue with the messages that failed."""
    dependencies()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
