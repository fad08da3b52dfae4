"""Several boards of one benchmark: which rows each has, how one is filled, and what adding and removing one changes."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.stack import COINS, StackHarness, make_benchmark

LEVEL_1 = {"id": "level-1", "title": "Level 1", "parts": ["level-1"]}
HUMANS = {"id": "humans", "title": "Humans", "when": {"kind": "human"}}
FASTEST = {"id": "fastest", "title": "Fastest", "ranking": {"by": ["Time"]}, "metrics": ["Time"]}
RUNS = {"id": "runs", "title": "Runs", "ranking": {"by": ["Coins"], "rows": "label"}}

type Publish = Callable[..., PublishedBenchmark]
type Play = Callable[..., SubmissionRecord]
type Standings = Mapping[str, Mapping[str, int | float]]


@pytest.fixture
def publish(stack: StackHarness) -> Publish:
    """Publish the game with two levels and these boards."""

    def publish(*boards: dict[str, Any], **changes: Any) -> PublishedBenchmark:
        definition = {"parts": ["level-1", "level-2"], **changes}
        return stack.publish(make_benchmark(COINS, **definition, boards=list(boards)))

    return publish


@pytest.fixture
def play(stack: StackHarness) -> Play:
    """Record a result of a guest, and fold it, or not."""

    def play(
        player: str,
        coins: int,
        *,
        number: int,
        part: str = "level-1",
        time: float = 1.0,
        kind: PlayerKind = PlayerKind.HUMAN,
        label: str | None = None,
        delivered: bool = True,
    ) -> SubmissionRecord:
        published = stack.aggregator.benchmarks.current("coins", fresh=True)
        scores = {"Coins": coins, "Time": time}
        made = make_guest_record(published, player, scores, number=number, part=part, kind=kind)
        record = replace(made, submission=replace(made.submission, label=label))
        stack.submissions.put_record(record)
        if delivered:
            stack.aggregator.update(BoardKey("coins", published.version), [record])
        return record

    return play


def read_standings(stack: StackHarness, board: str) -> dict[str, dict[str, int | float]]:
    """Return the scores of each row of a board, by row id."""
    published = stack.aggregator.benchmarks.current("coins", fresh=True).find_board(board)
    assert published is not None
    state = stack.aggregator.standings.read_board(published.key, None)
    return {row: dict(entry.standing.scores) for row, entry in state.standings.items()}


def test_each_board_has_the_rows_that_it_takes(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A submission counts on each board whose parts and condition fit it, by the ranking of that board."""
    publish(LEVEL_1, HUMANS, FASTEST)

    play("Ada", 5, number=1, part="level-1", time=9.0)
    play("Ada", 7, number=2, part="level-2", time=3.0)
    play("tern", 8, number=3, part="level-2", time=2.0, kind=PlayerKind.MODEL)

    assert read_standings(stack, "main") == {
        "guest-ada": {"Coins": 12, "Time": 12.0},
        "guest-tern": {"Coins": 8},
    }
    assert read_standings(stack, "level-1") == {"guest-ada": {"Coins": 5, "Time": 9.0}}
    assert read_standings(stack, "humans") == {"guest-ada": {"Coins": 12, "Time": 12.0}}
    assert read_standings(stack, "fastest") == {"guest-ada": {"Time": 12.0}, "guest-tern": {}}


def test_twelve_checkpoints_are_twelve_rows(stack: StackHarness, publish: Publish, play: Play) -> None:
    """Under one player each label has a row, and what has no label another one; the main board has one row."""
    publish(RUNS)
    labels = [f"step {number}00" for number in range(1, 13)]

    for number, label in enumerate(labels, start=1):
        play("heron", number, number=number, label=label)
    play("heron", 99, number=13)
    play("heron", 3, number=14, label="step 100")

    assert read_standings(stack, "runs") == {
        **{f"guest-heron/{label.replace(' ', '%20')}": {"Coins": number}
           for number, label in enumerate(labels, start=1)},
        "guest-heron/step%20100": {"Coins": 3},
        "guest-heron/": {"Coins": 99},
    }  # fmt: skip
    assert read_standings(stack, "main") == {"guest-heron": {"Coins": 99}}


def test_withdrawal_takes_a_submission_off_every_board(stack: StackHarness, publish: Publish, play: Play) -> None:
    """Each board has the standing without it."""
    published = publish(LEVEL_1, HUMANS)
    play("Ada", 5, number=1)
    record = play("Ada", 9, number=2)

    stack.withdrawals.put(make_withdrawal(record))
    stack.aggregator.update(BoardKey("coins", published.version), [record])

    for board in ("main", "level-1", "humans"):
        assert read_standings(stack, board)["guest-ada"]["Coins"] == 5
