"""Two evaluators and one result: the first record is kept."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluate.evaluator import Evaluator
from evaluate.unscored import DeadLetterRecorder
from scoring_core import judgement
from scoring_core.judgement import Judgement
from scoring_core.outcome import Outcome
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.bucket import Bucket
from storage.keys import ResultKey, parse_result_key
from storage.submissions.models import SubmissionRecord
from tests.harness.clock import Clock
from tests.harness.stack import Api, StackHarness, make_benchmark, watching


@pytest.fixture
def key(api: Api, stack: StackHarness) -> ResultKey:
    """A good result of the tiny benchmark."""
    stack.publish(make_benchmark())
    api.post()
    (name,) = stack.results()
    key = parse_result_key(name)
    assert key is not None
    return key


def test_second_evaluator_writes_nothing(stack: StackHarness, key: ResultKey, clock: Clock) -> None:
    """Where another evaluator records while this one scores, its record stands and this one writes nothing."""
    other = _evaluator(stack, clock)
    first: list[Any] = []

    def judge_slowly(*arguments: Any, **options: Any) -> Judgement:
        first.extend(_evaluate(other, key))
        clock.advance(seconds=5)
        return judgement.judge(*arguments, **options)

    second = _evaluate(_evaluator(stack, clock, judge=judge_slowly), key)

    (item,) = stack.items("SubmissionsTable")
    assert second == []
    assert item["recorded_at"]["S"] == first[0].recorded_at


def test_result_scored_while_given_up_is_scored(stack: StackHarness, key: ResultKey, clock: Clock) -> None:
    """A result that is scored the moment it is given up is scored, in either order."""

    def judge_slowly(*arguments: Any, **options: Any) -> Judgement:
        _recorder(stack, clock).record_failure(key)
        return judgement.judge(*arguments, **options)

    records = _evaluate(_evaluator(stack, clock, judge=judge_slowly), key)
    late = _recorder(stack, clock).record_failure(key)

    assert len(records) == 1
    assert late == []
    assert [item["outcome"]["S"] for item in stack.items("SubmissionsTable")] == [Outcome.SCORED]


def test_first_try_keeps_that_a_failure_was_rescored(stack: StackHarness, key: ResultKey, clock: Clock) -> None:
    """A late first message scores what was given up while rescored: nobody is mailed or charged for it."""
    evaluator = _evaluator(stack, clock)
    stack.publish(make_benchmark(parameters={"max_score": 50.0}))
    _recorder(stack, clock).record_failure(key)
    stack.aggregator.benchmarks.promote(evaluator.read_published(key))

    evaluator.begin_batch()
    (record,) = _evaluate(evaluator, key, first_try=True)

    assert record.outcome is Outcome.SCORED
    assert record.rescored


def test_first_try_reads_nothing_before_it_writes(stack: StackHarness, key: ResultKey, clock: Clock) -> None:
    """The condition of the write decides whether a result is recorded already; a read would only cost."""
    evaluator = _evaluator(stack, clock)
    with watching(stack.submissions.table.client, "GetItem") as reads:
        _evaluate(evaluator, key, first_try=True)

    assert not reads


def _evaluate(evaluator: Evaluator, key: ResultKey, *, first_try: bool = False) -> list[SubmissionRecord]:
    return evaluator.evaluate(key, evaluator.read_published(key), first_try=first_try)


def _evaluator(stack: StackHarness, clock: Clock, *, judge: Callable[..., Judgement] = judgement.judge) -> Evaluator:
    benchmarks = BenchmarkStore(Bucket(stack.cloud.objects, stack.results_bucket), clock=clock)
    unused: Any = None
    return Evaluator(stack.submissions, benchmarks, unused, unused, clock, judge=judge)


def _recorder(stack: StackHarness, clock: Clock) -> DeadLetterRecorder:
    benchmarks = BenchmarkStore(Bucket(stack.cloud.objects, stack.results_bucket), clock=clock)
    return DeadLetterRecorder(submissions=stack.submissions, benchmarks=benchmarks, clock=clock)
