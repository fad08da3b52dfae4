"""Two releases side by side lose nothing and double nothing."""

import random

import pytest

from tests.faults.delivery_order import DeliveryOrder
from tests.faults.faults import FaultInjector
from tests.faults.oracle import ANSWERS, Run, close, run_scenario
from tests.faults.releases import Deliver, Deploy, Deployment, Release, running
from tests.faults.scenarios import DISORDERED
from tests.faults.simulation import SimulationFactory
from tests.faults.test_delivery_order import find_inconsistent

FEW, MANY = range(2), range(2, 30)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.long) for seed in MANY)]
MOVES = 3
SOLE = 4
"""How many steps run before the deployment begins."""


@pytest.fixture(scope="module")
def clean(simulations: SimulationFactory) -> Run:
    """The scenario under one release."""
    return run_scenario(simulations, DISORDERED)


@pytest.mark.parametrize("before", [Release.TODAY, Release.READER])
@pytest.mark.parametrize("seed", SEEDS)
def test_deployment_ends_in_the_same_state(
    simulations: SimulationFactory, clean: Run, before: Release, seed: int
) -> None:
    """Old code returns what newer code wrote to its source, code that reads ahead does not: both end alike."""
    with simulations.simulation(FaultInjector(answers=ANSWERS), seed=seed) as simulation:
        chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
        deployment, order = Deployment(simulation, chance, before), DeliveryOrder(simulation, chance)
        mixed = [mixed_step for step in DISORDERED[SOLE:] for mixed_step in (step, Deliver())]
        scenario = (*DISORDERED[:SOLE], Deploy(deployment, 0.5), *mixed, Deploy(deployment, 1.0))
        order.run_steps(scenario, moves=MOVES)
        with running(Release.LATER, lambda: None):
            run = close(simulation)

    problems = [*run.state.differences(clean.state), *run.faults, *run.state.lost_mails(clean.state)]
    repeated = (run.state.count_repeated_notices(), clean.state.count_repeated_notices())
    assert (problems, repeated[0]) == ([], repeated[1]), f"seed {seed}: {order.done}"
    assert find_inconsistent(run.state) == []
    assert (deployment.refusals > 0) is (before is Release.TODAY)
