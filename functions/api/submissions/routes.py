"""Routes of submissions: outcomes, raw results, lists, withdrawals, reviews and downloads."""

from http import HTTPStatus
from typing import Annotated, Literal
from urllib.parse import urlencode

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.dependencies import find_published, identify, read_headers, services
from api.reasons import OptionalReasonRequest, ReasonRequest
from api.submissions import withdrawals, work
from api.submissions.downloads import write_download
from api.submissions.grades import write_grades
from api.submissions.listing import MAX_LENGTH, PAGE_LENGTH, Wish, list_page, write_csv
from api.submissions.service import find_result, find_status
from api.submissions.views import Download, DownloadRequest, ResultLink, SubmissionList
from handlers.http import paths
from handlers.http.submission_views import SubmissionView

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


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
    published = find_published(benchmark)
    caller = identify()
    return find_status(services(), published, submission, caller, version=version)


@router.post(paths.WITHDRAWAL, tags=["submissions"])
def post_withdrawal(benchmark: str, submission: str, request: ReasonRequest) -> SubmissionView:
    """Withdraw a submission, or undo that: off the board; its record is kept.

    It can be undone for an hour. A repeated request does nothing more: the first withdrawal stays.
    """
    published, caller = find_published(benchmark), identify()
    role = withdrawals.change(services(), published, submission, caller, request)
    extra = {"submission": submission, "benchmark": published.id, "undone": request.undo, "role": role}
    logger.info("withdrawal", extra=extra)
    return find_status(services(), published, submission, caller)


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

    Where the benchmark says `results: public`, everybody is redirected if a row of a board names the submission.
    """
    published = find_published(benchmark)
    url = find_result(services(), published, submission, identify(), sha256)
    if link == "true":  # a page must not follow with its token, and may not read where it is redirected
        return Response(HTTPStatus.OK, "application/json", ResultLink(url=url))
    return Response(HTTPStatus.SEE_OTHER, "application/json", ResultLink(url=url), headers={"Location": url})


@router.get(paths.SUBMISSIONS, tags=["submissions"])
def list_submissions(  # the parameters of one query
    benchmark: str,
    *,
    player: Annotated[
        str | None, Query(description="The submissions of this player; beside `batch`: whose batch it is, for owners.")
    ] = None,
    batch: Annotated[
        str | None, Query(description="The entries of this batch or upload, for its player and owners.")
    ] = None,
    outcome: Annotated[
        Literal["failed", "invalid", "evaluator_error", "internal_error"] | None,
        Query(description="What has this outcome, and why, for owners; `failed`: any of the others."),
    ] = None,
    in_review: Annotated[
        Literal["true", "false"], Query(description="`true`: what waits for the owner's look, for owners.")
    ] = "false",
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the first page.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_LENGTH, description="How many of them to show at most.")] = PAGE_LENGTH,
) -> Response[SubmissionList | str]:
    """List the submissions of a player, batch or outcome, those in review, or all.

    The last three are for owners. Submissions are under the current version and newest first; those of a batch are in
    its order, all of them oldest first. A page may be short, or empty, although there is a next one. With
    `Accept: text/csv` it is CSV, and the header `Link` has the address of the next one.
    """
    published = find_published(benchmark)
    wish = Wish(
        player=player,
        batch=batch,
        outcome=outcome,
        in_review=in_review == "true",
        cursor=cursor,
        length=limit,
    )
    listed = list_page(services(), published, identify(), wish)
    if "text/csv" not in read_headers().get("accept", ""):
        return Response(HTTPStatus.OK, "application/json", listed, headers={"Vary": "Accept"})
    headers = {"Vary": "Accept"}
    if listed.next:
        query = {**router.current_event.query_string_parameters, "cursor": listed.next}
        headers["Link"] = f'<{router.current_event.path}?{urlencode(query)}>; rel="next"'
    text = write_csv(listed.submissions, published.definition.score_type)
    return Response(HTTPStatus.OK, "text/csv; charset=utf-8", text, headers=headers)


@router.post(paths.ACCEPTANCE, tags=["submissions"])
def post_acceptance(benchmark: str, submission: str, request: OptionalReasonRequest) -> SubmissionView:
    """Accept a submission in review, so that it counts, for owners.

    To reject it, withdraw it. A repeated request does nothing more.
    """
    published, caller = find_published(benchmark), identify()
    withdrawals.accept(services(), published, submission, caller, request)
    logger.info("accepted", extra={"benchmark": published.id, "submission": submission})
    return find_status(services(), published, submission, caller)


@router.post(paths.DOWNLOADS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_download(benchmark: str, request: DownloadRequest) -> Response[Download]:
    """Write a ZIP of submissions, with their raw results, for owners.

    A file has the first 500 submissions; `next` says where the following one begins.
    """
    published = find_published(benchmark)
    download = write_download(services(), published, identify(), request)
    logger.info("submissions downloaded", extra={"benchmark": published.id, "submissions": download.submissions})
    return Response(HTTPStatus.CREATED, "application/json", download, headers={"Location": download.url})


@router.get(paths.GRADES, tags=["submissions"])
def get_grades(
    benchmark: str,
    decimal: Annotated[
        Literal["point", "comma"], Query(description="`comma`: cells are separated by `;`, decimals have a comma.")
    ] = "point",
) -> Response[str]:
    """Write a row for each player who was invited or has a row, as CSV, for owners."""
    text = write_grades(services(), find_published(benchmark), identify(), decimal_comma=decimal == "comma")
    return Response(HTTPStatus.OK, "text/csv; charset=utf-8", text)


@router.get(paths.WORK, tags=["submissions"])
def list_runners(benchmark: str) -> work.RunnerList:
    """List what waits for the owner's runners, and these, for owners."""
    return work.list_runners(services(), find_published(benchmark), identify())


@router.post(paths.WORK, tags=["submissions"])
def post_work(benchmark: str, request: work.WorkRequest) -> work.WorkView:
    """Return the submission that waits longest, which the runner then has for 60 s.

    Of a benchmark that says `runs_on: own`. A lease that nobody renews ends, and the submission waits again; one whose
    leases end three times without an outcome is an `evaluator_error`.
    """
    return work.take(services(), find_published(benchmark), identify(), request)


@router.post(paths.WORK_LEASE, tags=["submissions"])
def post_lease(benchmark: str, submission: str, request: work.LeaseRequest) -> work.LeaseView:
    """Lengthen the lease of a submission, or give it back."""
    return work.renew(services(), find_published(benchmark), submission, identify(), request)


@router.post(paths.WORK_ON, tags=["submissions"])
def post_outcome(benchmark: str, submission: str, request: work.OutcomeRequest) -> work.ReportedView:
    """Take what a runner made of a submission: the first outcome counts."""
    published = find_published(benchmark)
    view = work.report(services(), published, submission, identify(), request)
    logger.info("a runner reported", extra={"benchmark": published.id, "submission": submission})
    return view
