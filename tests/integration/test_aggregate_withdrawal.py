"""Withdrawn submissions leave the board for good: in whichever order, however often, under whichever version."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from aggregate import stream
from ledger.attributes import marshal
from ledger.benchmark_store import Published
from ledger.standing_store import BoardKey
from ledger.submissions import Record
from ledger.withdrawals import Withdrawal
from tests.integration.laboratory import (
    COINS,
    START,
    InProcess,
    Laboratory,
    make_benchmark,
    make_change,
    make_record,
    make_withdrawal,
)

type Log = Callable[[], list[dict[str, Any]]]

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")


@pytest.fixture
def published(laboratory: Laboratory) -> Published:
    """The benchmark `coins`."""
    return laboratory.publish(make_benchmark(COINS))


def record_of(published: Published, player: str, coins: int, *, number: int, part: str | None = None) -> Record:
    """Make a scored record."""
    return make_record(published, player, {"Coins": coins, "Time": 1.0}, number=number, part=part)


def write(laboratory: Laboratory, one: Record | Withdrawal) -> dict[str, Any]:
    """Write a record or a withdrawal, and give the image that the stream hands over."""
    if isinstance(one, Withdrawal):
        laboratory.withdrawals.put(one)
        key = {"benchmark": {"S": one.benchmark}, "submission_version": {"S": f"{one.submission}#withdrawal"}}
    else:
        laboratory.submissions.put_record(one)
        return dict(marshal(one.to_item(long_output=one.long_output())))
    item = laboratory.cloud.dynamodb.get_item(TableName=laboratory.submissions.table, Key=key)["Item"]
    return dict(item)


def deliver(images: Sequence[dict[str, Any]]) -> None:
    """Hand images over as one batch; none of them fails."""
    records = [make_change(image, number=number) for number, image in enumerate(images, start=1)]
    assert FUNCTION.invoke({"Records": records}) == {"batchItemFailures": []}


def test_off_the_board(laboratory: Laboratory, published: Published) -> None:
    """What was withdrawn no longer counts, and the board says whose it was, when and why."""
    best, worse = record_of(published, "Ada", 9, number=1), record_of(published, "Ada", 4, number=2)
    deliver([write(laboratory, one) for one in (best, worse)])

    deliver([write(laboratory, make_withdrawal(best, minutes=5))])

    head = laboratory.head()
    (removed,) = head.removed
    assert laboratory.rows().scores["Coins"] == (4,)
    assert (head.counts.submissions, [step[1] for step in head.best_over_time]) == (1, [4])
    assert (removed.player, removed.name, removed.reason) == ("guest-ada", "Ada", "played twice")
    assert (removed.submission, (removed.at - START).total_seconds()) == (best.submission.id, 300)


def test_last_submission_of_a_player(laboratory: Laboratory, published: Published) -> None:
    """Who has nothing left is off the board; the line stays, also while others play and come back."""
    ada, bob = record_of(published, "Ada", 9, number=1), record_of(published, "Bob", 4, number=2)
    deliver([write(laboratory, ada)])
    deliver([write(laboratory, make_withdrawal(ada))])
    assert (laboratory.head().total, len(laboratory.head().removed)) == (0, 1)

    deliver([write(laboratory, bob)])
    deliver([write(laboratory, record_of(published, "Ada", 3, number=3))])

    assert laboratory.rows().name == ("Bob", "Ada")
    assert [one.player for one in laboratory.head().removed] == ["guest-ada"]


@pytest.mark.parametrize("together", [True, False], ids=["one batch", "apart"])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_any_order(laboratory: Laboratory, published: Published, order: tuple[int, ...], *, together: bool) -> None:
    """Record, withdrawal and another's record lead to one board, in any order, delivered twice or again at the end."""
    ada, bob = record_of(published, "Ada", 9, number=1), record_of(published, "Bob", 4, number=2)
    images = [write(laboratory, one) for one in (ada, make_withdrawal(ada), bob)]
    ordered = [images[index] for index in order]

    for batch in [[*ordered, *ordered]] if together else [[one] for one in (*ordered, *ordered)]:
        deliver(batch)

    board = laboratory.board()
    assert (board["rows"]["name"], board["rows"]["scores"]["Coins"]) == (("Bob",), (4,))
    assert [one["player"] for one in board["head"]["removed"]] == ["guest-ada"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_any_order_of_writing(laboratory: Laboratory, published: Published, order: tuple[int, ...]) -> None:
    """Each thing is written and followed by the stream before the next is written, in any order."""
    ada, bob = record_of(published, "Ada", 9, number=1), record_of(published, "Bob", 4, number=2)
    things = (ada, make_withdrawal(ada), bob)

    for index in order:
        deliver([write(laboratory, things[index])])

    assert laboratory.rows().name == ("Bob",)
    assert [one.submission for one in laboratory.head().removed] == [ada.submission.id]


def test_through_the_stream(laboratory: Laboratory, published: Published, log: Log) -> None:
    """The table's own stream carries the withdrawal, without a word in the log."""
    ada = record_of(published, "Ada", 9, number=1)
    for one in (ada, make_withdrawal(ada), record_of(published, "Bob", 4, number=2)):
        write(laboratory, one)
    poller = laboratory.stream_poller(stream.lambda_handler)

    while poller.poll():
        pass

    assert laboratory.rows().name == ("Bob",)
    assert [entry for entry in log() if entry["level"] != "INFO"] == []


def test_rebuild(laboratory: Laboratory, published: Published) -> None:
    """A rebuild of the board changes nothing, and tells the removals again."""
    ada = record_of(published, "Ada", 9, number=1)
    for one in (ada, make_withdrawal(ada), record_of(published, "Bob", 4, number=2)):
        deliver([write(laboratory, one)])
    before = laboratory.board()
    for key in laboratory.keys(laboratory.site_bucket, "data/"):
        laboratory.cloud.s3.delete_object(Bucket=laboratory.site_bucket, Key=key)

    laboratory.workshop.rebuild(BoardKey("coins", published.version))

    assert laboratory.board() == before
    assert len(before["head"]["removed"]) == 1


def test_scored_again_under_another_version(laboratory: Laboratory, published: Published) -> None:
    """A submission that was withdrawn stays off the board of a later version, and is told there, too."""
    ada = record_of(published, "Ada", 9, number=1)
    for one in (ada, make_withdrawal(ada)):
        deliver([write(laboratory, one)])
    newer = laboratory.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))

    deliver([write(laboratory, replace(ada, version=newer.version))])
    deliver([write(laboratory, record_of(newer, "Bob", 4, number=2))])

    assert laboratory.rows().name == ("Bob",)
    assert [one.submission for one in laboratory.head().removed] == [ada.submission.id]


