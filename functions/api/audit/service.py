"""Reads the audit trail, for administrators."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import Field

from handlers.http.auth import Caller
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.views import View
from storage.audit import AuditEntry, AuditTrail

PAGE_LENGTH = 200
"""Entries of the audit trail that are read for a page."""


class AuditList(View):
    """Entries of the audit trail, the oldest first: who did what, in which role."""

    entries: list[AuditEntry]
    next: str | None = Field(description="The `cursor` of the page that follows; null at the end.")


@dataclass(frozen=True, slots=True)
class AuditService:
    """Serves administrators."""

    trail: AuditTrail

    def list_page(
        self, caller: Caller, *, benchmark: str | None, since: datetime | None, cursor: str | None
    ) -> AuditList:
        """Return a page of the audit trail, the oldest entries first.

        Raises Problem 400, 401, 403.
        """
        caller.check_admin()
        scope = ("audit", benchmark or "", since.isoformat() if since else "")
        after = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.trail.list_page(benchmark=benchmark, since=since, after=after, length=PAGE_LENGTH)
        return AuditList(entries=list(page.entries), next=page.position and make_cursor(page.position, scope=scope))
