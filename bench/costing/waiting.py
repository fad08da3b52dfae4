"""Which calls an invocation waits for, one after another, when some of them are made in threads.

moto answers at once and one after another, so no clock shows what overlaps. Instead each thread carries its path: the
calls that it has waited for, and how long. A task of a pool begins where its caller is when it is submitted, or where
the first free worker of the pool is, if that is later; who asks for its result goes on where the later of both is.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unittest.mock import patch
from weakref import WeakKeyDictionary


class Path(NamedTuple):
    """The calls that somebody has waited for, one after another."""

    milliseconds: float = 0.0
    calls: tuple[str, ...] = ()

    def joined(self, other: "Path") -> "Path":
        """Return this path and then the other one."""
        return Path(self.milliseconds + other.milliseconds, self.calls + other.calls)


START = Path()


@dataclass
class Invocation:
    """What an invocation took: processor time, threads included, and the calls that it waited for."""

    path: Path = START
    processor_seconds: float = 0.0


@dataclass
class _Task:
    """Where a task of a pool ends."""

    end: Path = START


class _OfThread(threading.local):
    path = START
    foreign_seconds = 0.0


@dataclass
class Waiting:
    """The paths of threads.

    Args:
        milliseconds: Operation → how long a call takes.
    """

    milliseconds: Mapping[str, float]
    _thread: _OfThread = field(default_factory=_OfThread)
    _invocation: Invocation = field(default_factory=Invocation)
    _workers: "WeakKeyDictionary[ThreadPoolExecutor, list[Path]]" = field(default_factory=WeakKeyDictionary)
    _tasks: "WeakKeyDictionary[Future[Any], _Task]" = field(default_factory=WeakKeyDictionary)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, operation: str) -> None:
        """Note a call of this thread."""
        self._thread.path = self._thread.path.joined(Path(self.milliseconds[operation], (operation,)))

    @contextmanager
    def invocation(self) -> Iterator[Invocation]:
        """Yield what an invocation takes, which is complete when the context ends."""
        self._thread.path, self._invocation = START, Invocation()
        self._workers.clear()
        with self._timing():
            yield self._invocation
        self._invocation.path = self._thread.path

    @contextmanager
    def foreign(self) -> Iterator[None]:
        """Leave out the processor time of what is not the function's own."""
        started, inner = time.thread_time(), self._thread.foreign_seconds
        yield
        # What is nested was added already.
        self._thread.foreign_seconds = inner + time.thread_time() - started

    @contextmanager
    def _timing(self) -> Iterator[None]:
        started, foreign = time.thread_time(), self._thread.foreign_seconds
        try:
            yield
        finally:
            seconds = time.thread_time() - started - (self._thread.foreign_seconds - foreign)
            with self._lock:
                self._invocation.processor_seconds += seconds

    @contextmanager
    def attached_to_pools(self) -> Iterator[None]:
        """Follow the tasks of every pool while the context lasts."""
        submit, result = ThreadPoolExecutor.submit, Future.result

        def followed_submit(pool: ThreadPoolExecutor, task: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
            submitted, task_of = self._thread.path, _Task()

            def run() -> Any:
                self._thread.path = START
                try:
                    with self._timing():
                        return task(*args, **options)
                finally:
                    task_of.end = self._place(pool, submitted)

            future = submit(pool, run)
            self._tasks[future] = task_of
            return future

        def followed_result(future: Future[Any], timeout: float | None = None) -> Any:
            try:
                return result(future, timeout)
            finally:
                end = self._tasks[future].end if future in self._tasks else START
                self._thread.path = _later(self._thread.path, end)

        with (
            patch.object(ThreadPoolExecutor, "submit", followed_submit),
            patch.object(Future, "result", followed_result),
        ):
            yield

    def _place(self, pool: ThreadPoolExecutor, submitted: Path) -> Path:
        """Let the first free worker of a pool take the task of this thread; return where it ends."""
        with self._lock:
            workers = self._workers.setdefault(pool, [START] * pool._max_workers)  # noqa: SLF001  # it says so nowhere else
            first = min(range(len(workers)), key=lambda number: workers[number].milliseconds)
            workers[first] = _later(submitted, workers[first]).joined(self._thread.path)
            return workers[first]


def _later(first: Path, second: Path) -> Path:
    return second if second.milliseconds > first.milliseconds else first
