"""What the release before left: its contributions are taken over, its boards are made again, and nothing is lost."""

import json
from typing import Any

import pytest

from aggregate import rescore, stream
from aggregate.board import cut_rows
from aggregate.rebuilder import Rebuilder
from cli.commands.rescores import rebuild_board
from scoring_core.ranking.improvements import find_improvements
from scoring_core.ranking.standings import fold_standing
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Rows
from storage.boards.standings import BoardKey
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.older_boards import OlderBoards
from tests.harness.stack import COINS, Api, InProcess, StackHarness, make_benchmark, make_stream_event

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")
SCHEDULE = InProcess(rescore.lambda_handler, "RescoreFunction")
CROWD = 150
"""Players of a board that needs pages."""
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
    """Another one, which this release has folded; the head is still the one of before."""
    record = _record(stack, published, "Ada", 2, number=2)
    stack.aggregator.fold_standings(BoardKey("coins", published.version), [record])
    _write_older_head(stack, Rebuilder(stack.aggregator).preview(BoardKey("coins", published.version)))
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
    assert (stack.head().sequence, json.loads(_read_head(stack))["schema"]) == (8, 2)


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


@pytest.fixture
def crowd(stack: StackHarness, published: PublishedBenchmark) -> list[SubmissionRecord]:
    """A board of 150 players as the release before left it: contributions, standings and a head of schema 1."""
    records = [_record(stack, published, f"P{number}", number % 70, number=number) for number in range(CROWD)]
    records += [_record(stack, published, f"P{number}", 5, number=CROWD + number) for number in range(0, CROWD, 10)]
    older, board = OlderBoards(stack.aggregator.standings.table), BoardKey("coins", published.version)
    older.contribute(board, stack.aggregator.entries.read_all(records))
    rest: Any = {"ranking": published.definition.ranking, "score_type": published.definition.score_type, "parts": ()}
    for player in {record.submission.player.id for record in records}:
        older.update_standing(
            board,
            player,
            fold=lambda tries: (fold_standing(tries, **rest), find_improvements(tries, **rest)),
            publish_number=published.revision,
        )
    rows = Rebuilder(stack.aggregator).preview(board)
    _write_older_head(stack, rows)
    return records


def test_schedule_makes_a_board_of_the_release_before(
    stack: StackHarness, api: Api, published: PublishedBenchmark, crowd: list[SubmissionRecord]
) -> None:
    """Until it runs, the head has the rows and the API none; then the board has pages, and is that of a rebuild."""
    board = BoardKey("coins", published.version)
    before = (stack.head().rows.rank[:3], api("GET", "/api/benchmarks/coins/rows").status)

    SCHEDULE.invoke({})

    head = stack.head()
    assert before == ((1, 1, 3), 404)
    assert stack.rows() == Rebuilder(stack.aggregator).preview(board)
    assert (head.schema_number, head.sequence, head.total, head.counts.submissions) == (2, 8, CROWD, len(crowd))
    assert head.pages is not None
    assert stack.index().benchmarks[0].sequence == head.sequence
    assert len(api("GET", "/api/benchmarks/coins/rows", query={"from": "101"}).body["rows"]) == CROWD - 100


def test_first_record_makes_a_board_of_the_release_before(
    stack: StackHarness, published: PublishedBenchmark, crowd: list[SubmissionRecord]
) -> None:
    """One record is enough, of a player whose standing is of schema 1; all others' are read as they are."""
    board = BoardKey("coins", published.version)

    _deliver(crowd[0], _record(stack, published, "P3", 500, number=1_000))

    head, rows = stack.head(), stack.rows()
    assert rows == Rebuilder(stack.aggregator).preview(board)
    assert (rows.name[0], rows.scores["Coins"][0], len(rows.name)) == ("P3", 503, CROWD)
    assert (head.schema_number, head.total, head.counts.submissions) == (2, CROWD, len(crowd) + 1)


def _record(
    stack: StackHarness, published: PublishedBenchmark, player: str, coins: int, *, number: int
) -> SubmissionRecord:
    record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=number)
    assert stack.submissions.put_record(record)
    return record


def _deliver(*records: SubmissionRecord) -> None:
    assert FUNCTION.invoke(make_stream_event(records)) == {"batchItemFailures": []}


def _read_head(stack: StackHarness) -> bytes:
    return bytes(stack.cloud.s3.get_object(Bucket=stack.site_bucket, Key=HEAD)["Body"].read())


def _write_older_head(stack: StackHarness, rows: Rows) -> None:
    """Replace the head by what the release before wrote: schema 1, and a file with all rows."""
    name = "data/b/coins/rows.7-0123456789ab.json"
    head: dict[str, Any] = json.loads(_read_head(stack))
    added = {"board", "board_title", "since", "order", "row_kind", "pages", "is_incomplete", "previous"}
    older = {
        **{name: value for name, value in head.items() if name not in added},
        "schema": 1,
        "sequence": 7,
        "total": len(rows.name),
        "counts": {"players": len(rows.name), "submissions": sum(rows.submissions)},
        "rows": cut_rows(rows, 100).model_dump(mode="json", exclude={"label"}),
        "rows_url": f"/{name}",
        "replaced": [],
        "baseline": {"date": "2025-12-31", "rows_url": "/data/b/coins/rows.5-0123456789ab.json"},
    }
    file = {"schema": 1, "rows": rows.model_dump(mode="json")}
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=name, Body=json.dumps(file).encode())
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=HEAD, Body=json.dumps(older).encode())
