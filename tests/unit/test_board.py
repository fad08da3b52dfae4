"""What a board shows: order and ties, what is absent, the sentence of its rule."""

from copy import replace
from datetime import UTC, datetime, timedelta

import pytest

from aggregate.board import (
    cut_rows,
    describe_ranking,
    order_rows,
)
from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import Direction, MetricType, ScoreType
from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.ranking.standings import Standing
from scoring_core.scorers.base import Scores
from storage.boards.standings import PlayerStanding
from storage.keys import make_submission_id
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_guest

COLUMNS = ScoreType(
    headers=(
        MetricType(name="Coins", type="int", direction=Direction.HIGHER),
        MetricType(name="Time", type="float", direction=Direction.LOWER, label="Time taken"),
    )
)
RANKING = Ranking(by=("Coins", "Time"))
RULES = FoldingRules(RANKING, COLUMNS)


def test_empty_board_has_its_columns() -> None:
    """A board without players has its columns, all empty."""
    rows = order_rows([], rules=RULES)

    assert rows.player == ()
    assert rows.scores == {"Coins": (), "Time": ()}


def test_cut_rows_are_cut_in_every_column() -> None:
    """Cut rows are cut in every column."""
    rows = order_rows([_standing(name, {"Coins": n}, minute=n) for n, name in enumerate("abc")], rules=RULES)

    cut = cut_rows(rows, 2)

    assert cut.player == ("c", "b")
    assert {len(column) for column in cut.model_dump(exclude={"scores", "label"}).values()} == {2}
    assert {len(column) for column in cut.scores.values()} == {2}
    assert cut_rows(rows, 9) == rows


@pytest.mark.parametrize(
    ("ranking", "parts", "sentence"),
    [
        (
            RANKING,
            0,
            "Of each player the best submission counts; ranked by Coins (higher is better), then Time taken",
        ),
        (RANKING, 1, "Of each player the best submission counts; ranked by Coins (higher is better), then Time taken"),
        (
            Ranking(keep=Keep.MEAN, combine=Combine.MEAN, by=("Time",)),
            3,
            "Of each player the mean of all submissions for each of 3 levels, averaged, counts; ranked by Time taken",
        ),
    ],
)
def test_ranking_rule_is_one_sentence(ranking: Ranking, parts: int, sentence: str) -> None:
    """The rule is one sentence, and one more if the unfinished stand below."""
    rules = FoldingRules(ranking, COLUMNS, [f"level-{number}" for number in range(parts)])
    below = replace(rules, ranking=ranking.model_copy(update={"unfinished": Unfinished.BELOW}))

    text = f"{sentence} (lower is better). Equal values share a rank."
    assert describe_ranking(rules) == text
    addition = " Who has done more of the levels stands above who has done fewer." if parts > 1 else ""
    assert describe_ranking(below) == f"{text}{addition}"


def _standing(player: str, scores: Scores, *, minute: int) -> PlayerStanding:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    return PlayerStanding(
        make_guest(player.upper(), PlayerKind.MODEL, player_id=player),
        Standing(scores=scores, submission=make_submission_id(moment, bytes(10)), submissions=1),
    )
