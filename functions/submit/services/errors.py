"""Tells owners what went wrong on their benchmark: every submission without a score, and why."""

from dataclasses import dataclass

from scoring_core.outcome import Outcome
from storage.audit import Actor
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.models import sort_key
from storage.submissions.store import SubmissionStore
from submit.answer_size import MAX_BODY_BYTES, measure
from submit.auth import Caller
from submit.cursors import make_cursor, read_cursor
from submit.problems import forbidden, unauthorized
from submit.schemas.errors import ErrorList, ErrorView, view_error

PAGE_LENGTH = 20
"""At most; what a script prints may be long, and then a page ends earlier."""


@dataclass(frozen=True, slots=True)
class ErrorService:
    """Answers owners and administrators."""

    submissions: SubmissionStore

    def find(
        self, published: PublishedBenchmark, caller: Caller, *, outcome: Outcome | None, cursor: str | None
    ) -> ErrorList:
        """Give a page of a benchmark's errors, newest first, under every version.

        Args:
            published: The benchmark.
            caller: Who asks.
            outcome: Only these; None: all but scored ones.
            cursor: `next` of the page before; None: the first page.

        Raises:
            Problem: 401 or 403, the caller does not own the benchmark; 400, the cursor is not one of this list.
        """
        check_owner(caller, published)
        scope = (published.id, "errors", outcome or "all")
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        page = self.submissions.list_failures(published.id, outcome=outcome, before=before, length=PAGE_LENGTH)
        errors: list[ErrorView] = []
        position, left = page.position, MAX_BODY_BYTES
        for index, record in enumerate(page.entries):
            error = view_error(record)
            left -= measure(error)
            if left < 0 and errors:
                last = page.entries[index - 1]
                position = sort_key(last.submission.id, last.version)
                break
            errors.append(error)
        return ErrorList(errors=errors, next=position and make_cursor(position, scope=scope))


def check_owner(caller: Caller, published: PublishedBenchmark) -> Actor:
    """Let an owner of a benchmark pass, and an administrator; give who it is.

    Raises:
        Problem: 401, no token was shown; 403, the token does not allow it. Benchmarks are public, so nothing is hidden.
    """
    owner = caller.find_owner(published.id)
    if owner is not None:
        return owner
    expected = f"expected a token with the scope `own` on {published.id}, or `admin`"
    if caller.token is None:
        raise unauthorized("token-needed", f"Authorization: {expected}")
    raise forbidden("not-the-owner", f"Authorization: {expected}")
