"""Publishing: the bundle and the pointer, then the board as the benchmark now defines it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from aggregate.services import BoardService, make_board_service
from cli.changes import find_changes
from cli.home import check
from cli.owners import describe_publishing, name_operator, open_trail
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

    Args:
        benchmark: The id.
        version: The version that is current.
        before: The version that was; None where the benchmark is new.
        next: The version that becomes current once every result is scored under it; None where there is none.
        revision: Of the published benchmark; the same as before where nothing had changed.
        changed: Whether anything was changed.
        changes: What differs from what was published last: keys and files, never their content.
        players: How many players the board has.
    """

    benchmark: str
    version: str
    before: str | None
    next: str | None
    revision: int
    changed: bool
    changes: list[str]
    players: int


def publish_folder(folder: Path, *, stack: str | None) -> PublishReport:
    """Check a benchmark's folder and publish it to a stack. Raises LaurelError, such as PublishedMeanwhile."""
    report = check(folder)
    if not report.passed:
        raise BenchmarkError(f"{folder}: its examples do not get what they must; see `laurel check {folder}`")
    settings = find_settings(stack, AggregateSettings)
    workshop = make_board_service(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=_now)
    benchmark = load_folder(folder)
    name, version = benchmark.definition.id, benchmark.version
    trail = open_trail(stack)
    line = trail.add(name_operator(), Action.PUBLISH, benchmark=name, subject=version)
    try:
        return publish_benchmark(benchmark, workshop)
    except PublishConflict as error:
        now = describe_publishing(workshop.benchmarks.current(name, fresh=True), trail, own=line)
        raise PublishConflict(
            f"{name}: somebody published it at the same time, and this folder was not published. "
            f"Published now: {now}. If yours is to replace that, publish it again."
        ) from error


def publish_benchmark(benchmark: Benchmark, workshop: BoardService) -> PublishReport:
    """Publish a benchmark and bring its board up to date: a changed text or ranking shows at once."""
    try:
        before = workshop.benchmarks.current(benchmark.definition.id, fresh=True)
    except NotFound:
        before = None
    changes = _find_changes(before, benchmark, workshop) if before else []
    published = workshop.benchmarks.publish(benchmark)
    workshop.rebuild(BoardKey(published.id, published.version))
    head = workshop.publisher.snapshots.read_head(published.id)
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


def _find_changes(before: PublishedBenchmark, benchmark: Benchmark, workshop: BoardService) -> list[str]:
    """Compare with what was published last; a bundle that was lost or damaged is mended, not compared."""
    try:
        return find_changes(workshop.benchmarks.load(before.scored_under[-1]), benchmark)
    except (NotFound, BenchmarkError):
        return []


def _now() -> datetime:
    return datetime.now(UTC)
