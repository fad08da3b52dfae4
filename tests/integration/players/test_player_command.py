"""`laurel player`: over all benchmarks, as a visitor types it."""

import pytest

from aggregate.rebuilder import Rebuilder
from scoring_core.scorers.base import Evaluation
from storage.boards.standings import BoardKey
from storage.ids import make_submission_id, utc_now
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, make_record, make_submission
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark


def test_player_is_shown_over_all_benchmarks(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """`laurel player` lists rank and scores; a player whom no board shows is an error."""
    connect_commands(api, monkeypatch)
    stack.publish(make_benchmark())
    published, scores = stack.publish(make_benchmark(COINS)), {"Coins": 7, "Time": 1.5}
    submission = make_submission(
        id=make_submission_id(utc_now(), bytes(10)), benchmark="coins", player=make_player("ben", "Ben Large")
    )
    stack.submissions.put_record(
        make_record(
            submission=submission, version=published.version, scores=scores, evaluations=(Evaluation(scores, {}, None),)
        )
    )
    board = BoardKey("coins", published.version)
    list(Rebuilder(stack.aggregator).rebuild(board))
    stack.aggregator.update(board, None)

    shown = laurel("player", "ben")

    assert "Ben Large ben, human" in shown.stdout
    assert "coins      1 of 1  1            Coins 7, Time 1.5" in shown.stdout
    assert "no board shows such a player" in str(laurel("player", "carl").exception)
