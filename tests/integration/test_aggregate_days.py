"""What a board remembers: ranks of the day before, records over time, and a badge that is never older than the head."""

import json
from datetime import date, timedelta
from typing import Any

from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from tests.harness.clock import START, Clock
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, StackHarness, build_aggregator, make_benchmark, watching
from tests.integration.test_aggregate_renderer import HEAD, Interrupted

MINUTE = 60_000
DAY_BEFORE = int((START - timedelta(days=1)).timestamp() * 1000)


def test_next_day_counts_deltas_from_the_day_before(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """The first day has no deltas; all of the next they count from its end; who is new has none."""
    _score(stack, published, "Ada", 5)
    _score(stack, published, "Bob", 4)
    assert (stack.rows().delta, stack.head().baseline) == ((), None)
    clock.advance(days=1)
    _score(stack, published, "Bob", 7, number=2)
    clock.advance(hours=1)
    _score(stack, published, "Cy", 9)

    head, rows = stack.head(), stack.rows()
    assert head.baseline is not None
    assert head.baseline.date == date(2026, 3, 1)
    assert (head.baseline.ranks, head.baseline.total) == ({"guest-ada": 1, "guest-bob": 2}, 2)
    assert (rows.name, head.rows.delta) == (("Cy", "Bob", "Ada"), (None, 0, -2))
    assert head.rows == rows.model_copy(update={"delta": head.rows.delta})


def test_baseline_survives_a_quiet_week(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """After days without a publishing the last day that saw one is the baseline."""
    _score(stack, published, "Ada", 5)
    clock.advance(days=7)
    for number in range(3):
        _score(stack, published, "Bob", 7 + number, number=number)
        clock.advance(minutes=30)

    head = stack.head()
    assert head.baseline is not None
    assert head.baseline.date == date(2026, 3, 1)
    assert head.rows.delta == (None, -1)


def test_rebuild_keeps_the_baseline(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """Rebuilt, a board keeps its baseline; a new title too; another version starts without one."""
    _score(stack, published, "Ada", 5)
    clock.advance(days=1)
    _score(stack, published, "Bob", 7)
    before = stack.head()

    stack.aggregator.update(BoardKey("coins", published.version), None)
    rebuilt = stack.head()
    stack.publish(make_benchmark(COINS, title="Anew"))
    renamed = stack.head()
    stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))

    assert rebuilt == before
    assert (renamed.baseline, renamed.rows) == (before.baseline, before.rows)
    assert stack.head().baseline is None


def test_deltas_of_a_board_with_pages(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A player who comes into the head from far below has the rank of the day before from the pages of that day."""
    records = [
        make_guest_record(published, f"P{number:03}", {"Coins": 1000 - number, "Time": 1.0}, number=number)
        for number in range(120)
    ]
    stack.aggregator.update(BoardKey(published.id, published.version), records)
    _score(stack, published, "P119", 882, number=200)
    clock.advance(days=1)

    _score(stack, published, "P119", 2000, number=201)
    _score(stack, published, "P110", 2000, number=202)
    _score(stack, published, "Ada", 2000, number=203)

    head = stack.head()
    assert head.baseline is not None
    assert head.baseline.directory is not None
    assert head.rows.name[:4] == ("P119", "P110", "Ada", "P000")
    assert head.rows.delta[:4] == (118, 110, None, -3)


def test_improvements_are_listed_in_order_of_time(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Each result that beat all before it is listed by time, in any order of delivery."""
    _score(stack, published, "Cy", 6, number=3)
    _score(stack, published, "Bob", 7, number=4)
    _score(stack, published, "Ada", 5, number=1)
    _score(stack, published, "Ada", 6, number=2)

    steps = [(step[0] - DAY_BEFORE, step[1], step[2]) for step in stack.head().best_over_time]
    assert steps == [(MINUTE, 5, "guest-ada"), (2 * MINUTE, 6, "guest-ada"), (4 * MINUTE, 7, "guest-bob")]
    assert stack.head().records == 3


def test_badge_shows_the_leader_and_is_cached_briefly(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The badge shows who leads, is kept for seconds like the head, and is not written without need."""
    empty = _message(stack)
    _score(stack, published, "Ada", 5)
    with watching(stack.cloud.s3, "PutObject") as writes:
        _score(stack, published, "Bob", 1)

    image: Any = stack.cloud.s3.head_object(Bucket=stack.site_bucket, Key="data/b/coins/badge.svg")
    assert (empty, _message(stack)) == ("no results yet", "Ada (guest) · 5")
    assert (image["ContentType"], image["CacheControl"]) == (
        "image/svg+xml",
        "public, max-age=2",
    )
    assert [item["Key"] for item in writes if "badge" in item["Key"]] == []


def test_late_badge_does_not_replace_a_newer_one(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Where another head was published before the badge of the former one was written, the newer badge stands."""
    slow = Interrupted(stack.cloud.s3, "data/b/coins/badge.svg", [lambda: _score(stack, published, "Bob", 7)])

    _score(stack, published, "Ada", 5, s3=slow)

    assert slow.others == []
    assert _message(stack) == "Bob (guest) · 7"
    image = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key="data/b/coins/badge.svg")
    assert b"Bob" in image["Body"].read()


def test_badge_is_written_after_a_crash(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The next delivery of the same record brings the badge up to the head."""
    _score(stack, published, "Ada", 5)
    for suffix in ("svg", "json"):
        stack.cloud.s3.delete_object(Bucket=stack.site_bucket, Key=f"data/b/coins/badge.{suffix}")

    with watching(stack.cloud.s3, "PutObject") as writes:
        _score(stack, published, "Ada", 5)

    assert [item["Key"] for item in writes] == ["data/b/coins/badge.svg", "data/b/coins/badge.json"]
    assert HEAD not in {item["Key"] for item in writes}


def _score(
    stack: StackHarness, published: PublishedBenchmark, player: str, coins: int, *, number: int = 1, s3: Any = None
) -> None:
    """Let a player score, and publish the board."""
    record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=number)
    aggregator = build_aggregator(stack, stack.aggregator.renderer.clock, s3=s3)
    aggregator.update(BoardKey(published.id, published.version), [record])


def _message(stack: StackHarness) -> str:
    body = stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key="data/b/coins/badge.json")["Body"].read()
    return str(json.loads(body)["message"])