def test_withdrawn_under_every_version(laboratory: Laboratory, published: Published) -> None:
    """The withdrawal takes a submission off the board that is shown, though it was first scored under another one."""
    ada = record_of(published, "Ada", 9, number=1)
    deliver([write(laboratory, ada)])
    newer = laboratory.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    deliver([write(laboratory, replace(ada, version=newer.version))])
    assert laboratory.rows().name == ("Ada",)

    deliver([write(laboratory, make_withdrawal(ada))])

    assert laboratory.rows().name == ()


def test_every_part(laboratory: Laboratory) -> None:
    """A submission that was scored in several parts leaves all of them, with one line."""
    published = laboratory.publish(make_benchmark(COINS, parts=["a", "b"]))
    ada = record_of(published, "Ada", 9, number=1, part="a")
    ada = replace(ada, evaluations=(*ada.evaluations, replace(ada.evaluations[0], part="b")))
    deliver([write(laboratory, ada), write(laboratory, record_of(published, "Ada", 2, number=2, part="b"))])
    assert laboratory.rows().scores["Coins"] == (18,)

    deliver([write(laboratory, make_withdrawal(ada))])

    assert laboratory.rows().scores["Coins"] == (2,)
    assert len(laboratory.head().removed) == 1


def test_the_newest_twenty(laboratory: Laboratory, published: Published) -> None:
    """A board tells the newest twenty, newest first, the same after a rebuild."""
    records = [record_of(published, f"P{number}", 5, number=number) for number in range(25)]
    for record in records:
        write(laboratory, record)
    for record in records:
        deliver([write(laboratory, make_withdrawal(record, minutes=-int(record.submission.player.name[1:])))])
    before = laboratory.board()

    laboratory.workshop.rebuild(BoardKey("coins", published.version))

    assert [one["name"] for one in before["head"]["removed"]] == [f"P{number}" for number in range(20)]
    assert laboratory.board() == before


def test_a_withdrawal_without_records(laboratory: Laboratory, published: Published) -> None:
    """What was withdrawn while it was queued touches no board, and never shows when it is scored."""
    ada = record_of(published, "Ada", 9, number=1)
    sequence = laboratory.head().sequence

    deliver([write(laboratory, make_withdrawal(ada))])
    assert laboratory.head().sequence == sequence
    deliver([write(laboratory, ada)])

    assert laboratory.rows().name == ()
    assert len(laboratory.head().removed) == 1
