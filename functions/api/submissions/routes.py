"""Routes of what became of a submission, as much of it as a caller may see, and of its raw result."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.dependencies import ApiServices, find_published, identify, make_router, services
from api.submissions.views import ResultLink
from handlers.http import outcomes, paths
from handlers.http.auth import Caller
from handlers.http.problems import not_found
from handlers.http.progress import is_named
from handlers.http.quotas import count_left
from handlers.http.submission_views import (
    RunnerWait,
    SubmissionView,
    Visibility,
    view_extension,
    view_withdrawal,
)
from handlers.http.submitters import made
from handlers.http.views import submission_members
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import ResultKey, is_submission_id
from storage.players.tokens import Scope
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import (
    NAMELESS,
    Submission,
    SubmissionRecord,
    is_version,
)
from storage.submissions.store import RESULT_SECONDS, SubmissionStore

router = make_router()
_NO_SUBMISSION = "there is no such submission"
_NOT_SCORED = "this submission was not scored under that version"


@router.get(paths.SUBMISSION, tags=["submissions"])
def get_submission(
    benchmark: str,
    submission: str,
    version: Annotated[
        str | None,
        Query(
            description="Of the benchmark; default: the current one. For all but owners only one that is current, or "
            "was while it had this outcome; none while the submission waits for its owner under the current one."
        ),
    ] = None,
) -> SubmissionView:
    """Show the status of a submission."""
    return find_status(services(), find_published(benchmark), submission, identify(), version=version)


def find_status(
    api: ApiServices, published: PublishedBenchmark, submission: str, caller: Caller, *, version: str | None = None
) -> SubmissionView:
    """Return the status of a submission, as much of it as the caller may see.

    Without a version it is the outcome under the current one. To all but its player and owners a submission that
    waits for the owner under that is as one that is not scored yet, under any version. To all but owners only those
    versions exist that are current, or were when they had its outcome. Raises Problem 404 if the benchmark has no
    such submission, or it was not scored under that version.
    """
    if not is_submission_id(submission):
        raise not_found(_NO_SUBMISSION)
    if version and not is_version(version):
        raise not_found(_NOT_SCORED)
    current = _judge(published, outcomes.find_current(api, published.id, submission, published.version))
    record = current
    if version and (current is None or current.version != version):
        record = _judge(published, outcomes.find_record(api, published.id, submission, version))
    waits = bool(api.reviews.find_waiting(each for each in (current, record) if each))
    recorded = record or current
    stored = recorded.submission if recorded else find_submission(api.records, published, submission)
    stored = published.judge_late(stored)
    visibility = find_visibility(api, caller, stored)
    withdrawal = _find_withdrawal(api, stored, visibility)
    shared: dict[str, object] = {"withdrawn": withdrawal and view_withdrawal(withdrawal)}
    shared["name"] = api.players.name([stored.player])[0].name
    if visibility >= Visibility.PLAYER:
        shared["extension"] = view_extension(published, stored.player.id)
    if made(api, caller, stored):
        left = api.quotas.find_left(published.terms, stored.player.id, stored.origin, now=api.clock())
        shared |= count_left(left)
    if record is not None and _may_read(published, record, visibility, current=current, waits=waits):
        if waits and record.in_review:
            return outcomes.show_in_review(api, record, visibility).model_copy(update=shared)
        rank = None if withdrawal else outcomes.find_rank(api, record)
        view = outcomes.show_record(api, record, visibility, rank).model_copy(update=shared)
        return outcomes.add_progress(api, view, record) if visibility >= Visibility.PLAYER and not withdrawal else view
    if version and version != published.version:
        raise not_found(_NOT_SCORED)
    if published.definition.runs_own:
        shared["runner"] = RunnerWait(seen_at=next((each.since for each in api.work.list_runners(published.id)), None))
    queued = SubmissionView(**submission_members(stored), late=stored.late, status="queued")
    return queued.model_copy(update=shared)


@router.get(paths.RESULT, tags=["submissions"], status_code=HTTPStatus.SEE_OTHER)
def get_result(
    benchmark: str,
    submission: str,
    link: Annotated[
        Literal["true", "false"], Query(description="`true`: 200 with the address, and no redirect.")
    ] = "false",
    sha256: Annotated[
        str | None,
        Query(pattern="^[0-9a-f]{64}$", description="The hash of a part, of a result in parts."),
    ] = None,
) -> Response[ResultLink]:
    """Redirect player, owner or administrator to the raw result, for 15 minutes.

    Where the benchmark says `results: public`, everybody is redirected if a row of a board names the submission; a
    runner gets parts. Raises Problem 404 if there is no such submission or part, or the caller may not read it.
    """
    api, published, caller = services(), find_published(benchmark), identify()
    key = ResultKey(published.id, submission)
    stored = api.records.find_submission(key) if is_submission_id(submission) else None
    is_own = stored is not None and find_visibility(api, caller, stored) is not Visibility.PUBLIC
    is_own |= sha256 is not None and caller.may(Scope.WORK, published.id)
    if stored is None or not (is_own or _is_public(api, published, stored)):
        raise not_found("there is no such result, or it is not yours: expected its receipt or a token")
    if sha256 is None:
        url = api.records.share_result(stored, day=api.clock().date())
    else:
        name = f"{stored.parts_folder}{sha256}"
        if stored.parts_folder is None or api.results.find_info(name) is None:
            raise not_found("sha256: the result has no such part, or it is kept no longer")
        url = api.results.sign_download(name, filename=sha256, seconds=RESULT_SECONDS)
    if link == "true":  # a page must not follow with its token, and may not read where it is redirected
        return Response(HTTPStatus.OK, "application/json", ResultLink(url=url))
    return Response(HTTPStatus.SEE_OTHER, "application/json", ResultLink(url=url), headers={"Location": url})


def _is_public(api: ApiServices, published: PublishedBenchmark, submission: Submission) -> bool:
    """Return whether everybody may read a raw result.

    A board is seconds behind a mark, a window minutes: so the marks are read too.
    """
    player = submission.player.id
    if not published.has_public_results or player in published.bans:
        return False
    if api.withdrawals.find_all(published.id, [submission.id, player]):
        return False
    record = api.records.find_record(published.id, submission=submission.id, version=published.version)
    return record is not None and is_named(api, published, record)


def _find_withdrawal(api: ApiServices, submission: Submission, visibility: Visibility) -> Withdrawal | None:
    """Return the withdrawal of a submission.

    Raises Problem 404 to all but owners if its player is erased.
    """
    player = submission.player.id
    names = [submission.id] if player in NAMELESS else [submission.id, player]
    withdrawals = api.withdrawals.find_all(submission.benchmark, names)
    if player in withdrawals and visibility < Visibility.OWNER:
        raise not_found("the player of this submission was erased")
    return withdrawals.get(submission.id)


def _judge(published: PublishedBenchmark, record: SubmissionRecord | None) -> SubmissionRecord | None:
    return record and record._replace(submission=published.judge_late(record.submission))


def find_submission(submissions: SubmissionStore, published: PublishedBenchmark, submission: str) -> Submission:
    """Return a submission of a benchmark, scored or not. Raises Problem 404."""
    is_id = is_submission_id(submission)
    stored = submissions.find_submission(ResultKey(published.id, submission)) if is_id else None
    if stored is None:
        raise not_found(_NO_SUBMISSION)
    return stored


def find_visibility(api: ApiServices, caller: Caller, submission: Submission) -> Visibility:
    """Return how much of a submission's outcome a caller may read."""
    if caller.may(Scope.ADMIN, submission.benchmark):
        return Visibility.ADMIN
    if caller.owns(submission.benchmark):
        return Visibility.OWNER
    return Visibility.PLAYER if made(api, caller, submission) else Visibility.PUBLIC


def _may_read(
    published: PublishedBenchmark,
    record: SubmissionRecord,
    visibility: Visibility,
    *,
    current: SubmissionRecord | None,
    waits: bool,
) -> bool:
    """Return whether an outcome exists for readers who may see so much.

    `current` is the outcome under the current version, and `waits` says whether one of the two waits for the owner.
    """
    if visibility >= Visibility.OWNER:
        return True
    recorded_at = datetime.fromisoformat(record.recorded_at)
    if record is not current and not published.was_current(record.version, recorded_at):
        return False
    return visibility is Visibility.PLAYER or (current is not None and not waits)
