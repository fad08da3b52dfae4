"""The dispatcher starts what there is to do, as much of it at once as the template allows, and looks once for all."""

import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest

from engine.cloud import Engine
from engine.store import Store
from local.functions import FunctionError
from local.work.dispatcher import LOOK_SECONDS, Dispatcher, OneAtATime, Work
from tests.harness.stack import StackHarness
from tests.harness.waiting import wait_for

SECONDS = 20


class Slow:
    """A function that ends an invocation when it may."""

    logical_id = "EvaluateFunction"

    def __init__(self) -> None:
        self.bodies: list[list[str]] = []
        self.may_end = threading.Semaphore(0)

    def invoke(self, event: Any) -> Any:
        """Wait."""
        self.bodies.append([record["body"] for record in event["Records"]])
        self.may_end.acquire(timeout=SECONDS)
        return {"batchItemFailures": []}


def test_batches_wait_while_all_places_are_taken(stack: StackHarness) -> None:
    """What arrives while every worker is busy is one batch of the next."""
    function, store = Slow(), _store_of(stack)
    poller = stack.queue_poller(lambda *_: None, queue="EvaluateQueue", function="EvaluateFunction")
    poller.function, poller.slots = function, threading.Semaphore(2)
    woken = threading.Event()
    dispatcher = Dispatcher(store, [poller], woken=woken, on_error=pytest.fail)

    def send(body: str) -> None:
        poller.cloud.sqs.send_message(QueueUrl=poller.url, MessageBody=body)
        woken.set()

    dispatcher.start()
    try:
        for number, body in enumerate(("a", "b"), 1):
            send(body)
            wait_for(lambda number=number: len(function.bodies) == number)  # type: ignore[misc]
        for body in ("c", "d", "e"):
            send(body)
        function.may_end.release()
        wait_for(lambda: len(function.bodies) == 3)
    finally:
        for _ in range(5):
            function.may_end.release()
        dispatcher.stop()

    assert function.bodies == [["a"], ["b"], ["c", "d", "e"]]
    assert dispatcher.look().queues == frozenset()


def test_groups_of_one_queue_are_handled_side_by_side(stack: StackHarness) -> None:
    """Of a group one batch at a time, of two groups two."""
    function, store = Slow(), _store_of(stack)
    poller = stack.queue_poller(lambda *_: None, queue="ShareQueue", function="EvaluateFunction")
    poller.function = function
    for group, body in (("one", "a"), ("one", "b"), ("two", "c")):
        poller.cloud.sqs.send_message(
            QueueUrl=poller.url, MessageBody=body, MessageGroupId=group, MessageDeduplicationId=body
        )
    dispatcher = Dispatcher(store, [poller], woken=threading.Event(), on_error=pytest.fail)

    dispatcher.start()
    try:
        wait_for(lambda: len(function.bodies) == 2)
        before = sorted(function.bodies)
        function.may_end.release(2)
        wait_for(lambda: len(function.bodies) == 3)
    finally:
        function.may_end.release(5)
        dispatcher.stop()

    assert (before, sorted(function.bodies)) == ([["a"], ["c"]], [["a"], ["b"], ["c"]])


def test_a_source_that_fails_rests_and_stops_no_other() -> None:
    """Its error is told, and the others go on."""
    lines: list[str] = []
    store, done = Store(), threading.Event()
    Engine(store)

    def fail(_: Work) -> bool:
        raise OSError("broken")

    def finish() -> bool:
        done.set()
        return False

    sources = [OneAtATime("bad", fail, finish), OneAtATime("good", lambda _: not done.is_set(), finish)]
    dispatcher = Dispatcher(store, sources, woken=threading.Event(), on_error=lines.append)
    dispatcher.start()
    wait_for(done.is_set)
    dispatcher.stop()
    store.close()

    assert lines == ["bad: OSError('broken')"]


def test_a_source_rests_three_times_as_long_as_its_step_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no longer than it may; until then nobody takes it."""
    clock, rests = iter((0.0, 0.1, 10.0, 12.0)), []
    source = OneAtATime("boards", lambda _: True, lambda: True, rest_seconds=0.5)

    def rest(seconds: float) -> None:
        rests.append((round(seconds, 3), source.take(Work(frozenset(), {}))))

    monkeypatch.setattr("local.work.dispatcher.time", SimpleNamespace(monotonic=lambda: next(clock), sleep=rest))
    for _ in range(2):
        step = source.take(Work(frozenset(), {}))
        assert step is not None
        assert step()

    assert rests == [(0.3, None), (0.5, None)]


def test_records_that_the_filter_leaves_out_invoke_nothing(stack: StackHarness) -> None:
    """Mail is about what has no score, or is held; of a batch with others the first that failed is named rightly."""
    batches: list[list[str]] = []

    def fail_on_the_last(event: Any, _: Any) -> Any:
        batches.append([record["dynamodb"]["SequenceNumber"] for record in event["Records"]])
        if batches[-1][-1] == "6":
            raise FunctionError("broken")
        return {"batchItemFailures": [{"itemIdentifier": batches[-1][-1]}]}

    def make(number: int, outcome: str, **fields: Any) -> Any:
        image = {"outcome": {"S": outcome}, **fields}
        return {"eventName": "INSERT", "dynamodb": {"SequenceNumber": str(number), "NewImage": image}}

    poller = stack.stream_poller(fail_on_the_last, function="NotifyFunction")
    scored = [make(number, "scored") for number in range(2)]
    mixed = [*scored, make(2, "invalid"), make(3, "scored"), make(4, "scored", in_review={"BOOL": True})]
    done = [poller.handle(scored), poller.handle(mixed), poller.handle([make(5, "scored"), make(6, "error")])]

    assert (done, batches) == ([2, 4, 1], [["2", "4"], ["6"]])


def _store_of(stack: StackHarness) -> Store:
    client: Any = stack.cloud.s3
    store: Store = client.store
    return store


def test_looks_are_apart_while_it_is_woken_all_the_time(stack: StackHarness) -> None:
    """Under load it looks no more often than every 10 ms, however often it is woken."""
    looks: list[float] = []

    class Always(threading.Event):
        def clear(self) -> None:
            """Stay set."""

    woken = Always()
    woken.set()
    source = OneAtATime("watch", lambda _: looks.append(time.monotonic()) is not None, lambda: False)
    dispatcher = Dispatcher(_store_of(stack), [source], woken=woken, on_error=pytest.fail)

    dispatcher.start()
    wait_for(lambda: len(looks) >= 10)
    dispatcher.stop()

    assert looks[9] - looks[0] >= 4 * LOOK_SECONDS  # nine times as long, but for what delays the first one
