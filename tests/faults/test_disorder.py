"""Whatever comes late, twice, out of order or not at all: what was acknowledged is recorded, and nothing else is."""

import random

import pytest

from scoring_core.judgement import Outcome
from tests.faults.books import Books
from tests.faults.disorder import Disorder
from tests.faults.fuse import Fuse
from tests.faults.oracle import ANSWERS, Run, close, run_story
from tests.faults.stories import DISORDERED
from tests.faults.world import START, Maker

FEW, MANY = range(6), range(6, 100)
MOVES = 5


@pytest.fixture(scope="module")
def clean(maker: Maker) -> Run:
    """The story in its order."""
    return run_story(maker, DISORDERED)


@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.long) for seed in MANY)])
def test_disorder(maker: Maker, clean: Run, seed: int) -> None:
    """Duplicates, delays, lost notices, split and replayed batches, old dead letters: the end is the same."""
    with maker.world(Fuse(answers=ANSWERS), seed=seed) as world:
        disorder = Disorder(world, random.Random(seed))  # noqa: S311  # nothing here is a secret
        disorder.tell(DISORDERED, moves=MOVES)
        is_next_day = world.clock.moment.date() > START.date()
        run = close(world)

    # What is found only on the next day, because its notice was lost twice, has climbed since the day before.
    differences = [one for one in run.books.differences(clean.books) if "rows: delta: " not in one or not is_next_day]
    found = [*differences, *run.faults, *run.books.lost_mails(clean.books)]
    assert (found, run.books.twice_told()) == ([], clean.books.twice_told()), f"seed {seed}: {disorder.done}"
    assert find_unbalanced(run.books) == []


def find_unbalanced(books: Books) -> list[str]:
    """Give what is not in balance: a result is recorded once, and a scored one is on its board.

    Every result of the story is of one part, or of none.
    """
    recorded = [one for one in books.records if "submission" in one]
    contributions = [one["submission"] for one in books.boards if one["item"].startswith("contribution#")]
    scored = [one["submission"] for one in recorded if one["outcome"] == Outcome.SCORED]
    return [
        *(f"twice or never recorded: {label}" for label in _differ(list(books.results), _labels(recorded))),
        *(f"not on the board, or uncalled for: {label}" for label in _differ(scored, contributions)),
        *(f"kept {number} times: {label}" for label, number in books.results.items() if number > 1),
    ]


def _labels(records: list[dict[str, str]]) -> list[str]:
    return [one["submission"] for one in records]


def _differ(one: list[str], other: list[str]) -> list[str]:
    return [] if sorted(one) == sorted(other) else sorted({*one} ^ {*other}) or ["a label stands twice"]
