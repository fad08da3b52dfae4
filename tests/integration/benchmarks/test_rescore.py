"""Rescoring: every result under the next version, one move, and never a board of two versions."""

import copy
import os
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock, patch

import pytest
from typer.testing import CliRunner

from aggregate import rescore, stream
from aggregate.benchmarks.promoter import VersionPromoter
from aggregate.dependencies import make_promoter
from cli.client import NotFinished
from cli.commands.benchmarks import publishing as benchmarks
from cli.main import app
from evaluate import queue
from local.event_sources import StreamPoller
from scoring_core.outcome import Outcome
from storage.benchmarks.rescores import PromotionBlocked, ask_rescore
from storage.benchmarks.store import PublishConflict, PublishedBenchmark
from storage.boards.entries import BoardEntryStore
from storage.boards.folding import StandingFolder
from storage.boards.standings import BoardKey
from storage.gateway.table import Table
from storage.players.tokens import Scope
from storage.settings import RescoreSettings
from tests.harness.clock import Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, make_withdrawal
from tests.harness.stack import (
    GOOD,
    TRUTH,
    Api,
    InProcess,
    StackHarness,
    build_aggregator,
    make_benchmark,
    watching,
)

BEA = {"question": "1", "text": "TR-V017-4934,5001"}
CORRECTED = TRUTH.replace("4945,5010,5001,5020", "4934,4934,5001,5001")
"""The truth that Bea knew: Ada leads with 79.0 to 73.5 before, Bea with 100.0 to 94.5 after; a board shows half."""


@pytest.fixture
def pollers(stack: StackHarness) -> tuple[Any, StreamPoller]:
    """What hands messages to evaluate and outcomes to aggregate."""
    source = stack.queue_poller(queue.lambda_handler, queue="EvaluateQueue", function="EvaluateFunction")
    return source, stack.stream_poller(stream.lambda_handler)


@pytest.fixture
def drain(pollers: tuple[Any, StreamPoller]) -> Callable[[], None]:
    """Score all that waits, and publish what follows."""
    source, outcomes = pollers

    def run(_: float = 0) -> None:
        while source.deliver():
            pass
        while outcomes.poll():
            pass

    return run


@pytest.fixture
def promoter(stack: StackHarness, clock: Clock, pollers: tuple[Any, StreamPoller]) -> VersionPromoter:
    """What rescores; while it waits, the queue is worked off, and the stream of outcomes stands still."""
    cloud = stack.cloud
    settings = RescoreSettings.read(os.environ)
    made = make_promoter(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, sqs=cloud.messages, clock=clock)
    return copy.replace(made, sleep=lambda _: [*iter(pollers[0].deliver, 0)])


@pytest.fixture
def corrected(stack: StackHarness, api: Api, drain: Callable[[], None]) -> PublishedBenchmark:
    """A benchmark with two scored results, published again with another truth."""
    stack.publish(make_benchmark())
    api.post(GOOD, query={"player": "Ada"})
    api.post(BEA, query={"player": "Bea"})
    drain()
    return stack.publish(make_benchmark(truth=CORRECTED))


def ask(promoter: VersionPromoter, published: PublishedBenchmark) -> None:
    """Ask for a rescore, as the API does."""
    ask_rescore(published, promoter.rescoring.flags, now=promoter.rescoring.clock())


def ranks(stack: StackHarness) -> dict[str, int]:
    """Return the ranks that the board shows."""
    rows = stack.rows("tiny")
    return dict(zip(rows.name, rows.rank, strict=True))


def test_version_is_not_promoted_unasked(promoter: VersionPromoter, corrected: PublishedBenchmark) -> None:
    """Without being asked for, nothing moves, however complete it is."""
    with watching(promoter.aggregator.submissions.bucket.client, "PutObject") as writes:
        moved = promoter.step("tiny", patience_seconds=5)

    assert not moved
    assert writes == []


