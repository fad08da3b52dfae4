"""Each submission is folded once: under repeats, disorder, races, zombies, deaths and new rules."""

import pytest

from tests.faults.folding_stories import die_at_each_call, tell_story

SLICE = 200
FEW, MANY = range(30), range(21)
RARE = (802,)
"""Seeds in which an entry was read that its standing did not hold yet, and was taken away."""
SHORT = (4, 11, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 7)))
"""Seeds of short stories; those of some hundred calls take a minute."""


@pytest.mark.parametrize("seed", [*FEW, *RARE])
def test_story_ends_as_the_folds_of_all_records(seed: int) -> None:
    """Whatever happens on the way, standings, improvements and entries are those of all records."""
    tell_story(seed)


@pytest.mark.long
@pytest.mark.parametrize("number", MANY)
def test_many_stories_end_as_the_folds_of_all_records(number: int) -> None:
    """The same, of 200 other stories."""
    for seed in range(number * SLICE, (number + 1) * SLICE):
        tell_story(seed)


@pytest.mark.parametrize("seed", SHORT)
def test_death_at_any_call_changes_nothing(seed: int) -> None:
    """A process that dies before or after any of its calls loses nothing and doubles nothing."""
    assert die_at_each_call(seed) > 1
