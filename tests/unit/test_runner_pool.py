"""The pool of warm runners under every order of events: each runner is idle, busy or closed, and none is forgotten."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, precondition, rule

from sandbox.runner_pool import RunnerDiedError, RunnerPool
from scoring_core.errors import SandboxFailure

MAX_IDLE = 3
TENANTS = ("first", "second", "third", "fourth", "fifth")
DEADLINE_SECONDS = 20
DIES = RunnerDiedError("it died")
IS_INTERRUPTED = KeyboardInterrupt()
ENDS: dict[str, dict[str, Any] | BaseException] = {
    "exits": {"ended": "exited", "spent": False},
    "is spent": {"ended": "timed_out", "spent": True},
    "refuses": {"refused": "spent"},
    "fails": {"failure": "no room", "spent": True},
    "dies": DIES,
    "is interrupted": IS_INTERRUPTED,
}


@dataclass(eq=False)
class FakeRunner:
    """A runner whose runs last until the test says how they end."""

    orders: SimpleQueue[dict[str, Any] | BaseException] = field(default_factory=SimpleQueue)
    tenants: set[str] = field(default_factory=set)
    lives: bool = True
    closings: int = 0

    def ask(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """Tell the caller's test who runs the event, and wait for its end."""
        self.tenants.add(event["tenant"])
        event["entered"].put(self)
        end = self.orders.get(timeout=DEADLINE_SECONDS)
        if isinstance(end, BaseException):
            raise end
        return end

    def is_alive(self) -> bool:
        """Return whether the test let it live."""
        return self.lives

    def close(self) -> None:
        """Count the closings."""
        self.closings += 1


@dataclass(eq=False)
class Caller:
    """One call of the pool in a thread of its own: the runner that it got, or what it met instead."""

    pool: RunnerPool
    tenant: str
    keep: bool
    met: dict[str, Any] | BaseException | None = None
    entered: SimpleQueue[FakeRunner | None] = field(default_factory=SimpleQueue)

    def begin(self) -> FakeRunner | None:
        """Call, and return the runner as soon as it runs the event; None where none could be started."""
        self._thread = threading.Thread(target=self._call)
        self._thread.start()
        return self.entered.get(timeout=DEADLINE_SECONDS)

    def join(self) -> None:
        """Wait for the call's end."""
        self._thread.join(DEADLINE_SECONDS)
        assert not self._thread.is_alive()

    def _call(self) -> None:
        event = {"tenant": self.tenant, "entered": self.entered}
        try:
            self.met = self.pool.invoke(self.tenant, event, keep=self.keep)
        except BaseException as error:  # noqa: BLE001  # the test looks at it
            self.met = error
        self.entered.put(None)


class PoolMachine(RuleBasedStateMachine):
    """Calls at one time by several tenants, that end in every way, beside idle runners that die."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.started: list[FakeRunner] = []
        self.idle: list[tuple[str, FakeRunner]] = []
        self.busy: dict[Caller, FakeRunner] = {}
        self.max_idle = MAX_IDLE
        self.start_works = True
        self.pool = RunnerPool(self.start, max_idle=MAX_IDLE)

    def start(self, _event: Mapping[str, Any]) -> FakeRunner:
        """Start a runner, unless there is none to be had."""
        if not self.start_works:
            raise SandboxFailure("no runner")
        self.started.append(FakeRunner())
        return self.started[-1]

    @rule(
        target=calls,
        tenant=st.sampled_from(TENANTS),
        keep=st.booleans(),
        start_works=st.sampled_from([True] * 4 + [False]),
    )
    def begin(self, tenant: str, *, keep: bool, start_works: bool) -> Caller | None:
        """A call takes its tenant's newest living idle runner, or starts one; dead ones are removed."""
        self.start_works = start_works
        expected = None
        while expected is None and (own := [pair for pair in self.idle if pair[0] == tenant]):
            self.idle.remove(own[-1])
            expected = own[-1][1] if own[-1][1].lives else None
        caller = Caller(self.pool, tenant, keep)

        runner = caller.begin()

        if runner is None:
            caller.join()
            assert isinstance(caller.met, SandboxFailure)
            assert expected is None
            assert not start_works
            return None
        assert runner is (expected or self.started[-1])
        self.busy[caller] = runner
        return caller

    @rule(caller=consumes(calls), how=st.sampled_from(sorted(ENDS)))
    def finish(self, caller: Caller | None, how: str) -> None:
        """A run ends; its runner is put back where it can serve again, and closed where it cannot."""
        if caller is None:
            return
        runner, end = self.busy.pop(caller), ENDS[how]
        runner.orders.put(end)

        caller.join()

        assert caller.met is end
        if how == "exits" and caller.keep:
            self.idle = [*self.idle, (caller.tenant, runner)]
            self.idle = self.idle[max(0, len(self.idle) - self.max_idle) :]

    @precondition(lambda self: self.idle)
    @rule(place=st.integers(0, MAX_IDLE - 1))
    def kill_idle(self, place: int) -> None:
        """An idle runner dies, unnoticed."""
        self.idle[place % len(self.idle)][1].lives = False

    @precondition(lambda self: len(self.started) > MAX_IDLE)
    @rule()
    def close(self) -> None:
        """The pool is closed; closing it again does nothing."""
        self.pool.close()
        self.idle, self.max_idle = [], 0

    @invariant()
    def every_runner_is_idle_busy_or_closed_once(self) -> None:
        """None leaks, none is closed in the middle of a run or twice, and none serves two tenants."""
        kept = [runner for _, runner in self.idle] + list(self.busy.values())
        assert len(set(kept)) == len(kept)
        assert len(self.idle) <= self.max_idle
        for runner in self.started:
            assert runner.closings == (0 if runner in kept else 1)
            assert len(runner.tenants) == 1

    def teardown(self) -> None:
        """At the end nothing is left."""
        for caller in list(self.busy):
            self.finish(caller, "exits")
        self.close()
        self.every_runner_is_idle_busy_or_closed_once()
        assert all(runner.closings == 1 for runner in self.started)


TestPool = PoolMachine.TestCase


def test_idle_runner_that_died_gets_no_event() -> None:
    """It is closed, and the call goes to one that lives."""
    started: list[FakeRunner] = []

    def start(_event: Mapping[str, Any]) -> FakeRunner:
        started.append(FakeRunner())
        started[-1].orders.put(ENDS["exits"])
        return started[-1]

    pool = RunnerPool(start, max_idle=MAX_IDLE)
    event = {"tenant": "first", "entered": SimpleQueue[FakeRunner]()}
    pool.invoke("first", event, keep=True)
    started[0].lives = False

    pool.invoke("first", event, keep=True)

    assert [runner.closings for runner in started] == [1, 0]
    assert list(iter(event["entered"].get_nowait, started[-1])) == [started[0]]
