"""The doorway of the sweep's schedules; the event of the daily one says how many hours back to look."""

import os
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from evaluate.sweeper import Sweeper
from storage.access.flags import FlagStore
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.benchmarks.store import BenchmarkStore
from storage.settings import SweepSettings
from storage.submissions.index import ResultIndex
from storage.submissions.queues import EvaluateQueue
from storage.submissions.store import SubmissionStore

OFTEN_HOURS = 2

logger = Logger()


def make_sweeper(settings: SweepSettings) -> Sweeper:
    """Build what sweeps."""
    s3, dynamodb = s3_client(), dynamodb_client()
    bucket, table = settings.results_bucket, settings.submissions_table
    return Sweeper(
        benchmarks=BenchmarkStore(s3=s3, bucket=bucket, clock=now),
        results=ResultIndex(s3=s3, dynamodb=dynamodb, bucket=bucket, table=table),
        submissions=SubmissionStore(s3=s3, dynamodb=dynamodb, bucket=bucket, table=table),
        notices=EvaluateQueue(sqs=sqs_client(), url=settings.evaluate_queue_url, bucket=bucket),
        markers=FlagStore(dynamodb=dynamodb, table=settings.access_table),
        clock=now,
        age=timedelta(seconds=settings.sweep_age_seconds),
    )


@cache
def sweeper() -> Sweeper:
    """Build, once, what sweeps: the environment is read here and nowhere else."""
    return make_sweeper(SweepSettings.read(os.environ))


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, int]:  # noqa: ARG001  # Lambda's signature
    """Sweep every benchmark; give how many results were put on the queue again."""
    window = timedelta(hours=event.get("hours", OFTEN_HOURS))
    queued: dict[str, int] = {}
    failures = []
    for benchmark in sweeper().benchmarks.list_in_turn():
        try:
            queued[benchmark] = sweeper().sweep(benchmark, window=window)
        except Exception as error:
            logger.exception("a benchmark could not be swept", extra={"benchmark": benchmark})
            failures.append(error)
    found = {benchmark: number for benchmark, number in queued.items() if number}
    if found:
        logger.warning("results without an outcome queued again", extra={"results": found})
    if failures:
        raise ExceptionGroup("not all benchmarks were swept", failures)
    return found
