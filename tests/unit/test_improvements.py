"""The best over time: a function of the standings, however they came about."""

from datetime import UTC, datetime, timedelta

from hypothesis import example, given, settings
from hypothesis import strategies as st

from aggregate.board import join_improvements, update_improvements
from scoring_core.benchmarks.definition import Combine, Keep, Ranking, Unfinished
from scoring_core.metrics.score_type import ScoreType
from scoring_core.ranking.accumulators import FoldingRules, ScoredSubmission
from scoring_core.ranking.improvement_lists import Improvements, downsample
from scoring_core.ranking.standings import NO_PART, Standing
from storage.boards.models import Step
from storage.boards.standings import PlayerStanding
from storage.keys import make_submission_id
from tests.harness.factories import make_guest
from tests.harness.histories import find_improvements

START = datetime(2026, 1, 1, tzinfo=UTC)
IDS = [make_submission_id(START + timedelta(minutes=minute), bytes(10)) for minute in range(80)]
COLUMNS = ScoreType.model_validate(
    {"headers": [{"name": "up", "type": "float"}, {"name": "down", "type": "float", "direction": "lower"}]}
)
PARTS = ("a", "b")
PLAYERS = ("ada", "bob", "cy")
VALUES = st.one_of(st.integers(-5, 5), st.floats(-5, 5))
RANKINGS = st.builds(
    Ranking,
    keep=st.sampled_from(Keep),
    combine=st.sampled_from(Combine),
    unfinished=st.sampled_from(Unfinished),
    by=st.sampled_from([("up",), ("down",), ("up", "down"), ("down", "up")]),
)
SCORES = st.fixed_dictionaries({}, optional={"up": VALUES, "down": VALUES})
TRIES = st.builds(
    ScoredSubmission, st.sampled_from(IDS[:12]), st.dictionaries(st.sampled_from(PARTS), SCORES, min_size=1)
)
ONE = ScoredSubmission(IDS[0], {"a": {"up": 0}})
SUBMISSIONS = st.lists(TRIES, unique_by=lambda submission: submission.id, max_size=10)


HISTORIES = st.lists(st.dictionaries(st.sampled_from(PLAYERS), SUBMISSIONS, min_size=1), min_size=1, max_size=6)
"""Publications: whose contributions are now which; so they grow, shrink, change and go."""


@settings(deadline=None)
@given(history=HISTORIES, ranking=RANKINGS)
@example(history=[{"ada": [ONE], "bob": [ONE]}, {"ada": [], "cy": [ONE]}], ranking=Ranking(by=("up",)))
def test_incremental_update_equals_a_full_one(
    history: list[dict[str, list[ScoredSubmission]]], ranking: Ranking
) -> None:
    """Updated a few players at a time, the improvements of a board are those of all its standings."""
    direction = COLUMNS.metric(ranking.by[0]).direction
    standings: dict[str, PlayerStanding] = {}
    shown: tuple[Step, ...] = ()
    for publication in history:
        touched = {
            player: _standing(player, _improve(tries, ranking)) for player, tries in publication.items() if tries
        }
        standings = {player: item for player, item in standings.items() if player not in publication} | touched
        expected = join_improvements(standings, direction)

        updated = update_improvements(shown, touched, rows=set(publication), direction=direction)

        assert updated.is_incomplete or updated.improvements == expected
        shown = expected


@settings(deadline=None)
@given(first=SUBMISSIONS, more=TRIES, other=SUBMISSIONS, primary=st.sampled_from(COLUMNS.names))
def test_better_best_never_needs_all_standings(
    first: list[ScoredSubmission], more: ScoredSubmission, other: list[ScoredSubmission], primary: str
) -> None:
    """Where the best counts and no part is left to combine, one more submission is brought in without the others."""
    ranking = Ranking(keep=Keep.BEST, by=(primary,))
    direction = COLUMNS.metric(ranking.by[0]).direction
    before, after = (_standing("ada", _improve_whole(tries, ranking)) for tries in (first, [*first, more]))
    rival = _standing("bob", _improve_whole(other, ranking))

    updated = update_improvements(
        join_improvements({"ada": before, "bob": rival}, direction), {"ada": after}, rows={"ada"}, direction=direction
    )

    assert updated == (join_improvements({"ada": after, "bob": rival}, direction), False)


@given(items=st.lists(st.integers()), length=st.integers(2, 20))
def test_downsampled_items_keep_ends_and_order(items: list[int], length: int) -> None:
    """Downsampled, a sequence keeps its first, its last and its order, and is as long as it may be."""
    indexed = list(enumerate(items))

    sample = downsample(indexed, length)

    assert len(sample) == min(length, len(items))
    assert list(sample) == sorted(set(sample))
    assert set(sample) <= set(indexed)
    if items:
        assert (sample[0], sample[-1]) == (indexed[0], indexed[-1])


def _improve(submissions: list[ScoredSubmission], ranking: Ranking) -> Improvements:
    return find_improvements(submissions, FoldingRules(ranking, COLUMNS, PARTS))


def _improve_whole(submissions: list[ScoredSubmission], ranking: Ranking) -> Improvements:
    tries = {each.id: ScoredSubmission(each.id, {NO_PART: [*each.scores.values()][-1]}) for each in submissions[::-1]}
    return find_improvements([*tries.values()], FoldingRules(ranking, COLUMNS))


def _standing(player: str, steps: Improvements) -> PlayerStanding:
    return PlayerStanding(make_guest(player.upper(), player_id=player), Standing({}, IDS[0], 1), steps)
