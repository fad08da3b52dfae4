"""`laurel player`: over all benchmarks, as a visitor types it."""

from collections.abc import Callable

import pytest

from tests.harness.command_line import connect_commands, laurel
from tests.harness.stack import Api, StackHarness, make_benchmark


def test_player_is_shown_over_all_benchmarks(
    stack: StackHarness, api: Api, work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`laurel player` lists rank and scores; a player whom no board shows is an error."""
    connect_commands(api, monkeypatch)
    stack.publish(make_benchmark())
    api.post(query={"player": "Ada"})
    work()
    (player,) = stack.rows("tiny").player

    shown = laurel("player", player).stdout

    assert f"Ada {player}, human, guest" in shown
    assert "tiny       1 of 1  1            score 39.5" in shown
    assert "no board shows such a player" in str(laurel("player", "carl").exception)
