"""Routes of administrators: tokens, the audit trail, and operations."""

from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import AwareDatetime

from api.asked import identify
from api.dependencies import services
from api.operators.views import AuditList, TokenRequest
from api.players.invitations.views import TokenIssued
from handlers.http import paths
from storage.benchmarks.operations import Operation, OperationRequest

logger = Logger(child=True)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.post(paths.CREATE_TOKEN, tags=["operators"], status_code=HTTPStatus.CREATED)
def post_token(request: TokenRequest) -> Response[TokenIssued]:
    """Make a token, and its player if new, for administrators; it is shown once."""
    issued = services().operators.create_token(identify(), request)
    logger.info("token made", extra={"player": issued.player, "token": issued.token.token})
    return Response(HTTPStatus.CREATED, "application/json", issued)


@router.get(paths.AUDIT, tags=["operators"])
def list_audit(
    benchmark: Annotated[str | None, Query(description="Only entries about this benchmark; default: all.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only later entries; default: all.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the oldest.")] = None,
) -> AuditList:
    """List who did what, the oldest first, for administrators.

    A page may be short, or empty, although there is a next one.
    """
    return services().operators.list_audit(identify(), benchmark=benchmark, since=since, cursor=cursor)


@router.post(paths.OPERATIONS, tags=["operators"], status_code=HTTPStatus.ACCEPTED)
def post_operation(request: OperationRequest) -> Response[Operation]:
    """Start a rebuild or a sweep, for administrators.

    It may take minutes: the address in `Location` says how it goes.
    """
    started = services().operators.start(identify(), request)
    logger.info("operation started", extra={"operation": started.id, **dict(started.request)})
    headers = {"Location": f"{paths.OPERATIONS}/{started.id}"}
    return Response(HTTPStatus.ACCEPTED, "application/json", started, headers=headers)


@router.get(paths.OPERATION, tags=["operators"])
def get_operation(operation: str) -> Operation:
    """Show how an operation goes, or ended, for administrators."""
    return services().operators.find(identify(), operation)
