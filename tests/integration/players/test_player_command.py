"""`laurel player`: over all benchmarks, as a visitor types it."""

import pytest

from aggregate.rebuilder import Rebuilder
from cli.commands import players as player_commands
from scoring_core.scorers.base import Evaluation
from storage.boards.standings import BoardKey
from storage.ids import make_submission_id, utc_now
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, make_record, make_submission
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark


def test_player_is_shown_over_all_benchmarks(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """`laurel player` lists rank and scores; a player whom no benchmark has is an error that says where ids are."""
    connect_commands(api, monkeypatch)
    # The function in this process serves one request at a time, as in Lambda.
    monkeypatch.setattr(player_commands, "REQUESTS_AT_ONCE", 1)
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
    assert "`laurel board BENCHMARK --json` shows players' ids" in str(laurel("player", "carl").exception)
