"""Routes that need a token or receipt: withdrawal, raw result, errors, reviews, rescore, publish, bans, archive."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from submit import paths
from submit.auth import Caller
from submit.dependencies import services
from submit.requests import check_headers, read_body, read_headers
from submit.schemas.benchmarks import (
    ArchiveView,
    BanList,
    BanView,
    DeletionView,
    PublicationTicket,
    PublicationView,
    RescoreView,
)
from submit.schemas.submissions import (
    BatchWithdrawalView,
    ErrorList,
    ResultLink,
    ReviewDecision,
    ReviewList,
    SubmissionView,
    WithdrawalView,
    view_withdrawal,
)
from submit.services.benchmarks import find_benchmark
from submit.services.reports import PlayerQuery

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


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


@router.post(paths.UPLOAD_WITHDRAWAL, tags=["uploads"])
def post_upload_withdrawal(benchmark: str, upload: str, player: PlayerQuery = None) -> BatchWithdrawalView:
    """Withdraw a batch: 500 submissions a request, until none is left."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    published = find_benchmark(services().benchmarks, benchmark)
    view = services().withdrawals.withdraw_batch(published, upload, _identify(), read_body(event), player=player)
    logger.info("batch withdrawn", extra={"benchmark": published.id, **view.model_dump()})
    return view


@router.post(paths.UPLOAD_UNDO, tags=["uploads"])
def undo_upload_withdrawal(benchmark: str, upload: str, player: PlayerQuery = None) -> BatchWithdrawalView:
    """Undo the withdrawal of a batch: 500 submissions a request, until none is left."""
    published = find_benchmark(services().benchmarks, benchmark)
    view = services().withdrawals.restore_batch(published, upload, _identify(), player=player)
    logger.info("batch restored", extra={"benchmark": published.id, **view.model_dump()})
    return view


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


@router.post(paths.RESCORE, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_rescore(benchmark: str) -> Response[RescoreView]:
    """Score all results with the latest version, then switch the board to it."""
    event = router.current_event.raw_event
    body = read_body(event)
    if body:
        check_headers(read_headers(event))
    published = find_benchmark(services().benchmarks, benchmark)
    rescore = services().owners.rescore(published, _identify(), body)
    logger.info("rescore requested", extra={"benchmark": published.id, "next": rescore.next})
    return Response(HTTPStatus.ACCEPTED, "application/json", rescore)


@router.get(paths.BANS, tags=["benchmarks"])
def list_bans(benchmark: str) -> BanList:
    """List the banned players and names, and the reasons."""
    published = find_benchmark(services().benchmarks, benchmark)
    return BanList(bans=services().bans.list_bans(published.id))


@router.post(paths.BAN, tags=["benchmarks"])
def post_ban(benchmark: str) -> BanView:
    """Ban a player or a guest's name, for owners; within seconds.

    New results are rejected with the reason, and a player's rows go off the boards until the ban is lifted.
    """
    published, body = _find_for_change(benchmark)
    ban = services().bans.ban(published.id, _identify(), body)
    logger.info("banned", extra={"benchmark": published.id, "player": ban.player})
    return ban


@router.post(paths.UNBAN, tags=["benchmarks"])
def post_unban(benchmark: str) -> BanView:
    """Lift a ban, for owners: within seconds the rows are back."""
    published, body = _find_for_change(benchmark)
    ban = services().bans.lift(published.id, _identify(), body)
    logger.info("ban lifted", extra={"benchmark": published.id, "player": ban.player})
    return ban


@router.post(paths.ARCHIVE, tags=["benchmarks"])
def post_archive(benchmark: str) -> ArchiveView:
    """Hide a benchmark and make it read-only, for owners; within seconds.

    A repeated request returns the first time and reason.
    """
    published, body = _find_for_change(benchmark)
    view = services().archives.archive(published.id, _identify(), body)
    logger.info("archived", extra={"benchmark": published.id})
    return view


@router.post(paths.ARCHIVE_UNDO, tags=["benchmarks"])
def undo_archive(benchmark: str) -> ArchiveView:
    """Bring an archived benchmark back, for owners; within seconds."""
    published = find_benchmark(services().benchmarks, benchmark)
    view = services().archives.undo(published.id, _identify())
    logger.info("archive undone", extra={"benchmark": published.id})
    return view


@router.post(paths.DELETION, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_deletion(benchmark: str) -> Response[DeletionView]:
    """Delete an archived benchmark to which nobody has submitted, for owners.

    It can be asked for two minutes after the archive at the earliest, and follows within seconds.
    """
    published, body = _find_for_change(benchmark)
    view = services().archives.delete(published.id, _identify(), body)
    logger.info("deletion requested", extra={"benchmark": published.id})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


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


@router.post(paths.PUBLICATIONS, tags=["benchmarks"], status_code=HTTPStatus.CREATED)
def post_publication(benchmark: str) -> Response[PublicationTicket]:
    """Get a form to upload a benchmark's files with, as one ZIP, for owners."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    ticket = services().publications.admit(benchmark, _identify(), read_body(event))
    return Response(HTTPStatus.CREATED, "application/json", ticket, headers={"Location": ticket.status_url})


@router.post(paths.START, tags=["benchmarks"], status_code=HTTPStatus.ACCEPTED)
def post_publication_start(benchmark: str, publication: str) -> Response[PublicationView]:
    """Check what was uploaded as `laurel check` does, and publish it if it passes."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    view = services().publications.start(benchmark, publication, _identify(), read_body(event))
    logger.info("publication started", extra={"benchmark": benchmark, "publication": publication})
    return Response(HTTPStatus.ACCEPTED, "application/json", view)


@router.get(paths.PUBLICATION, tags=["benchmarks"])
def get_publication(benchmark: str, publication: str) -> PublicationView:
    """Show how publishing ended, with the outcome of every example."""
    return services().publications.find(benchmark, publication, _identify())


def _find_for_change(benchmark: str) -> tuple[PublishedBenchmark, bytes]:
    """Return a benchmark to change, and the request's body. Raises Problem 404, 415."""
    event = router.current_event.raw_event
    check_headers(read_headers(event))
    return find_benchmark(services().benchmarks, benchmark), read_body(event)


def _identify() -> Caller:
    return services().authenticator.identify(read_headers(router.current_event.raw_event))
