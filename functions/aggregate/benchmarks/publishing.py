"""Publishes benchmarks: bundles that owners uploaded, and folders of operators."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.changes import find_changes
from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.rebuilder import Rebuilder
from handlers.loops import logger
from scoring_core.benchmarks.examples import ExampleCheck, check_examples
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.benchmarks.salts import make_salt
from scoring_core.errors import BenchmarkError, EvaluatorError, SandboxFailure
from scoring_core.io.text import shorten
from scoring_core.scorers.script.run import ScriptSandbox
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.benchmarks.corrections import CorrectionNoteStore
from storage.benchmarks.owners import OwnerStore
from storage.benchmarks.publications import (
    CheckedExample,
    PublicationReport,
    PublicationRequest,
    PublicationStatus,
    PublicationStore,
    keep_examples,
)
from storage.benchmarks.store import BenchmarkArchived, BenchmarkStore, PublishConflict, PublishedBenchmark, moves_close
from storage.boards.standings import BoardKey
from storage.gateway.errors import NotFound, NotStarted

CHECK_SECONDS = 480.0
"""After this no further example is begun. The last one may take two calls of the sandbox; Lambda stops after 900 s."""
_MAX_TEXT = 4000
_MAX_LINES = 20


def publish_benchmark(
    benchmark: Benchmark,
    boards: Aggregator,
    *,
    replaces: int | None = None,
    reason: str = "",
    only_checks: bool = False,
) -> PublicationReport:
    """Publish a benchmark and update its board with a changed text or ranking.

    `replaces` is the publish number that the publisher has seen; None: whatever is published. `reason` is why it closes
    later, if it does. With `only_checks` nothing is written, and the report says what would be. Raises PublishConflict,
    BenchmarkArchived.
    """
    before = boards.benchmarks.find(benchmark.definition.id, fresh=True)
    changes = _find_changes(before, benchmark, boards)
    if only_checks:
        published = boards.benchmarks.preview(benchmark)
    else:
        published = boards.benchmarks.publish(benchmark, replaces=replaces, reason=reason)
        if before is not None and before.version != published.version:
            # A former version may have records that were delivered while it was neither current nor next.
            for _ in Rebuilder(boards).deliver_records(BoardKey(published.id, published.version)):
                pass
        BoardKeeper(boards).keep(published)
    head = boards.snapshots.read_head(published.id)
    return PublicationReport(
        status=PublicationStatus.CHECKED if only_checks else PublicationStatus.PUBLISHED,
        version=published.version,
        replaced=before.version if before else None,
        next=published.next.version if published.next else None,
        publish_number=None if only_checks else published.publish_number,
        changed=before is None or before.publish_number != published.publish_number,
        changes=tuple(changes),
        players=head.value.total if head else 0,
    )


class SaltedBenchmark(NamedTuple):
    """A benchmark as it may be published.

    Args:
        benchmark: With its salt.
        is_new: Whether the salt was made for it.
        replaces: The publish number of what was published when it got its salt, 0 for nothing; None if it had one.
    """

    benchmark: Benchmark
    is_new: bool = False
    replaces: int | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkPublisher:
    """Checks benchmarks as `laurel check` does and publishes those that pass, for their owners and operators.

    Args:
        aggregator: Publishes.
        notes: What is said of corrections.
        trail: Gets an entry before the act.
        sandbox: Runs the examples of a script; None: no examples are run.
        unsupported: Scorer → why this platform cannot score with it.
        runtimes: Runtime of scripts → hash of its lock, without the default one.
    """

    aggregator: Aggregator
    notes: CorrectionNoteStore
    trail: AuditTrail
    sandbox: ScriptSandbox | None = None
    unsupported: Mapping[str, str] = field(default_factory=dict)
    runtimes: Mapping[str, str] = field(default_factory=dict)

    def publish(
        self,
        benchmark: Benchmark,
        *,
        actor: Actor,
        replaces: int | None = None,
        reason: str = "",
        only_checks: bool = False,
    ) -> PublicationReport:
        """Publish a benchmark that passes its check, and report that or why not.

        Args:
            benchmark: As its owner has it, perhaps without its salt.
            actor: The publisher, or an operator.
            replaces: The publish number that the publisher has seen; None: whatever is published.
            reason: What is said of it if results are scored again.
            only_checks: Publish nothing, and report what publishing it would do.
        """
        try:
            if lacking := self.unsupported.get(benchmark.definition.scorer):
                raise BenchmarkError(
                    f"scorer: {benchmark.definition.scorer}: this platform cannot score with it: {lacking}"
                )
            self._check_closes(benchmark, None if only_checks else reason)
            benchmark = benchmark.withhold() if benchmark.definition.runs_own else benchmark.pin_runtime(self.runtimes)
            # Before the check: the version names the tenants in which scripts run, and logs name tenants.
            salted = add_salt(benchmark, self.aggregator.benchmarks)
            checks = self._check(salted.benchmark)
        except EvaluatorError as error:
            return report_refused(error)
        except (SandboxFailure, NotStarted) as error:
            logger.warning("the examples could not be run", extra={"reason": str(error)})
            detail = "the platform could not run the examples at this time; publish again in some minutes"
            return PublicationReport(status=PublicationStatus.FAILED, detail=detail)
        examples = keep_examples(list(map(_describe, checks)))
        failed = sum(bool(check.differences) for check in checks)
        report = PublicationReport(
            status=PublicationStatus.REFUSED,
            detail=f"{failed} of {len(checks)} examples failed",
            examples=examples,
        )
        if failed:
            return report
        name, version = benchmark.definition.id, salted.benchmark.version
        # A check says whether files are those that are published: who asks that, too, is on the trail.
        act = {"check": "only"} if only_checks else {}
        self.trail.add(actor, Action.PUBLISH, benchmark=name, subject=version, detail=act)
        try:
            done = (
                publish_benchmark(salted.benchmark, self.aggregator, only_checks=True)
                if only_checks
                else self._publish(salted, benchmark, actor, replaces, reason)
            )
        except BenchmarkArchived as error:
            return report.model_copy(update={"detail": str(error), "faults": (str(error),)})
        except PublishConflict:
            now = self.aggregator.benchmarks.current(name, fresh=True).active_versions[-1]
            detail = (
                f"{name}: somebody published version {now.version} at {now.published_at:%Y-%m-%d %H:%M:%S} UTC, and "
                "this folder was not published. If yours is to replace that, publish it again."
            )
            return report.model_copy(update={"status": PublicationStatus.CONFLICT, "detail": detail})
        return done.model_copy(update={"examples": examples})

    def _check_closes(self, benchmark: Benchmark, reason: str | None) -> None:
        """Check that what came in time stays so, and why others do; None: is not asked."""
        definition, now = benchmark.definition, self.aggregator.renderer.clock()
        published = self.aggregator.benchmarks.find(definition.id, fresh=True)
        if published is None:
            return
        closes, before = definition.closes, published.definition.closes
        fault = None
        if closes == before:
            return
        if published.is_final and definition.final is not None and (closes is None or closes > min(now, before or now)):
            fault = "a time that has passed: the board shows its final, which ranks what came in time"
        elif closes is not None and closes < now and (before is None or closes < before):
            fault = "a time in the future, or the present one: results that came in time until now would be late"
        elif moves_close(published, closes) and reason == "":
            fault = "a reason, which everybody can read, because it is later than before: `laurel publish --reason`"
        if fault is not None:
            raise BenchmarkError(f"{definition.id}: closes: expected {fault}; found {closes}, and {before} until now")

    def _check(self, benchmark: Benchmark) -> list[ExampleCheck]:
        """Score the examples. Raises EvaluatorError, SandboxFailure, NotStarted."""
        until, checks = time.monotonic() + CHECK_SECONDS, list[ExampleCheck]()
        if self.sandbox is None or benchmark.definition.runs_own:
            return checks
        for check in check_examples(benchmark, benchmark.prepare_scorer(self.sandbox)):
            checks.append(check)
            if time.monotonic() > until:
                limit = f"expected examples that take at most {CHECK_SECONDS:g} seconds together"
                raise BenchmarkError(f"{limit}; {len(checks)} of {len(benchmark.examples)} took longer")
        return checks

    def _publish(
        self,
        salted: SaltedBenchmark,
        benchmark: Benchmark,
        actor: Actor,
        replaces: int | None,
        reason: str,
    ) -> PublicationReport:
        """Publish a benchmark with its salt and a reason, and report that.

        Raises PublishConflict, BenchmarkArchived.
        """
        boards = self.aggregator
        publish = partial(publish_benchmark, boards=boards, reason=reason)
        # A publisher of whatever is published must not replace what came after the salt was chosen: that has another.
        replaces = salted.replaces if replaces is None else replaces
        try:
            done = publish(salted.benchmark, replaces=replaces)
        except PublishConflict:
            # Somebody published the same files at the same time, and another salt was made for them: that one stays.
            salted = add_salt(benchmark, boards.benchmarks)
            same = boards.benchmarks.find_same(salted.benchmark)
            if same is None:
                raise
            done = publish(salted.benchmark, replaces=same.publish_number)
        # The salt is for operators, and for a publisher who has all else: who has published it now, or the same once
        # more. So a token alone does not open the salt, with which a small ground truth could be found.
        has_all = salted.is_new or not done.changed or actor.role is Role.OPERATOR
        if done.next is not None:
            self.notes.put(benchmark.definition.id, version=done.next, reason=reason)
        salt = salted.benchmark.salt if has_all and benchmark.needs_salt else None
        return done.model_copy(update={"salt": salt})


class BundlePublisher(NamedTuple):
    """Publishes bundles that owners uploaded.

    Args:
        publications: Has bundles and reports.
        publisher: Checks and publishes what is in them.
        owners: The players who created benchmarks.
    """

    publications: PublicationStore
    publisher: BenchmarkPublisher
    owners: OwnerStore

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
        return self.publications.list_requests(until=self.publisher.aggregator.renderer.clock() - age)

    def _decide(self, request: PublicationRequest) -> PublicationReport:
        name = request.publication.benchmark
        try:
            benchmark = self._load(request)
        except BenchmarkError as error:
            return report_refused(error)
        only_checks, player = request.replaces is None, request.publication.player
        if request.replaces == 0 and self.owners.find(name) not in {None, player}:
            detail = f"{name}: the id belonged to another player's benchmark, which was deleted. Choose another id."
            return PublicationReport(status=PublicationStatus.CONFLICT, detail=detail)
        report = self.publisher.publish(
            benchmark, actor=request.actor, replaces=request.replaces, reason=request.reason, only_checks=only_checks
        )
        # After the pointer, which says who was first. If this process dies before, the request is taken up again.
        if (
            report.status is PublicationStatus.PUBLISHED
            and request.replaces == 0
            and not self.owners.claim(name, player=player)
        ):
            detail = f"{name}: somebody else published the same files at the same time, and owns it. Choose another id."
            return PublicationReport(status=PublicationStatus.CONFLICT, detail=detail, examples=report.examples)
        return report

    def _load(self, request: PublicationRequest) -> Benchmark:
        """Return what was uploaded. Raises BenchmarkError."""
        content = self.publications.read_bundle(request.publication)
        if content is None:
            raise BenchmarkError("nothing was uploaded")
        benchmark = load_bundle(content)
        if benchmark.definition.id != request.publication.benchmark:
            expected, actual = request.publication.benchmark, benchmark.definition.id
            raise BenchmarkError(f"benchmark.yaml: id: expected {expected!r}, found {actual!r}")
        return benchmark


def report_refused(error: EvaluatorError) -> PublicationReport:
    """Return the report of a benchmark that cannot be loaded or checked."""
    faults = tuple(shorten(line, _MAX_TEXT) for line in error.message.splitlines()[:_MAX_LINES])
    return PublicationReport(status=PublicationStatus.REFUSED, detail=faults[0], faults=faults)


def _find_changes(before: PublishedBenchmark | None, benchmark: Benchmark, boards: Aggregator) -> list[str]:
    """Compare with what was published last; a damaged bundle has no changes."""
    if before is None:
        return []
    try:
        latest = before.active_versions[-1]
        return find_changes(boards.benchmarks.load(latest), benchmark.reveal() if latest.is_final else benchmark)
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


def add_salt(benchmark: Benchmark, benchmarks: BenchmarkStore) -> SaltedBenchmark:
    """Return a benchmark with its salt; as it is if it has one, or needs none.

    The salt is the one that is published, or a new one. The pointer decides: it is replaced by compare-and-swap, and
    names the bundle that holds the salt. So two publications of one folder without a salt end with that of the first.
    """
    if not benchmark.needs_salt:
        return SaltedBenchmark(benchmark)
    published = benchmarks.find(benchmark.definition.id, fresh=True)
    if published is None:
        return SaltedBenchmark(benchmark.add_salt(make_salt()), is_new=True, replaces=0)
    salt = None
    with suppress(NotFound, BenchmarkError):  # of a damaged bundle none is known
        salt = benchmarks.load(published.active_versions[-1]).salt
    salted = benchmark.add_salt(salt or make_salt())
    return SaltedBenchmark(salted, is_new=salt is None, replaces=published.publish_number)
