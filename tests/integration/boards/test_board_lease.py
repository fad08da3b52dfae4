"""The lease of a board: one holds it, the others leave words, and what they left is shown."""

from copy import replace
from typing import Any
from unittest.mock import Mock

import pytest

from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.renderer import BoardRenderer
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.rendering.lease import LEASE_SECONDS, BoardLease
from storage.boards.standings import BoardKey, StandingStore
from storage.gateway.conditions import Put
from storage.gateway.errors import Conflict
from tests.contract.conftest import intercept
from tests.harness.clock import Clock
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, StackHarness, build_aggregator, make_benchmark, watching

HEAD = "data/b/coins/head.json"


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`, with a row on its board."""
    published = stack.publish(make_benchmark(COINS))
    _fold(stack, published, "Zoe", 1)
    stack.aggregator.renderer.render(_key(published), ["guest-zoe"])
    return published


def test_word_is_there_when_the_holder_looks_again(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """A holder that releases the lease after it was found to be taken twice finds the word, and publishes the row."""
    holder, refused = _lease(stack, published, "holder", clock), list[Put]()
    assert holder.take()

    def put(table: str, asked: Put) -> None:
        try:
            stack.cloud.dynamodb.put(table, asked)
        except Conflict:
            refused.append(asked)
            if len(refused) == 2:
                holder.release()
                stack.aggregator.renderer.take_up_words(_key(published))
            raise

    table = intercept(stack.aggregator.standings.table, put=put)
    slow = _renderer(stack, clock, others=[lambda: _score(stack, published, "Bob", 7)])

    _fold(stack, published, "Ada", 5)
    is_published = replace(slow, standings=StandingStore(table)).render(_key(published), ["guest-ada"], name="1")

    assert not is_published
    assert stack.rows().name == ("Bob", "Ada", "Zoe")
    assert holder.find_words() == []


def test_word_of_the_last_moment_is_taken_up(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A word that is left just before the holder lets the lease go is taken up by the holder."""
    other, rivals = _lease(stack, published, "other", clock), [("Ada", 5)]
    _leave(stack, published, other, "Bob", 7)

    def put(table: str, asked: Put) -> None:
        if rivals and asked.item["item"] == {"S": "lease"} and asked.item["until"] == {"N": "0"}:
            _leave(stack, published, other, *rivals.pop())
        stack.cloud.dynamodb.put(table, asked)

    table = intercept(stack.aggregator.standings.table, put=put)
    holder = replace(_renderer(stack, clock), standings=StandingStore(table))

    holder.take_up_words(_key(published))

    assert stack.rows().name == ("Bob", "Ada", "Zoe")
    assert (other.find(), other.find_words()) == (None, [])


def test_word_that_was_not_read_is_not_deleted(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """A word that is left after the holder has read the standings is for its next look."""
    other = _lease(stack, published, "other", clock)
    _leave(stack, published, other, "Bob", 7)

    _renderer(stack, clock, others=[lambda: _leave(stack, published, other, "Ada", 5)]).take_up_words(_key(published))

    assert stack.rows().name == ("Bob", "Ada", "Zoe")
    assert (other.find(), other.find_words()) == (None, [])


def test_batch_that_comes_again_takes_up_its_lease(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """Words that were left to a batch whose process died are taken up when it comes again."""
    dead = _lease(stack, published, "batch", clock)
    assert dead.take()
    _leave(stack, published, dead, "Ada", 5)

    assert stack.aggregator.renderer.render(_key(published), ["guest-zoe"], name="batch")

    assert stack.rows().name == ("Ada", "Zoe")
    assert (dead.find(), dead.find_words()) == (None, [])


def test_schedule_takes_up_what_nobody_answers_for(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """A word whose holder is gone for good waits until the lease is over; then the schedule publishes its rows."""
    dead = _lease(stack, published, "dead", clock)
    assert dead.take()
    _leave(stack, published, dead, "Ada", 5)
    keeper = BoardKeeper(build_aggregator(stack, clock))

    keeper.keep(published)
    assert stack.rows().name == ("Zoe",)
    clock.advance(seconds=LEASE_SECONDS + 1)
    keeper.keep(published)

    assert stack.rows().name == ("Ada", "Zoe")
    assert (dead.find(), dead.find_words()) == (None, [])


@pytest.mark.parametrize("seconds", [LEASE_SECONDS + 1, -3600])
def test_next_publisher_takes_up_a_lease_that_is_over(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock, seconds: int
) -> None:
    """When a dead holder's is, by time or as the clock was set back, the next one publishes what was left to it."""
    dead = _lease(stack, published, "dead", clock)
    assert dead.take()
    _leave(stack, published, dead, "Ada", 5)
    clock.advance(seconds=seconds)

    _fold(stack, published, "Bob", 7)
    build_aggregator(stack, clock).renderer.render(_key(published), ["guest-bob"])

    assert stack.rows().name == ("Bob", "Ada", "Zoe")
    assert dead.find_words() == []


def test_builder_of_a_large_board_is_left_alone(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """Results that arrive while a large board is made win no race against it; they are shown right after it."""
    _fold(stack, published, "Ada", 5)

    def score() -> None:
        _fold(stack, published, "Bob", 7)
        assert not _renderer(stack, clock).render(_key(published), ["guest-bob"])
        assert stack.rows().name == ("Zoe",)

    builder = _renderer(stack, clock, others=[score])
    with watching(stack.cloud.s3, "PutObject") as writes:
        assert builder.render(_key(published), None)

    assert [write["Key"] for write in writes].count(HEAD) == 2
    assert stack.rows().name == ("Bob", "Ada", "Zoe")
    assert _lease(stack, published, "", clock).find_words() == []


def _key(published: PublishedBenchmark) -> BoardKey:
    return BoardKey(published.id, published.version)


def _lease(stack: StackHarness, published: PublishedBenchmark, name: str, clock: Clock) -> BoardLease:
    return BoardLease(stack.aggregator.standings.table, str(_key(published)), name, clock)


def _renderer(stack: StackHarness, clock: Clock, others: Any = ()) -> BoardRenderer:
    """Return a renderer to whom every board is large; others act before it writes a head."""
    waiting, client = [*others], stack.cloud.s3

    def put_object(**asked: Any) -> Any:
        if asked["Key"] == HEAD and waiting:
            waiting.pop(0)()
        return client.put_object(**asked)

    slow = Mock(wraps=client, put_object=put_object)
    return replace(build_aggregator(stack, clock, s3=slow).renderer, max_whole_rows=0)


def _fold(stack: StackHarness, published: PublishedBenchmark, player: str, coins: int) -> None:
    record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=coins)
    stack.aggregator.fold_standings(_key(published), [record])


def _leave(stack: StackHarness, published: PublishedBenchmark, lease: BoardLease, player: str, coins: int) -> None:
    _fold(stack, published, player, coins)
    lease.leave_word([f"guest-{player.lower()}"], nonce=player)


def _score(stack: StackHarness, published: PublishedBenchmark, player: str, coins: int) -> None:
    _fold(stack, published, player, coins)
    stack.aggregator.renderer.render(_key(published), [f"guest-{player.lower()}"])
