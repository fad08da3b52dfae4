"""Answers about submissions; the caller's visibility decides how much they show."""

from dataclasses import asdict
from datetime import datetime
from enum import IntEnum
from typing import Final, Literal, NamedTuple

from pydantic import Field

from handlers.http.views import View, submission_members
from scoring_core.outcome import Outcome, is_taken_over
from scoring_core.scorers.base import Json
from storage.actors import Role
from storage.benchmarks.store import PublishedBenchmark
from storage.submissions.decisions import Withdrawal
from storage.submissions.models import APOLOGY, PlayerKind, SubmissionRecord


class Visibility(IntEnum):
    """How much of an outcome is shown; each level includes those before it."""

    PUBLIC = 0
    PLAYER = 1
    OWNER = 2
    ADMIN = 3


# Who must act on an outcome may read its message. Source: docs/sources.md, "Score pipeline", error handling.
_MESSAGE_FROM = {
    Outcome.INVALID: Visibility.PLAYER,
    Outcome.EVALUATOR_ERROR: Visibility.OWNER,
    Outcome.INTERNAL_ERROR: Visibility.ADMIN,
}
# A scorer's detail quotes the result: shown to everybody, it would reveal the leader's answers.
_DETAIL = Field(default=None, description="Explains the scores; needs the receipt, or a token that may read it.")


LATE: Final = Field(
    default=False, exclude_if=lambda late: not late, description="It came after `closes`, and counts on no board."
)


class MoreTime(View):
    """Until when a player has more time than others, and why; only the player and owners see it."""

    until: datetime | None = Field(description="From when on results are late; null: it was taken back.")
    reason: str


class Accepted(View):
    """The result is stored and will be scored."""

    submission: str
    status: Literal["queued"] = "queued"
    status_url: str
    late: bool = LATE
    quota_left: int | None = Field(description="As in the status, like the next two; null if it repeats another POST.")
    left_in_all: int | None
    resets_at: datetime | None
    receipt: str = Field(
        description="Gives access to the detail and messages of this submission, as `Authorization: Bearer …`."
    )


class RunTicketView(View):
    """Permission for one play; it begins now."""

    ticket: str = Field(description="Sent with the result, as `Laurel-Ticket`.")
    seed: str | None = Field(
        description="16 hexadecimal digits that decide what is random in the play; null if the benchmark wants none."
    )
    issued_at: datetime
    expires_at: datetime = Field(description="From then on the ticket is rejected.")


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
    """A withdrawal: the submission is off every board, and its record is kept."""

    at: datetime
    reason: str
    by: Role = Field(description="The role of the person who withdrew it.")


class PersonalBest(View):
    """The best of a player before and after a submission."""

    part: str | None = Field(description="The part of the submission; null: of all parts, or of a benchmark without.")
    scores: dict[str, int | float] = Field(description="The best now.")
    before: dict[str, int | float] | None = Field(
        description="The best before the submission; null if it is the first."
    )
    is_new: bool = Field(description="Whether the submission is the best now, or one of its parts is.")


class PartRank(View):
    """A player's rank on the board of the part that a submission is about."""

    board: str
    rank: int
    players: int = Field(description="How many rows that board has.")


class RunnerWait(View):
    """A submission waits for a runner of the benchmark's owner."""

    seen_at: datetime | None = Field(description="When one was there last; null: never.")


