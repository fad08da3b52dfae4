"""Messages come late, twice, out of order or not at all: exactly what was acknowledged is recorded."""

import random
from collections.abc import Callable
from functools import cache

import pytest

from scoring_core.judgement import Outcome
from tests.faults.delivery_order import DeliveryOrder
from tests.faults.faults import FaultInjector
from tests.faults.oracle import ANSWERS, Run, close, run_scenario
from tests.faults.scenarios import DISORDERED, EXTENDING
from tests.faults.simulation import SimulationFactory
from tests.faults.state import StateSnapshot

SCENARIOS = {"all kinds of results": DISORDERED, "more time is given": EXTENDING}
SEEDS = {"all kinds of results": (6, 100), "more time is given": (1, 20)}
"""How many CI tries of each, and `make faults`."""
MOVES = 5


@pytest.fixture(scope="module")
def run_clean(simulations: SimulationFactory) -> Callable[[str], Run]:
    """Runs a scenario with deliveries in order, once."""
    return cache(lambda name: run_scenario(simulations, SCENARIOS[name]))


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name, seed, marks=pytest.mark.long if seed >= few else ())
        for name, (few, many) in SEEDS.items()
        for seed in range(many)
    ],
)
def test_wrong_delivery_order_ends_in_the_same_state(
    simulations: SimulationFactory, run_clean: Callable[[str], Run], name: str, seed: int
) -> None:
    """Repeats, delays, lost notices, redelivered and discarded batches, and old dead letters end in the same state."""
    clean = run_clean(name)
    with simulations.simulation(FaultInjector(answers=ANSWERS), seed=seed) as simulation:
        order = DeliveryOrder(simulation, random.Random(seed))  # noqa: S311  # nothing here is a secret
        order.run_steps(SCENARIOS[name], moves=MOVES)
        run = close(simulation)

    problems = [*run.state.differences(clean.state), *run.faults, *run.state.lost_mails(clean.state)]
    repeated = (run.state.count_repeated_notices(), clean.state.count_repeated_notices())
    assert (problems, repeated[0]) == ([], repeated[1]), f"seed {seed}: {order.done}"
    assert find_inconsistent(run.state) == []


def find_inconsistent(state: StateSnapshot) -> list[str]:
    """Return violations: each result is recorded once, and each scored one is on its board.

    Every result of the scenario has one part, or none.
    """
    recorded = [record for record in state.records if "submission" in record]
    entries = [item["submission"] for item in state.boards if item["item"].startswith("entry#")]
    scored = [record["submission"] for record in recorded if record["outcome"] == Outcome.SCORED]
    return [
        *(f"twice or never recorded: {label}" for label in _differ(list(state.results), _labels(recorded))),
        *(f"not on the board, or unexpected: {label}" for label in _differ(scored, entries)),
        *(f"stored {number} times: {label}" for label, number in state.results.items() if number > 1),
    ]


def _labels(records: list[dict[str, str]]) -> list[str]:
    return [record["submission"] for record in records]


def _differ(left: list[str], right: list[str]) -> list[str]:
    return [] if sorted(left) == sorted(right) else sorted({*left} ^ {*right}) or ["a label occurs twice"]
