"""The worker processes of the local stack: killing one makes one invocation fail, and nothing else."""

import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from local.functions import Function, FunctionError
from local.log_files import LogFiles
from tests.harness.processes import list_busy

HANDLERS = """
import os, sys, time

def tell(event, context):
    return os.getpid()

def hang(event, context):
    time.sleep(60)

def stutter(event, context):
    os.write(3, b'{"answer": ')  # where the worker's answers leave
    os.kill(os.getpid(), 9)
"""

COUNTED = """
import pathlib, time
from handlers import tell

def note(word):
    with pathlib.Path(__file__).with_name("starts").open("a") as file:
        file.write(word + "\\n")

note("begin")
time.sleep(0.3)
note("end")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the handlers lie."""
    (tmp_path / "handlers.py").write_text(HANDLERS)
    return tmp_path


@pytest.fixture
def function(folder: Path, request: pytest.FixtureRequest) -> Iterator[Function]:
    """A function of one worker with a handler of `handlers.py`."""
    function = make_function(folder, f"handlers.{request.param}")
    yield function
    function.stop()


def make_function(folder: Path, handler: str, *, timeout_seconds: int = 60, max_workers: int = 1) -> Function:
    """Make a function whose handler is in a folder."""
    path = os.pathsep.join((str(folder), *filter(None, sys.path)))
    return Function(
        logical_id="One",
        name="one",
        handler=handler,
        environment={"PYTHONPATH": path},
        timeout_seconds=timeout_seconds,
        memory_mb=128,
        max_workers=max_workers,
        log=LogFiles(folder / "log", print).open,
    )


@pytest.mark.parametrize("function", ["hang"], indirect=True)
def test_a_busy_worker_is_killed(function: Function) -> None:
    """An invocation whose worker is killed fails at once, and nobody is busy afterwards."""

    def kill() -> None:
        while not (busy := list_busy(function)):
            threading.Event().wait(0.01)
        busy[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()

    with pytest.raises(FunctionError, match="ended with status -9"):
        function.invoke({})

    killer.join()
    assert list_busy(function) == []


@pytest.mark.parametrize("function", ["tell"], indirect=True)
def test_idle_workers_end(function: Function) -> None:
    """Those that had nothing to do for a while end, but for as many as are kept; the next event finds a worker."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(function.invoke, [{}] * 8))
    function.warm_up()
    started = len(function._workers)

    function.end_idle(seconds=60, kept=0)
    after_a_moment = len(function._workers)
    function.end_idle(seconds=0, kept=1)
    kept = {worker.process.pid for worker in function._workers}

    assert (after_a_moment, len(kept)) == (started, 1)
    assert {function.invoke({}), function.invoke({})} == kept
    function.end_idle(seconds=0, kept=0)
    assert function._workers == set()
    assert function.invoke({}) not in kept


@pytest.mark.parametrize("function", ["tell"], indirect=True)
def test_an_idle_worker_is_killed(function: Function) -> None:
    """The next event is handled by another worker, and nothing is kept of the dead one."""
    first = function.invoke({})
    (worker,) = function._workers
    worker.process.kill()
    worker.process.wait()

    second = function.invoke({})

    assert second != first
    assert worker not in function._workers
    assert worker.process.stdout is not None
    assert worker.process.stdout.closed


def test_start_is_not_counted_as_time_of_the_handler(folder: Path) -> None:
    """As in the cloud: importing the handler may take longer than the handler may."""
    (folder / "slow.py").write_text("import time\ntime.sleep(3)\nfrom handlers import tell\n")
    function = make_function(folder, "slow.tell", timeout_seconds=2)

    assert function.invoke({})
    function.stop()


def test_workers_start_one_at_a_time(folder: Path) -> None:
    """A burst of events starts no more workers at once than one, and takes those that are idle by then."""
    (folder / "counted.py").write_text(COUNTED)
    function = make_function(folder, "counted.tell", max_workers=4)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(function.invoke, [{}] * 4))
    function.stop()

    starts = (folder / "starts").read_text().split()
    assert starts == ["begin", "end"] * (len(starts) // 2)


@pytest.mark.parametrize("function", ["stutter"], indirect=True)
def test_partial_answer_is_an_error(function: Function) -> None:
    """A worker that is killed while it answers has not answered."""
    with pytest.raises(FunctionError, match="ended with status -9"):
        function.invoke({})
