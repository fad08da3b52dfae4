"""What holds for every standing and every board: exact sums, and a valid competition ranking."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.definition import Combine, Keep, Ranking
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission, fold_standing
from scoring_core.ranking.standings import RankOrder
from tests.unit.board_rows import rank_players
from tests.unit.test_accumulators import COLUMNS

NAMES = COLUMNS.names
RANKINGS = st.builds(
    Ranking,
    keep=st.sampled_from(Keep),
    combine=st.sampled_from(Combine),
    by=st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple),
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda value: value + 0.0)
SCORES = st.fixed_dictionaries({}, optional={"up": FLOATS, "down": FLOATS, "count": st.integers(-(2**53), 2**53)})


@given(values=st.lists(FLOATS, min_size=1, max_size=20))
def test_sum_and_mean_exact(values: list[float]) -> None:
    """A sum is the double nearest to the true sum, whatever the values; a mean is that sum, divided."""
    tries = [ScoredSubmission(f"s{index:02}", {"": {"up": value}}) for index, value in enumerate(values)]
    true_sum = float(sum(map(Fraction, values)))

    total = fold_standing(tries, FoldingRules(Ranking(keep=Keep.SUM, by=("up",)), COLUMNS))
    mean = fold_standing(tries, FoldingRules(Ranking(keep=Keep.MEAN, by=("up",)), COLUMNS))

    assert total is not None
    assert total.scores["up"] == true_sum
    assert mean is not None
    assert mean.scores["up"] == true_sum / len(values)


PLAYERS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.tuples(SCORES, st.sampled_from(["s1", "s2", "s3"])), max_size=12
)


@given(players=PLAYERS, ranking=RANKINGS)
def test_valid_competition_ranking(players: dict[str, tuple[dict[str, float], str]], ranking: Ranking) -> None:
    """A rank is one more than the number of players who are strictly better; it is tied where others have it too."""
    order = RankOrder.of(ranking, COLUMNS)
    keys = {player: order.key(scores) for player, (scores, _) in players.items()}

    board = rank_players(players, order)

    assert sorted(player for player, _, _ in board) == sorted(players)
    assert [rank for _, rank, _ in board] == sorted(rank for _, rank, _ in board)
    for player, rank, tied in board:
        assert rank == 1 + sum(other < keys[player] for other in keys.values())
        assert tied == (sum(other == keys[player] for other in keys.values()) > 1)


@given(left=SCORES, right=SCORES, ranking=RANKINGS)
def test_key_agrees_with_direction(left: dict[str, float], right: dict[str, float], ranking: Ranking) -> None:
    """The first column of `by` that differs decides, as its direction says; absent loses."""
    expected = 0
    for name in ranking.by:
        mine, theirs = left.get(name), right.get(name)
        if mine == theirs:
            continue
        if mine is None or theirs is None:
            expected = 1 if theirs is None else -1
        else:
            higher = COLUMNS.metric(name).direction is Direction.HIGHER
            expected = 1 if (mine > theirs) == higher else -1
        break
    order = RankOrder.of(ranking, COLUMNS)
    left_key, right_key = order.key(left), order.key(right)

    assert (left_key < right_key) - (left_key > right_key) == expected