def test_rescored_records_are_marked(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark, api: Api
) -> None:
    """Records under the next version say so, of old results and of new; those under the current one never."""
    api.post(GOOD, query={"player": "Cem"})
    ask(promoter, corrected)
    promoter.step("tiny", patience_seconds=5)

    items = stack.items("SubmissionsTable")

    assert len(items) == 6
    assert all(item["rescored"]["BOOL"] is (item["version"]["S"] != corrected.version) for item in items)


def test_a_result_after_the_move(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark, api: Api, drain: Callable[[], None]
) -> None:
    """A result that was queued before the move and is scored after it is scored under the new version alone."""
    lacking = promoter.rescoring.list_unscored(corrected)
    promoter.rescoring.queue(corrected, lacking)
    promoter.wait(corrected, lacking, seconds=5)
    accepted = api.post(GOOD, query={"player": "Cem"}).body
    moved = promoter.promote(corrected)

    drain()

    versions = {
        item["version"]["S"]
        for item in stack.items("SubmissionsTable")
        if item["submission"]["S"] == accepted["submission"]
    }
    assert versions == {moved.version}
    assert ranks(stack) == {"Bea": 1, "Ada": 2, "Cem": 2}


def test_moved_while_a_standing_is_folded(
    stack: StackHarness,
    promoter: VersionPromoter,
    corrected: PublishedBenchmark,
    api: Api,
    pollers: tuple[Any, StreamPoller],
) -> None:
    """A fold of the next version that ends while it becomes current publishes its standing."""
    ask(promoter, corrected)
    api.post(GOOD, query={"player": "Cem"})
    source, _ = pollers
    promoter.rescoring.queue(corrected, promoter.rescoring.list_unscored(corrected))
    while source.deliver():
        pass
    assert corrected.next is not None
    board = BoardKey("tiny", corrected.next.version)
    aggregator = promoter.aggregator
    records = list(aggregator.submissions.all_records("tiny", version=board.version))
    moved: list[PublishedBenchmark] = []
    first = iter([True])  # rows are written by several threads

    def write(*asked: Any) -> None:
        if next(first, False):
            moved.append(aggregator.benchmarks.promote(corrected))
        stack.cloud.dynamodb.transact(*asked)

    dynamodb = Mock(wraps=stack.cloud.dynamodb, transact=write)
    folder = StandingFolder(BoardEntryStore(Table(dynamodb, aggregator.standings.table.name)))

    shown = copy.replace(aggregator, folder=folder).fold_standings(board, records).rows

    assert moved
    assert shown


@patch("storage.benchmarks.rescores._AT_ONCE", 1)
def test_outcomes_are_read_in_order(promoter: VersionPromoter, corrected: PublishedBenchmark) -> None:
    """While the first few have no outcome, nothing of the others is read; in the end all have one."""
    lacking = promoter.rescoring.list_unscored(corrected)
    read = Mock(wraps=promoter.rescoring.results)
    watched = copy.replace(promoter.rescoring, results=read)
    watched.queue(corrected, lacking)

    assert (watched.find_unscored(corrected, lacking), len(lacking)) == (lacking, 2)
    assert read.list_recorded.call_count == 1
    assert promoter.wait(corrected, lacking, seconds=5) == []


def test_second_promoter_changes_nothing(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark
) -> None:
    """Of two who move at once one does, and the other finds it done."""
    lacking = promoter.rescoring.list_unscored(corrected)
    promoter.rescoring.queue(corrected, lacking)
    promoter.wait(corrected, lacking, seconds=5)

    first, second = promoter.promote(corrected), promoter.promote(corrected)

    assert first == second
    assert ranks(stack) == {"Bea": 1, "Ada": 2}


def test_version_published_again_is_not_promoted(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark
) -> None:
    """What was published again, whatever it is, is not moved by a rescore of what came before."""
    lacking = promoter.rescoring.list_unscored(corrected)
    promoter.rescoring.queue(corrected, lacking)
    promoter.wait(corrected, lacking, seconds=5)
    stack.publish(make_benchmark(truth=CORRECTED.replace("5001,5001", "5002,5002")))

    with pytest.raises(PublishConflict, match="published again"):
        promoter.promote(corrected)

    assert stack.head("tiny").version == corrected.version


