"""Two releases side by side lose nothing and double nothing, whichever of them meets what."""

import random

import pytest

from tests.faults.disorder import Disorder
from tests.faults.fuse import Fuse
from tests.faults.oracle import ANSWERS, Run, close, run_story
from tests.faults.releases import Deliver, Deploy, Deployment, Release
from tests.faults.stories import DISORDERED
from tests.faults.test_disorder import find_unbalanced
from tests.faults.world import Maker

FEW, MANY = range(2), range(2, 30)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.long) for seed in MANY)]
MOVES = 3
SOLE = 4
"""So many steps happen before the deployment begins."""


@pytest.fixture(scope="module")
def clean(maker: Maker) -> Run:
    """The story under one release."""
    return run_story(maker, DISORDERED)


@pytest.mark.parametrize("before", [Release.TODAY, Release.READER])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_deployment(maker: Maker, clean: Run, before: Release, seed: int) -> None:
    """Old code brings back what newer code wrote, and code that reads ahead need not: the end is the same."""
    with maker.world(Fuse(answers=ANSWERS), seed=seed) as world:
        chance = random.Random(seed)  # noqa: S311  # nothing here is a secret
        deployment, disorder = Deployment(world, chance, before), Disorder(world, chance)
        mixed = [one for step in DISORDERED[SOLE:] for one in (step, Deliver())]
        story = (*DISORDERED[:SOLE], Deploy(deployment, 0.5), *mixed, Deploy(deployment, 1.0))
        disorder.tell(story, moves=MOVES)
        run = close(world)

    found = [*run.books.differences(clean.books), *run.faults, *run.books.lost_mails(clean.books)]
    assert (found, run.books.twice_told()) == ([], clean.books.twice_told()), f"seed {seed}: {disorder.done}"
    assert find_unbalanced(run.books) == []
    assert (deployment.refusals > 0) is (before is Release.TODAY)
