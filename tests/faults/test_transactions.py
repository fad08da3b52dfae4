"""Standings and entries in one transaction: stories of the model end well, and notice each rule that is broken."""

import pytest

from tests.faults.broken_rules import expect_notice
from tests.faults.one_transaction import Broken
from tests.faults.transaction_stories import tell_model_story

SLICE = 300
FEW, MANY = range(100), range(1, 21)


@pytest.mark.parametrize("seed", FEW)
def test_standings_are_the_folds_of_what_is_stored(seed: int) -> None:
    """At any moment, and at the end: on boards that begin and end, in windows, by labels, under marks."""
    tell_model_story(seed)


@pytest.mark.long
@pytest.mark.parametrize("number", MANY)
def test_many_stories_of_standings(number: int) -> None:
    """The same, of 300 other stories."""
    for seed in range(number * SLICE, (number + 1) * SLICE):
        tell_model_story(seed)


@pytest.mark.parametrize("broken", [each for each in Broken if each is not Broken.NOTHING])
def test_broken_rule_is_noticed(broken: Broken) -> None:
    """Each rule is needed: without it a story ends otherwise, or a standing differs on the way."""
    expect_notice(tell_model_story, broken)
