"""Starts what there is to do: one thread looks, and each batch is handled in a thread of its own."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from engine.store import Store

BEAT_SECONDS: Final = 0.25
"""How often it looks although nobody woke it, unless told otherwise: messages become visible, and commands write."""
LOOK_SECONDS: Final = 0.01
"""Between two looks, once and for each step under way: under load, what came meanwhile goes in one batch."""
REST: Final = 3
"""How many times as long as it worked a source rests that rests at all."""
PAUSE_SECONDS: Final = 1.0
"""How long a source rests after an error of its own."""
MAX_THREADS: Final = 64
STOP_SECONDS: Final = 10.0
_LOOK: Final = (
    "SELECT kind, name, CASE kind WHEN 'queue' THEN EXISTS (SELECT 1 FROM messages WHERE queue = name AND visible <= ?)"
    " ELSE (SELECT max(number) FROM records WHERE tbl = name) END FROM resources WHERE kind IN ('queue', 'table')"
)

type Step = Callable[[], bool]
"""Handles a batch; returns whether there may be more to do."""


class Work(NamedTuple):
    """What waits: the queues with messages, and the last stream record of each table."""

    queues: frozenset[str]
    records: Mapping[str, int]


class Source(Protocol):
    """Something that may have work to do."""

    @property
    def name(self) -> str:
        """For the log."""

    def take(self, work: Work) -> Step | None:
        """Return what is to be done in a thread now; None if there is nothing."""


@dataclass
class OneAtATime:
    """A source whose steps come one after another.

    Args:
        name: For the log.
        is_due: Whether there is something to do.
        step: Does it.
        rest_seconds: How long it rests at most after a step; it rests three times as long as the step took.
    """

    name: str
    is_due: Callable[[Work], bool]
    step: Step
    rest_seconds: float = 0.0
    _runs: bool = field(default=False, init=False)

    def take(self, work: Work) -> Step | None:
        """Return the step, unless it still runs."""
        if self._runs or not self.is_due(work):
            return None
        self._runs = True
        return self._run

    def _run(self) -> bool:
        began = time.monotonic()
        try:
            return self.step()
        finally:
            time.sleep(min(self.rest_seconds, REST * (time.monotonic() - began)))
            self._runs = False


def make_periodic(name: str, seconds: float, step: Callable[[], object]) -> OneAtATime:
    """Return a source whose step comes at once, and again after each pause."""
    due = 0.0

    def run() -> bool:
        nonlocal due
        due = time.monotonic() + seconds
        return bool(step())

    return OneAtATime(name, lambda _: time.monotonic() >= due, run)


class Dispatcher:
    """Starts the steps of sources while it runs.

    Args:
        store: Where work waits.
        sources: Asked in order.
        woken: Set whenever there may be work.
        on_error: Takes a line about a source that failed.
        beat_seconds: How often it looks although nobody woke it.
    """

    def __init__(
        self,
        store: Store,
        sources: Sequence[Source],
        *,
        woken: threading.Event,
        on_error: Callable[[str], None],
        beat_seconds: float = BEAT_SECONDS,
    ) -> None:
        self._store, self._sources, self._woken, self._on_error = store, sources, woken, on_error
        self._beat_seconds = beat_seconds
        self._resting: dict[str, float] = {}
        self._stopping = False
        self._started: set[Future[None]] = set()
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="source")
        self._thread = threading.Thread(target=self._run, name="dispatcher", daemon=True)

    def start(self) -> None:
        """Start looking."""
        self._thread.start()

    def stop(self) -> None:
        """Start nothing more, and wait a while until what was started has ended."""
        self._stopping = True
        self._woken.set()
        self._thread.join()
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(self._started, timeout=STOP_SECONDS)

    def look(self) -> Work:
        """Return what waits now."""
        rows = self._store.read(_LOOK, self._store.clock())
        return Work(
            frozenset(name for kind, name, waits in rows if kind == "queue" and waits),
            {name: last for kind, name, last in rows if kind == "table" and last},
        )

    def _run(self) -> None:
        looked = 0.0
        while not self._stopping:
            self._woken.wait(self._beat_seconds)
            time.sleep(max(0.0, looked + LOOK_SECONDS * (1 + len(self._started)) - time.monotonic()))
            self._woken.clear()
            looked = time.monotonic()
            try:
                work = self.look()
            except Exception as error:  # noqa: BLE001  # a disk that is full: it looks again
                self._on_error(f"dispatcher: {error!r}")
                time.sleep(PAUSE_SECONDS)
                continue
            for source in self._sources:
                self._start_steps(source, work)

    def _start_steps(self, source: Source, work: Work) -> None:
        try:
            while not self._stopping and self._resting.get(source.name, 0) <= time.monotonic():
                step = source.take(work)
                if step is None:
                    return
                future = self._pool.submit(self._do, source, step)
                self._started.add(future)
                future.add_done_callback(self._started.discard)
        except Exception as error:  # noqa: BLE001  # no error may end the others
            self._fail(source, error)

    def _do(self, source: Source, step: Step) -> None:
        try:
            if step():
                self._woken.set()
        except Exception as error:  # noqa: BLE001  # nothing reads the future; whatever failed is taken again
            self._fail(source, error)

    def _fail(self, source: Source, error: Exception) -> None:
        if not self._stopping:
            self._on_error(f"{source.name}: {error!r}")
        self._resting[source.name] = time.monotonic() + PAUSE_SECONDS
