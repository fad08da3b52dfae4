"""What a board remembers: ranks of the day before, records over time, and a badge that is never older than the head."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from aggregate.publisher import MAX_REPLACED
from ledger.benchmark_store import Published
from ledger.standing_store import BoardKey, PlayerContribution
from scoring_core.standing import WHOLE, Contribution
from tests.integration.laboratory import (
    COINS,
    START,
    Clock,
    Laboratory,
    build_workshop,
    make_benchmark,
    make_record,
    watching,
)
from tests.integration.test_aggregate_publisher import HEAD, Interrupted

MINUTE = 60_000
DAY_BEFORE = int((START - timedelta(days=1)).timestamp() * 1000)


@pytest.fixture
def published(laboratory: Laboratory) -> Published:
    """The benchmark `coins`."""
    return laboratory.publish(make_benchmark(COINS))


def test_the_first_day(laboratory: Laboratory, published: Published) -> None:
    """On its first day a board has no deltas: there is nothing to compare with."""
    _score(laboratory, published, "Ada", 5)
    _score(laboratory, published, "Bob", 7)

    assert (laboratory.rows().delta, laboratory.head().baseline) == ((), None)


def test_the_next_day(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """All of the next day, deltas count from the end of the day before; who is new has none."""
    _score(laboratory, published, "Ada", 5)
    _score(laboratory, published, "Bob", 4)
    yesterday = laboratory.head().rows_url
    clock.advance(days=1)
    _score(laboratory, published, "Bob", 7, number=2)
    clock.advance(hours=1)
    _score(laboratory, published, "Cy", 9)

    head, rows = laboratory.head(), laboratory.rows()
    assert head.baseline is not None
    assert (head.baseline.date, head.baseline.rows_url) == (date(2026, 3, 1), yesterday)
    assert (rows.name, rows.delta) == (("Cy", "Bob", "Ada"), (None, 0, -2))
    assert head.rows == rows


def test_a_quiet_week(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """After days without a publishing the last day that saw one is the baseline, and its file is still there."""
    _score(laboratory, published, "Ada", 5)
    clock.advance(days=7)
    for number in range(3):
        _score(laboratory, published, "Bob", 7 + number, number=number)
        clock.advance(minutes=30)

    head = laboratory.head()
    assert head.baseline is not None
    assert head.baseline.date == date(2026, 3, 1)
    assert head.baseline.rows_url[1:] in _rows_files(laboratory)
    assert head.rows.delta == (None, -1)
    assert len(_rows_files(laboratory)) == 3


def test_a_baseline_that_has_served(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """When another day begins the former baseline's file waits its time and goes."""
    _score(laboratory, published, "Ada", 5)
    first = laboratory.head().rows_url
    for number in range(3):
        clock.advance(days=1)
        _score(laboratory, published, "Bob", 7 + number, number=number)

    assert first[1:] not in _rows_files(laboratory)


def test_a_rebuild_keeps_the_baseline(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """Rebuilt, a board keeps its baseline; a new title too; another version starts without one."""
    _score(laboratory, published, "Ada", 5)
    clock.advance(days=1)
    _score(laboratory, published, "Bob", 7)
    before = laboratory.head()

    laboratory.workshop.rebuild(BoardKey("coins", published.version))
    rebuilt = laboratory.head()
    laboratory.publish(make_benchmark(COINS, title="Anew"))
    renamed = laboratory.head()
    laboratory.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))

    assert rebuilt == before
    assert (renamed.baseline, renamed.rows) == (before.baseline, before.rows)
    assert laboratory.head().baseline is None


def test_a_baseline_that_is_gone(laboratory: Laboratory, published: Published, clock: Clock) -> None:
    """Where the baseline's file is gone the board is published without deltas."""
    _score(laboratory, published, "Ada", 5)
    laboratory.cloud.s3.delete_object(Bucket=laboratory.site_bucket, Key=laboratory.head().rows_url[1:])
    clock.advance(days=1)

    _score(laboratory, published, "Bob", 7)

    assert (laboratory.rows().name, laboratory.rows().delta) == (("Bob", "Ada"), ())


def test_records(laboratory: Laboratory, published: Published) -> None:
    """Each result that beat all before it is told, in order of time, whenever it was delivered."""
    _score(laboratory, published, "Cy", 6, number=3)
    _score(laboratory, published, "Bob", 7, number=4)
    _score(laboratory, published, "Ada", 5, number=1)
    _score(laboratory, published, "Ada", 6, number=2)

    steps = [(step[0] - DAY_BEFORE, step[1], step[2]) for step in laboratory.head().best_over_time]
    assert steps == [(MINUTE, 5, "guest-ada"), (2 * MINUTE, 6, "guest-ada"), (4 * MINUTE, 7, "guest-bob")]
    assert laboratory.head().records == 3


