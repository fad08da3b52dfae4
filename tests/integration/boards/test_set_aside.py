"""Boards that fail are set aside and taken up again; what is stored of one player keeps no other one back."""

import math
from collections import deque
from copy import replace
from datetime import timedelta
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from aggregate import rescore, restorer, stream
from aggregate.aggregator import Aggregator
from aggregate.benchmarks.promoter import VersionPromoter
from aggregate.decorations import Decorations
from aggregate.restorer import BoardRestorer
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.folding import _Fold
from storage.boards.rendering.stalls import StallStore
from storage.boards.standings import BoardKey
from storage.gateway.errors import NotFound
from storage.players.quotas import QuotaStore
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore
from tests.harness.clock import START
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.stack import (
    InProcess,
    StackHarness,
    failing,
    make_change,
    make_context,
    make_stream_event,
)

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")
KEY = ("benchmark", "submission_version")
BOARD = BoardKey("coins", "0123456789abcdef")

pytestmark = pytest.mark.usefixtures("named")


@pytest.fixture
def stalls(stack: StackHarness) -> StallStore:
    """The boards that failed."""
    return StallStore(stack.aggregator.standings.table)


def test_stall_keeps_its_first_time_and_submission(stalls: StallStore) -> None:
    """However often a board fails, the stall says since when, and from which submission on results are missing."""
    stalls.note(BOARD, first="b", reason="one", now=START)
    stall = stalls.note(BOARD, first="c", reason="two", now=START + timedelta(minutes=1))

    assert (stall.first, stall.since, stall.failures, stall.reason) == ("b", START, 2, "two")
    stalls.note(BOARD, first="a", reason="", now=START)
    assert [each.first for each in stalls.list_all()] == ["a"]


def test_stall_of_a_board_that_failed_meanwhile_stays(stalls: StallStore) -> None:
    """A renderer that restored a board does not know of the records that were set aside since."""
    read = stalls.note(BOARD, first="b", reason="", now=START)
    later = stalls.note(BOARD, first="a", reason="", now=START)

    assert not stalls.forget(read)
    assert stalls.list_all() == [later]
    assert stalls.forget(later)
    assert stalls.list_all() == []


