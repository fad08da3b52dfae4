"""The sweep: what has no outcome is queued again, each result at most once a day, and foreign objects never."""

import contextlib
import copy
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from evaluate import dependencies as sweeping
from evaluate import queue, sweep
from evaluate.unscored import DeadLetterRecorder, Sweeper
from scoring_core.judgement import Outcome
from storage.benchmarks.operations import OperationRequest
from storage.flags import FlagStore
from storage.keys import make_submission_id, parse_result_key
from tests.harness.clock import START, Clock
from tests.harness.factories import make_guest, make_submission
from tests.harness.stack import GOOD, TRUTH, InProcess, StackHarness, failing, make_benchmark, make_message

TWO_HOURS = timedelta(hours=2)
MARK = FlagStore.set
ADA = make_guest("Ada")


@pytest.fixture
def sweeper(stack: StackHarness, clock: Clock) -> Sweeper:
    """What sweeps, with the clock of the test; the tiny benchmark is published."""
    stack.publish(make_benchmark())
    return copy.replace(sweeping.sweeper.__wrapped__(), clock=clock, age=timedelta(minutes=5))


def put(stack: StackHarness, **before: float) -> str:
    """Put a raw result whose notice was lost, so long before the start; give its key."""
    submission = make_submission(
        id=make_submission_id(START - timedelta(**before), bytes(10)), benchmark="tiny", player=ADA
    )
    stack.submissions.put_result(submission, json.dumps(GOOD).encode())
    empty(stack)
    return next(key for key in stack.results() if submission.id in key)


def empty(stack: StackHarness) -> list[str]:
    """Take all messages off the evaluate queue; give the keys that they announce."""
    keys: list[str] = []
    url = stack.queue_url("EvaluateQueue")
    while messages := stack.cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
        for message in messages:
            notice = json.loads(message["Body"])
            keys += [record["s3"]["object"]["key"] for record in notice.get("Records", [])]
    return keys


def evaluate(*keys: str) -> None:
    """Score these results."""
    InProcess(queue.lambda_handler, "EvaluateFunction").deliver(*keys)


def test_lost_result_is_queued_and_scored(stack: StackHarness, sweeper: Sweeper) -> None:
    """A result without an outcome is announced as S3 would, and evaluate scores it."""
    key = put(stack, minutes=30)

    queued = sweeper.sweep("tiny", window=TWO_HOURS)

    announced = empty(stack)
    assert (queued, announced) == (1, [key])
    evaluate(*announced)
    assert [item["outcome"]["S"] for item in stack.items("SubmissionsTable")] == [Outcome.SCORED]


def test_result_is_queued_once_a_day(stack: StackHarness, sweeper: Sweeper, clock: Clock) -> None:
    """What was queued again is left alone for most of a day."""
    put(stack, minutes=30)
    sweeper.sweep("tiny", window=timedelta(days=2))

    clock.advance(hours=19)
    too_soon = sweeper.sweep("tiny", window=timedelta(days=2))
    clock.advance(hours=2)
    again = sweeper.sweep("tiny", window=timedelta(days=2))

    assert (too_soon, again) == (0, 1)


@pytest.mark.parametrize(("before", "queued"), [({"minutes": 4}, 0), ({"minutes": 5}, 1), ({"hours": 3}, 0)])
def test_results_outside_the_window_are_not_queued(
    stack: StackHarness, sweeper: Sweeper, before: dict[str, float], queued: int
) -> None:
    """What is so young that its notice may be under way, or so old that others look for it, is left alone."""
    put(stack, **before)

    assert sweeper.sweep("tiny", window=TWO_HOURS) == queued


def test_result_without_outcome_under_the_next_version_is_queued(stack: StackHarness, sweeper: Sweeper) -> None:
    """A result that lacks an outcome under the next version is queued too."""
    evaluate(put(stack, minutes=30))
    stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))

    assert sweeper.sweep("tiny", window=TWO_HOURS) == 1


def test_unknown_object_is_never_queued(
    stack: StackHarness, sweeper: Sweeper, log: Callable[[], list[dict[str, Any]]]
) -> None:
    """What is no result is never queued, and where it is announced all the same it is acknowledged with a warning."""
    foreign = f"results/tiny/2026-03-01/{make_submission_id(START - timedelta(hours=1), bytes(10))}"
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=foreign, Body=b"{}")

    queued = sweeper.sweep("tiny", window=TWO_HOURS)
    answer = InProcess(queue.lambda_handler, "EvaluateFunction").invoke({"Records": [make_message(foreign)]})

    assert queued == 0
    assert answer == {"batchItemFailures": []}
    assert [(line["level"], line["message"]) for line in log()] == [("WARNING", "unknown object skipped")]
    assert stack.items("SubmissionsTable") == []


