"""Publishes benchmarks: for the command line, and bundles that owners uploaded."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.rebuilder import Rebuilder
from aggregate.versions.changes import find_changes
from aggregate.versions.keeper import BoardKeeper
from aggregate.versions.salting import SaltedBenchmark, add_salt
from handlers import logger
from scoring_core.benchmarks.examples import ExampleCheck, iter_checks
from scoring_core.benchmarks.loading import Benchmark, ScriptSandbox, load_bundle
from scoring_core.errors import BenchmarkError, EvaluatorError, SandboxFailure
from scoring_core.io.text import shorten
from storage.access.owners import OwnerStore
from storage.audit import Action, AuditTrail
from storage.aws.errors import NotFound, NotStarted
from storage.benchmarks.corrections import CorrectionNoteStore
from storage.benchmarks.publications import (
    CheckedExample,
    PublicationReport,
    PublicationRequest,
    PublicationStatus,
    PublicationStore,
    keep_examples,
)
from storage.benchmarks.store import BenchmarkArchived, PublishConflict, PublishedBenchmark
from storage.boards.standings import BoardKey

CHECK_SECONDS = 480.0
"""After this no further example is begun. The last one may take two calls of the sandbox; Lambda stops after 900 s."""
FILL_SECONDS = 120.0
"""How long new boards are filled after the check, which Lambda would otherwise end unreported; the schedule goes on."""
_MAX_TEXT = 4000
_MAX_LINES = 20


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


class SaltedReport(NamedTuple):
    """What publishing did, and the benchmark that it published."""

    report: PublishReport
    salted: SaltedBenchmark

    @property
    def salt_for_owner(self) -> str | None:
        """The salt, for a publisher who has all else of what is published.

        That is who has published it now, or the same once more. So a token alone does not open the salt, with which a
        small ground truth could be found.
        """
        return self.salted.benchmark.salt if self.salted.is_new or not self.report.changed else None


def publish_benchmark(
    benchmark: Benchmark, boards: Aggregator, *, replaces: int | None = None, fill_seconds: float = float("inf")
) -> PublishReport:
    """Publish a benchmark and update its board with a changed text or ranking.

    `replaces` is the publish number that the publisher has seen; None: whatever is published. After `fill_seconds` new
    boards are left to the schedule. Raises PublishConflict, BenchmarkArchived.
    """
    try:
        before = boards.benchmarks.current(benchmark.definition.id, fresh=True)
    except NotFound:
        before = None
    changes = _find_changes(before, benchmark, boards) if before else []
    published = boards.benchmarks.publish(benchmark, replaces=replaces)
    board = BoardKey(published.id, published.version)
    if before is not None and before.version != published.version:
        # A former version may have records that were delivered while it was neither current nor next.
        for _ in Rebuilder(boards).deliver_records(board):
            pass
    BoardKeeper(boards, fill_seconds=fill_seconds).keep(published)
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


def publish_salted(
    salted: SaltedBenchmark,
    benchmark: Benchmark,
    boards: Aggregator,
    *,
    replaces: int | None = None,
    fill_seconds: float = float("inf"),
) -> SaltedReport:
    """Publish a benchmark with its salt, as `publish_benchmark` does.

    Args:
        salted: What `add_salt` returned.
        benchmark: The same as its owner has it, perhaps without a salt.
        boards: Publishes.
        replaces: As for `publish_benchmark`.
        fill_seconds: As for `publish_benchmark`.

    Raises:
        PublishConflict: Somebody else published something else.
        BenchmarkArchived: It is archived.
    """
    # Who publishes whatever is published must not replace what came after the salt was chosen: its salt is another.
    replaces = salted.replaces if replaces is None else replaces
    try:
        report = publish_benchmark(salted.benchmark, boards, replaces=replaces, fill_seconds=fill_seconds)
    except PublishConflict:
        # Somebody published the same files at the same time, and another salt was made for them: that one stays.
        salted = add_salt(benchmark, boards.benchmarks)
        same = boards.benchmarks.find_same(salted.benchmark)
        if same is None:
            raise
        report = publish_benchmark(salted.benchmark, boards, replaces=same.revision, fill_seconds=fill_seconds)
    return SaltedReport(report, salted)


@dataclass(frozen=True, slots=True)
class BundlePublisher:
    """Checks bundles that owners uploaded as `laurel check` does, and publishes those that pass.

    Args:
        publications: Has bundles and reports.
        aggregator: Publishes.
        owners: The players who created benchmarks.
        notes: What owners say of corrections.
        trail: Gets an entry before the act.
        sandbox: Runs the examples of a script.
        unsupported: Scorer → why this platform cannot score with it.
        monotonic: Measures how long the check takes.
    """

    publications: PublicationStore
    aggregator: Aggregator
    owners: OwnerStore
    notes: CorrectionNoteStore
    trail: AuditTrail
    sandbox: ScriptSandbox
    unsupported: Mapping[str, str] = field(default_factory=dict)
    monotonic: Callable[[], float] = time.monotonic

    def publish(self, request: PublicationRequest) -> PublicationReport:
        """Publish a bundle, or report why not and leave nothing of it.

        Lambda may deliver a request twice: the second time nothing happens.
        """
        report = self.publications.find_report(request.publication)
        if report is None:
            report = self._decide(request)
            self.publications.put_report(request.publication, report)
        self.publications.forget_bundle(request.publication)
        return report

    def list_unfinished(self, age: timedelta) -> Iterator[PublicationRequest]:
        """Yield the requests that are as old and not done with.

        What a function died of may kill this one, too. So the newest come first, and S3 deletes them after a day.
        """
        return self.publications.list_requests(until=self.aggregator.renderer.clock() - age)

    def _decide(self, request: PublicationRequest) -> PublicationReport:
        try:
            benchmark = self._load(request)
            # Before the check: the version names the tenants in which scripts run, and logs name tenants.
            salted = add_salt(benchmark, self.aggregator.benchmarks)
            checks = self._check(salted.benchmark)
        except EvaluatorError as error:
            faults = tuple(shorten(line, _MAX_TEXT) for line in error.message.splitlines()[:_MAX_LINES])
            return PublicationReport(status=PublicationStatus.REFUSED, detail=faults[0], faults=faults)
        except (SandboxFailure, NotStarted) as error:
            logger.warning("the examples could not be run", extra={"reason": str(error)})
            detail = "the platform could not run the examples at this time; publish again in some minutes"
            return PublicationReport(status=PublicationStatus.FAILED, detail=detail)
        examples, omitted = keep_examples(list(map(_describe, checks)))
        failed = sum(bool(check.differences) for check in checks)
        report = PublicationReport(
            status=PublicationStatus.REFUSED,
            detail=f"{failed} of {len(checks)} examples failed",
            examples=examples,
            omitted_examples=omitted,
        )
        if failed:
            return report
        return report.model_copy(update={"detail": "", **self._publish(salted, benchmark, request)})

    def _load(self, request: PublicationRequest) -> Benchmark:
        """Return what was uploaded. Raises BenchmarkError."""
        content = self.publications.read_bundle(request.publication)
        if content is None:
            raise BenchmarkError("nothing was uploaded")
        benchmark = load_bundle(content)
        if benchmark.definition.id != request.publication.benchmark:
            expected, actual = request.publication.benchmark, benchmark.definition.id
            raise BenchmarkError(f"benchmark.yaml: id: expected {expected!r}, found {actual!r}")
        if reason := self.unsupported.get(benchmark.definition.scorer):
            raise BenchmarkError(f"scorer: {benchmark.definition.scorer}: this platform cannot score with it: {reason}")
        return benchmark

    def _check(self, benchmark: Benchmark) -> list[ExampleCheck]:
        """Score the examples. Raises EvaluatorError, SandboxFailure, NotStarted."""
        until, checks = self.monotonic() + CHECK_SECONDS, []
        for check in iter_checks(benchmark, benchmark.prepare_scorer(self.sandbox)):
            checks.append(check)
            if self.monotonic() > until:
                limit = f"expected examples that take at most {CHECK_SECONDS:g} seconds together"
                raise BenchmarkError(f"{limit}; {len(checks)} of {len(benchmark.examples)} took longer")
        return checks

    def _publish(self, salted: SaltedBenchmark, benchmark: Benchmark, request: PublicationRequest) -> dict[str, object]:
        """Publish a benchmark that was checked, and return what is to be reported."""
        name, boards = benchmark.definition.id, self.aggregator
        self.trail.add(request.actor, Action.PUBLISH, benchmark=name, subject=salted.benchmark.version)
        try:
            published = publish_salted(salted, benchmark, boards, replaces=request.replaces, fill_seconds=FILL_SECONDS)
        except BenchmarkArchived as error:
            return {"status": PublicationStatus.REFUSED, "detail": str(error), "faults": (str(error),)}
        except PublishConflict:
            now = boards.benchmarks.current(name, fresh=True).active_versions[-1]
            detail = (
                f"{name}: somebody published version {now.version} at {now.published_at:%Y-%m-%d %H:%M:%S} UTC, and "
                "this folder was not published. If yours is to replace that, publish it again."
            )
            return {"status": PublicationStatus.CONFLICT, "detail": detail}
        done = published.report
        if done.next is not None:
            self.notes.put(name, version=done.next, note=request.note)
        # After the pointer, which says who was first. If this process dies before, the request is taken up again.
        if request.replaces == 0 and not self.owners.claim(name, player=request.publication.player):
            detail = f"{name}: somebody else published the same files at the same time, and owns it. Choose another id."
            return {"status": PublicationStatus.CONFLICT, "detail": detail}
        return {
            "status": PublicationStatus.PUBLISHED,
            "version": done.version,
            "replaced": done.before,
            "next": done.next,
            "publish_number": done.revision,
            "changed": done.changed,
            "changes": tuple(done.changes),
            "players": done.players,
            "salt": published.salt_for_owner if benchmark.needs_salt else None,
        }


def _find_changes(before: PublishedBenchmark, benchmark: Benchmark, boards: Aggregator) -> list[str]:
    """Compare with what was published last; a damaged bundle has no changes."""
    try:
        return find_changes(boards.benchmarks.load(before.active_versions[-1]), benchmark)
    except (NotFound, BenchmarkError):
        return []


def _describe(check: ExampleCheck) -> CheckedExample:
    output = check.output if check.differences else None
    return CheckedExample(
        name=check.name,
        outcome=check.outcome,
        differences=tuple(shorten(line, _MAX_TEXT) for line in check.differences[:_MAX_LINES]),
        message=shorten(check.message, _MAX_TEXT),
        stdout=shorten(output.stdout, _MAX_TEXT) if output else "",
        stderr=shorten(output.stderr, _MAX_TEXT) if output else "",
    )
