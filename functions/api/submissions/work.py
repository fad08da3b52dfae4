"""Routes of work for the runners of owners: what waits, the leases, and what runners report."""

from http import HTTPStatus
from typing import Annotated, ClassVar, Literal

from pydantic import AwareDatetime, Field

from api.dependencies import ApiServices, find_published, identify, logger, make_router, services
from api.submissions.routes import find_submission
from handlers.http import paths
from handlers.http.bodies import LenientBody
from handlers.http.problems import Problem, forbidden, unprocessable
from handlers.http.views import View
from scoring_core.errors import EvaluatorError
from scoring_core.ranking.standings import name_public, read_public
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.errors import StoreError, UnknownObject
from storage.keys import NAMED, ReportedKey
from storage.players.tokens import Scope
from storage.submissions.work import LEASE, MAX_LEASES, Reported, RunnerOutcome, WorkItem

MAX_OUTCOME_BYTES = 1_000_000
_SHOWN_RUNNERS = 100
router = make_router()
type VersionName = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]


class WorkRequest(LenientBody):
    """Which runner asks, and the versions of its folder: that of the public truth, and that of the final."""

    runner: str = Field(pattern=r"^[A-Za-z0-9._-]{1,64}$", description="Its name, different in each process.")
    versions: tuple[VersionName, ...] = Field(min_length=1, max_length=2)
    sandbox: Literal["bubblewrap", "none", "command"]


class LeaseRequest(LenientBody):
    """The lease that is renewed, or given back."""

    version: VersionName
    lease: str = Field(max_length=64)
    release: bool = Field(default=False, description="Ends the lease, which then does not count.")


class OutcomeRequest(Reported, LenientBody):
    """What a runner made of a result under a version: the first outcome counts."""

    MAX_BYTES: ClassVar[int] = MAX_OUTCOME_BYTES

    version: VersionName


class TicketView(View):
    """What the run ticket of a result says."""

    seconds: float
    seed: str | None


class RunView(View):
    """A submission that a runner has until its lease ends."""

    submission: str
    version: str
    lease: str
    ends_at: AwareDatetime
    tries: int = Field(description="How many leases of it were taken, and not given back.")
    part: str | None
    file_format: str
    ticket: TicketView | None
    result_url: str = Field(description="Where the raw result is, for 15 minutes.")
    sha256: str | None = Field(description="Of a result in parts, which the raw result lists, the hash over theirs.")


class WorkView(View):
    """How many submissions wait, and the one that the runner has now."""

    waits: int = Field(description="At most 1,000 are counted.")
    run: RunView | None = Field(description="Null: nothing waits that no other runner has; ask again later.")


class LeaseView(View):
    """When a lease ends."""

    ends_at: AwareDatetime


class ReportedView(View):
    """The outcome was taken, and is on the board within seconds."""

    first: bool = True


class RunnerView(View):
    """A runner, and when it was last seen."""

    runner: str
    version: str
    sandbox: str
    seen_at: AwareDatetime
    submission: str | None = Field(description="What it has a lease of.")


class RunnerList(View):
    """What waits, and the runners of the last 30 days."""

    own: bool = Field(description="Whether the owner's runner scores this benchmark.")
    waits: int
    oldest_at: AwareDatetime | None = Field(description="Since when the oldest waits.")
    runners: list[RunnerView]


@router.get(paths.WORK, tags=["submissions"])
def list_runners(benchmark: str) -> RunnerList:
    """List what waits for the owner's runners, and these, for owners.

    Raises Problem 401, 403.
    """
    api, published = services(), find_published(benchmark)
    identify().check_owner(published.id)
    waiting, now = list(api.work.list_waiting(published.id)), api.clock()
    has = {each.runner: each.submission for each in waiting if each.until > now.timestamp()}
    runners = [
        RunnerView(
            runner=each.runner or "",
            version=each.version,
            sandbox=each.sandbox or "",
            seen_at=each.since,
            submission=has.get(each.runner),
        )
        for each in api.work.list_runners(published.id)[:_SHOWN_RUNNERS]
    ]
    oldest_at = min((each.since for each in waiting), default=None)
    own = published.definition.runs_own
    return RunnerList(own=own, waits=len(waiting), oldest_at=oldest_at, runners=runners)


@router.post(paths.WORK, tags=["submissions"])
def post_work(benchmark: str, request: WorkRequest) -> WorkView:
    """Return the submission that waits longest, which the runner then has for 60 s.

    Of a benchmark that says `runs_on: own`. A lease that nobody renews ends, and the submission waits again; one whose
    leases end three times without an outcome is an `evaluator_error`. Raises Problem 401, 403, 409.
    """
    api, published = services(), _find_run(benchmark)
    active = [each.version for each in published.active_versions if each.definition.runs_own]
    versions = [version for version in active if version in request.versions]
    if not versions:
        shown = " and ".join(active)
        detail = f"versions: expected {shown}, found {', '.join(request.versions)}; `laurel publish` the folder"
        raise Problem(HTTPStatus.CONFLICT, "other-version", detail)
    runner = WorkItem(version=versions[0], since=api.clock(), runner=request.runner, sandbox=request.sandbox)
    api.work.see(published.id, runner)
    runner = runner._replace(lease=api.randomness(12).hex())
    while True:
        waits, taken = api.work.take(published.id, versions, runner)
        if taken is None:
            return WorkView(waits=waits, run=None)
        try:
            run = _lease(api, published, taken)
        except StoreError:  # the runner never hears of this lease, which must not count
            api.work.renew(ReportedKey(published.id, taken.submission, taken.version), str(taken.lease), None)
            raise
        if run is not None:
            return WorkView(waits=waits, run=run)