def test_a_publisher_who_stops_before_the_board(
    stack: StackHarness, promoter: VersionPromoter, api: Api, drain: Callable[[], None]
) -> None:
    """A changed ranking is applied to everybody, though its publisher stopped and a record has come since."""
    stack.publish(make_benchmark())
    api.post(GOOD, query={"player": "Ada"})
    drain()
    api.post(BEA, query={"player": "Ada"})
    drain()
    latest = {"keep": "latest", "combine": "mean", "by": ["score"]}
    promoter.aggregator.benchmarks.publish(make_benchmark(ranking=latest))
    api.post(GOOD, query={"player": "Bea"})
    drain()
    between = ranks(stack)

    promoter.step("tiny", patience_seconds=0)

    assert between == {"Ada": 1, "Bea": 1}
    assert ranks(stack) == {"Bea": 1, "Ada": 2}
    with watching(promoter.aggregator.submissions.bucket.client, "PutObject") as writes:
        promoter.step("tiny", patience_seconds=0)
    assert writes == []


def test_a_late_publisher_of_the_old_version(
    stack: StackHarness,
    promoter: VersionPromoter,
    corrected: PublishedBenchmark,
    drain: Callable[[], None],
    clock: Clock,
) -> None:
    """A fold for the old version, begun before the move, publishes nothing after it, though not all are folded yet."""
    promoter.rescoring.queue(corrected, promoter.rescoring.list_unscored(corrected))
    drain()
    assert corrected.next is not None
    old, new = BoardKey("tiny", corrected.version), BoardKey("tiny", corrected.next.version)
    late = build_aggregator(stack, clock)
    first, *_ = late.standings.read_board(old, None).standings
    promoter.aggregator.benchmarks.promote(corrected)
    records = late.submissions.all_records("tiny", version=new.version)
    others = [record for record in records if record.submission.player.id != first]
    build_aggregator(stack, clock).update(new, others)
    promoter.step("tiny", patience_seconds=0)

    late.renderer.render(BoardKey("tiny", old.version), [first])

    assert stack.head("tiny").version == new.version
    assert ranks(stack) == {"Bea": 1, "Ada": 2}


def test_a_bundle_without_a_pointer(stack: StackHarness, promoter: VersionPromoter) -> None:
    """A benchmark whose first publisher stopped half-way has nothing to move, and holds up no other."""
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key="benchmarks/aaa/0/f1.zip", Body=b"")

    assert not promoter.step("aaa", patience_seconds=0)
    assert InProcess(rescore.lambda_handler, "RescoreFunction").invoke({}) == []


def test_a_version_that_scores_nothing_is_withheld(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark, drain: Callable[[], None]
) -> None:
    """A next version under which no result has a score is never promoted; a better one is."""
    broken = stack.publish(make_benchmark(truth=TRUTH.replace("1,TR", "7,TR")))
    ask(rescore.promoter(), broken)
    promoter.rescoring.queue(broken, promoter.rescoring.list_unscored(broken))
    drain()

    moved = InProcess(rescore.lambda_handler, "RescoreFunction").invoke({})
    with pytest.raises(PromotionBlocked, match="no result has a score under it, and 2 have one now"):
        promoter.step("tiny", patience_seconds=5)

    assert moved == []
    assert (stack.head("tiny").version, ranks(stack)) == (corrected.version, {"Ada": 1, "Bea": 2})
    ask(promoter, stack.publish(make_benchmark(truth=CORRECTED)))
    assert promoter.step("tiny", patience_seconds=5)
    assert ranks(stack) == {"Bea": 1, "Ada": 2}


