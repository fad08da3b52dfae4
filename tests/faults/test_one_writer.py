"""One writer a board: stories of the model end well, and each rule that is broken is noticed."""

from collections import Counter

import pytest

from tests.faults.broken_rules import expect_notice
from tests.faults.one_writer import WriterRule
from tests.faults.one_writer_stories import tell_writer_story

SLICE = 300
FEW, MANY = range(100), range(1, 21)


@pytest.mark.parametrize("seed", FEW)
def test_board_is_that_of_all_standings(seed: int) -> None:
    """However shards split, players are banned and all standings are read meanwhile."""
    tell_writer_story(seed)


@pytest.mark.long
@pytest.mark.parametrize("number", MANY)
def test_many_stories_of_one_writer(number: int) -> None:
    """The same, of 300 other stories; with -s it is printed what happened in them."""
    told = Counter[str]()
    for seed in range(number * SLICE, (number + 1) * SLICE):
        told += tell_writer_story(seed)
    print(f"seeds {number * SLICE} to {(number + 1) * SLICE - 1}: {dict(told)}")  # noqa: T201  # with -s


@pytest.mark.parametrize("broken", [rule for rule in WriterRule if rule is not WriterRule.NOTHING])
def test_broken_writer_rule_is_noticed(broken: WriterRule) -> None:
    """Each rule is needed: without it a story ends with another board, or cannot find a row in the pages."""
    expect_notice(tell_writer_story, broken)
