"""Whatever comes late, twice, out of order or not at all: what was acknowledged is recorded, and nothing else is."""

import random

import pytest

from scoring_core.judgement import Outcome
from tests.faults.delivery_order import DeliveryOrder
from tests.faults.faults import FaultInjector
from tests.faults.oracle import ANSWERS, Run, close, run_scenario
from tests.faults.scenarios import DISORDERED
from tests.faults.simulation import START, SimulationFactory
from tests.faults.state import StateSnapshot

FEW, MANY = range(6), range(6, 100)
MOVES = 5


@pytest.fixture(scope="module")
def clean(simulations: SimulationFactory) -> Run:
    """The scenario in its order."""
    return run_scenario(simulations, DISORDERED)


@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.long) for seed in MANY)])
def test_wrong_delivery_order_ends_in_the_same_state(simulations: SimulationFactory, clean: Run, seed: int) -> None:
    """Duplicates, delays, lost notices, split and replayed batches, old dead letters: the end is the same."""
    with simulations.simulation(FaultInjector(answers=ANSWERS), seed=seed) as simulation:
        order = DeliveryOrder(simulation, random.Random(seed))  # noqa: S311  # nothing here is a secret
        order.run_steps(DISORDERED, moves=MOVES)
        is_next_day = simulation.clock.moment.date() > START.date()
        run = close(simulation)

    # What is found only on the next day, because its notice was lost twice, has climbed since the day before.
    differences = [one for one in run.state.differences(clean.state) if "rows: delta: " not in one or not is_next_day]
    found = [*differences, *run.faults, *run.state.lost_mails(clean.state)]
    assert (found, run.state.twice_told()) == ([], clean.state.twice_told()), f"seed {seed}: {order.done}"
    assert find_unbalanced(run.state) == []


def find_unbalanced(state: StateSnapshot) -> list[str]:
    """Return what is not in balance: a result is recorded once, and a scored one is on its board.

    Every result of the scenario is of one part, or of none.
    """
    recorded = [one for one in state.records if "submission" in one]
    contributions = [one["submission"] for one in state.boards if one["item"].startswith("contribution#")]
    scored = [one["submission"] for one in recorded if one["outcome"] == Outcome.SCORED]
    return [
        *(f"twice or never recorded: {label}" for label in _differ(list(state.results), _labels(recorded))),
        *(f"not on the board, or uncalled for: {label}" for label in _differ(scored, contributions)),
        *(f"kept {number} times: {label}" for label, number in state.results.items() if number > 1),
    ]


def _labels(records: list[dict[str, str]]) -> list[str]:
    return [one["submission"] for one in records]


def _differ(one: list[str], other: list[str]) -> list[str]:
    return [] if sorted(one) == sorted(other) else sorted({*one} ^ {*other}) or ["a label stands twice"]
