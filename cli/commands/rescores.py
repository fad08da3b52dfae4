"""`laurel rescore`, `laurel rebuild` and `laurel sweep`: what schedules do by themselves, started by hand."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, NamedTuple

import typer

from aggregate.aggregator import Aggregator
from aggregate.checking import BoardChecker
from aggregate.dependencies import make_promoter
from aggregate.promoter import VersionPromoter
from aggregate.rebuilder import Rebuilder
from aggregate.versions.changes import PlayerChange, compare_boards, find_changes
from aggregate.versions.windows import WindowKeeper
from cli.commands.audit import find_operator, open_trail, record_audit
from cli.commands.corrections import RescoreReport, follow_rescore, print_changes
from cli.console import (
    AsJson,
    BenchmarkId,
    DryRun,
    StackName,
    make_console,
    plain,
    print_json,
    show,
)
from cli.exit_codes import choose_exit_code
from cli.progress import show_progress
from cli.stack import check_published, find_settings
from evaluate.dependencies import make_sweeper
from evaluate.sweeper import Sweeper
from storage.audit import Action
from storage.aws.clients import dynamodb_client, lambda_client, s3_client, sqs_client
from storage.aws.functions import AsyncFunction
from storage.benchmarks.corrections import CorrectionNote
from storage.benchmarks.rescores import RescoreRequests, find_following
from storage.benchmarks.store import PublishConflict
from storage.boards.reading import SiteFiles
from storage.boards.standings import BoardKey
from storage.settings import OperatorRescoreSettings, RescoreSettings, SweepSettings


class RescorePlan(NamedTuple):
    """What a rescore would do; `lacking` results have no outcome under `next` yet."""

    benchmark: str
    version: str
    next: str
    changes: list[str]
    results: int
    lacking: int


class RebuildReport(NamedTuple):
    """What a rebuild changed, or would change: the players whose rank or value changes."""

    benchmark: str
    version: str
    written: bool
    players: int
    column: str
    changes: list[PlayerChange]


def rescore_with_aws(
    benchmark: str, *, stack: str | None, note: CorrectionNote, dry_run: bool, json: bool
) -> RescoreReport | None:
    """Have all results scored under the version published last, which then is current.

    Returns None for a `dry_run`, whose plan it prints. Raises LaurelError.
    """
    promoter = open_promoter(stack)
    benchmarks = promoter.aggregator.benchmarks
    check_published(benchmarks, benchmark)
    if dry_run:
        plan = plan_rescore(promoter, benchmark)
        show(plan._asdict(), lambda: _print_plan(plan), json=json)
        return None
    name = find_settings(stack, OperatorRescoreSettings).rescore_function
    requests = RescoreRequests(
        promoter.rescoring.flags,
        promoter.notes,
        open_trail(stack),
        lambda: AsyncFunction(lambda_client(), name),
        promoter.rescoring.clock,
    )
    return rescore_benchmark(promoter.aggregator, benchmark, requests, note)


def rescore_benchmark(
    boards: Aggregator, benchmark: str, requests: RescoreRequests, note: CorrectionNote
) -> RescoreReport:
    """Request a rescore as an operator, and wait until the board shows its version.

    Raises:
        NothingToRescore: There is no next version.
        PublishConflict: The benchmark was published again in the meantime.
        NotFinished: It does not end in time.
    """
    published = boards.benchmarks.current(benchmark, fresh=True)
    following = find_following(published)

    def check() -> None:
        now = boards.benchmarks.current(benchmark, fresh=True)
        is_next = now.next is not None and now.next.published_at == following.published_at
        if not is_next and now.version != following.version:
            raise PublishConflict(
                f"{benchmark}: somebody published it again while its results were scored; see `laurel audit`. "
                f"If that is right, `laurel rescore {benchmark}` scores all results under it."
            )

    return follow_rescore(
        SiteFiles(boards.snapshots.bucket),
        benchmark,
        lambda: requests.add(published, find_operator(), note).version,
        check,
    )


def rebuild(
    benchmark: BenchmarkId,
    *,
    check: Annotated[
        bool, typer.Option("--check", help="Report where boards differ from the records, and change nothing.")
    ] = False,
    stack: StackName = None,
    dry_run: DryRun = False,
    json: AsJson = False,
) -> None:
    """Rebuild a board from the records of its submissions; safe while results come in."""
    promoter = open_promoter(stack)
    rebuilder = Rebuilder(promoter.aggregator)
    check_published(rebuilder.aggregator.benchmarks, benchmark)
    if check:
        checker = BoardChecker(rebuilder, promoter.rescoring.clock, time.sleep)
        differences = [f"{each.board}: {each}" for each in checker.check(benchmark)]
        show(differences, "\n".join(map(plain, differences)) or "no board differs from its records", json=json)
        raise typer.Exit(choose_exit_code(failed=bool(differences)))
    if not dry_run:
        record_audit(stack, Action.REBUILD, benchmark=benchmark)
    report = rebuild_board(rebuilder, benchmark, dry_run=dry_run)
    if json:
        print_json({**report._asdict(), "changes": [change._asdict() for change in report.changes]})
        return
    console = make_console()
    console.print(f"[bold]{benchmark}[/] version {report.version}, {report.players} players")
    print_changes(report.changes, report.column)
    console.print(f"{len(report.changes) or 'nothing'} {'changed' if report.written else 'would change'}")


def sweep(
    hours: Annotated[int, typer.Option(min=1, help="How far back to look for results without an outcome.")] = 48,
    failed: Annotated[
        bool, typer.Option("--failed", help="Queue results that ended as internal_error instead, of any age.")
    ] = False,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Queue results without an outcome again, without waiting for the schedule."""
    sweeper = make_sweeper(find_settings(stack, SweepSettings))
    record_audit(stack, Action.SWEEP, benchmark=None)
    queued = sweep_benchmarks(sweeper, window=timedelta(hours=hours), failed=failed)
    show(queued, lambda: _print_swept(queued, failed=failed), json=json)


