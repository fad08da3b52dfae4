"""The long scenario with a fault at each write in turn, and with several faults at once; takes minutes."""

import random

import pytest

from tests.faults.faults import CRASHES, MISHAPS, Fault
from tests.faults.oracle import Run, judge, judge_each, run_scenario
from tests.faults.scenarios import long_scenario
from tests.faults.simulation import SimulationFactory

pytestmark = pytest.mark.long

SHARES = 16
SEEDS = range(40)
MAX_FAULTS = 6


@pytest.fixture(scope="module")
def clean(simulations: SimulationFactory) -> Run:
    """The long scenario without a fault."""
    return run_scenario(simulations, long_scenario())


@pytest.mark.parametrize("share", range(SHARES))
def test_crash_at_any_write_loses_and_doubles_nothing(simulations: SimulationFactory, clean: Run, share: int) -> None:
    """A process that dies before or after any of its writes loses nothing and doubles nothing.

    A crash at a read has the same effect as one after the write before it.
    """
    some = slice(share, None, SHARES)

    assert judge_each(simulations, long_scenario(), clean, clean.writes, CRASHES, share=some) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_several_faults_lose_and_double_nothing(simulations: SimulationFactory, clean: Run, seed: int) -> None:
    """Several failing calls, each with its own fault, lose nothing and double nothing."""
    plan = make_plan(len(clean.calls), seed)

    assert judge(simulations, long_scenario(), clean, plan, seed=seed) == [], f"seed {seed}"


def make_plan(calls: int, seed: int) -> dict[int, Fault]:
    """Choose the calls that fail, and their faults."""
    chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
    numbers = chance.sample(range(calls), chance.randint(2, MAX_FAULTS))
    return {number: chance.choice((*CRASHES, *MISHAPS)) for number in numbers}
