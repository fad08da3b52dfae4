"""The worker processes of the local stack: whoever kills one makes an invocation fail, and nothing else."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.functions import Function, FunctionError
from local.worker import MAX_ANSWER_BYTES

HANDLERS = """
import os, sys, time

def tell(event, context):
    return os.getpid()

def hang(event, context):
    time.sleep(60)

def repeat(event, context):
    return event["text"] * event["times"]

def stutter(event, context):
    os.write(3, b'{"answer": ')  # where the worker's answers leave
    os.kill(os.getpid(), 9)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the handlers lie."""
    (tmp_path / "handlers.py").write_text(HANDLERS)
    return tmp_path


@pytest.fixture
def tell(folder: Path) -> Iterator[Function]:
    """A function that tells its process."""
    yield from make_function(folder, "tell")


@pytest.fixture
def hang(folder: Path) -> Iterator[Function]:
    """A function that does not end by itself."""
    yield from make_function(folder, "hang")


@pytest.fixture
def repeat(folder: Path) -> Iterator[Function]:
    """A function that answers a text, so many times."""
    yield from make_function(folder, "repeat")


@pytest.fixture
def stutter(folder: Path) -> Iterator[Function]:
    """A function that dies in the midst of its answer."""
    yield from make_function(folder, "stutter")


def make_function(folder: Path, handler: str) -> Iterator[Function]:
    """Make a function of one worker, and stop it afterwards."""
    path = os.pathsep.join((str(folder), *filter(None, sys.path)))
    function = Function(
        logical_id="One",
        name="one",
        handler=f"handlers.{handler}",
        environment={"PYTHONPATH": path},
        timeout_seconds=60,
        memory_mb=128,
        max_workers=1,
        log=lambda *_: None,
    )
    yield function
    function.stop()


def test_a_busy_worker_is_killed(hang: Function) -> None:
    """An invocation whose worker is killed fails at once, and nobody is busy afterwards."""

    def kill() -> None:
        while not (busy := hang.list_busy()):
            threading.Event().wait(0.01)
        busy[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()

    with pytest.raises(FunctionError, match="ended with status -9"):
        hang.invoke({})

    killer.join()
    assert hang.list_busy() == []


def test_an_idle_worker_is_killed(tell: Function) -> None:
    """The next event is handled by another worker, and nothing is kept of the dead one."""
    first = tell.invoke({})
    (worker,) = tell._workers
    worker.process.kill()
    worker.process.wait()

    second = tell.invoke({})

    assert second != first
    assert worker not in tell._workers
    assert worker.process.stdout is not None
    assert worker.process.stdout.closed


def test_half_an_answer_is_none(stutter: Function) -> None:
    """A worker that is killed while it answers has not answered."""
    with pytest.raises(FunctionError, match="ended with status -9"):
        stutter.invoke({})


@pytest.mark.parametrize("text", ["a", "ü", "€", "🎲"])
def test_an_answer_is_as_long_as_lambda_takes(text: str, repeat: Function) -> None:
    """The longest answer that Lambda takes comes through; it counts the bytes of unescaped JSON."""
    times = (MAX_ANSWER_BYTES - len('""')) // len(text.encode())

    assert repeat.invoke({"text": text, "times": times}) == text * times
    with pytest.raises(FunctionError, match=r"Function\.ResponseSizeTooLarge: .*\(6291556 bytes\)"):
        repeat.invoke({"text": text, "times": times + 1})
