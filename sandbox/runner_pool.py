"""The warm runners of one machine, each taken for one run at a time.

A runner belongs to one tenant from its start to its end. At any time it is idle in the pool, busy with one caller, or
closed; after a call, whatever happened, the runner that it took is idle or closed.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from scoring_core.errors import SandboxFailure

MAX_IDLE = 4


class RunnerDiedError(SandboxFailure):
    """The runner ended, or stopped answering, while a script ran: most likely because of the script."""


class Runner(Protocol):
    """Runs one event after another in a sandbox of its own."""

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Run one event; raises RunnerDiedError."""

    def is_alive(self) -> bool:
        """Return whether it can still be asked."""

    def close(self) -> None:
        """End it and everything in it."""


class _Idle(NamedTuple):
    tenant: str
    runner: Runner


class RunnerPool:
    """Keeps a few runners warm. Safe to call from several threads.

    Args:
        start: Starts a runner for an event's limits, or raises SandboxFailure and leaves nothing behind.
        max_idle: How many runners wait at most; the one that has waited longest is closed first.
    """

    def __init__(self, start: Callable[[Mapping[str, Any]], Runner], *, max_idle: int = MAX_IDLE) -> None:
        self._start = start
        self._max_idle = max_idle
        # Ordered by when they were put back. A list this short needs no index by tenant, which could contradict it.
        self._idle: list[_Idle] = []
        self._lock = threading.Lock()

    def invoke(self, tenant: str, event: Mapping[str, Any], *, keep: bool = True) -> dict[str, Any]:
        """Run one event as the sandbox function of the cloud would.

        Args:
            tenant: The owner of the runner; no other tenant ever gets it.
            event: As `ScriptRun.to_event` returns it.
            keep: Whether the runner may serve this tenant again, unless it is spent.

        Returns:
            The runner's answer, as `read_answer` reads it.

        Raises:
            RunnerDiedError: The runner ended during the run.
            SandboxFailure: No runner could be started; the message says why.
        """
        runner = self._take(tenant) or self._start(event)
        reusable = False
        try:
            answer = runner.ask(event)
            reusable = keep and not answer.get("spent") and "refused" not in answer
        finally:
            if not reusable:
                runner.close()
        if reusable:
            with self._lock:
                self._idle.append(_Idle(tenant, runner))
            self._close_surplus()
        return answer

    def close(self) -> None:
        """Close every idle runner now, and every busy one when its run is over."""
        with self._lock:
            self._max_idle = 0
        self._close_surplus()

    def _take(self, tenant: str) -> Runner | None:
        """Return the tenant's living runner that was put back last."""
        while True:
            with self._lock:
                places = [place for place, idle in enumerate(self._idle) if idle.tenant == tenant]
                if not places:
                    return None
                runner = self._idle.pop(places[-1]).runner
            # The kernel may kill an idle runner when memory is short, for which no script is to blame.
            if runner.is_alive():
                return runner
            runner.close()

    def _close_surplus(self) -> None:
        while True:
            with self._lock:
                if len(self._idle) <= self._max_idle:
                    return
                runner = self._idle.pop(0).runner
            runner.close()
