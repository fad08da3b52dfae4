"""The route of the audit trail."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter
from pydantic import AwareDatetime, Field

from api.asked import identify
from api.dependencies import services
from handlers.http import paths
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.views import View
from storage.audit import AuditEntry

PAGE_LENGTH = 200
"""Entries of the audit trail that are read for a page."""
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped


class AuditList(View):
    """Entries of the audit trail, the oldest first: who did what, in which role."""

    entries: list[AuditEntry]
    next: str | None = Field(description="The `cursor` of the page that follows; null at the end.")


@router.get(paths.AUDIT, tags=["operators"])
def list_audit(
    benchmark: Annotated[str | None, Query(description="Only entries about this benchmark; default: all.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only later entries; default: all.")] = None,
    cursor: Annotated[str | None, Query(description="`next` of the previous page; default: the oldest.")] = None,
) -> AuditList:
    """List who did what, the oldest first, for administrators.

    A page may be short, or empty, although there is a next one.
    """
    identify().check_admin()
    scope = ("audit", benchmark or "", since.isoformat() if since else "")
    after = None if cursor is None else read_cursor(cursor, scope=scope)
    page = services().trail.list_page(benchmark=benchmark, since=since, after=after, length=PAGE_LENGTH)
    return AuditList(entries=list(page.entries), next=page.position and make_cursor(page.position, scope=scope))
