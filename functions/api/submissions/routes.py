"""Routes for submitting a result and reading its outcome."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.asked import find_published, identify, read_json
from api.dependencies import services
from api.submissions.views import Download, ErrorList, ResultLink, ReviewDecision, ReviewList
from handlers.http import paths
from handlers.http.submission_views import SubmissionView, WithdrawalView, view_withdrawal
from scoring_core.outcome import Outcome

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
    return services().status.find(published, submission, caller, version=version)


@router.post(paths.WITHDRAWAL, tags=["submissions"])
def post_withdrawal(benchmark: str, submission: str) -> WithdrawalView:
    """Withdraw a submission: off the board; its record is kept.

    A repeated request returns the first withdrawal. It can be undone for an hour.
    """
    published = find_published(benchmark)
    withdrawal = services().withdrawals.withdraw(published, submission, identify(), read_json())
    role = withdrawal.actor.role
    logger.info("withdrawn", extra={"submission": submission, "benchmark": published.id, "role": role})
    return view_withdrawal(withdrawal)


@router.post(paths.UNDO, tags=["submissions"])
def undo_withdrawal(benchmark: str, submission: str) -> SubmissionView:
    """Undo a withdrawal of the last hour; a repeated request does nothing more."""
    published, caller = find_published(benchmark), identify()
    services().withdrawals.restore(published, submission, caller)
    logger.info("restored", extra={"submission": submission, "benchmark": published.id})
    return services().status.find(published, submission, caller)


@router.get(paths.RESULT, tags=["submissions"], status_code=HTTPStatus.SEE_OTHER)
def get_result(
    benchmark: str,
    submission: str,
    link: Annotated[
        Literal["true", "false"], Query(description="`true`: 200 with the address, and no redirect.")
    ] = "false",
) -> Response[ResultLink]:
    """Redirect player, owner or administrator to the raw result, for 15 minutes.

    Where the benchmark says `results: public`, everybody is redirected if a row of a board names the submission.
    """
    published = find_published(benchmark)
    url = services().status.find_result(published, submission, identify())
    if link == "true":  # a page must not follow with its token, and may not read where it is redirected
        return Response(HTTPStatus.OK, "application/json", ResultLink(url=url))
    return Response(HTTPStatus.SEE_OTHER, "application/json", ResultLink(url=url), headers={"Location": url})


@router.get(paths.ERRORS, tags=["benchmarks"])
def list_errors(
    benchmark: str,
    outcome: Annotated[
        Literal[Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR] | None,
        Query(description="Only this outcome; default: all."),
    ] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> ErrorList:
    """List submissions without a score and why, newest first, for owners."""
    published = find_published(benchmark)
    return services().errors.list_errors(published, identify(), outcome=outcome, cursor=cursor)


@router.get(paths.REVIEWS, tags=["benchmarks"])
def list_reviews(
    benchmark: str,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> ReviewList:
    """List submissions that wait for the owner's look, newest first, for owners.

    A page may be short, or empty, although there is a next one.
    """
    published = find_published(benchmark)
    return services().reviews.list_reviews(published, identify(), cursor=cursor)


@router.post(paths.REVIEW, tags=["benchmarks"])
def post_review(benchmark: str, submission: str) -> ReviewDecision:
    """Accept a submission in review, so that it counts, or withdraw it, for owners.

    A repeated request does nothing more.
    """
    published = find_published(benchmark)
    decided = services().reviews.decide(published, submission, identify(), read_json())
    logger.info("review decided", extra={"benchmark": published.id, **decided.model_dump()})
    return decided


@router.post(paths.DOWNLOADS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_download(benchmark: str) -> Response[Download]:
    """Write submissions into a file, for owners: scores as CSV, raw results as ZIP.

    A file has the first 5,000 submissions, or 500 with their results; `next` says where the following one begins.
    """
    published = find_published(benchmark)
    download = services().downloads.write(published, identify(), read_json())
    logger.info("submissions downloaded", extra={"benchmark": published.id, "submissions": download.submissions})
    return Response(HTTPStatus.CREATED, "application/json", download, headers={"Location": download.url})
