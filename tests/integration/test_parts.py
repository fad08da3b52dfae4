"""Parts on boards: who has not finished, what counts of each part, and what earlier releases make of it."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from aggregate.versions.keeper import is_outdated
from scoring_core.benchmarks.definition import Unfinished
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import current_key, head_key
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

LEVELS = ["level-1", "level-2", "level-3"]
BELOW = {"by": ["Coins", "Time"], "unfinished": "below"}
AS_SCORED = {"by": ["Coins", "Time"]}

type Publish = Callable[[dict[str, Any]], PublishedBenchmark]


@pytest.fixture
def publish(stack: StackHarness) -> Publish:
    """Publish the game with three levels under a ranking."""
    return lambda ranking: stack.publish(make_benchmark(COINS, parts=LEVELS, ranking=ranking))


def play(stack: StackHarness, published: PublishedBenchmark, player: str, *runs: tuple[str, int, float | None]) -> None:
    """Record runs of a guest, each of a level, and publish the board."""
    first = 1 + len(stack.items("SubmissionsTable"))
    records = [
        make_guest_record(
            published, player, {"Coins": coins} | ({} if time is None else {"Time": time}), number=number, part=part
        )
        for number, (part, coins, time) in enumerate(runs, start=first)
    ]
    for record in records:
        stack.submissions.put_record(record)
    stack.aggregator.update(BoardKey(published.id, published.version), records)


def play_all(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Let Ada finish, and Bob collect more coins in one level alone."""
    play(stack, published, "Bob", ("level-1", 90, 4.0))
    play(stack, published, "Ada", ("level-1", 5, 2.0), ("level-2", 6, 3.0), ("level-3", 7, 4.0), ("level-1", 4, 1.0))
    play(stack, published, "Cy", ("level-2", 50, 1.0), ("level-3", 20, 1.0))


def test_unfinished_players_stand_below(api: Api, stack: StackHarness, publish: Publish) -> None:
    """Who has done more parts stands above; head, rows, player and CSV say what is done and what counts of each."""
    published = publish(BELOW)

    play_all(stack, published)

    head = stack.head()
    assert head.rows.name == ("Ada", "Cy", "Bob")
    assert head.rows.rank == (1, 2, 3)
    assert head.rows.scores["Coins"] == (18, 70, 90)
    assert head.rows.scores["#done"] == (3, 2, 1)
    assert head.rows.scores["#level-1/Coins"] == (5, None, 90)
    assert head.rows.scores["#level-3/Time"] == (4.0, 1.0, None)
    assert head.parts
    assert head.parts.model_dump() == {
        "total": 3,
        "noun": "levels",
        "names": tuple(LEVELS),
        "metrics": ("Coins", "Time"),
    }
    assert [value for _, value, _, _ in head.best_over_time] == [18], "what is unfinished is no record"
    second = api.get("/api/benchmarks/coins/rows").body["rows"][1]
    assert (second["name"], second["scores"], second["done"]) == ("Cy", {"Coins": 70}, 2)
    assert second["parts"] == {"level-2": {"Coins": 50, "Time": 1.0}, "level-3": {"Coins": 20, "Time": 1.0}}
    player = api.get("/api/benchmarks/coins/players/guest-cy").body
    assert player["scores"] == {"Coins": 70}
    assert player["parts"] == [
        {"part": "level-1", "scores": None},
        {"part": "level-2", "scores": {"Coins": 50, "Time": 1.0}},
        {"part": "level-3", "scores": {"Coins": 20, "Time": 1.0}},
    ]
    table = list(csv.DictReader(io.StringIO(api.get("/api/benchmarks/coins/rows.csv").body.lstrip("\ufeff"))))
    assert [row["levels_done"] for row in table] == ["3", "2", "1"]
    assert [row["level-2 Coins"] for row in table] == ["6", "50", ""]


def test_guest_without_a_name_would_stand_among_the_unfinished(api: Api, stack: StackHarness, publish: Publish) -> None:
    """One level alone would not rank above who has done more of them, whatever its score."""
    published = publish(BELOW)
    play_all(stack, published)
    record = make_guest_record(published, "guest", {"Coins": 95, "Time": 1.0}, number=40, part="level-1")
    record = replace(
        record, submission=replace(record.submission, player=replace(record.submission.player, id="guest"))
    )
    stack.submissions.put_record(record)

    answer = api.get(f"/api/benchmarks/coins/submissions/{record.submission.id}")

    assert answer.body["would_rank"] == 3


def test_ranking_decides_where_the_unfinished_stand(stack: StackHarness, publish: Publish) -> None:
    """Published again with another rule, the board is ordered by it, and nothing is scored or folded again."""
    published = publish(AS_SCORED)
    play_all(stack, published)
    assert stack.head().rows.name == ("Bob", "Cy", "Ada")
    assert [value for _, value, _, _ in stack.head().best_over_time] == [90]

    changed = publish(BELOW)

    assert changed.version == published.version
    assert stack.head().rows.name == ("Ada", "Cy", "Bob")
    assert [value for _, value, _, _ in stack.head().best_over_time] == [18]


def test_earlier_release_can_read_the_pointer(stack: StackHarness, publish: Publish) -> None:
    """Its definition has no key that an earlier release rejects, and is read as it was."""
    publish(BELOW)

    pointer = stack.read_json(current_key("coins"))
    assert pointer["definition"]["ranking"] == {"keep": "best", "combine": "sum", "by": ["Coins", "Time"]}
    assert pointer["below"] == ["main"]
    read = stack.aggregator.benchmarks.current("coins", fresh=True)
    assert read.definition.ranking.unfinished is Unfinished.BELOW


@pytest.mark.parametrize("ranking", [BELOW, AS_SCORED])
def test_board_of_earlier_release_is_made_again(stack: StackHarness, publish: Publish, ranking: dict[str, Any]) -> None:
    """A head without columns of parts is made again by the next result, and a large board's by the schedule."""
    published = publish(ranking)
    play_all(stack, published)
    before = stack.head()
    own = {name: column for name, column in before.rows.scores.items() if not name.startswith("#")}
    older = before.model_copy(
        update={
            "parts": None,
            "order": before.order[-2:],
            "rows": before.rows.model_copy(update={"scores": own}),
            "sequence": before.sequence + 1,
        }
    )
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=head_key("coins"), Body=older.to_body())

    assert is_outdated(older, published.boards[0]), "the schedule makes a large board again"
    assert not is_outdated(before, published.boards[0])
    play(stack, published, "Dot", ("level-1", 1, 1.0))

    assert stack.head().rows.name == (*before.rows.name, "Dot")
    assert stack.head().rows.scores["#done"] == (*before.rows.scores["#done"], 1)
