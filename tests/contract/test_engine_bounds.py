"""The engine's clock, which may be set back, and its file, which closes itself."""

import gc
import sqlite3
from contextlib import closing

import pytest

from engine.cloud import Engine
from engine.store import Store
from storage.gateway.queue import FifoPlace


@pytest.mark.parametrize("notices", ["follow_clock", "release"])
@pytest.mark.parametrize(("delay", "receives"), [(0, 0), (900, 0), (0, 1)])
def test_what_waited_before_the_clock_was_set_back_does_not_wait_on(notices: str, delay: int, receives: int) -> None:
    """The running stack notices it, and the next start does; what is sent afterwards keeps its delay."""
    now = [1_000_000.0]
    with closing(Store(clock=lambda: now[0])) as store:
        queues = Engine(store).messages
        store.define("queue", "q", {"DeduplicationScope": "messageGroup"})
        queues.send("q", "before", delay_seconds=delay, place=FifoPlace("g", "1"))
        for _ in range(receives):
            assert queues.receive("q")
        queues.follow_clock()
        now[0] -= 3600
        queues.send("q", "later", delay_seconds=60)
        assert queues.receive("q") == []

        if notices == "release":
            queues = Engine(store).messages  # that of the next start
        getattr(queues, notices)()

        assert [message.body for message in queues.receive("q")] == ["before"]
        now[0] += 10
        queues.follow_clock()
        assert queues.receive("q") == []
        for name in ("1", "2"):
            queues.send("q", "again", place=FifoPlace("g", name))
        assert len(queues.receive("q")) == 2


def test_store_and_connection_that_are_garbage_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is closed although Python finds it first, in a younger generation of garbage."""
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *asked, **named: 0 * gc.collect(0) or connect(*asked, **named))
    garbage: list[object] = [Store()]
    garbage.append(garbage)
    del garbage
    gc.collect()