def open_promoter(stack: str | None) -> VersionPromoter:
    """Return the promoter of a stack; None: the one on this machine. Raises NoStack."""
    settings = find_settings(stack, RescoreSettings)
    return make_promoter(
        settings, s3=s3_client(), dynamodb=dynamodb_client(), sqs=sqs_client(), clock=lambda: datetime.now(UTC)
    )


def plan_rescore(promoter: VersionPromoter, benchmark: str) -> RescorePlan:
    """Return what a rescore would do, without doing it.

    Raises NotFound, NothingToRescore.
    """
    benchmarks = promoter.aggregator.benchmarks
    published = benchmarks.current(benchmark, fresh=True)
    version = find_following(published).version
    rescoring = promoter.rescoring
    results = sum(1 for _ in rescoring.results.list_results(benchmark))
    changes = find_changes(benchmarks.load(published), benchmarks.load(published.next_version or published))
    unscored = len(rescoring.list_unscored(published))
    return RescorePlan(benchmark, published.version, version, changes, results, unscored)


def rebuild_board(rebuilder: Rebuilder, benchmark: str, *, dry_run: bool) -> RebuildReport:
    """Rebuild a board, or return what that would change. Raises NotFound."""
    published = rebuilder.aggregator.benchmarks.current(benchmark, fresh=True)
    board = BoardKey(benchmark, published.version)
    before = rebuilder.read_rows(benchmark)
    if dry_run:
        after = rebuilder.preview(board)
    else:
        with show_progress() as progress:
            task = progress.add_task("reading records", total=None)
            for _ in rebuilder.rebuild(board):
                progress.advance(task)
            task = progress.add_task("folding standings", total=None)
            rebuilder.aggregator.update(board, None)
            progress.update(task, total=1, completed=1)
            for _ in WindowKeeper(rebuilder.aggregator).restore_all(published):
                progress.advance(task)
        after = rebuilder.read_rows(benchmark)
    column = published.definition.ranking.by[0]
    changes = [change for change in compare_boards(before, after, column=column) if change.is_change]
    return RebuildReport(benchmark, board.version, not dry_run, len(after.player), column, changes)


def sweep_benchmarks(sweeper: Sweeper, *, window: timedelta, failed: bool) -> dict[str, int]:
    """Queue results of every benchmark again, however often they were queued before.

    Args:
        sweeper: Finds the results.
        window: How far back to look for results without an outcome.
        failed: Whether to queue all results that ended as `internal_error` instead.

    Returns:
        Benchmark → number of queued results, without those that have none.
    """
    queued: dict[str, int] = {}
    with show_progress() as progress:
        for benchmark in progress.track(sweeper.benchmarks.list_ids(), description="sweeping"):
            keys = sweeper.find_failed(benchmark) if failed else list(sweeper.find_lost(benchmark, window=window))
            if number := sum(sweeper.queue.send(keys)):
                queued[benchmark] = number
    return queued


def _print_plan(plan: RescorePlan) -> None:
    console = make_console()
    console.print(f"[bold]{plan.benchmark}[/] version {plan.version} → {plan.next}")
    console.print(f"changed: {plain(', '.join(plan.changes))}")
    console.print(f"{plan.lacking} of {plan.results} results would be scored; the others are scored already")


def _print_swept(queued: Mapping[str, int], *, failed: bool) -> None:
    console = make_console()
    kind = "that ended as internal_error" if failed else "without an outcome"
    for benchmark, number in queued.items():
        console.print(f"[bold]{benchmark}[/]: {number} results {kind} are queued again")
    if not queued:
        console.print(f"no results {kind}")
