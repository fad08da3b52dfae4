"""Rescoring from a terminal: queue, watch, move, and tell what it did to the board. The schedule does the same."""

from collections.abc import Sequence
from datetime import UTC, datetime
from time import monotonic
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import Progress

from aggregate.promoter import VersionPromoter
from aggregate.rescore import make_promoter
from cli.changes import find_changes
from cli.comparison import Change, compare_boards
from cli.owners import describe_publishing
from cli.progress import show_progress
from cli.stack import find_settings
from scoring_core.errors import LaurelError
from storage.audit import AuditTrail
from storage.aws.clients import dynamodb_client, s3_client, sqs_client
from storage.benchmarks.rescores import ask_rescore, find_following
from storage.benchmarks.store import PublishConflict, PublishedBenchmark
from storage.keys import ResultKey
from storage.settings import RescoreSettings

MAX_IDLE_SECONDS = 3600
"""Longer than a result may take: six tries of six minutes."""


class Stalled(LaurelError):
    """For long no result was scored."""


class RescorePlan(NamedTuple):
    """What a rescore would do.

    Args:
        benchmark: The id.
        version: The version that is current.
        next: The version that would become current; None where there is none.
        changes: What differs between the two.
        results: How many results there are.
        lacking: How many of them have no outcome under `next` yet.
    """

    benchmark: str
    version: str
    next: str | None
    changes: list[str]
    results: int
    lacking: int


class RescoreReport(NamedTuple):
    """What a rescore did to the board.

    Args:
        benchmark: The id.
        before: The version that was current.
        version: The version that is current now.
        results: How many results were scored under it.
        column: The column that `changes` tell the values of.
        changes: Every player, before and after.
    """

    benchmark: str
    before: str
    version: str
    results: int
    column: str
    changes: list[Change]

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel rescore --json` prints."""
        return {**self._asdict(), "changes": [one._asdict() for one in self.changes]}


def open_promoter(stack: str | None) -> VersionPromoter:
    """Give what rescores a stack. Raises NoStack."""
    settings = find_settings(stack, RescoreSettings)
    return make_promoter(
        settings, s3=s3_client(), dynamodb=dynamodb_client(), sqs=sqs_client(), clock=lambda: datetime.now(UTC)
    )


def plan_rescore(mover: VersionPromoter, benchmark: str) -> RescorePlan:
    """Tell what a rescore would do, and do nothing. Raises NotFound."""
    benchmarks = mover.rebuilder.workshop.benchmarks
    published = benchmarks.current(benchmark, fresh=True)
    results = sum(1 for _ in mover.rescoring.results.list_results(benchmark))
    upcoming = published.upcoming
    if upcoming is None:
        return RescorePlan(benchmark, published.version, None, [], results, 0)
    changes = find_changes(benchmarks.load(published), benchmarks.load(upcoming))
    lacking = len(mover.rescoring.list_lacking(published))
    return RescorePlan(benchmark, published.version, upcoming.version, changes, results, lacking)


def rescore(mover: VersionPromoter, benchmark: str, *, trail: AuditTrail) -> RescoreReport:
    """Score all results under the next version and make it current; interrupted, it goes on where it was.

    Raises:
        NothingToRescore: There is no next version.
        Withheld: It must not become current as it is.
        PublishedMeanwhile: The benchmark was published again before it was.
        Stalled: For an hour no result was scored.
    """
    try:
        return _rescore(mover, benchmark)
    except PublishConflict as error:
        now = describe_publishing(mover.rebuilder.workshop.benchmarks.current(benchmark, fresh=True), trail)
        raise PublishConflict(
            f"{benchmark}: somebody published it again while its results were scored. Published now: {now}. "
            f"If that is right, `laurel rescore {benchmark}` scores all results under it."
        ) from error


def _rescore(mover: VersionPromoter, benchmark: str) -> RescoreReport:
    workshop = mover.rebuilder.workshop
    published = workshop.benchmarks.current(benchmark, fresh=True)
    ask_rescore(published, mover.rescoring.markers, now=mover.rescoring.clock())
    results = sum(1 for _ in mover.rescoring.results.list_results(benchmark))
    lacking = mover.rescoring.list_lacking(published)
    with show_progress() as progress:
        _queue(mover, published, lacking, progress)
        _wait(mover, published, lacking, progress, results=results)
    before = mover.rebuilder.read_rows(benchmark)
    moved = mover.move(published)
    column = moved.definition.ranking.by[0]
    changes = compare_boards(before, mover.rebuilder.read_rows(benchmark), column=column)
    return RescoreReport(benchmark, published.version, moved.version, results, column, changes)


def _queue(
    mover: VersionPromoter, published: PublishedBenchmark, lacking: Sequence[ResultKey], progress: Progress
) -> None:
    task = progress.add_task("queueing", total=len(lacking), visible=bool(lacking))
    for number in mover.rescoring.queue(published, lacking):
        progress.advance(task, number)
    progress.update(task, completed=len(lacking))


def _wait(
    mover: VersionPromoter,
    published: PublishedBenchmark,
    lacking: Sequence[ResultKey],
    progress: Progress,
    *,
    results: int,
) -> None:
    """Wait until no result lacks an outcome under the next version, or the schedule has made it current."""
    task = progress.add_task("scoring", total=results, completed=results - len(lacking))
    since = monotonic()
    while lacking and not _is_current(mover, published):
        left = mover.wait(published, lacking, seconds=1)
        now = monotonic()
        if len(left) < len(lacking):
            since = now
        elif now - since > MAX_IDLE_SECONDS:
            raise Stalled(
                f"{published.id}: {len(left)} of {results} results have no outcome yet, and none came for "
                f"{MAX_IDLE_SECONDS // 60} minutes; is the queue worked off? The rescore goes on by itself once it is."
            )
        lacking = left
        progress.update(task, completed=results - len(lacking))


def _is_current(mover: VersionPromoter, published: PublishedBenchmark) -> bool:
    """Return whether the next version is current by now. Raises PublishedMeanwhile, nothing is scored under it."""
    now = mover.rebuilder.workshop.benchmarks.current(published.id, fresh=True)
    if now.revision == published.revision:
        return False
    if now.version == find_following(published).version:
        return True
    raise PublishConflict(f"{published.id} was published again while its results were scored")


def is_at_terminal() -> bool:
    """Tell whether a person can be asked."""
    return Console(stderr=True).is_terminal and Console().is_terminal
