"""Routes for uploading a batch, or one result that is too large for a POST."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.batches.service import PAGE_LENGTH, PlayerQuery, ReportPage
from api.batches.views import BatchList, BatchWithdrawalView, UploadView
from api.submissions.sorting import SortQuery
from handlers.http import paths
from handlers.http.auth import Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.dependencies import services
from handlers.http.requests import check_headers, read_body, read_headers
from handlers.http.uploads import UploadTicket

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.UPLOADS, tags=["uploads"], status_code=HTTPStatus.CREATED)
def post_upload(benchmark: str) -> Response[UploadTicket]:
    """Get a form to upload a file with: JSON, JSONL or ZIP."""
    event, headers = router.current_event.raw_event, read_headers(router.current_event.raw_event)
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(headers)
    ticket = services().batches.admit(published, caller, headers, read_body(event))
    return Response(HTTPStatus.CREATED, "application/json", ticket, headers={"Location": ticket.status_url})


@router.get(paths.UPLOAD, tags=["uploads"])
def get_upload(  # the parameters of one query
    benchmark: str,
    upload: str,
    *,
    player: PlayerQuery = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the first page.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many entries to show.")] = PAGE_LENGTH,
    sort: SortQuery = None,
) -> UploadView:
    """Show the status of an upload, with the scores of its entries."""
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
    return services().reports.find(published, upload, caller, player=player, page=ReportPage(cursor, limit, sort))


@router.get(paths.BATCHES, tags=["uploads"])
def list_batches(
    benchmark: str,
    player: PlayerQuery = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> BatchList:
    """List the batches of the last 30 days, newest first, however they were uploaded."""
    published = find_benchmark(services().benchmarks, benchmark)
    caller = services().authenticator.identify(read_headers(router.current_event.raw_event))
    return services().reports.list_batches(published, caller, player=player, cursor=cursor)


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


def _identify() -> Caller:
    return services().authenticator.identify(read_headers(router.current_event.raw_event))
