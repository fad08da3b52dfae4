"""Routes for uploading a batch, or one result that is too large for a POST."""

from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.batches import service as reports
from api.batches.service import PlayerQuery
from api.batches.views import BatchList, BatchWithdrawalView, UploadView
from api.dependencies import find_published, identify, services
from api.reasons import ReasonRequest
from api.submissions.withdrawals import change_batch
from handlers.http import paths

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.get(paths.UPLOAD, tags=["uploads"])
def get_upload(benchmark: str, upload: str, player: PlayerQuery = None) -> UploadView:
    """Show the status of an upload, and how many of its entries have which outcome."""
    return reports.find(services(), find_published(benchmark), upload, identify(), player=player)


@router.get(paths.BATCHES, tags=["uploads"])
def list_batches(
    benchmark: str,
    player: PlayerQuery = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the newest.")] = None,
) -> BatchList:
    """List the batches of the last 30 days, newest first, however they were uploaded."""
    published = find_published(benchmark)
    caller = identify()
    return reports.list_batches(services(), published, caller, player=player, cursor=cursor)


@router.post(paths.UPLOAD_WITHDRAWAL, tags=["uploads"])
def post_upload_withdrawal(
    benchmark: str, upload: str, request: ReasonRequest, player: PlayerQuery = None
) -> BatchWithdrawalView:
    """Withdraw a batch, or undo that: 500 submissions a request, until none is left."""
    published = find_published(benchmark)
    view = change_batch(services(), published, upload, identify(), request, player=player)
    logger.info("batch withdrawal", extra={"benchmark": published.id, "undone": request.undo, **view.model_dump()})
    return view