def test_board_that_lacks_a_row_says_so_although_others_move(
    stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one row is set aside, results of other players are shown, and the head goes on saying since when."""
    FUNCTION.invoke(make_stream_event([make_guest_record(published, "Ada", {"Coins": 1}, number=1)]))
    stack.submissions.put_record(record := make_guest_record(published, "Bob", {"Coins": 2}, number=2))
    with monkeypatch.context() as patch:
        _poison(patch, "guest-bob")
        FUNCTION.invoke(make_stream_event([record]))
        FUNCTION.invoke(make_stream_event([make_guest_record(published, "Cy", {"Coins": 3}, number=3)]))
    head = stack.head()

    BoardRestorer(stack.aggregator).restore_all()

    assert head.rows.name == ("Cy", "Ada")
    assert head.stalled_since is not None
    assert stack.rows().name == ("Cy", "Bob", "Ada")
    assert stack.head().stalled_since is None


def test_record_comes_again_if_its_stall_cannot_be_written(
    stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record counts as handled only once it is stored what the board lacks."""
    record = make_guest_record(published, "Bob", {"Coins": 2}, number=2)
    _poison(monkeypatch, "guest-bob")

    with failing(stack.cloud.dynamodb, "PutItem", about="stalls#rendering"):
        answer = FUNCTION.invoke(make_stream_event([record]))

    assert len(answer["batchItemFailures"]) == 1


def test_board_that_fails_again_keeps_no_other_back(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore
) -> None:
    """The schedule tries the other boards, and reports the one whose benchmark is gone."""
    gone = BoardKey("gone", published.version)
    stalls.note(gone, first="a", reason="", now=START)
    stalls.note(BoardKey("coins", published.version), first="a", reason="", now=START)

    errors = BoardRestorer(stack.aggregator).restore_all()

    assert [type(error) for error in errors] == [NotFound]
    assert [stall.board for stall in stalls.list_all()] == [gone]


def test_board_that_takes_long_goes_on_where_it_stopped(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one run of the schedule has folded the next one does not read; then the board is whole."""
    records = [make_guest_record(published, name, {"Coins": n}, number=n) for n, name in enumerate(("Ada", "Bob"), 1)]
    for record in records:
        stack.submissions.put_record(record)
    stalls.note(BoardKey("coins", published.version), first="0", reason="", now=START)
    monkeypatch.setattr(restorer, "BATCH", 1)
    with monkeypatch.context() as slow:
        moments = iter((0.0, 0.0, 0.0, 999.0))
        slow.setattr(restorer, "time", SimpleNamespace(monotonic=lambda: next(moments)))
        BoardRestorer(stack.aggregator).restore_all()
    left = [stall.first for stall in stalls.list_all()]
    BoardRestorer(stack.aggregator).restore_all()

    assert left == [records[1].submission.id]
    assert (stack.rows().name, stalls.list_all()) == (("Bob", "Ada"), [])


def test_failed_decoration_is_reported_in_words() -> None:
    """They wait for the schedule, which a function that reads the stream never is: no traceback holds rows."""
    decorations = Decorations("coins@1", deque())

    decorations.run("bars", partial(math.log2, 0), None)

    (report,) = decorations.reports
    assert report.startswith("coins@1, bars: ValueError: ")


def test_withdrawal_that_cannot_be_read_holds_no_stream(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore
) -> None:
    """The stream goes on, and once it can be read the schedule makes up for all that was delivered with it."""
    names = ("Ada", "Bob", "Cy")
    records = [make_guest_record(published, name, {"Coins": n}, number=n) for n, name in enumerate(names, 1)]
    for record in records:
        stack.submissions.put_record(record)
    image = _withdraw(stack, records[1])
    table = stack.submissions.table
    table.client.put_item(TableName=table.name, Item={**image, "withdrawn_at": {"S": "yesterday"}})

    answer = FUNCTION.invoke(make_stream_event(records))
    errors = BoardRestorer(stack.aggregator).restore_all()
    still = [stall.first for stall in stalls.list_all()]
    table.client.delete_item(TableName=table.name, Key={name: image[name] for name in KEY})
    BoardRestorer(stack.aggregator).restore_all()

    assert answer["batchItemFailures"] == []
    assert [type(error).__name__ for error in errors] == ["ValueError"]
    assert still == [records[0].submission.id]
    assert stack.rows().name == names[::-1]
    assert stalls.list_all() == []


def test_what_waits_and_cannot_be_folded_holds_no_stream(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While boards are frozen, too, a batch that cannot be folded is set aside with its main board."""
    key = BoardKey("coins", published.version)
    monkeypatch.setattr(Aggregator, "_list_frozen", lambda *_: frozenset({key}))
    monkeypatch.setattr(Aggregator, "fold_standings", _fail)
    record = replace(make_guest_record(published, "Ada", {"Coins": 1}, number=1), in_review=True)

    answer = FUNCTION.invoke(make_stream_event([record]))

    assert answer["batchItemFailures"] == []
    assert [stall.board for stall in stalls.list_all()] == [key]


def test_outage_sets_no_board_aside(stack: StackHarness, published: PublishedBenchmark, stalls: StallStore) -> None:
    """While storage is out of reach records come again; it fails for every board, and not for what any of them is."""
    record = make_guest_record(published, "Ada", {"Coins": 1}, number=1)
    stack.submissions.put_record(record)

    with failing(stack.cloud.dynamodb, "BatchGetItem"):
        answer = FUNCTION.invoke(make_stream_event([record]))

    assert len(answer["batchItemFailures"]) == 1
    assert stalls.list_all() == []


def test_benchmark_that_ends_the_schedule_keeps_no_board_back(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Boards are restored first: the time that a benchmark takes may be all that the schedule has."""

    class TimedOut(BaseException):
        pass

    def time_out(*_: Any, **__: Any) -> bool:
        raise TimedOut

    stalls.note(BoardKey("coins", published.version), first="a", reason="", now=START)
    monkeypatch.setattr(VersionPromoter, "step", time_out)

    with pytest.raises(TimedOut):
        rescore.lambda_handler({}, make_context())

    assert stalls.list_all() == []


def test_quota_that_cannot_be_settled_holds_no_stream(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream goes on, as for a board that cannot be made."""
    monkeypatch.setattr(QuotaStore, "settle", _fail)
    record = make_guest_record(published, "Ada", {"Coins": 1}, number=1)

    answer = FUNCTION.invoke(make_stream_event([record]))

    assert answer["batchItemFailures"] == []
    assert stack.rows().name == ("Ada",)
    assert [stall.reason for stall in stalls.list_all()] == ["ValueError: no number"]


def test_withdrawn_record_that_cannot_be_read_holds_no_stream(
    stack: StackHarness, published: PublishedBenchmark, stalls: StallStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A withdrawal whose record cannot be read is set aside; the stall says what the board lacks."""
    record = make_guest_record(published, "Ada", {"Coins": 1}, number=1)

    def fail(*_: Any, **__: Any) -> list[Any]:
        raise KeyError("outcome")

    monkeypatch.setattr(SubmissionStore, "list_records_of", fail)
    event = {"Records": [make_change(_withdraw(stack, record), number=1)]}

    answer = FUNCTION.invoke(event)

    assert answer["batchItemFailures"] == []
    assert [stall.first for stall in stalls.list_all()] == [record.submission.id]


def _fail(*_: Any, **__: Any) -> None:
    raise ValueError("no number")


def _withdraw(stack: StackHarness, record: SubmissionRecord) -> dict[str, Any]:
    """Withdraw a submission; give the item."""
    stack.withdrawals.put(make_withdrawal(record))
    key = {"benchmark": {"S": "coins"}, "submission_version": {"S": f"{record.submission.id}#withdrawal"}}
    return dict(stack.cloud.dynamodb.get_item(TableName=stack.submissions.table.name, Key=key)["Item"])


def _poison(patch: pytest.MonkeyPatch, player: str) -> None:
    """Let the folding of a player fail, as what is stored of it may."""
    write = _Fold.write

    def act(self: _Fold, *arguments: Any) -> Any:
        if self.player == player:
            raise ValueError("poisoned")
        return write(self, *arguments)

    patch.setattr(_Fold, "write", act)
