"""Publishing: races are lost without losing rows, what is replaced goes in time, a new definition shows at once."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from storage.aws.errors import MAX_TRIES, Busy
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from tests.harness.clock import Clock
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, StackHarness, build_aggregator, failing, make_benchmark


@dataclass
class Interrupted:
    """An S3 client that lets somebody else go first, once for each of these, before a key is written."""

    s3: Any
    key: str
    others: list[Callable[[], None]] = field(default_factory=list)

    def put_object(self, **parameters: Any) -> Any:
        """Put an object, perhaps too late."""
        if parameters["Key"] == self.key and self.others:
            self.others.pop(0)()
        return self.s3.put_object(**parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.s3, name)


HEAD = "data/b/coins/head.json"
INDEX = "data/index.json"


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`."""
    return stack.publish(make_benchmark(COINS))


def test_racing_publishers_lose_no_change(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """Where another head was published between reading and writing, both changes are on the board."""
    slow = Interrupted(stack.cloud.s3, HEAD, [lambda: _score(stack, published, "Bob", 7)])

    _score(stack, published, "Ada", 5, s3=slow)

    assert stack.rows().name == ("Bob", "Ada")
    assert stack.head().rows == stack.rows()
    assert stack.head().sequence == 3
    assert slow.others == []


def test_orphans_of_lost_races_are_deleted(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Of the rows files that were written for lost races none is left; those that heads named wait their time."""
    others = [lambda name=name: _score(stack, published, name, 7) for name in ("Bob", "Cy", "Dee")]
    slow = Interrupted(stack.cloud.s3, HEAD, [*others])

    _score(stack, published, "Ada", 5, s3=slow)

    head = stack.head()
    assert stack.rows().name == ("Bob", "Cy", "Dee", "Ada")
    assert len(head.replaced) == 4
    assert _rows_files(stack) == sorted({head.rows_url[1:], *(item.key for item in head.replaced)})


def test_rows_file_of_an_equal_winner_is_kept(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Where the winner published the very same rows nothing is left to do, and the file that both wrote stays."""
    slow = Interrupted(stack.cloud.s3, HEAD, [lambda: _publish(stack, published, "Ada")])

    _score(stack, published, "Ada", 5, s3=slow)

    assert stack.head().sequence == 2
    assert stack.rows().name == ("Ada",)


def test_publisher_that_loses_every_race_is_busy(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Who loses every race gives up as busy, and is retried."""
    others = [lambda n=n: _score(stack, published, f"P{n}", n) for n in range(MAX_TRIES)]
    slow = Interrupted(stack.cloud.s3, HEAD, [*others])

    with pytest.raises(Busy, match="lost 20 races"):
        _score(stack, published, "Ada", 5, s3=slow)

    assert len(stack.rows().name) == MAX_TRIES


def test_racing_index_entries_are_both_kept(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Where another board's entry was published between reading and writing, the index has both."""
    other = stack.publish(make_benchmark(COINS, id="other"))
    slow = Interrupted(stack.cloud.s3, INDEX, [lambda: _score(stack, other, "Bob", 7)])

    _score(stack, published, "Ada", 5, s3=slow)

    assert [(benchmark.id, benchmark.leader) for benchmark in stack.index().benchmarks] == [
        ("coins", ("Ada",)),
        ("other", ("Bob",)),
    ]


def test_older_index_entry_replaces_no_newer_one(stack: StackHarness, published: PublishedBenchmark) -> None:
    """An entry of an older head never replaces that of a newer one."""
    slow = Interrupted(stack.cloud.s3, INDEX, [lambda: _score(stack, published, "Bob", 7)])

    _score(stack, published, "Ada", 5, s3=slow)

    (entry,) = stack.index().benchmarks
    assert entry.leader == ("Bob",)
    assert entry.sequence == stack.head().sequence == 3


def test_crash_between_head_and_index_is_repaired(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The next delivery of the same record brings the index up to the head."""
    with (
        failing(stack.cloud.s3, "PutObject", about=INDEX, code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(stack, published, "Ada", 5)
    behind = stack.index().benchmarks[0].sequence

    _publish(stack, published, "Ada")

    (entry,) = stack.index().benchmarks
    assert behind == 1
    assert (entry.sequence, entry.leader) == (2, ("Ada",))


def test_a_crash_before_the_badge(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The index comes last: while a badge is behind its head, so is the card, and the schedule sees it."""
    with (
        failing(stack.cloud.s3, "PutObject", about="badge.json", code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(stack, published, "Ada", 5)

    (entry,) = stack.index().benchmarks

    assert entry.sequence < stack.head().sequence


def test_a_crash_between_rows_and_head(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Readers see the former head with the former rows until both are written."""
    with (
        failing(stack.cloud.s3, "PutObject", about=HEAD, code="AccessDenied", status=403),
        pytest.raises(Exception, match="refused by the test"),
    ):
        _score(stack, published, "Ada", 5)
    before = stack.rows()

    _publish(stack, published, "Ada")

    assert before.name == ()
    assert stack.rows().name == ("Ada",)


def test_more_than_the_head_shows(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The head holds the first hundred rows, the rows file all; a change far down leaves the others as they are."""
    aggregator = stack.aggregator
    records = [_record(published, f"P{number:03}", 1000 - number, number=number) for number in range(103)]
    aggregator.update(BoardKey("coins", published.version), records)
    first = stack.rows()

    _score(stack, published, "P101", 999, number=500)

    head, rows = stack.head(), stack.rows()
    assert (len(first.name), len(head.rows.name), head.total, len(rows.name)) == (103, 100, 103, 103)
    assert rows.name[:4] == ("P000", "P001", "P101", "P002")
    assert rows.rank[:4] == (1, 2, 2, 4)
    assert head.rows.name == rows.name[:100]
    assert head.rows.scores["Coins"] == rows.scores["Coins"][:100]
    assert set(rows.name) == set(first.name)


def test_a_rows_file_that_is_gone(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Rows that cannot be read are made again from the standings."""
    aggregator = stack.aggregator
    records = [_record(published, f"P{number:03}", 1000 - number, number=number) for number in range(102)]
    aggregator.update(BoardKey("coins", published.version), records)
    stack.cloud.s3.delete_object(Bucket=stack.site_bucket, Key=stack.head().rows_url[1:])

    _score(stack, published, "Ada", 5000)

    assert len(stack.rows().name) == 103


def test_replaced_rows_files(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A rows file lives for ten minutes after its head was replaced, and goes with the next publishing."""
    first = stack.head().rows_url[1:]
    _score(stack, published, "Ada", 5)
    clock.advance(minutes=9, seconds=59)
    _score(stack, published, "Bob", 6)
    still_there = _rows_files(stack)
    clock.advance(seconds=1)

    _score(stack, published, "Cy", 7)

    head = stack.head()
    assert first in still_there
    assert first not in _rows_files(stack)
    assert [item.key for item in head.replaced] == [key for key in still_there if key != first]
    assert len(_rows_files(stack)) == 3


def test_a_new_title(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A changed text shows at once, on the board and in the index, and changes no row."""
    _score(stack, published, "Ada", 5)
    rows = stack.rows()

    anew = stack.publish(make_benchmark(COINS, title="Coins, anew"))

    assert anew.version == published.version
    assert (stack.head().title, stack.index().benchmarks[0].title) == ("Coins, anew", "Coins, anew")
    assert stack.rows() == rows


def test_published_without_a_change(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The same benchmark published again leaves the board as it is."""
    _score(stack, published, "Ada", 5)
    before = stack.head()

    stack.publish(make_benchmark(COINS))

    assert stack.head() == before


def test_a_new_ranking(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A changed ranking is applied to the standings that are there, at once."""
    _score(stack, published, "Ada", 5, time=1.0)
    _score(stack, published, "Bob", 7, time=9.0)

    stack.publish(make_benchmark(COINS, ranking={"keep": "best", "combine": "sum", "by": ["Time"]}))

    assert stack.rows().name == ("Ada", "Bob")
    assert stack.index().benchmarks[0].primary.id == "Time"
    assert "ranked by Time (lower is better)" in stack.head().rank_rule


def test_a_new_version(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Another version starts with an empty board; late records of the former one do not come back to it."""
    _score(stack, published, "Ada", 5)
    anew = stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    empty = stack.rows()

    _score(stack, published, "Bob", 7)
    _score(stack, anew, "Cy", 1)

    assert anew.version != published.version
    assert empty.name == ()
    assert stack.rows().name == ("Cy",)
    assert stack.head().version == anew.version


def test_back_to_a_former_version(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Published again, a version has its standings back, with what came late while it was not shown."""
    _score(stack, published, "Ada", 5)
    stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    late = _record(published, "Bob", 7, number=2)
    stack.submissions.put_record(late)
    stack.aggregator.update(BoardKey("coins", published.version), [late])

    stack.publish(make_benchmark(COINS))

    assert stack.rows().name == ("Bob", "Ada")


def test_outdated_publisher_publishes_nothing(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A function that still remembers the former definition does not bring it back."""
    outdated = build_aggregator(stack, clock)
    outdated.benchmarks.current("coins")
    stack.publish(make_benchmark(COINS, title="Anew", ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]}))

    records = [_record(published, "Ada", coins, number=number) for number, coins in enumerate((9, 4))]
    outdated.update(BoardKey("coins", published.version), records)

    assert stack.head().title == "Anew"
    assert stack.rows().scores["Coins"] == (4,)


def test_rebuild_mends_a_board(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Rebuilding makes the rows from the standings, whatever the head says."""
    _score(stack, published, "Ada", 5)
    snapshots = stack.aggregator.snapshots
    before = snapshots.read_head("coins")
    assert before is not None
    rows = before.value.rows.model_copy(update={"name": ("Mallory",), "scores": {"Coins": (99,), "Time": (0.0,)}})
    snapshots.write_head(before.value.model_copy(update={"rows": rows}), replacing=before)

    stack.aggregator.update(BoardKey("coins", published.version), None)

    assert stack.head().rows == stack.rows()
    assert stack.rows().name == ("Ada",)


def test_published_while_records_come(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A board that a record published in the middle of a rebuild, half of it folded, is right when that ends."""
    _score(stack, published, "Ada", 5, time=1.0)
    _score(stack, published, "Ada", 3, time=1.0, number=2)
    anew = stack.aggregator.benchmarks.publish(
        make_benchmark(COINS, ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]})
    )
    _score(stack, anew, "Bob", 1)
    half = stack.rows().scores["Coins"]

    stack.aggregator.update(BoardKey("coins", anew.version), None)

    assert half == (5, 1)
    assert stack.rows().scores["Coins"] == (3, 1)


def _record(published: PublishedBenchmark, player: str, coins: int, *, number: int, time: float = 1.0) -> Any:
    return make_guest_record(published, player, {"Coins": coins, "Time": time}, number=number)


def _score(
    stack: StackHarness,
    published: PublishedBenchmark,
    player: str,
    coins: int,
    *,
    time: float = 1.0,
    number: int = 1,
    s3: Any = None,
) -> None:
    """Let a player score, and publish the board."""
    record = _record(published, player, coins, number=number, time=time)
    stack.aggregator.fold_standings(BoardKey(published.id, published.version), [record])
    _publish(stack, published, player, s3=s3)


def _publish(stack: StackHarness, published: PublishedBenchmark, player: str, *, s3: Any = None) -> None:
    aggregator = build_aggregator(stack, stack.aggregator.publisher.clock, s3=s3)
    aggregator.publisher.publish(published.id, version=published.version, players={f"guest-{player.lower()}"})


def _rows_files(stack: StackHarness) -> list[str]:
    return stack.keys(stack.site_bucket, "data/b/coins/rows.")
