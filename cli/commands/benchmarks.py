"""`laurel publish`: writes the bundle and the pointer, then updates the board."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import typer

from aggregate.aggregator import Aggregator
from aggregate.dependencies import make_aggregator
from aggregate.rebuilder import Rebuilder
from aggregate.versions.keeper import BoardKeeper
from cli.changes import find_changes
from cli.commands.audit import describe_publishing, find_operator, open_trail
from cli.commands.rescores import rescore
from cli.commands.scoring import Folder, check_folder
from cli.console import AsJson, StackName, is_interactive, make_console, plain, print_json
from cli.stack import find_settings
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import BenchmarkError
from storage.audit import Action
from storage.aws.clients import dynamodb_client, s3_client
from storage.aws.errors import NotFound
from storage.benchmarks.store import PublishConflict, PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.settings import AggregateSettings


class PublishReport(NamedTuple):
    """What publishing did.

    `before` is the version that was current, `next` the one that becomes current once all results are scored under it.
    `changes` names keys and files that differ from what was published last, never their content.
    """

    benchmark: str
    version: str
    before: str | None
    next: str | None
    revision: int
    changed: bool
    changes: list[str]
    players: int


def publish(benchmark: Folder, stack: StackName = None, json: AsJson = False) -> None:
    """Check a benchmark's folder and publish it.

    If results score differently than before, the board changes only after `laurel rescore`.
    """
    report = publish_folder(benchmark, stack=stack)
    if json:
        print_json(report._asdict())
        return
    _print_published(report)
    if report.next and is_interactive() and typer.confirm("Score them now?", default=False):
        rescore(report.benchmark, stack=stack)


def publish_folder(folder: Path, *, stack: str | None) -> PublishReport:
    """Check and publish a benchmark's folder. Raises LaurelError."""
    if not check_folder(folder).passed:
        raise BenchmarkError(f"{folder}: its examples are not scored as expected; see `laurel check {folder}`")
    settings = find_settings(stack, AggregateSettings)
    boards = make_aggregator(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=lambda: datetime.now(UTC))
    benchmark = load_folder(folder)
    name, version = benchmark.definition.id, benchmark.version
    trail = open_trail(stack)
    entry = trail.add(find_operator(), Action.PUBLISH, benchmark=name, subject=version)
    try:
        return publish_benchmark(benchmark, boards)
    except PublishConflict as error:
        now = describe_publishing(boards.benchmarks.current(name, fresh=True), trail, own=entry)
        raise PublishConflict(
            f"{name}: somebody published it at the same time, and this folder was not published. "
            f"Published now: {now}. If yours is to replace that, publish it again."
        ) from error


def publish_benchmark(benchmark: Benchmark, boards: Aggregator) -> PublishReport:
    """Publish a benchmark and update its board with a changed text or ranking."""
    try:
        before = boards.benchmarks.current(benchmark.definition.id, fresh=True)
    except NotFound:
        before = None
    changes = _find_changes(before, benchmark, boards) if before else []
    published = boards.benchmarks.publish(benchmark)
    board = BoardKey(published.id, published.version)
    if before is not None and before.version != published.version:
        # A former version may have records that were delivered while it was neither current nor next.
        for _ in Rebuilder(boards).deliver_records(board):
            pass
    BoardKeeper(boards).keep(published)
    head = boards.snapshots.read_head(published.id)
    return PublishReport(
        benchmark=published.id,
        version=published.version,
        before=before.version if before else None,
        next=published.next.version if published.next else None,
        revision=published.revision,
        changed=before is None or before.revision != published.revision,
        changes=changes,
        players=head.value.total if head else 0,
    )


def _find_changes(before: PublishedBenchmark, benchmark: Benchmark, boards: Aggregator) -> list[str]:
    """Compare with what was published last; a damaged bundle has no changes."""
    try:
        return find_changes(boards.benchmarks.load(before.active_versions[-1]), benchmark)
    except (NotFound, BenchmarkError):
        return []


def _print_published(report: PublishReport) -> None:
    console = make_console()
    name = f"[bold]{report.benchmark}[/]"
    if not report.changed:
        console.print(f"{name} is published already, version {report.next or report.version}")
    elif report.next is None:
        console.print(f"{name} published, version {report.version}")
    else:
        console.print(f"{name} published, version {report.next} is next")
    if report.changes:
        console.print(f"changed: {plain(', '.join(report.changes))}")
    if report.next is not None:
        console.print(
            f"The board still shows version {report.version}. "
            f"To score all results again and then show version {report.next}:\n"
            f"  [bold]laurel rescore {report.benchmark}[/]"
        )
