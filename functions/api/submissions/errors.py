"""Lists submissions without a score, and why, for owners."""

from dataclasses import dataclass

from api.submissions.views import ErrorList, view_error
from handlers.http.auth import Caller
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.views import MAX_CONTENT_BYTES, take_fitting
from scoring_core.outcome import Outcome
from storage.access.players import PlayerStore
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.models import sort_key
from storage.submissions.store import SubmissionStore

PAGE_LENGTH = 20
"""Errors of a page at most; a page with the long output of scripts ends earlier."""


@dataclass(frozen=True, slots=True)
class ErrorService:
    """Serves the owners of benchmarks."""

    submissions: SubmissionStore
    players: PlayerStore

    def list_errors(
        self, published: PublishedBenchmark, caller: Caller, *, outcome: Outcome | None, cursor: str | None
    ) -> ErrorList:
        """Return a page of submissions without a score, or of one outcome, newest first.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, the cursor is not one of this list.
        """
        caller.check_owner(published.id)
        scope = (published.id, "errors", outcome or "all")
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.submissions.list_failures(
            published.id,
            outcome=outcome,
            before=before,
            length=PAGE_LENGTH,
            current=published.version,
            following=published.next.version if published.next else None,
        )
        records = self.players.name_records(page.entries)
        errors = list(take_fitting(map(view_error, records), max_bytes=MAX_CONTENT_BYTES))
        cut = len(errors) < len(page.entries)
        position = sort_key(errors[-1].submission, errors[-1].version) if cut else page.position
        return ErrorList(errors=errors, next=position and make_cursor(position, scope=scope))
