"""Two evaluators and one result: the first record stands, whoever is late."""

from collections.abc import Callable
from typing import Any

import pytest

from evaluate.evaluator import Evaluator
from evaluate.undertaker import Undertaker
from ledger.benchmark_store import BenchmarkStore
from ledger.keys import ResultKey, parse_result_key
from ledger.submissions import Record
from scoring_core import judgement
from scoring_core.judgement import Judgement
from scoring_core.outcome import Outcome
from tests.integration.laboratory import GOOD_SCORE, Api, Clock, Laboratory, make_benchmark


@pytest.fixture
def key(api: Api, laboratory: Laboratory) -> ResultKey:
    """A good result of the tiny benchmark."""
    laboratory.publish(make_benchmark())
    api.post()
    (name,) = laboratory.results()
    found = parse_result_key(name)
    assert found is not None
    return found


def test_two_at_once(laboratory: Laboratory, key: ResultKey, clock: Clock) -> None:
    """Where another evaluator records while this one scores, its record stands and this one writes nothing."""
    other = _evaluator(laboratory, clock)
    first: list[Any] = []

    def judge_slowly(*arguments: Any, **options: Any) -> Judgement:
        first.extend(_evaluate(other, key))
        clock.advance(seconds=5)
        return judgement.judge(*arguments, **options)

    second = _evaluate(_evaluator(laboratory, clock, judge=judge_slowly), key)

    (item,) = laboratory.items("SubmissionsTable")
    assert second == []
    assert item["recorded_at"]["S"] == first[0].recorded_at


def test_a_success_replaces_an_internal_error(laboratory: Laboratory, key: ResultKey, clock: Clock) -> None:
    """What was given up and is scored after all is scored."""
    _undertaker(laboratory, clock).bury(key)

    (record,) = _evaluate(_evaluator(laboratory, clock), key)

    assert record.scores == {"score": GOOD_SCORE}
    assert [item["outcome"]["S"] for item in laboratory.items("SubmissionsTable")] == [Outcome.SCORED]


def test_given_up_while_it_is_scored(laboratory: Laboratory, key: ResultKey, clock: Clock) -> None:
    """A result that is scored the moment it is given up is scored, in either order."""

    def judge_slowly(*arguments: Any, **options: Any) -> Judgement:
        _undertaker(laboratory, clock).bury(key)
        return judgement.judge(*arguments, **options)

    records = _evaluate(_evaluator(laboratory, clock, judge=judge_slowly), key)
    late = _undertaker(laboratory, clock).bury(key)

    assert len(records) == 1
    assert late == []
    assert [item["outcome"]["S"] for item in laboratory.items("SubmissionsTable")] == [Outcome.SCORED]


def test_another_version_is_another_record(laboratory: Laboratory, key: ResultKey, clock: Clock) -> None:
    """A result is scored once under each version."""
    evaluator = _evaluator(laboratory, clock)
    _evaluate(evaluator, key)
    laboratory.publish(make_benchmark(parameters={"max_score": 50.0}))

    (record,) = _evaluate(evaluator, key)

    assert record.rescored
    assert len(laboratory.items("SubmissionsTable")) == 2


def _evaluate(evaluator: Evaluator, key: ResultKey) -> list[Record]:
    return evaluator.evaluate(key, evaluator.read_published(key))


def _evaluator(laboratory: Laboratory, clock: Clock, *, judge: Callable[..., Judgement] = judgement.judge) -> Evaluator:
    benchmarks = BenchmarkStore(s3=laboratory.cloud.s3, bucket=laboratory.results_bucket, clock=clock)
    no_sandbox: Any = None
    return Evaluator(
        submissions=laboratory.submissions, benchmarks=benchmarks, sandbox=no_sandbox, clock=clock, judge=judge
    )


def _undertaker(laboratory: Laboratory, clock: Clock) -> Undertaker:
    benchmarks = BenchmarkStore(s3=laboratory.cloud.s3, bucket=laboratory.results_bucket, clock=clock)
    return Undertaker(submissions=laboratory.submissions, benchmarks=benchmarks, clock=clock)
