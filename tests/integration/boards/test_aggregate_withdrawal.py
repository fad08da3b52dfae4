"""Withdrawn submissions leave the board for good: in whichever order, however often, under whichever version."""

from collections.abc import Sequence
from copy import replace
from typing import Any

import pytest

from aggregate import stream
from storage.actors import Actor, Role
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry, RecordedEntries
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey
from storage.gateway.bucket import Bucket
from storage.gateway.schema import marshal
from storage.keys import START_PAGE_KEY, board_page_key, head_key
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import Player, SubmissionRecord
from tests.harness.clock import START, Clock
from tests.harness.factories import make_guest, make_guest_record, make_player, make_withdrawal
from tests.harness.stack import COINS, InProcess, StackHarness, make_benchmark, make_change
from tests.integration.boards.test_aggregate_renderer import Interrupted, build_aggregator

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")


def record_of(
    published: PublishedBenchmark, player: str, coins: int, *, number: int, part: str | None = None
) -> SubmissionRecord:
    """Make a scored record."""
    return make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=number, part=part)


def write(stack: StackHarness, item: SubmissionRecord | Withdrawal) -> dict[str, Any]:
    """Write a record or a withdrawal, and give the image that the stream hands over."""
    if isinstance(item, Withdrawal):
        stack.withdrawals.put(item)
        key = {"benchmark": {"S": item.benchmark}, "submission_version": {"S": f"{item.submission}#withdrawal"}}
    else:
        stack.submissions.put_record(item)
        return dict(marshal(item.to_item(long_output=item.long_output())))
    stored = stack.cloud.dynamodb.get_item(TableName=stack.submissions.table.name, Key=key)["Item"]
    return dict(stored)


def deliver(images: Sequence[dict[str, Any]]) -> None:
    """Hand images over as one batch; none of them fails."""
    records = [make_change(image, number=number) for number, image in enumerate(images, start=1)]
    assert FUNCTION.invoke({"Records": records}) == {"batchItemFailures": []}


def test_what_is_taken_back_leaves_the_served_pages(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the head, not with the next run of the schedule; a process that dies before the head leaves no page."""
    site = Bucket(stack.cloud.objects, stack.site_bucket)
    keys = (board_page_key(published.id), START_PAGE_KEY)

    def read_tables() -> list[str]:
        return [stored.body.decode().partition("</table>")[0] if (stored := site.find(key)) else "" for key in keys]

    best, other = record_of(published, "Ada", 9, number=1), record_of(published, "Bea", 4, number=2)
    deliver([write(stack, item) for item in (best, other)])
    assert all("Ada" in table and "Bea" in table for table in read_tables())
    withdrawal = write(stack, make_withdrawal(best, minutes=5))
    with monkeypatch.context() as dying:
        dying.setattr(SnapshotStore, "write_head", lambda *_, **__: 1 / 0)
        FUNCTION.invoke({"Records": [make_change(withdrawal, number=1)]})
    assert site.find(keys[0]) is None

    deliver([withdrawal])

    assert all("Ada" not in table and "Bea" in table for table in read_tables())

    # A writer of the page before may die beside it, and another delete it for a head that is written already.
    for left in (b"Ada</table>", None):
        site.overwrite(keys[0], left) if left else site.delete(keys[0])
        stack.aggregator.renderer.update_index([published.id])
        assert all("Ada" not in table and "Bea" in table for table in read_tables())

    site.delete(keys[0])
    late = Interrupted(stack.cloud.s3, keys[0], [lambda: deliver([write(stack, make_withdrawal(other, minutes=6))])])
    build_aggregator(stack, clock, s3=late).renderer.update_index([published.id])
    assert (late.others, ["<bdi>Bea" in table for table in read_tables()]) == ([], [False, False])


def test_restored_row_outdates_a_late_writer(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A writer that read the board without a row loses against its return, although no shown row has changed."""
    record, key = record_of(published, "Ada", 9, number=1), BoardKey(published.id, published.version)
    deliver([write(stack, record)])
    withdrawal = stack.withdrawals.put(make_withdrawal(record, minutes=5))
    stack.aggregator.fold_standings(key, [record])

    def restore() -> None:
        stack.withdrawals.restore(published.id, submission=record.submission.id, at=withdrawal.at)
        stack.aggregator.update(key, [record])

    late = Interrupted(stack.cloud.s3, head_key(published.id), [restore])
    build_aggregator(stack, clock, s3=late).renderer.render(key, [record.submission.player.id])

    assert (late.others, stack.rows().name) == ([], ("Ada",))


@pytest.mark.parametrize("ada", [make_guest("Ada", player_id="guest--0123456789abcdef0123"), make_player()])
def test_erasure_while_a_late_result_is_folded(
    stack: StackHarness, published: PublishedBenchmark, ada: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erased player who had no row yet gets none from a fold that had read before who is erased."""
    late, other = record_of(published, "Ada", 9, number=1), record_of(published, "Bob", 4, number=2)
    late = replace(late, submission=replace(late.submission, player=ada))
    player = late.submission.player.id
    erasure = Withdrawal(published.id, player, "", START, Actor(id=player, role=Role.PLAYER))
    read_all, marks = RecordedEntries.read_all, [erasure]

    def read_then_erase(self: RecordedEntries, records: Sequence[SubmissionRecord]) -> list[BoardEntry]:
        entries = read_all(self, records)
        while marks:
            deliver([write(stack, marks.pop())])
        return entries

    monkeypatch.setattr(RecordedEntries, "read_all", read_then_erase)
    deliver([write(stack, late), write(stack, other)])

    assert stack.rows().name == ("Bob",)
    assert "Ada" not in str(stack.items("BoardsTable"))


def test_scored_again_under_another_version(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A withdrawn submission stays off the board of a later version, which shows its notice too."""
    ada = record_of(published, "Ada", 9, number=1)
    for item in (ada, make_withdrawal(ada)):
        deliver([write(stack, item)])
    newer = stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))

    deliver([write(stack, replace(ada, version=newer.version))])
    deliver([write(stack, record_of(newer, "Bob", 4, number=2))])

    assert stack.rows().name == ("Bob",)
    assert [notice.submission for notice in stack.head().notices] == [ada.submission.id]


def test_board_shows_the_newest_twenty_notices(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A board shows the newest twenty notices, newest first, also after a rebuild."""
    records = [record_of(published, f"P{number}", 5, number=number) for number in range(25)]
    for record in records:
        write(stack, record)
    for record in records:
        deliver([write(stack, make_withdrawal(record, minutes=-int(record.submission.player.name[1:])))])
    before = stack.board()

    stack.aggregator.render_all(BoardKey("coins", published.version))

    assert [notice["name"] for notice in before["head"]["notices"]] == [f"P{number}" for number in range(20)]
    assert stack.board() == before


def test_withdrawal_before_scoring_never_shows(stack: StackHarness, published: PublishedBenchmark) -> None:
    """What was withdrawn while it was queued touches no board, and never shows when it is scored."""
    ada = record_of(published, "Ada", 9, number=1)
    sequence = stack.head().sequence

    deliver([write(stack, make_withdrawal(ada))])
    assert stack.head().sequence == sequence
    deliver([write(stack, ada)])

    assert stack.rows().name == ()
    assert len(stack.head().notices) == 1
