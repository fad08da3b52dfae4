"""What the API answers about submissions, and how much of it to whom."""

from datetime import datetime
from enum import IntEnum
from typing import Literal, NamedTuple

from pydantic import Field

from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Json
from storage.audit import Role
from storage.submissions.models import APOLOGY, PlayerKind, Submission, SubmissionRecord
from storage.submissions.withdrawals import Withdrawal
from submit.schemas.base import View, submission_members


class Visibility(IntEnum):
    """How much of an outcome is told; each tells what those before it tell."""

    PUBLIC = 0
    PLAYER = 1
    OWNER = 2
    ADMIN = 3


# Source: docs/sources.md, "Score pipeline", error handling.
_TOLD_FROM = {
    Outcome.INVALID: Visibility.PLAYER,
    Outcome.EVALUATOR_ERROR: Visibility.OWNER,
    Outcome.INTERNAL_ERROR: Visibility.ADMIN,
}
# A scorer explains its scores with what the result held: shown to all, it would be the leader's answers.
_DETAIL = Field(default=None, description="What explains the scores; needs the receipt, or a token that may read it.")


class Accepted(View):
    """The result is safe and will be scored."""

    submission: str
    status: Literal["queued"] = "queued"
    status_url: str
    receipt: str = Field(
        description="Opens detail and messages of this submission: send it as `Authorization: Bearer …`."
    )


class PartView(View):
    """The scores of one part."""

    part: str
    scores: dict[str, int | float]
    detail: dict[str, object] | None = _DETAIL


class OutputView(View):
    """What the evaluation script printed."""

    stdout: str
    stderr: str
    ended: str


class WithdrawalView(View):
    """That a submission was withdrawn: it is off every board and stays in the record."""

    at: datetime
    reason: str
    by: Role = Field(description="In which role it was withdrawn.")


class SubmissionView(View):
    """What became of a submission."""

    submission: str
    benchmark: str
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    submitted_at: datetime
    status: Literal["queued", "done"]
    outcome: Outcome | None = None
    scores: dict[str, int | float] | None = None
    detail: dict[str, object] | None = _DETAIL
    parts: list[PartView] | None = None
    detail_url: str | None = Field(
        default=None,
        description="Where the detail is too long for an answer: an address that has it for 15 minutes, as JSON with "
        "`details`, one for each part.",
    )
    version: str | None = None
    signature: str | None = None
    rank: int | None = Field(
        default=None,
        description="The player's present rank on the board; null where there is no score, or the board is of another "
        "version. A POST that waited gets null, too, while the board does not show its submission yet: ask again.",
    )
    players: int | None = Field(default=None, description="How many players the board has.")
    message: str | None = Field(
        default=None, description="Why there is no score; needs the receipt, or a token of whoever must act."
    )
    pointer: str | None = None
    output: OutputView | None = None
    withdrawn: WithdrawalView | None = None
    receipt: str | None = Field(default=None, description="Only in the answer to a POST that waited.")


class ResultLink(View):
    """Where the raw result can be fetched, for 15 minutes."""

    url: str


class Rank(NamedTuple):
    """A player's present rank, None where the board does not show the player, and how many players it has."""

    rank: int | None
    players: int


def view_queued(submission: Submission) -> SubmissionView:
    """Show a submission that waits to be scored."""
    return SubmissionView(**submission_members(submission), status="queued")


def view_record(record: SubmissionRecord, *, insight: Visibility, rank: Rank | None) -> SubmissionView:
    """Show what became of a submission.

    Args:
        record: With its long output.
        insight: How much the caller may read of why the scores are so, or why there are none.
        rank: Where the player stands; None where no board shows it.
    """
    view = SubmissionView(
        **submission_members(record.submission),
        status="done",
        outcome=record.outcome,
        version=record.version,
        signature=record.signature or None,
    )
    if record.outcome is Outcome.SCORED:
        return view.model_copy(update=_scores(record, insight) | (rank._asdict() if rank else {}))
    if insight < _TOLD_FROM[record.outcome]:
        return view if record.outcome is Outcome.INVALID else view.model_copy(update={"message": APOLOGY})
    return view.model_copy(
        update={
            "message": record.message,
            "pointer": record.pointer,
            "output": view_output(record),
        }
    )


def view_withdrawal(withdrawal: Withdrawal) -> WithdrawalView:
    """Show a withdrawal; who it was is not told, but for the role."""
    return WithdrawalView(at=withdrawal.at, reason=withdrawal.reason, by=withdrawal.actor.role)


def view_output(record: SubmissionRecord) -> OutputView | None:
    """Show what the evaluation script printed; None where there was none."""
    output = record.output
    return None if output is None else OutputView(stdout=output.stdout, stderr=output.stderr, ended=output.ended)


def _scores(record: SubmissionRecord, insight: Visibility) -> dict[str, object]:
    told = insight >= Visibility.PLAYER
    parts = [
        PartView(part=one.part, scores=one.scores, detail=dict(one.detail) if told else None)
        for one in record.evaluations
        if one.part is not None
    ]
    detail: dict[str, Json] = record.evaluations[0].detail if len(record.evaluations) == 1 else {}
    return {"scores": record.scores, "detail": detail if told else None, "parts": parts or None}
