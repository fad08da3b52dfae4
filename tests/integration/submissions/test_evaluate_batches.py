"""Batches of the evaluate queue: one look at what is published, and no result that harms those behind it."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from threading import Barrier
from typing import Any

import pytest

from evaluate import queue
from evaluate.dependencies import evaluate_dependencies
from evaluate.sharing import SHORT_BYTES, WAIT_LIMIT
from scoring_core import judgement
from scoring_core.judgement import Judgement
from storage.gateway.s3_events import read_notices
from storage.keys import ResultKey, make_submission_id, parse_result_key, utc_now
from tests.harness.clock import START, Clock
from tests.harness.factories import make_guest, make_submission
from tests.harness.stack import GOOD, InProcess, StackHarness, make_message, watching

pytestmark = pytest.mark.usefixtures("tiny")

FUNCTION = InProcess(queue.lambda_handler, "EvaluateFunction")
SIZE = 10
POISON = {"question": "1", "text": "poison"}


class Killed(BaseException):
    """The process died; no handler of exceptions sees it."""


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[bytes], None]], None]:
    """Return what lets something happen before a result is judged."""

    def set_action(before: Callable[[bytes], None]) -> None:
        def judge(benchmark: Any, scorer: Any, result: bytes, **options: Any) -> Judgement:
            before(result)
            return judgement.judge(benchmark, scorer, result, **options)

        monkeypatch.setattr(evaluate_dependencies().evaluator, "judge", judge)

    return set_action


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The clock of evaluate, which begins with the messages."""
    clock = Clock(utc_now())
    monkeypatch.setattr(evaluate_dependencies().evaluator, "clock", clock)
    return clock


def test_batch_looks_once_at_what_is_published(stack: StackHarness) -> None:
    """The first batch reads the pointer of a benchmark once, the next one only its publish number, also once."""
    keys = _put(stack, [GOOD] * SIZE)

    with watching(stack.cloud.s3, "GetObject") as reads, watching(stack.cloud.dynamodb, "GetItem") as items:
        answers = [_deliver(keys[:6]), _deliver(keys[6:])]

    assert answers == [[], []]
    assert len(_recorded(stack)) == SIZE
    assert sum(read["Key"].endswith("current.json") for read in reads) == 1
    assert [item["Key"] for item in items] == [{"key": {"S": "publish#tiny"}}]


def test_results_behind_a_slow_one_are_handed_on(
    stack: StackHarness, clock: Clock, judged: Callable[[Callable[[bytes], None]], None]
) -> None:
    """A result that takes long ends the batch: those behind it are scored in the share of their benchmark."""
    keys = _put(stack, [GOOD] * SIZE)
    judged(lambda _: clock.advance(seconds=WAIT_LIMIT.seconds / 2 + 1))

    answer = _deliver(keys)

    assert answer == []
    assert _submissions(_recorded(stack)) == {key.submission for key in keys[:2]}
    assert _receive(stack) == dict.fromkeys(keys[2:], 0)


def test_batch_that_was_received_before_is_handed_on_as_a_whole(stack: StackHarness) -> None:
    """Beside a message over which a process may have died no result is scored."""
    keys = _put(stack, [GOOD] * 3)

    _deliver(keys, receives=[1, 2, 1])

    assert _recorded(stack) == []
    assert _receive(stack) == {keys[0]: 0, keys[1]: 1, keys[2]: 0}


def test_result_that_ends_the_process_costs_others_one_try(
    stack: StackHarness, judged: Callable[[Callable[[bytes], None]], None]
) -> None:
    """Nine results beside one that kills are scored after one lost try, whatever arrives between them."""
    keys = _put(stack, [*[GOOD] * 4, POISON, *[GOOD] * 5])

    def die(result: bytes) -> None:
        if result == json.dumps(POISON).encode():
            raise Killed

    judged(die)
    with pytest.raises(Killed):
        _deliver(keys)
    scored_before = _submissions(_recorded(stack))

    answer = _deliver(keys, receives=[2] * SIZE)

    assert answer == []
    assert scored_before == {key.submission for key in keys[:4]}
    assert _receive(stack) == dict.fromkeys(keys, 1)


def test_results_of_a_batch_are_read_at_once(stack: StackHarness) -> None:
    """No read of a batch ends before all of them have begun."""
    keys = _put(stack, [GOOD] * SIZE)
    together = Barrier(SIZE, timeout=20)

    def meet(params: dict[str, Any], **_: Any) -> None:
        if params["Key"].startswith("results/"):
            together.wait()

    stack.cloud.s3.meta.events.register("provide-client-params.s3.GetObject", meet)
    answer = _deliver(keys)
    stack.cloud.s3.meta.events.unregister("provide-client-params.s3.GetObject", meet)

    assert answer == []
    assert _submissions(_recorded(stack)) == {key.submission for key in keys}


def test_long_results_are_read_one_by_one(stack: StackHarness) -> None:
    """Each long result is scored and recorded before the next one is read: together they would fill the memory."""
    keys = _put(stack, [GOOD] * 3)
    recorded: list[int] = []

    def count(params: dict[str, Any], **_: Any) -> None:
        if params["Key"].startswith("results/"):
            recorded.append(len(_recorded(stack)))

    stack.cloud.s3.meta.events.register("provide-client-params.s3.GetObject", count)
    _deliver(keys, size_bytes=SHORT_BYTES + 1)
    stack.cloud.s3.meta.events.unregister("provide-client-params.s3.GetObject", count)

    assert recorded == [0, 1, 2]


def _put(stack: StackHarness, results: Sequence[Any]) -> list[ResultKey]:
    keys = [ResultKey("tiny", make_submission_id(START, os.urandom(10))) for _ in results]
    for key, result in zip(keys, results, strict=True):
        submission = make_submission(id=key.submission, benchmark="tiny", player=make_guest("Ada"))
        stack.submissions.put_result(submission, json.dumps(result).encode())
    return keys


def _deliver(keys: Sequence[ResultKey], receives: Sequence[int] = (), size_bytes: int = 100) -> list[str]:
    """Hand a batch over, a message for each key; return the ids of those that failed."""
    counts = receives or [1] * len(keys)
    messages = [
        make_message(str(key), number=number, receives=count, size_bytes=size_bytes)
        for number, (key, count) in enumerate(zip(keys, counts, strict=True), start=1)
    ]
    answer = FUNCTION.invoke({"Records": messages})
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def _recorded(stack: StackHarness, key: ResultKey | None = None) -> list[dict[str, Any]]:
    items = stack.items("SubmissionsTable")
    return [item for item in items if key is None or item["submission"]["S"] == key.submission]


def _submissions(items: Sequence[dict[str, Any]]) -> set[str]:
    return {item["submission"]["S"] for item in items}


def _receive(stack: StackHarness) -> dict[ResultKey, int]:
    """Receive all that was handed on to the share queue: each result and its failed tries."""
    url = stack.queue_url("ShareQueue")
    handed_on: dict[ResultKey, int] = {}
    while received := stack.cloud.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1).get("Messages"):
        (notice,) = read_notices(received[0]["Body"])
        key = parse_result_key(notice.key)
        assert key is not None
        handed_on[key] = notice.counts.tries
        stack.cloud.sqs.delete_message(QueueUrl=url, ReceiptHandle=received[0]["ReceiptHandle"])
    return handed_on
