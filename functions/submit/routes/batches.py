"""Uploading a batch, or one result that is too large for a POST."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from submit import paths
from submit.dependencies import services
from submit.requests import identify, lower_case, read_body
from submit.schemas.batches import UploadTicket, UploadView

router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.UPLOADS, tags=["uploads"], status_code=HTTPStatus.CREATED)
def post_upload(benchmark: str) -> Response[UploadTicket]:
    """Ask for a place to upload a file to: JSON, JSONL or ZIP."""
    event, here = router.current_event, services()
    published = here.catalogue.find(benchmark)
    ticket = here.uploads.admit(published, identify(event), lower_case(event.headers), read_body(event))
    return Response(
        status_code=HTTPStatus.CREATED,
        content_type="application/json",
        body=ticket,
        headers={"Location": ticket.status_url},
    )


@router.get(paths.UPLOAD, tags=["uploads"])
def get_upload(
    benchmark: str,
    upload: str,
    player: Annotated[str | None, Query(description="Whose it is, for owners; without it the token's player.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the page before; without it the first.")] = None,
) -> UploadView:
    """Tell what became of an upload, entry by entry."""
    here = services()
    published = here.catalogue.find(benchmark)
    return here.uploads.find(published, upload, identify(router.current_event), player=player, cursor=cursor)
