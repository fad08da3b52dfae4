"""The route of the audit trail."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import AwareDatetime

from api.asked import identify
from api.audit.service import AuditList
from api.dependencies import services
from handlers.http import paths

router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


@router.get(paths.AUDIT, tags=["operators"])
def list_audit(
    benchmark: Annotated[str | None, Query(description="Only entries about this benchmark; default: all.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only later entries; default: all.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the oldest.")] = None,
) -> AuditList:
    """List who did what, the oldest first, for administrators.

    A page may be short, or empty, although there is a next one.
    """
    return services().audit.list_page(identify(), benchmark=benchmark, since=since, cursor=cursor)
