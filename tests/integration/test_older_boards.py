"""What the release before left: its contributions are taken over, and nothing is lost. Nor by heads of the next."""

import json
from typing import Any

import pytest

from aggregate import stream
from aggregate.rebuilder import Rebuilder
from cli.commands.rescores import rebuild_board
from scoring_core.ranking.improvements import find_improvements
from scoring_core.ranking.standings import fold_standing
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.older_boards import OlderBoards
from tests.harness.stack import COINS, InProcess, StackHarness, make_benchmark, make_stream_event

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")
HEAD = "data/b/coins/head.json"
SUM = {**COINS, "ranking": {"keep": "sum", "combine": "sum", "by": ["Coins", "Time"]}}


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """A benchmark that adds up, so that what counts twice shows."""
    return stack.publish(make_benchmark(SUM))


@pytest.fixture
def before(stack: StackHarness, published: PublishedBenchmark) -> SubmissionRecord:
    """A record of Ada's that the release before folded."""
    record = _record(stack, published, "Ada", 1, number=1)
    older, board = OlderBoards(stack.aggregator.standings.table), BoardKey("coins", published.version)
    older.contribute(board, stack.aggregator.entries.read_all([record]))
    rest: Any = {"ranking": published.definition.ranking, "score_type": published.definition.score_type, "parts": ()}
    older.update_standing(
        board,
        "guest-ada",
        fold=lambda tries: (fold_standing(tries, **rest), find_improvements(tries, **rest)),
        publish_number=published.revision,
    )
    return record


@pytest.fixture
def folded(stack: StackHarness, published: PublishedBenchmark, before: SubmissionRecord) -> SubmissionRecord:
    """Another one, folded by this release; then the board was published in schema 2."""
    record = _record(stack, published, "Ada", 2, number=2)
    stack.aggregator.fold_standings(BoardKey("coins", published.version), [record])
    _write_head(stack, published)
    return record


def test_records_are_folded_into_what_older_code_wrote(
    stack: StackHarness, published: PublishedBenchmark, before: SubmissionRecord, folded: SubmissionRecord
) -> None:
    """Each submission counts once, delivered again or for the first time, and the board is published whole."""
    _deliver(
        before, folded, _record(stack, published, "Ada", 4, number=3), _record(stack, published, "Bea", 8, number=4)
    )

    rows = stack.rows()
    assert dict(zip(rows.name, rows.scores["Coins"], strict=True)) == {"Ada": 7, "Bea": 8}
    assert rows.submissions == (1, 3)
    assert (stack.head().sequence, json.loads(_read_head(stack))["schema"]) == (8, 1)


def test_contribution_of_older_code_can_be_withdrawn(
    stack: StackHarness, before: SubmissionRecord, folded: SubmissionRecord
) -> None:
    """What older code folded no longer counts once it is withdrawn, and the board shows the notice."""
    stack.withdrawals.put(make_withdrawal(before))

    _deliver(before)

    assert stack.rows().scores["Coins"] == (2,)
    assert [notice.submission for notice in stack.head().removed] == [before.submission.id]


def test_rebuild_takes_contributions_over(
    stack: StackHarness, published: PublishedBenchmark, folded: SubmissionRecord
) -> None:
    """A rebuild folds every record once, whether older code had folded it, this code, or none."""
    _record(stack, published, "Ada", 4, number=3)

    report = rebuild_board(Rebuilder(stack.aggregator), "coins", dry_run=False)

    assert stack.rows().scores["Coins"] == (7,)
    assert [(change.value_before, change.value_after) for change in report.changes] == [(None, 7)]


def test_schedule_replaces_the_head_of_newer_code(
    stack: StackHarness, published: PublishedBenchmark, folded: SubmissionRecord
) -> None:
    """A board without new results is published again, and its index entry with it; then it stays."""
    aggregator = stack.aggregator
    stale = aggregator.snapshots.read_head("coins")
    assert stale is not None
    assert stale.value.revision < published.revision

    aggregator.update(BoardKey("coins", published.version), None)
    body = _read_head(stack)
    aggregator.update(BoardKey("coins", published.version), None)

    assert stack.rows().scores["Coins"] == (3,)
    assert stack.index().benchmarks[0].sequence == stack.head().sequence == 8
    assert _read_head(stack) == body


def _record(
    stack: StackHarness, published: PublishedBenchmark, player: str, coins: int, *, number: int
) -> SubmissionRecord:
    record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=number)
    assert stack.submissions.put_record(record)
    return record


def _deliver(*records: SubmissionRecord) -> None:
    assert FUNCTION.invoke(make_stream_event(records)) == {"batchItemFailures": []}


def _write_head(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Replace the head by what the next release writes: schema 2, no rows file, another baseline."""
    head: dict[str, Any] = json.loads(_read_head(stack))
    newer = {
        **{name: value for name, value in head.items() if name not in {"rows_url", "replaced"}},
        "schema": 2,
        "sequence": 7,
        "board": "main",
        "row_kind": "player",
        "order": [["Coins", "higher"], ["Time", "lower"]],
        "counts": {"players": 1, "submissions": 2, "unranked": 0},
        "baseline": {"date": "2026-01-01", "ranks": {"guest-ada": 1}, "directory": None, "recent": None, "total": 1},
        "pages": None,
        "previous": None,
    }
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=HEAD, Body=json.dumps(newer).encode())


def _read_head(stack: StackHarness) -> bytes:
    return bytes(stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key=HEAD)["Body"].read())
