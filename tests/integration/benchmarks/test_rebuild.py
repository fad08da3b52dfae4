"""Rebuilding: what records say, and nothing else, decides what a board becomes."""

import math
from typing import Any, cast

import pytest

from aggregate.checking import BoardOperator
from aggregate.rebuilder import Rebuilder
from storage.benchmarks.operations import OperationRequest, OperationResult
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import utc_now
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record
from tests.harness.stack import StackHarness


@pytest.fixture
def rebuilder(stack: StackHarness) -> Rebuilder:
    """What rebuilds."""
    return Rebuilder(stack.aggregator)


def rebuild_board(rebuilder: Rebuilder, benchmark: str, *, after: str = "", until: float = math.inf) -> OperationResult:
    """Do the operation, and return its report."""
    request = OperationRequest(operation="rebuild", benchmark=benchmark, after=after)
    return BoardOperator(rebuilder, cast("Any", None), utc_now, print).rebuild(request, until=until)


def record_all(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """Write the records, as evaluate does; nobody aggregates them."""
    for record in records:
        assert stack.submissions.put_record(record)


def records_of(published: PublishedBenchmark) -> list[SubmissionRecord]:
    """Return three records of two players."""
    return [
        make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=1),
        make_guest_record(published, "Bea", {"Coins": 7, "Time": 2.0}, number=2),
        make_guest_record(published, "Ada", {"Coins": 9, "Time": 3.0}, number=3),
    ]


def test_rebuild_adds_records_never_delivered(
    stack: StackHarness, published: PublishedBenchmark, rebuilder: Rebuilder
) -> None:
    """A board is made from the records alone, records over time included."""
    record_all(stack, records_of(published))

    report = rebuild_board(rebuilder, "coins")

    rows = stack.rows()
    assert (rows.name, rows.rank, rows.submissions) == (("Ada", "Bea"), (1, 2), (2, 1))
    assert [step[1] for step in stack.head().improvements.steps] == [5, 7, 9]
    assert (report.version, report.rows) == (published.version, 2)


def test_lost_items_are_restored(stack: StackHarness, published: PublishedBenchmark, rebuilder: Rebuilder) -> None:
    """Board entries and standings that were lost are made again, and the board is as it was."""
    record_all(stack, records_of(published))
    rebuild_board(rebuilder, "coins")
    before = stack.board()
    table = stack.template.resources["BoardsTable"].name
    for item in stack.items("BoardsTable"):
        stack.cloud.dynamodb.delete_item(TableName=table, Key={name: item[name] for name in ("board", "item")})

    rebuild_board(rebuilder, "coins")

    assert stack.board() == before


@pytest.mark.parametrize("lost", ["entry#guest-ada", "player#guest-ada"])
def test_what_one_item_lost_counts_once(
    stack: StackHarness, published: PublishedBenchmark, rebuilder: Rebuilder, lost: str
) -> None:
    """A standing without its entries, or entries without their standing, are folded so that each record counts once."""
    late = make_guest_record(published, "Ada", {"Coins": 1, "Time": 1.0}, number=4)
    record_all(stack, [*records_of(published), late])
    for record in (*records_of(published), late):  # one at a time: the standing names the last one alone
        stack.aggregator.update(_board(published), [record])
    table = stack.template.resources["BoardsTable"].name
    for item in stack.items("BoardsTable"):
        if item["item"]["S"].startswith(lost):
            stack.cloud.dynamodb.delete_item(TableName=table, Key={name: item[name] for name in ("board", "item")})

    rebuild_board(rebuilder, "coins")

    assert (stack.rows().name, stack.rows().submissions) == (("Ada", "Bea"), (3, 1))


def test_records_of_other_versions_are_ignored(
    stack: StackHarness, published: PublishedBenchmark, rebuilder: Rebuilder
) -> None:
    """Records under another version are not on the board."""
    _, *others = records_of(published)
    record_all(stack, others)
    stack.submissions.put_record(
        make_guest_record(published.model_copy(update={"version": "0" * 16}), "Cem", {}, number=9)
    )

    rebuild_board(rebuilder, "coins")

    assert set(stack.rows().name) == {"Ada", "Bea"}


def test_record_added_during_a_rebuild_is_kept(
    stack: StackHarness, published: PublishedBenchmark, rebuilder: Rebuilder
) -> None:
    """A record that is aggregated while a rebuild reads stays on the board."""
    record_all(stack, records_of(published))
    late = make_guest_record(published, "Cem", {"Coins": 8, "Time": 1.0}, number=4)
    steps = rebuilder.rebuild(_board(published))
    next(steps)
    stack.submissions.put_record(late)
    stack.aggregator.update(_board(published), [late])

    list(steps)
    stack.aggregator.render_all(_board(published))

    assert stack.rows().name == ("Ada", "Cem", "Bea")


def _board(published: PublishedBenchmark) -> BoardKey:
    return BoardKey(published.id, published.version)
