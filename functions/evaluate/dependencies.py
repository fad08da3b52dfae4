"""What the handlers of this room work with, each built once from the environment of its function."""

import json
import os
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evaluate.evaluator import Evaluator, ShareDependencies
from evaluate.sharing import Retries, Sharing
from storage.benchmarks.store import BenchmarkStore
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.queue import Queue
from storage.gateway.table import RisingNumbers, Table
from storage.keys import utc_now
from storage.settings import DeadLetterSettings, EvaluateSettings, ScriptSettings, ShareSettings, SweepSettings
from storage.submissions.queues import EvaluateQueue, ShareQueue
from storage.submissions.store import SubmissionStore
from storage.submissions.work import WorkStore

if TYPE_CHECKING:
    from evaluate.unscored import DeadLetterRecorder, Sweeper
    from storage.sandbox.client import LambdaSandbox

# What one handler alone works with is imported where it is built: the queue of every result starts without it.


class EvaluateDependencies(NamedTuple):
    """What the handler of the evaluate queue and of the share queue works with."""

    evaluator: Evaluator
    sharing: Sharing
    queue: Queue
    shares: ShareDependencies


@cache
def evaluate_dependencies() -> EvaluateDependencies:
    """Return what the handler of the evaluate queue and of the share queue works with."""
    settings = EvaluateSettings.read(os.environ)
    script_queue, evaluator = _fifo_queue(settings, settings.script_queue_url), _make_evaluator(settings, None)
    return EvaluateDependencies(
        evaluator=evaluator,
        sharing=Sharing(share_queue=_fifo_queue(settings, settings.share_queue_url), script_queue=script_queue),
        queue=Queue(clients.gateway().messages, settings.evaluate_queue_url, base_seconds=settings.retry_base_seconds),
        shares=ShareDependencies(evaluator, _retries(settings), other_queue=script_queue),
    )


class ScriptDependencies(NamedTuple):
    """What the handler of the script queue works with."""

    sandbox: "LambdaSandbox"
    shares: ShareDependencies


@cache
def script_dependencies() -> ScriptDependencies:
    """Return what the handler of the script queue works with."""
    from storage.sandbox.client import LambdaSandbox  # noqa: PLC0415

    settings = ScriptSettings.read(os.environ)
    sandbox = LambdaSandbox(
        client=clients.gateway().functions,
        function=settings.sandbox_function,
        numbers=RisingNumbers(Table(clients.gateway().tables, settings.access_table)),
        runtimes=json.loads(settings.runtimes),
    )
    evaluator, share_queue = _make_evaluator(settings, sandbox), _fifo_queue(settings, settings.share_queue_url)
    return ScriptDependencies(sandbox, ShareDependencies(evaluator, _retries(settings), other_queue=share_queue))


@cache
def dead_letter_recorder() -> "DeadLetterRecorder":
    """Return what the handler of the dead-letter queue works with."""
    from evaluate.unscored import DeadLetterRecorder  # noqa: PLC0415

    settings = DeadLetterSettings.read(os.environ)
    return DeadLetterRecorder(
        submissions=_submissions(settings.results_bucket, settings.submissions_table),
        benchmarks=_benchmarks(settings.results_bucket),
        clock=utc_now,
    )


@cache
def dead_letter_queues() -> tuple[Queue, ...]:
    """Return the queues of the results whose retries are exhausted."""
    settings = DeadLetterSettings.read(os.environ)
    urls = (settings.evaluate_dead_letter_queue_url, settings.share_dead_letter_queue_url)
    return tuple(Queue(clients.gateway().messages, url) for url in urls)


@cache
def sweeper() -> "Sweeper":
    """Return what the handler of the sweep's schedules works with."""
    from evaluate.unscored import Sweeper  # noqa: PLC0415
    from storage.benchmarks.operations import OperationStore  # noqa: PLC0415
    from storage.flags import FlagStore  # noqa: PLC0415
    from storage.submissions.index import ResultIndex  # noqa: PLC0415

    settings = SweepSettings.read(os.environ)
    bucket, table = settings.results_bucket, settings.submissions_table
    return Sweeper(
        benchmarks=_benchmarks(bucket),
        results=ResultIndex(Table(clients.gateway().tables, table), Bucket(clients.gateway().objects, bucket)),
        submissions=_submissions(bucket, table),
        queue=EvaluateQueue(Queue(clients.gateway().messages, settings.evaluate_queue_url), bucket=bucket),
        flags=FlagStore(Table(clients.gateway().tables, settings.access_table)),
        operations=OperationStore(Bucket(clients.gateway().objects, bucket)),
        work=WorkStore(
            Table(clients.gateway().tables, settings.boards_table), Bucket(clients.gateway().objects, bucket)
        ),
        clock=utc_now,
        age=timedelta(seconds=settings.sweep_age_seconds),
    )


def _make_evaluator(settings: ShareSettings, sandbox: "LambdaSandbox | None") -> Evaluator:
    numbers = RisingNumbers(Table(clients.gateway().tables, settings.access_table))
    results = Bucket(clients.gateway().objects, settings.results_bucket)
    benchmarks = BenchmarkStore(results, clock=utc_now, numbers=numbers)
    work = WorkStore(Table(clients.gateway().tables, settings.boards_table), results)
    submissions = _submissions(settings.results_bucket, settings.submissions_table)
    return Evaluator(submissions, benchmarks, sandbox, work, utc_now)


def _fifo_queue(settings: ShareSettings, url: str) -> ShareQueue:
    return ShareQueue(Queue(clients.gateway().messages, url), settings.results_bucket, settings.benchmark_concurrency)


def _retries(settings: ShareSettings) -> Retries:
    bucket, sqs = settings.results_bucket, clients.gateway().messages
    return Retries(
        evaluate_queue=EvaluateQueue(Queue(sqs, settings.evaluate_queue_url), bucket),
        dead_letter_queue=EvaluateQueue(Queue(sqs, settings.evaluate_dead_letter_queue_url), bucket),
        base_seconds=settings.retry_base_seconds,
    )


def _submissions(bucket: str, table: str) -> SubmissionStore:
    return SubmissionStore(Table(clients.gateway().tables, table), Bucket(clients.gateway().objects, bucket))


def _benchmarks(bucket: str) -> BenchmarkStore:
    return BenchmarkStore(Bucket(clients.gateway().objects, bucket), clock=utc_now)