def test_failed_results_are_queued_by_hand(stack: StackHarness, sweeper: Sweeper, clock: Clock) -> None:
    """By hand, what ended as internal_error is queued again, however old it is."""
    lost, scored = put(stack, days=40), put(stack, minutes=30)
    evaluate(scored)
    key = parse_result_key(lost)
    assert key is not None
    DeadLetterRecorder(submissions=stack.submissions, benchmarks=sweeper.benchmarks, clock=clock).record_failure(key)

    done = sweeper.sweep_again(OperationRequest(operation="sweep", failed=True))

    assert done.queued == {"tiny": 1}
    assert empty(stack) == [lost]


def test_results_are_queued_by_hand_however_often(stack: StackHarness, sweeper: Sweeper) -> None:
    """By hand, what the schedule has queued today is queued again, as far back as was asked for; nothing foreign is."""
    key, _ = put(stack, hours=5), put(stack, hours=7)
    stack.cloud.s3.put_object(
        Bucket=stack.results_bucket,
        Key=f"results/tiny/2026-03-01/{make_submission_id(START - timedelta(hours=1), bytes(10))}",
        Body=b"{}",
    )
    sweeper.sweep("tiny", window=timedelta(days=2))
    empty(stack)

    done = [sweeper.sweep_again(OperationRequest(operation="sweep", hours=6)) for _ in range(2)]

    assert [result.queued for result in done] == [{"tiny": 1}] * 2
    assert set(empty(stack)) == {key}


def test_schedule_sweeps_every_benchmark(
    stack: StackHarness, sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handler sweeps every benchmark as far back as its event says, and reports what it found."""
    stack.publish(make_benchmark(id="other"))
    put(stack, hours=30)
    monkeypatch.setattr(sweep, "sweeper", lambda: sweeper)
    function = InProcess(sweep.lambda_handler, "SweepFunction")

    often, daily = function.invoke({}), function.invoke({"hours": 48})

    assert (often, daily) == ({}, {"tiny": 1})


def test_failing_benchmark_does_not_stop_the_others(
    stack: StackHarness, sweeper: Sweeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one benchmark cannot be swept the others are, and the invocation fails for the alarm."""
    stack.publish(make_benchmark(id="other"))
    put(stack, minutes=30)
    monkeypatch.setattr(sweep, "sweeper", lambda: sweeper)

    with (
        failing(stack.cloud.s3, "GetObject", about="other/current.json"),
        pytest.raises(ExceptionGroup, match="not all benchmarks"),
    ):
        InProcess(sweep.lambda_handler, "SweepFunction").invoke({})

    assert len(empty(stack)) == 1


def test_sweep_that_runs_out_of_time_keeps_what_it_queued(
    stack: StackHarness, sweeper: Sweeper, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of very many lost results each run queues some, however soon it is ended, and the next day's what it left."""
    for number in range(25):
        put(stack, minutes=30, seconds=number)
    time_left = iter(())

    def mark(store: FlagStore, key: str, **how: Any) -> bool:
        next(time_left)
        return MARK(store, key, **how)

    monkeypatch.setattr(FlagStore, "set", mark)
    announced: list[list[str]] = []
    for hours_later in (0.25, 24, 0):
        time_left = iter(range(13))
        with contextlib.suppress(StopIteration):
            sweeper.sweep("tiny", window=timedelta(days=3))
        announced.append(empty(stack))
        if announced[-1]:
            evaluate(*announced[-1])
        clock.advance(hours=hours_later)

    assert [len(keys) for keys in announced] == [10, 7, 8]
    assert {key for keys in announced for key in keys} == set(stack.results())


def test_benchmarks_take_turns(stack: StackHarness, sweeper: Sweeper, clock: Clock) -> None:
    """No benchmark is always the first one: where one takes too long it does not hold up the other each time."""
    stack.publish(make_benchmark(id="other"))
    benchmarks = copy.replace(sweeper.benchmarks, clock=clock)
    firsts = set()
    for _ in range(20):
        firsts.add(benchmarks.list_shuffled()[0])
        clock.advance(minutes=15)

    assert firsts == {"other", "tiny"}
