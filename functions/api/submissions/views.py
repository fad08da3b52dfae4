"""The request for a file of submissions, and where the file is."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from handlers.http.bodies import Body
from handlers.http.submission_views import OutputView, PartView, _list_parts, _view_output
from handlers.http.views import View, submission_members
from scoring_core.outcome import Outcome
from scoring_core.urls import page_url, submission_url
from storage.submissions.models import PlayerKind, SubmissionRecord


class DownloadRequest(Body):
    """What the file contains."""

    content: Literal["csv", "zip"] = Field(description="`csv`: a row for each submission; `zip`: the raw results, too.")
    after: str = Field(default="", pattern="^[0-9a-f-]{0,36}$", description="`next` of the file before.")


class Download(View):
    """A file of submissions in order of time, of those with an outcome under the current version."""

    url: str = Field(description="Where the file is, for 15 minutes.")
    expires_at: datetime
    submissions: int = Field(description="How many submissions the file has.")
    next: str | None = Field(description="The `after` of the file that follows; null at the end.")


class ResultLink(View):
    """The address of the raw result; it works for 15 minutes."""

    url: str


class _ListedSubmission(View):
    """What a list for owners has of each submission."""

    submission: str
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    label: str | None = None
    submitted_at: datetime


class ReviewView(_ListedSubmission):
    """One submission that waits for the owner's look."""

    version: str
    scores: dict[str, int | float]
    parts: list[PartView] | None = None
    page_url: str = Field(description="Its page on the site.")
    result_url: str = Field(description="Its raw result, for the owner's token.")


class ReviewList(View):
    """Submissions that wait for the owner's look, newest first."""

    reviews: list[ReviewView]
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


class ReviewDecision(View):
    """What the owner decided about a submission in review."""

    submission: str
    decision: Literal["accept", "withdraw"]


class ErrorView(_ListedSubmission):
    """One submission without a score, and the full reason."""

    recorded_at: datetime
    version: str
    outcome: Outcome
    message: str
    pointer: str
    output: OutputView | None


class ErrorList(View):
    """Submissions without a score, newest first."""

    errors: list[ErrorView]
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


def view_review(record: SubmissionRecord) -> ReviewView:
    """Return an owner's view of a record in review."""
    submission = record.submission
    return ReviewView(
        **submission_members(submission),
        version=record.version,
        scores=record.scores,
        parts=_list_parts(record, with_detail=False) or None,
        page_url=page_url(submission.benchmark, submission.id),
        result_url=f"{submission_url(submission.benchmark, submission.id)}/result",
    )


def view_error(record: SubmissionRecord) -> ErrorView:
    """Return an owner's view of a record without a score, with its long output."""
    return ErrorView(
        **submission_members(record.submission),
        recorded_at=datetime.fromisoformat(record.recorded_at),
        version=record.version,
        outcome=record.outcome,
        message=record.message,
        pointer=record.pointer,
        output=_view_output(record),
    )
