"""Readers see each row once, with its rank: under races, zombies, deaths, orphans, new days, orders and versions."""

import pytest

from tests.faults.paging_stories import tell_story

SLICE = 100
FEW, MANY = range(10), range(11)


@pytest.mark.parametrize("seed", FEW)
def test_story_ends_with_the_order_of_all_standings(seed: int) -> None:
    """Whatever happens on the way, each head names what exists, and the last one shows all standings."""
    tell_story(seed)


@pytest.mark.long
@pytest.mark.parametrize("number", MANY)
def test_many_stories_end_with_the_order_of_all_standings(number: int) -> None:
    """The same, of 100 other stories."""
    for seed in range(number * SLICE, (number + 1) * SLICE):
        tell_story(seed)
