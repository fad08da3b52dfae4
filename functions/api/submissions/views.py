"""Submissions in lists, the request for a file of them, and where the file is."""

from datetime import datetime
from typing import NamedTuple

from pydantic import Field

from handlers.http.bodies import Body
from handlers.http.submission_views import (
    LATE,
    OutputView,
    PartView,
    Visibility,
    WithdrawalView,
    explain_failure,
    list_parts,
    view_withdrawal,
)
from handlers.http.views import View, player_members
from scoring_core.outcome import Outcome
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import PlayerKind, Submission, SubmissionRecord


class DownloadRequest(Body):
    """Where the file begins."""

    cursor: str | None = Field(default=None, description="`next` of the file before.")


class Download(View):
    """A ZIP of submissions and their raw results, oldest first, of those with an outcome under the current version."""

    url: str = Field(description="Where the file is, for 15 minutes.")
    expires_at: datetime
    submissions: int = Field(description="How many submissions the file has.")
    next: str | None = Field(description="The `cursor` of the file that follows; null at the end.")


class ResultLink(View):
    """The address of the raw result; it works for 15 minutes."""

    url: str


class ListedSubmission(View):
    """A submission in a list, or an entry of a batch that became none; as much of it as the token may see."""

    submission: str | None = Field(description="Null for an entry of a batch that was rejected.")
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    label: str | None = Field(default=None, description="Where a board shows labels, or the token may see it.")
    submitted_at: datetime
    late: bool = LATE
    extended: bool = Field(default=False, description="It came within more time; for its player and owners.")
    status: str = Field(description="`refused`, `queued`, `in_review`, or the outcome.")
    frozen: bool = Field(default=False, description="Whether it waits only because the board is frozen.")
    part: str | None = None
    scores: dict[str, int | float] | None = None
    parts: list[PartView] | None = Field(default=None, description="Only for owners.")
    counts: bool | None = Field(
        default=None, description="In a player's list whether the row on the main board rests on it, if that is known."
    )
    best: bool = Field(default=False, description="Whether it ranks first in its batch, of its part.")
    batch: str | None = None
    entry: str | None = Field(
        default=None, description="In a batch: `line 17` of a JSONL, the path in a ZIP, else the name of the file."
    )
    format: str | None = None
    version: str | None = None
    message: str | None = Field(default=None, description="Why there is no score, for those who must act.")
    pointer: str | None = None
    output: OutputView | None = Field(default=None, description="Only in the list of an outcome.")
    withdrawn: WithdrawalView | None = None


class SubmissionList(View):
    """Submissions of a benchmark, a player or a batch."""

    submissions: list[ListedSubmission]
    next: str | None = Field(description="The `cursor` of the page that follows; null on the last page.")


class Line(NamedTuple):
    """A submission, its record if there is one, and the position behind it.

    In a batch it has a name, is the best or not, and if it was rejected there is no submission but an error.
    """

    submission: Submission
    record: SubmissionRecord | None
    position: str
    entry: str | None = None
    best: bool = False
    error: str | None = None


def view_listed(
    line: Line, *, visibility: Visibility, withdrawal: Withdrawal | None, waits: bool, counts: bool | None
) -> ListedSubmission:
    """Return the view of a line, whose player has the present name.

    Args:
        line: The line; without a record it is queued.
        visibility: How much of it is shown.
        withdrawal: Its withdrawal, if it is withdrawn.
        waits: Whether its scores wait for the owner.
        counts: Whether the player's row rests on it, if that is known.
    """
    submission, record = line.submission, line.record
    view = ListedSubmission(
        submission=submission.id if line.error is None else None,
        **player_members(submission.player),
        label=submission.label,
        submitted_at=submission.submitted_at,
        late=submission.late,
        extended=submission.extended and visibility >= Visibility.PLAYER,
        status="queued" if line.error is None else "refused",
        counts=counts,
        best=line.best,
        batch=submission.batch if visibility >= Visibility.PLAYER else None,
        entry=line.entry,
        message=line.error,
        withdrawn=withdrawal and view_withdrawal(withdrawal),
    )
    if record is None or (waits and visibility < Visibility.PLAYER):
        return view
    shown: dict[str, object] = {"status": "in_review" if waits else record.outcome.value, "part": record.part}
    if record.outcome is not Outcome.SCORED:
        shown |= explain_failure(record, visibility)
    elif not waits or visibility >= Visibility.OWNER:
        shown["scores"] = record.scores
    if visibility >= Visibility.OWNER:
        shown["parts"] = list_parts(record, with_detail=False) or None
    if record.recorded_at:  # else it is what the board's entry has of it
        shown |= {"frozen": waits and record.frozen, "version": record.version, "format": submission.file_format}
    return view.model_copy(update=shown)