class SubmissionView(View):
    """The status of a submission, and its outcome."""

    submission: str
    benchmark: str
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    label: str | None = Field(default=None, description="The name that the player gave to this submission.")
    submitted_at: datetime
    late: bool = LATE
    extension: MoreTime | None = None
    status: Literal["queued", "done"]
    runner: RunnerWait | None = Field(default=None, description="What it waits for, if the owner's machine scores.")
    outcome: Outcome | None = None
    scores: dict[str, int | float] | None = None
    detail: dict[str, object] | None = _DETAIL
    parts: list[PartView] | None = None
    detail_url: str | None = Field(
        default=None,
        description="Replaces a detail that is too long for an answer: an address that works for 15 minutes, returning "
        "JSON with `details`, one for each part.",
    )
    version: str | None = None
    signature: str | None = None
    in_review: bool = Field(
        default=False,
        description="Whether the scores wait for the owner's look; before, they count nowhere. Only its player and "
        "owners see that: for all others the submission is queued.",
    )
    frozen: bool = Field(
        default=False,
        description="Whether it is in review only because the board is frozen: it is valid, and counts after that.",
    )
    rank: int | None = Field(
        default=None,
        description="The player's current rank on the board; null without a score or a name, while it is in review, or "
        "if the board shows another version. A POST that waited also returns null while the board does not show its "
        "submission yet: ask again.",
    )
    rank_before: int | None = Field(
        default=None,
        description="The rank that the player would have on the board as it is without this submission; null if the "
        "row does not rest on it, or if there was none before. Null in the answer to a POST.",
    )
    would_rank: int | None = Field(
        default=None,
        description="The rank that these scores would have. Only for a guest without a name, who gets no row.",
    )
    players: int | None = Field(default=None, description="How many rows the board has.")
    personal_best: PersonalBest | None = Field(
        default=None,
        description="Only for the player, where the best submission counts (`ranking.keep`); null if more than 500 "
        "submissions were before.",
    )
    part_rank: PartRank | None = Field(
        default=None, description="Only for the player, where the part has a board that shows the submission."
    )
    quota_left: int | None = Field(
        default=None,
        description="How many more results may be submitted now, of the day and in all; for a guest, by all at the "
        "address together. Only for the player, and null in the answer to a POST that repeats another one.",
    )
    left_in_all: int | None = Field(
        default=None, description="How many of them in all; null if the benchmark has no such limit."
    )
    resets_at: datetime | None = Field(default=None, description="When the quota of the day is whole again.")
    message: str | None = Field(
        default=None, description="Why there is no score; needs the receipt, or a token of the one who must act."
    )
    pointer: str | None = None
    output: OutputView | None = None
    withdrawn: WithdrawalView | None = None
    receipt: str | None = Field(default=None, description="Only in the answer to a POST that waited.")


class Rank(NamedTuple):
    """A player's current rank (None without a row), the number of rows, and the ranks that would be otherwise."""

    rank: int | None
    players: int
    would_rank: int | None = None
    rank_before: int | None = None


def view_extension(published: PublishedBenchmark, player: str) -> MoreTime | None:
    """Return the view of a player's time; None without more. The caller may see it."""
    extension = published.extensions.get(player)
    return MoreTime(until=extension.until, reason=extension.reason) if extension and extension.until else None


def view_record(record: SubmissionRecord, *, visibility: Visibility, rank: Rank | None) -> SubmissionView:
    """Return the view of a record with its long output, and the player's rank."""
    view = SubmissionView(
        **submission_members(record.submission),
        late=record.submission.late,
        status="done",
        outcome=record.outcome,
        version=record.version,
        signature=record.signature or None,
    )
    if record.outcome is Outcome.SCORED:
        return view.model_copy(update=_scores(record, visibility) | (rank._asdict() if rank else {}))
    return view.model_copy(update=explain_failure(record, visibility))


def explain_failure(record: SubmissionRecord, visibility: Visibility) -> dict[str, object]:
    """Return why a record has no score, as far as that is shown."""
    if visibility >= _MESSAGE_FROM[record.outcome]:
        output = record.output and OutputView(**asdict(record.output))
        return {"message": record.message, "pointer": record.pointer, "output": output}
    return {} if record.outcome is Outcome.INVALID else {"message": APOLOGY}


def view_withdrawal(withdrawal: Withdrawal) -> WithdrawalView:
    """Return the view of a withdrawal; it names the role, not the person."""
    return WithdrawalView(at=withdrawal.at, reason=withdrawal.reason, by=withdrawal.actor.role)


def _scores(record: SubmissionRecord, visibility: Visibility) -> dict[str, object]:
    shown = visibility >= Visibility.PLAYER or is_taken_over(record.submission.id)
    parts = list_parts(record, with_detail=shown)
    detail: dict[str, Json] = record.evaluations[0].detail if len(record.evaluations) == 1 else {}
    return {"scores": record.scores, "detail": detail if shown else None, "parts": parts or None}


def list_parts(record: SubmissionRecord, *, with_detail: bool) -> list[PartView]:
    """Return the scores of the parts of a record; none if it has no parts."""
    return [
        PartView(
            part=evaluation.part, scores=evaluation.scores, detail=dict(evaluation.detail) if with_detail else None
        )
        for evaluation in record.evaluations
        if evaluation.part is not None
    ]
