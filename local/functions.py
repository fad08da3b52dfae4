"""Lambda functions as pools of worker processes, each with the environment of the template."""

import contextlib
import os
import select
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import Empty, LifoQueue
from typing import IO, Any, Protocol

import orjson

from engine.cloud import SYNC_VARIABLE
from local.template import Properties, Template

WAITING_WORKERS = 8
"""Requests that may wait for an outcome at once; a worker of the API takes about 60 MB."""

SOON_SECONDS = 0.05
"""How long an event waits for a worker to become idle before another one is started, which takes longer."""

START_SECONDS = 120
"""Limit for importing a handler, on a machine that is busy."""

type OpenLog = Callable[[str], IO[bytes]]
"""Opens what the workers of a function write their lines to, by its logical id."""

PROMPT_WORKERS = 1 + (os.cpu_count() or 1)
"""Workers of a function that compute at once; another one of them waits for the disk."""


class FunctionError(Exception):
    """The handler raised an error, timed out, or its process died."""


class Interrupted(FunctionError):
    """The stack stops before there is an answer."""


class Invokable(Protocol):
    """What a poller invokes: a function of the stack, or a handler in the process of a test."""

    @property
    def logical_id(self) -> str:
        """Its logical id in the template."""

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Return the handler's answer. Raises FunctionError."""


