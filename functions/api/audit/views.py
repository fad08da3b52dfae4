"""Answers about the audit trail."""

from pydantic import Field

from handlers.http.views import View
from storage.audit import AuditEntry


class AuditList(View):
    """Entries of the audit trail, the oldest first: who did what, in which role."""

    entries: list[AuditEntry]
    next: str | None = Field(description="The `cursor` of the page that follows; null at the end.")