def test_a_version_with_a_fault_of_ours_is_withheld(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark, drain: Callable[[], None]
) -> None:
    """A result that we failed to score again keeps its place: nothing moves until it is scored."""
    ask(promoter, corrected)
    assert corrected.next is not None
    lost = promoter.rescoring.list_unscored(corrected)[0].submission
    record = stack.submissions.find_record("tiny", submission=lost, version=corrected.version)
    assert record is not None
    failed = copy.replace(
        record,
        version=corrected.next.version,
        outcome=Outcome.INTERNAL_ERROR,
        evaluations=(),
        message="oh",
        rescored=True,
    )
    stack.submissions.put_record(failed)

    with pytest.raises(PromotionBlocked, match="1 of 2 results that have a score ended as internal_error under it"):
        promoter.step("tiny", patience_seconds=5)

    assert ranks(stack) == {"Ada": 1, "Bea": 2}
    promoter.rescoring.submissions.put_record(copy.replace(record, version=corrected.next.version, rescored=True))
    drain()
    assert promoter.step("tiny", patience_seconds=5)
    assert ranks(stack).keys() == {"Ada", "Bea"}


def test_what_is_withdrawn_holds_nothing_back(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark
) -> None:
    """A result that is on no board cannot be missing from one, however it ended under the next version."""
    ask(promoter, corrected)
    assert corrected.next is not None
    for key in promoter.rescoring.list_unscored(corrected):
        record = stack.submissions.find_record("tiny", submission=key.submission, version=corrected.version)
        assert record is not None
        failed = copy.replace(
            record, version=corrected.next.version, outcome=Outcome.INTERNAL_ERROR, evaluations=(), message="oh"
        )
        stack.submissions.put_record(failed)
        promoter.rescoring.withdrawals.put(make_withdrawal(record))

    assert promoter.step("tiny", patience_seconds=0)


def test_a_foreign_object_holds_nothing_up(
    stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark
) -> None:
    """What somebody else put among the results has no outcome, ever, and the version moves."""
    foreign = "results/tiny/2026-01-15/019bc119-0100-78a3-a5e8-1d1e89f0efc7"
    stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=foreign, Body=b"{}")
    ask(promoter, corrected)

    assert promoter.step("tiny", patience_seconds=5)


def test_results_are_queued_once(stack: StackHarness, promoter: VersionPromoter, corrected: PublishedBenchmark) -> None:
    """While outcomes are waited for, another call of the schedule puts nothing on the queue twice."""
    ask(promoter, corrected)
    asleep = copy.replace(promoter, sleep=lambda _: None)
    asleep.step("tiny", patience_seconds=1)

    with watching(stack.cloud.sqs, "SendMessageBatch") as sent:
        asleep.step("tiny", patience_seconds=1)

    assert sent == []


def test_owner_rescores_with_a_token(
    stack: StackHarness,
    api: Api,
    promoter: VersionPromoter,
    corrected: PublishedBenchmark,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`laurel rescore` asks over HTTP, waits for the schedule, and shows who moved; a second time there is nothing."""
    connect_commands(api, monkeypatch, stack)
    monkeypatch.setattr(benchmarks.time, "sleep", lambda _: promoter.step("tiny", patience_seconds=1))
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    runner = CliRunner(env={"LAUREL_TOKEN": owner["Authorization"].removeprefix("Bearer "), "COLUMNS": "100"})

    done, again = (runner.invoke(app, ["rescore", "tiny"]) for _ in range(2))

    assert corrected.next is not None
    assert f"tiny version {corrected.version} → {corrected.next.version}\n" in done.stdout
    assert "2 → 1 ↑" in done.stdout
    assert "2 of 2 rows changed, 2 in rank" in done.stdout
    assert "correct its folder and publish it with `laurel publish FOLDER`" in str(again.exception)


@pytest.mark.usefixtures("corrected")
def test_rescore_that_does_not_end_stays_requested(
    stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the queue stands still the watching ends, not the rescore."""
    connect_commands(api, monkeypatch, stack)
    monkeypatch.setattr(benchmarks.time, "sleep", lambda _: None)
    monkeypatch.setattr(benchmarks, "MAX_RESCORE_SECONDS", 0.0)
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))

    done = laurel("rescore", "tiny", token=owner["Authorization"].removeprefix("Bearer "))

    assert isinstance(done.exception, NotFinished)
    assert "is not current yet; it stays requested" in str(done.exception)
