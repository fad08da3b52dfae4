"""Routes for submitting a result and reading its outcome."""

import json
from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.submissions.views import Download, ErrorList, ResultLink, ReviewDecision, ReviewList
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark, find_terms
from handlers.http.dependencies import services
from handlers.http.requests import MEDIA_TYPE, check_headers, read_body, read_headers
from handlers.http.submission_views import Accepted, RunTicketView, SubmissionView, WithdrawalView, view_withdrawal
from handlers.http.submitters import SubmitterRequest
from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.models import PlayerKind
from submit.post import PostParameters, submit_result

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.SUBMISSIONS, tags=["submissions"], status_code=HTTPStatus.ACCEPTED)
def post_submission(
    benchmark: str,
    *,
    player: Annotated[
        str | None,
        Query(description="A guest's name; default: a guest without one. Beside a token only with the scope `host`."),
    ] = None,
    kind: Annotated[
        PlayerKind | None, Query(description="Whether the guest is a human or a model; default: a human.")
    ] = None,
    part: Annotated[
        str | None, Query(description="The question, level or track, if the result does not name it.")
    ] = None,
    label: Annotated[
        str | None,
        Query(description="A name for this submission, 1-64 characters, where a board has a row for each label."),
    ] = None,
) -> Response[Accepted | SubmissionView]:
    """Submit a result; after a 202 it is stored, and scored soon.

    Almost every request is answered by `answer_post` alone, and does not get here.
    """
    event = router.current_event.raw_event
    answer = submit_result(event, PostParameters(benchmark, player=player, kind=kind, part=part, label=label))
    return Response(answer.status, answer.content_type, json.loads(answer.body), headers=dict(answer.headers))


@router.post(paths.RUNS, tags=["submissions"], status_code=HTTPStatus.CREATED)
def post_run(
    benchmark: str,
    player: Annotated[
        str | None, Query(description="Who plays, as with the result: the ticket is for that player alone.")
    ] = None,
    kind: Annotated[PlayerKind | None, Query(description="As with the result.")] = None,
    part: Annotated[str | None, Query(description="The level or track that is played.")] = None,
) -> Response[RunTicketView]:
    """Get a run ticket when a play begins, if the benchmark needs one."""
    headers = read_headers(router.current_event.raw_event)
    terms = find_terms(services().terms, benchmark)
    caller = services().authenticator.identify(headers)
    request = SubmitterRequest(caller=caller, headers=headers, player=player, kind=kind)
    text, ticket = services().submissions.issue_ticket(terms, request, part)
    view = RunTicketView(ticket=text, seed=ticket.seed, issued_at=ticket.issued_at, expires_at=ticket.expires_at)
    return Response(HTTPStatus.CREATED, MEDIA_TYPE, view)


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
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
    return services().status.find(published, submission, caller, version=version)


@router.post(paths.WITHDRAWAL, tags=["submissions"])
def post_withdrawal(benchmark: str, submission: str) -> WithdrawalView:
    """Withdraw a submission: off the board; its record is kept.

    A repeated request returns the first withdrawal. It can be undone for an hour.
    """
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    published = find_benchmark(services().benchmarks, benchmark)
    withdrawal = services().owners.withdraw(published, submission, _identify(), read_body(event))
    role = withdrawal.actor.role
    logger.info("withdrawn", extra={"submission": submission, "benchmark": published.id, "role": role})
    return view_withdrawal(withdrawal)


@router.post(paths.UNDO, tags=["submissions"])
def undo_withdrawal(benchmark: str, submission: str) -> SubmissionView:
    """Undo a withdrawal of the last hour; a repeated request does nothing more."""
    published, caller = find_benchmark(services().benchmarks, benchmark), _identify()
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
    published = find_benchmark(services().benchmarks, benchmark)
    url = services().status.find_result(published, submission, _identify())
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
    published = find_benchmark(services().benchmarks, benchmark)
    return services().owners.list_errors(published, _identify(), outcome=outcome, cursor=cursor)


@router.get(paths.REVIEWS, tags=["benchmarks"])
def list_reviews(
    benchmark: str,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> ReviewList:
    """List submissions that wait for the owner's look, newest first, for owners.

    A page may be short, or empty, although there is a next one.
    """
    published = find_benchmark(services().benchmarks, benchmark)
    return services().reviews.list_reviews(published, _identify(), cursor=cursor)


@router.post(paths.REVIEW, tags=["benchmarks"])
def post_review(benchmark: str, submission: str) -> ReviewDecision:
    """Accept a submission in review, so that it counts, or withdraw it, for owners.

    A repeated request does nothing more.
    """
    published, body = _find_for_change(benchmark)
    decided = services().reviews.decide(published, submission, _identify(), body)
    logger.info("review decided", extra={"benchmark": published.id, **decided.model_dump()})
    return decided


def _find_for_change(benchmark: str) -> tuple[PublishedBenchmark, bytes]:
    """Return a benchmark to change, and the request's body. Raises Problem 404, 415."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    return find_benchmark(services().benchmarks, benchmark), read_body(event)


def _identify() -> Caller:
    return services().authenticator.identify(read_headers(router.current_event.raw_event))


@router.post(paths.DOWNLOADS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_download(benchmark: str) -> Response[Download]:
    """Write submissions into a file, for owners: scores as CSV, raw results as ZIP.

    A file has the first 5,000 submissions, or 500 with their results; `next` says where the following one begins.
    """
    event = router.current_event.raw_event
    headers = read_headers(event)
    check_headers(headers)
    published = find_benchmark(services().benchmarks, benchmark)
    download = services().downloads.write(published, services().authenticator.identify(headers), read_body(event))
    logger.info("submissions downloaded", extra={"benchmark": published.id, "submissions": download.submissions})
    return Response(HTTPStatus.CREATED, "application/json", download, headers={"Location": download.url})
