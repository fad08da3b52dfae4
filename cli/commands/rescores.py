"""`laurel rescore`, `laurel rebuild` and `laurel sweep`: what schedules do by themselves, started by hand."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Annotated, NamedTuple

import typer
from rich.progress import Progress

from aggregate.dependencies import make_promoter
from aggregate.promoter import VersionPromoter
from aggregate.rebuilder import Rebuilder
from aggregate.versions.changes import PlayerChange, compare_boards, find_changes
from aggregate.versions.windows import WindowKeeper
from cli.commands.audit import describe_publishing, open_trail, record_audit
from cli.commands.corrections import RescoreReport, print_changes
from cli.console import (
    AsJson,
    BenchmarkId,
    DryRun,
    StackName,
    make_console,
    plain,
    print_json,
)
from cli.exit_codes import NOT_FINISHED, CommandError
from cli.progress import show_progress
from cli.stack import check_published, find_settings
from evaluate.dependencies import make_sweeper
from evaluate.sweeper import Sweeper
from storage.audit import Action, AuditTrail
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.benchmarks.corrections import NO_NOTE, CorrectionNote
from storage.benchmarks.rescores import ask_rescore, find_following
from storage.benchmarks.store import PublishConflict, PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import ResultKey
from storage.settings import RescoreSettings, SweepSettings

MAX_IDLE_SECONDS = 3600
"""Longer than one result may take: six tries of six minutes."""


class Stalled(CommandError):
    """No result was scored for a long time; the rescore goes on by itself."""

    exit_code = NOT_FINISHED


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
    """Score all results under the version published last, then make it current.

    Returns None for a `dry_run`, whose plan it prints. Raises LaurelError.
    """
    promoter = open_promoter(stack)
    check_published(promoter.aggregator.benchmarks, benchmark)
    if dry_run:
        plan = plan_rescore(promoter, benchmark)
        if json:
            print_json(plan._asdict())
        else:
            _print_plan(plan)
        return None
    record_audit(stack, Action.RESCORE, benchmark=benchmark)
    return rescore_benchmark(promoter, benchmark, trail=open_trail(stack), note=note)


def rebuild(benchmark: BenchmarkId, stack: StackName = None, dry_run: DryRun = False, json: AsJson = False) -> None:
    """Rebuild a board from the records of its submissions; safe while results come in."""
    rebuilder = Rebuilder(open_promoter(stack).aggregator)
    check_published(rebuilder.aggregator.benchmarks, benchmark)
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
    if json:
        print_json(queued)
    else:
        _print_swept(queued, failed=failed)


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


def rescore_benchmark(
    promoter: VersionPromoter, benchmark: str, *, trail: AuditTrail, note: CorrectionNote = NO_NOTE
) -> RescoreReport:
    """Score all results under the next version and make it current; publish the note.

    Raises:
        NothingToRescore: There is no next version.
        PromotionBlocked: The next version must not become current.
        PublishConflict: The benchmark was published again in the meantime.
        Stalled: No result was scored for an hour.
    """
    try:
        return _rescore(promoter, benchmark, note)
    except PublishConflict as error:
        published = promoter.aggregator.benchmarks.current(benchmark, fresh=True)
        raise PublishConflict(
            f"{benchmark}: somebody published it again while its results were scored. "
            f"Published now: {describe_publishing(published, trail)}. "
            f"If that is right, `laurel rescore {benchmark}` scores all results under it."
        ) from error


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


def _rescore(promoter: VersionPromoter, benchmark: str, note: CorrectionNote) -> RescoreReport:
    published = promoter.aggregator.benchmarks.current(benchmark, fresh=True)
    rescoring = promoter.rescoring
    promoter.notes.put(benchmark, version=find_following(published).version, note=note)
    ask_rescore(published, rescoring.flags, now=rescoring.clock())
    results = sum(1 for _ in rescoring.results.list_results(benchmark))
    unscored = rescoring.list_unscored(published)
    with show_progress() as progress:
        task = progress.add_task("queueing", total=len(unscored), visible=bool(unscored))
        for number in rescoring.queue(published, unscored):
            progress.advance(task, number)
        progress.update(task, completed=len(unscored))
        _wait(promoter, published, unscored, progress, results=results)
    rebuilder = Rebuilder(promoter.aggregator)
    before = rebuilder.read_rows(benchmark)
    promoted = promoter.promote(published)
    column = promoted.definition.ranking.by[0]
    changes = compare_boards(before, rebuilder.read_rows(benchmark), column=column)
    return RescoreReport(benchmark, published.version, promoted.version, results, column, changes)


def _wait(
    promoter: VersionPromoter,
    published: PublishedBenchmark,
    unscored: Sequence[ResultKey],
    progress: Progress,
    *,
    results: int,
) -> None:
    """Wait until every result has an outcome under the next version."""
    task = progress.add_task("scoring", total=results, completed=results - len(unscored))
    since = monotonic()
    while unscored and not _is_current(promoter, published):
        left = promoter.wait(published, unscored, seconds=1)
        now = monotonic()
        if len(left) < len(unscored):
            since = now
        elif now - since > MAX_IDLE_SECONDS:
            raise Stalled(
                f"{published.id}: {len(left)} of {results} results have no outcome yet, and none came for "
                f"{MAX_IDLE_SECONDS // 60} minutes; is the evaluate queue processed? "
                "The rescore continues by itself once it is."
            )
        unscored = left
        progress.update(task, completed=results - len(unscored))


def _is_current(promoter: VersionPromoter, published: PublishedBenchmark) -> bool:
    """Return whether the next version is current. Raises PublishConflict."""
    now = promoter.aggregator.benchmarks.current(published.id, fresh=True)
    if now.revision == published.revision:
        return False
    if now.version == find_following(published).version:
        return True
    raise PublishConflict(f"{published.id} was published again while its results were scored")


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
