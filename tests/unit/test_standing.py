"""Standings and ranks: golden tables of keep × combine × direction, worked by hand."""

import sys
from fractions import Fraction
from typing import Any

import pytest

from scoring_core.benchmarks.definition import Combine, Keep, Ranking
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_standing
from scoring_core.ranking.standings import NO_PART, Standing
from scoring_core.scorers.base import Scores

COLUMNS = ScoreType.model_validate(
    {"headers": [{"name": "up", "type": "float"}, {"name": "down", "type": "float", "direction": "lower"}]}
)
A, B = "a", "b"


def tried(*entries: tuple[str, float, float], part: str = NO_PART) -> list[ScoredSubmission]:
    """Return submissions to one part: (submission, up, down)."""
    return [ScoredSubmission(submission, {part: {"up": up, "down": down}}) for submission, up, down in entries]


def fold(submissions: list[ScoredSubmission], *, parts: tuple[str, ...] = (), **ranking: Any) -> Standing:
    """Return the standing of submissions, ranked by `up` unless the ranking says otherwise."""
    rules = Ranking.model_validate({"by": ("up",), **ranking})
    standing = fold_standing(submissions, FoldingRules(rules, COLUMNS, parts))
    assert standing is not None
    return standing


TRIES = tried(("s1", 3.0, 30.0), ("s2", 8.0, 20.0), ("s3", 4.0, 10.0))


@pytest.mark.parametrize(
    ("keep", "by", "scores", "submission"),
    [
        # Best is one submission, the first by the ranking: its other columns come along, better or worse.
        (Keep.BEST, ("up",), {"up": 8.0, "down": 20.0}, "s2"),
        (Keep.BEST, ("down",), {"up": 4.0, "down": 10.0}, "s3"),
        (Keep.LATEST, ("up",), {"up": 4.0, "down": 10.0}, "s3"),
        (Keep.MEAN, ("up",), {"up": 5.0, "down": 20.0}, "s3"),
        (Keep.SUM, ("up",), {"up": 15.0, "down": 60.0}, "s3"),
    ],
)
def test_kept_scores_of_three_tries(keep: Keep, by: tuple[str, ...], scores: Scores, submission: str) -> None:
    """The kept scores of three tries, and the last submission that they rest on."""
    standing = fold(TRIES, keep=keep, by=by)

    assert (standing.scores, standing.submission, standing.submissions) == (scores, submission, 3)


@pytest.mark.parametrize(
    ("combine", "scores"),
    [(Combine.SUM, {"up": 11.0, "down": 33.0}), (Combine.MEAN, {"up": 5.5, "down": 16.5})],
)
def test_kept_scores_of_two_parts_are_combined(combine: Combine, scores: Scores) -> None:
    """The kept scores of two parts, added or averaged."""
    tries = [each._replace(scores={A: each.scores[NO_PART]}) for each in TRIES]
    tries += tried(("s4", 3.0, 13.0), ("s5", 1.0, 1.0), part=B)

    standing = fold(tries, combine=combine, parts=(A, B))

    assert (standing.scores, standing.submission, standing.submissions) == (scores, "s4", 5)


@pytest.mark.parametrize(("combine", "up"), [(Combine.SUM, 3.0), (Combine.MEAN, 1.5)])
@pytest.mark.parametrize("keep", Keep)
def test_part_never_tried(keep: Keep, combine: Combine, up: float) -> None:
    """A part never tried counts 0 where higher is better, and leaves no value where lower is better."""
    tries = tried(("s1", 3.0, 30.0), part=A)

    standing = fold(tries, keep=keep, combine=combine, parts=(A, B))

    assert standing.scores == {"up": up}


@pytest.mark.parametrize("keep", Keep)
def test_absent_kept_value(keep: Keep) -> None:
    """An absent kept value makes the combined one absent, in both directions."""
    tries = [ScoredSubmission("s1", {A: {"up": 1.0, "down": 1.0}}), ScoredSubmission("s2", {B: {}})]

    standing = fold(tries, keep=keep, parts=(A, B))

    assert standing.scores == {}


@pytest.mark.parametrize("keep", [Keep.MEAN, Keep.SUM])
def test_absent_in_one_try(keep: Keep) -> None:
    """A column that one try lacks has no mean and no sum; the others have."""
    tries = [*tried(("s1", 1.0, 4.0)), ScoredSubmission("s2", {NO_PART: {"up": 3.0}})]

    standing = fold(tries, keep=keep)

    assert set(standing.scores) == {"up"}


@pytest.mark.parametrize("keep", [Keep.SUM, Keep.MEAN])
def test_overflow_is_the_largest_double(keep: Keep) -> None:
    """A sum beyond the doubles is the largest, in any order, and a mean is exact: neither is absent nor infinite."""
    tries = tried(("s1", 1.7e308, 1.0), ("s2", 1.7e308, 1.0), ("s3", -1.0, 1.0))
    expected = sys.float_info.max if keep is Keep.SUM else float(Fraction(1.7e308) * 2 / 3)

    standings = [fold(order, keep=keep) for order in (tries, tries[::-1], [tries[0], tries[2], tries[1]])]

    assert [standing.scores["up"] for standing in standings] == [expected] * 3