@dataclass(eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    idle_since: float = field(default=0.0, init=False)
    _is_ready: bool = field(default=False, init=False)

    def await_ready(self) -> None:
        """Wait until the handler is imported. Raises FunctionError."""
        if not self._is_ready:
            self._read_line(START_SECONDS)
            self._is_ready = True

    def ask(self, request: Mapping[str, Any], *, timeout_seconds: float) -> dict[str, Any]:
        """Return the answer to a request. Raises FunctionError."""
        self.await_ready()  # as in the cloud, the timeout does not include the start
        stdin = _pipe(self.process.stdin)
        try:
            stdin.write(orjson.dumps(request, option=orjson.OPT_APPEND_NEWLINE))
            stdin.flush()
        except OSError as error:
            raise FunctionError(f"the process is gone: {error}") from error
        answer: dict[str, Any] = orjson.loads(self._read_line(timeout_seconds))
        return answer

    def _read_line(self, timeout_seconds: float) -> bytes:
        stdout = _pipe(self.process.stdout)
        ready, _, _ = select.select([stdout], [], [], timeout_seconds)
        if not ready:
            raise FunctionError(f"timed out after {timeout_seconds} seconds")
        line = stdout.readline()
        if not line.endswith(b"\n"):  # killed before or while it answered
            raise FunctionError(f"the process ended with status {self.process.wait()}")
        return line

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        """End the process, if it still runs, and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # unflushed bytes have no reader any more
                _pipe(pipe).close()


@dataclass
class Function:
    """A function of the template; it starts workers as needed and keeps them warm.

    A worker is a process, which may be killed at any moment: its invocation fails, and the next event gets another
    worker. `on_end` is called after each, and `answered` counts the invocations with an answer.
    """

    logical_id: str
    name: str
    handler: str
    environment: Mapping[str, str]
    timeout_seconds: int
    memory_mb: int
    max_workers: int
    log: OpenLog
    on_end: Callable[[], None] = lambda: None
    answered: int = field(default=0, init=False)
    _idle: LifoQueue[_Worker] = field(default_factory=LifoQueue, init=False)
    _slots: threading.Semaphore = field(init=False)
    _starting: threading.Lock = field(default_factory=threading.Lock, init=False)
    _workers: set[_Worker] = field(default_factory=set, init=False)
    _stopping: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        """Limit how many events are handled at once."""
        self._slots = threading.Semaphore(self.max_workers)

    def invoke(self, event: Mapping[str, Any]) -> Any:
        """Return the handler's answer to an event.

        Raises FunctionError if there is no answer. A worker that timed out or died is not used again.
        """
        request = {
            "event": event,
            "timeout_seconds": self.timeout_seconds,
            "context": {
                "function_name": self.name,
                "memory_limit_in_mb": self.memory_mb,
                "invoked_function_arn": f"arn:aws:lambda:us-east-1:123456789012:function:{self.name}",
                "aws_request_id": str(uuid.uuid4()),
            },
        }
        try:
            with self._slots:
                worker = self._take()
                try:
                    reply = worker.ask(request, timeout_seconds=self.timeout_seconds)
                except FunctionError as error:
                    self._discard(worker)
                    if self._stopping:
                        raise Interrupted(str(error)) from error
                    raise
                self.answered += 1
                self._put_back(worker)
        finally:
            self.on_end()
        if "error" in reply:
            raise FunctionError(f"{reply['error']['errorType']}: {reply['error']['errorMessage']}")
        return reply["answer"]

    def warm_up(self) -> None:
        """Start a worker before the first event."""
        self._put_back(self._start())

    def end_idle(self, *, seconds: float, kept: int) -> None:
        """End the workers that have had nothing to do for so long, but for some."""
        with self._starting, self._idle.mutex:
            idle = self._idle.queue
            old = [worker for worker in idle if time.monotonic() - worker.idle_since >= seconds]
            for worker in old[: max(0, len(idle) - kept)]:
                idle.remove(worker)
                self._discard(worker)

    def stop(self) -> None:
        """End every worker."""
        self._stopping = True
        for worker in self._workers.copy():
            worker.kill()

    def _take(self) -> _Worker:
        worker = self._find_idle(SOON_SECONDS if self._workers else 0)
        if worker is None:
            with self._starting:  # one at a time: many at once would all be slow to start
                worker = self._find_idle(0) or self._start_ready()
        return worker

    def _find_idle(self, seconds: float) -> _Worker | None:
        with contextlib.suppress(Empty):
            while True:
                worker = self._idle.get(timeout=seconds)  # the last one: the others may be ended
                if worker.is_alive():
                    return worker
                self._discard(worker)
        return None

    def _put_back(self, worker: _Worker) -> None:
        worker.idle_since = time.monotonic()
        self._idle.put(worker)

    def _start_ready(self) -> _Worker:
        worker = self._start()
        try:
            worker.await_ready()
        except FunctionError:
            self._discard(worker)
            raise
        return worker

    def _discard(self, worker: _Worker) -> None:
        """End a worker and forget it, so that its pipes are closed."""
        worker.kill()
        self._workers.discard(worker)

    def _start(self) -> _Worker:
        if self._stopping:
            raise Interrupted("the stack is stopping")
        with self.log(self.logical_id) as log:
            process = subprocess.Popen(  # noqa: S603  # our own worker, with a handler of the template
                [sys.executable, "-P", "-m", "local.worker", self.handler],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **self.environment},
            )
        worker = _Worker(process)
        self._workers.add(worker)
        return worker


def make_functions(
    template: Template, environment: Mapping[str, str], *, log: OpenLog, on_end: Callable[[], None] = lambda: None
) -> dict[str, Function]:
    """Return every function of the template by its logical id, not started."""
    workers: dict[str, int] = {}  # of the functions whose events come again
    for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values():
        function = template.logical_id_of(mapping["FunctionName"])
        workers[function] = workers.get(function, 0) + count_workers(mapping)
    answering = {route.function for route in template.routes()}
    return {
        logical_id: Function(
            logical_id=logical_id,
            name=template.resources[logical_id].name,
            handler=properties["Handler"],
            environment={
                **properties["Environment"]["Variables"],
                SYNC_VARIABLE: "never" if logical_id in workers else "answer",
                **environment,
            },
            timeout_seconds=properties["Timeout"],
            memory_mb=properties["MemorySize"],
            max_workers=workers.get(logical_id, PROMPT_WORKERS) + (WAITING_WORKERS if logical_id in answering else 0),
            log=log,
            on_end=on_end,
        )
        for logical_id, properties in template.resources_of("AWS::Lambda::Function").items()
        if "TenancyConfig" not in properties  # local/work/invocations.py serves the sandbox
    }


def count_workers(mapping: Properties) -> int:
    """Return how many batches of an event source are handled at once."""
    return int(mapping.get("ScalingConfig", {}).get("MaximumConcurrency", 1))


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise FunctionError("a worker without pipes")
    return stream