def test_a_withdrawn_record(laboratory: Laboratory, published: Published) -> None:
    """Where a record is withdrawn, what it outshone shows again."""
    _score(laboratory, published, "Ada", 9, number=1)
    _score(laboratory, published, "Bob", 5, number=2)
    record = make_record(published, "Ada", {"Coins": 9, "Time": 1.0}, number=1)
    contribution = Contribution(record.submission.id, WHOLE, record.scores)
    board = BoardKey("coins", published.version)

    laboratory.workshop.aggregator.standings.put_contribution(
        board, PlayerContribution(record.submission.player, contribution, 2, withdrawn=True)
    )
    laboratory.workshop.bring_up(board, {"guest-ada"})

    assert [step[1:3] for step in laboratory.head().best_over_time] == [(5, "guest-bob")]


def test_waiting_files(laboratory: Laboratory, published: Published) -> None:
    """A board that is published every second keeps so many replaced files; older ones go before their time."""
    snapshots = laboratory.workshop.publisher.snapshots
    before = snapshots.read_head("coins")
    assert before is not None
    waiting = [{"key": f"data/b/coins/rows.0-{number:012}.json", "at": START} for number in range(MAX_REPLACED)]
    full = type(before.value).model_validate({**before.value.model_dump(by_alias=True), "replaced": waiting})
    snapshots.write_head(full, replacing=before)
    with watching(laboratory.cloud.s3, "DeleteObject") as deleted:
        _score(laboratory, published, "Ada", 5)

    head = laboratory.head()
    assert [one["Key"] for one in deleted] == [waiting[0]["key"]]
    assert len(head.replaced) == MAX_REPLACED
    assert head.replaced[-1].key == before.value.rows_url[1:]


def test_badge(laboratory: Laboratory, published: Published) -> None:
    """The badge shows who leads, is kept for seconds like the head, and is not written without need."""
    empty = _message(laboratory)
    _score(laboratory, published, "Ada", 5)
    with watching(laboratory.cloud.s3, "PutObject") as writes:
        _score(laboratory, published, "Bob", 1)

    image: Any = laboratory.cloud.s3.head_object(Bucket=laboratory.site_bucket, Key="data/b/coins/badge.svg")
    assert (empty, _message(laboratory)) == ("no results yet", "Ada (guest) · 5")
    assert (image["ContentType"], image["CacheControl"]) == (
        "image/svg+xml",
        "public, max-age=5, stale-while-revalidate=30",
    )
    assert [one["Key"] for one in writes if "badge" in one["Key"]] == []


def test_a_late_badge(laboratory: Laboratory, published: Published) -> None:
    """Where another head was published before the badge of the former one was written, the newer badge stands."""
    slow = Interrupted(laboratory.cloud.s3, "data/b/coins/badge.svg", [lambda: _score(laboratory, published, "Bob", 7)])

    _score(laboratory, published, "Ada", 5, s3=slow)

    assert slow.others == []
    assert _message(laboratory) == "Bob (guest) · 7"
    image = laboratory.cloud.s3.get_object(Bucket=laboratory.site_bucket, Key="data/b/coins/badge.svg")
    assert b"Bob" in image["Body"].read()


def test_a_crash_before_the_badge(laboratory: Laboratory, published: Published) -> None:
    """The next delivery of the same record brings the badge up to the head."""
    _score(laboratory, published, "Ada", 5)
    for suffix in ("svg", "json"):
        laboratory.cloud.s3.delete_object(Bucket=laboratory.site_bucket, Key=f"data/b/coins/badge.{suffix}")

    with watching(laboratory.cloud.s3, "PutObject") as writes:
        _score(laboratory, published, "Ada", 5)

    assert [one["Key"] for one in writes] == ["data/b/coins/badge.svg", "data/b/coins/badge.json"]
    assert HEAD not in {one["Key"] for one in writes}


def _score(
    laboratory: Laboratory, published: Published, player: str, coins: int, *, number: int = 1, s3: Any = None
) -> None:
    """Let a player score, and publish the board."""
    record = make_record(published, player, {"Coins": coins, "Time": 1.0}, number=number)
    workshop = build_workshop(laboratory, laboratory.workshop.publisher.clock, s3=s3)
    workshop.aggregator.add_contributions(record)
    workshop.bring_up(BoardKey(published.id, published.version), {record.submission.player.id})


def _message(laboratory: Laboratory) -> str:
    body = laboratory.cloud.s3.get_object(Bucket=laboratory.site_bucket, Key="data/b/coins/badge.json")["Body"].read()
    return str(json.loads(body)["message"])


def _rows_files(laboratory: Laboratory) -> list[str]:
    return laboratory.keys(laboratory.site_bucket, "data/b/coins/rows.")
