"""Two workers of the stream handle one player: one stops before any of its calls, and the other does its work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.faults.faults import FaultInjector
from tests.faults.oracle import Run, close
from tests.faults.scenarios import NEAR
from tests.faults.simulation import MAX_TRIES, Simulation, SimulationFactory
from tests.faults.steps import Enrol, Post, Publish, Withdraw
from tests.harness.stack import GOOD, make_benchmark

READER = "AggregateFunction"
BOARDS = [{"id": "people", "title": "People", "when": {"kind": "human"}}]
MAX_CALLS = 60
SHARES = 4
"""The calls are split into so many tests, which can run side by side."""
STORIES: dict[str, tuple[list[int], list[int]]] = {
    "one record each": ([0], [1]),
    "the same record": ([0], [0]),
    "one of two records": ([0, 1], [1]),
    "what is withdrawn": ([0], [2]),
    "all in the wrong order": ([1], [2, 0]),
}
"""The records of the slow worker, and those of the other one: two results, then the withdrawal of the first."""
PARAMETERS = [
    pytest.param(story, id=name, marks=[pytest.mark.long] if place else [])
    for place, (name, story) in enumerate(STORIES.items())
]


@dataclass
class PausingInjector(FaultInjector):
    """Lets something else happen before a call of a function, whose process stops there meanwhile.

    Args:
        at: Number of that call among those of the function; None: none.
        meanwhile: What happens.
    """

    at: int | None = None
    meanwhile: Callable[[], None] | None = None
    number: int = 0

    def carry(self, make: Callable[..., Any], operation: Any, request: dict[str, Any]) -> Any:
        """Make a call, after the other process if this is the one to wait."""
        if self.meanwhile is not None:
            number, self.number = self.number, self.number + 1
            if number == self.at:
                act, self.meanwhile = self.meanwhile, None
                act()
        return super().carry(make, operation, request)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("story", PARAMETERS)
def test_other_worker_at_any_call_changes_nothing(
    simulations: SimulationFactory, story: tuple[list[int], list[int]], share: int
) -> None:
    """Wherever the slow worker stops, standings and boards end as if the stream had been read in order."""
    clean, _ = _run(simulations, story, at=None)
    problems, at, was_reached = [], share, True
    while was_reached:
        run, was_reached = _run(simulations, story, at=at)
        differences = run.state.differences(clean.state) if was_reached else []
        problems += [f"before call {at}: {difference}" for difference in differences]
        at += SHARES

    assert problems == []
    assert SHARES < at < MAX_CALLS


def _run(simulations: SimulationFactory, story: tuple[list[int], list[int]], *, at: int | None) -> tuple[Run, bool]:
    """Run the story; return also whether the slow worker made the call before which it should stop."""
    injector = PausingInjector()
    with simulations.simulation(injector) as simulation:
        records = _prepare(simulation)
        slow, other = ([records[number] for number in numbers] for numbers in story)
        if at is not None:

            def act_meanwhile() -> None:
                simulation.restart()  # the other process has read nothing yet
                _handle(simulation, other)

            injector.number, injector.at, injector.meanwhile = 0, at, act_meanwhile
            _handle(simulation, slow)
            was_reached, injector.meanwhile = injector.meanwhile is None, None
            _handle(simulation, [record for record in records if record not in [*slow, *other]])
        else:
            _handle(simulation, records)
        # Nothing is delivered again: that would restore what was lost.
        simulation.positions[READER] = len(simulation.read_stream(READER))
        simulation.restart()
        simulation.settle()
        return close(simulation), at is not None and was_reached


def _handle(simulation: Simulation, records: Sequence[Any]) -> None:
    """Deliver records until all are handled."""
    left = list(records)
    for _ in range(MAX_TRIES):
        left = left[simulation.readers[READER].handle(left) :] if left else []
    assert left == []


def _prepare(simulation: Simulation) -> Sequence[Any]:
    """Let a guest submit two results and withdraw the first; return the records of the stream, none of them handled."""
    Enrol("ada").act(simulation)
    Publish(make_benchmark(boards=BOARDS)).act(simulation)
    Post("tiny", {**NEAR, "question": "2"}, "ada-1", token="ada").act(simulation)
    simulation.settle()
    handled = len(simulation.read_stream(READER))
    for key, result in (("bea-1", GOOD), ("bea-2", NEAR)):
        simulation.clock.advance(seconds=1)
        Post("tiny", result, key, guest="Bea").act(simulation)
        while simulation.queues["EvaluateQueue"].deliver():
            pass
    Withdraw("tiny", "bea-1", "played twice").act(simulation)
    records = simulation.read_stream(READER)[handled:]
    simulation.positions[READER] = handled
    return records