@router.post(paths.WORK_LEASE, tags=["submissions"])
def post_lease(benchmark: str, submission: str, request: LeaseRequest) -> LeaseView:
    """Lengthen the lease of a submission, or give it back.

    Raises Problem 401, 403, 409.
    """
    api, published = services(), _find_run(benchmark)
    key, now = ReportedKey(published.id, submission, request.version), api.clock()
    ends_at = None if request.release else now + LEASE
    if not api.work.renew(key, request.lease, ends_at) and ends_at:
        detail = "this runner has the lease no more: another one has it, or the submission has an outcome"
        raise Problem(HTTPStatus.CONFLICT, "lease-lost", detail)
    return LeaseView(ends_at=ends_at or now)


@router.post(paths.WORK_ON, tags=["submissions"])
def post_outcome(benchmark: str, submission: str, request: OutcomeRequest) -> ReportedView:
    """Take what a runner made of a submission: the first outcome counts.

    Raises Problem 401, 403, 404, 409, 422.
    """
    api, published = services(), _find_run(benchmark)
    version = published.get_version(request.version)
    if version is None or not version.definition.runs_own:
        detail = f"version: {request.version} is neither the current nor the next one"
        raise Problem(HTTPStatus.CONFLICT, "other-version", detail)
    find_submission(api.records, published, submission)
    _check_scores(version, request)
    key = ReportedKey(published.id, submission, request.version)
    outcome = RunnerOutcome(**{name: getattr(request, name) for name in Reported.model_fields})
    is_first = api.work.put_outcome(key, outcome)
    api.work.finish(key)
    if not is_first:
        raise Problem(HTTPStatus.CONFLICT, "has-an-outcome", "this submission has an outcome: the first one counts")
    logger.info("a runner reported", extra={"benchmark": published.id, "submission": submission})
    return ReportedView()


def _lease(api: ApiServices, published: PublishedBenchmark, taken: WorkItem) -> RunView | None:
    """Return what a runner is told of its lease; None if nobody shall have it."""
    key = ReportedKey(published.id, taken.submission, taken.version)
    try:
        submission = api.records.find_submission(key.result)
    except UnknownObject:
        submission = None
    ended = None
    if taken.leases > MAX_LEASES:
        ended = f"{MAX_LEASES} runners took this result, and none of them reported an outcome or gave it back"
    elif submission and submission.parts_folder and not api.results.find_info(submission.parts_folder + NAMED):
        ended = "the parts of this result are kept no longer (keep_results)"
    if submission is not None and ended is not None:
        api.work.put_outcome(key, RunnerOutcome(outcome="evaluator_error", message=ended))
    if submission is None or ended is not None:
        api.work.finish(key)
        return None
    run, now = submission.ticketed_run, api.clock()
    return RunView(
        submission=submission.id,
        version=taken.version,
        lease=taken.lease or "",
        ends_at=now + LEASE,
        tries=taken.leases,
        part=submission.part,
        file_format=submission.file_format,
        ticket=run and TicketView(seconds=run.seconds, seed=run.seed),
        result_url=api.records.share_result(submission, day=now.date()),
        sha256=submission.large,
    )


def _find_run(benchmark: str) -> PublishedBenchmark:
    """Return a benchmark that the caller's machine may score.

    Raises Problem 404, 401 or 403 unless the token may score it, 409 if the platform does.
    """
    published, caller = find_published(benchmark), identify()
    if not caller.may(Scope.WORK, published.id) and not caller.owns(published.id):
        expected = f"expected a token with the scope `work` or `own` on {published.id}"
        caller.check_token(expected)
        raise forbidden("not-a-runner", f"Authorization: {expected}")
    if not any(each.definition.runs_own for each in published.active_versions):
        detail = f"{published.id} is scored by the platform: expected `runs_on: own` in its benchmark.yaml"
        raise Problem(HTTPStatus.CONFLICT, "runs-on-platform", detail)
    return published


def _check_scores(version: PublishedBenchmark, reported: Reported) -> None:
    """Check that scores are those of the metrics. Raises Problem 422."""
    evaluations, score_type = reported.evaluations, version.definition.score_type
    if (reported.outcome == "scored") is not bool(evaluations):
        raise _wrong("expected one or more if it scored, and none otherwise", "")
    parts = [each.part for each in evaluations]
    for number, each in enumerate(evaluations):
        if parts.count(each.part) > 1 or (each.part is not None and each.part not in version.parts):
            raise _wrong(f"part: expected one of the benchmark, and each once; found {each.part!r}", f"/{number}")
        public = read_public(each.scores) if version.is_final else {}
        hidden = {name: score for name, score in each.scores.items() if name not in name_public(public)}
        for name, score in (*hidden.items(), *public.items()):
            if name not in score_type.names:
                raise _wrong(f"scores: {name!r} is no metric of {version.id}", f"/{number}")
            try:
                score_type.metric(name).check(score)
            except EvaluatorError as error:
                raise _wrong(f"scores: {error.message}", f"/{number}") from error


def _wrong(detail: str, place: str) -> Problem:
    return unprocessable("invalid-request", f"evaluations: {detail}", pointer=f"/evaluations{place}")
