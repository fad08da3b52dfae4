"""A badge is never older than the head."""

import json
from typing import Any

from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from tests.harness.factories import make_guest_record
from tests.harness.stack import StackHarness, build_aggregator, watching
from tests.integration.boards.test_aggregate_renderer import HEAD, Interrupted


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
