"""What the API answers owners about results without a score."""

from datetime import datetime

from pydantic import Field

from scoring_core.outcome import Outcome
from storage.submissions.models import PlayerKind, SubmissionRecord
from submit.schemas.base import View, player_members
from submit.schemas.submissions import OutputView, view_output


class ErrorView(View):
    """One submission without a score, and all that is known of why."""

    submission: str
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    submitted_at: datetime
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


def view_error(record: SubmissionRecord) -> ErrorView:
    """Show, to an owner, a submission without a score.

    Args:
        record: With its long output.
    """
    submission = record.submission
    return ErrorView(
        submission=submission.id,
        **player_members(submission.player),
        submitted_at=submission.submitted_at,
        recorded_at=datetime.fromisoformat(record.recorded_at),
        version=record.version,
        outcome=record.outcome,
        message=record.message,
        pointer=record.pointer,
        output=view_output(record),
    )
