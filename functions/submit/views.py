"""What the API answers: the models behind the OpenAPI page."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import IntEnum
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ledger.audit_trail import Role
from ledger.benchmark_store import Published
from ledger.snapshots import State
from ledger.submissions import Player, PlayerKind, Record, Submission
from ledger.withdrawals import Withdrawal
from scoring_core.definition import Ranking, SubmissionRules
from scoring_core.evaluation import Json
from scoring_core.outcome import Outcome
from scoring_core.score_type import Header
from submit.places import Place


class Insight(IntEnum):
    """How much of an outcome is told; each tells what those before it tell."""

    PUBLIC = 0
    PLAYER = 1
    OWNER = 2
    ADMIN = 3


# Whose fault an outcome is may read why: seed 3, "Error handling".
_TOLD_FROM = {
    Outcome.INVALID: Insight.PLAYER,
    Outcome.EVALUATOR_ERROR: Insight.OWNER,
    Outcome.INTERNAL_ERROR: Insight.ADMIN,
}
_APOLOGY = "internal error, try again later"


class _View(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True)


class Health(_View):
    """The service answers."""

    status: Literal["ok"] = "ok"
    version: str


class BenchmarkCard(_View):
    """A benchmark in the list."""

    id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    state: State
    opens: datetime | None
    closes: datetime | None
    url: str


class BenchmarkList(_View):
    """Every published benchmark, in order of id."""

    benchmarks: list[BenchmarkCard]


class BenchmarkView(BenchmarkCard):
    """All that a player needs to know of a benchmark; nothing that helps to guess its ground truth."""

    description: str
    scorer: str
    version: str
    headers: tuple[Header, ...]
    parts: tuple[str, ...]
    ranking: Ranking
    submissions: SubmissionRules
    submit_url: str
    board_url: str
    sample: str | None = Field(description="An example of a result, as JSON text.")


class Accepted(_View):
    """The result is safe and will be scored."""

    submission: str
    status: Literal["queued"] = "queued"
    status_url: str
    receipt: str = Field(description="Opens the messages of this submission: send it as `Authorization: Bearer …`.")


class PartView(_View):
    """The scores of one part."""

    part: str
    scores: dict[str, int | float]
    detail: dict[str, object]


class OutputView(_View):
    """What the evaluation script printed."""

    stdout: str
    stderr: str
    ended: str


class WithdrawalView(_View):
    """That a submission was withdrawn: it is off every board and stays in the record."""

    at: datetime
    reason: str
    by: Role = Field(description="In which role it was withdrawn.")


class SubmissionView(_View):
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
    detail: dict[str, object] | None = None
    parts: list[PartView] | None = None
    version: str | None = None
    signature: str | None = None
    rank: int | None = Field(default=None, description="The player's present rank on the board.")
    players: int | None = Field(default=None, description="How many players the board has.")
    message: str | None = Field(
        default=None, description="Why there is no score; needs the receipt, or a token of whoever must act."
    )
    pointer: str | None = None
    output: OutputView | None = None
    withdrawn: WithdrawalView | None = None
    receipt: str | None = Field(default=None, description="Only in the answer to a POST that waited.")


class ResultLink(_View):
    """Where the raw result can be fetched, for 15 minutes."""

    url: str


class ErrorView(_View):
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


class ErrorList(_View):
    """Submissions without a score, newest first."""

    errors: list[ErrorView]
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


class HistoryEntry(_View):
    """One submission of a player; why there is no score is told to whoever holds its receipt, elsewhere."""

    submission: str
    submitted_at: datetime
    outcome: Outcome
    scores: dict[str, int | float] | None
    part: str | None = None
    withdrawn: WithdrawalView | None = None


class PlayerView(_View):
    """Where a player stands, and a page of what the player has handed in."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool
    rank: int | None = Field(description="The present rank; null where the board does not show the player.")
    players: int | None = Field(description="How many players the board has.")
    submissions: int = Field(description="How many scored submissions the board counts.")
    scores: dict[str, int | float] = Field(description="As the board shows them.")
    best: dict[str, int | float] = Field(description="The best value of each column among the submissions below.")
    history: list[HistoryEntry] = Field(description="Newest first.")
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


class Rank(NamedTuple):
    """A player's present rank, None where the board does not show the player, and how many players it has."""

    rank: int | None
    players: int


def view_card(published: Published, now: datetime) -> BenchmarkCard:
    """Show a benchmark in the list."""
    return BenchmarkCard(**_card(published, now))


def view_benchmark(published: Published, now: datetime) -> BenchmarkView:
    """Show a benchmark."""
    definition = published.definition
    return BenchmarkView(
        **_card(published, now),
        description=published.description,
        scorer=definition.scorer,
        version=published.version,
        headers=definition.score_type.headers,
        parts=published.parts,
        ranking=definition.ranking,
        submissions=definition.submissions,
        submit_url=f"/api/benchmarks/{published.id}/submissions",
        board_url=f"/data/b/{published.id}/head.json",
        sample=published.sample,
    )


def view_queued(submission: Submission) -> SubmissionView:
    """Show a submission that waits to be scored."""
    return SubmissionView(**_submission(submission), status="queued")


def view_record(record: Record, *, insight: Insight, rank: Rank | None) -> SubmissionView:
    """Show what became of a submission.

    Args:
        record: With its long output.
        insight: How much the caller may read of why there is no score.
        rank: Where the player stands; None where no board shows it.
    """
    view = SubmissionView(
        **_submission(record.submission),
        status="done",
        outcome=record.outcome,
        version=record.version,
        signature=record.signature or None,
    )
    if record.outcome is Outcome.SCORED:
        return view.model_copy(update=_scores(record) | (rank._asdict() if rank else {}))
    if insight < _TOLD_FROM[record.outcome]:
        return view if record.outcome is Outcome.INVALID else view.model_copy(update={"message": _APOLOGY})
    return view.model_copy(
        update={
            "message": record.message,
            "pointer": record.pointer,
            "output": _output(record),
        }
    )


def view_withdrawal(withdrawal: Withdrawal) -> WithdrawalView:
    """Show a withdrawal; who it was is not told, but for the role."""
    return WithdrawalView(at=withdrawal.at, reason=withdrawal.reason, by=withdrawal.actor.role)


def view_error(record: Record) -> ErrorView:
    """Show, to an owner, a submission without a score.

    Args:
        record: With its long output.
    """
    submission = record.submission
    return ErrorView(
        submission=submission.id,
        **_player(submission.player),
        submitted_at=submission.submitted_at,
        recorded_at=datetime.fromisoformat(record.recorded_at),
        version=record.version,
        outcome=record.outcome,
        message=record.message,
        pointer=record.pointer,
        output=_output(record),
    )


def view_player(
    player: Player,
    *,
    place: Place | None,
    players: int | None,
    records: Iterable[Record],
    withdrawn: Mapping[str, Withdrawal],
    best: dict[str, int | float],
    cursor: str | None,
) -> PlayerView:
    """Show a player.

    Args:
        player: Who.
        place: The row of the board; None where the board does not show the player.
        players: How many players the board has; None where no board is shown.
        records: A page of the history.
        withdrawn: Which of them are withdrawn, submission → withdrawal.
        best: The best value of each column.
        cursor: Names the next page.
    """
    return PlayerView(
        **_player(player),
        rank=place.rank if place else None,
        players=players,
        submissions=place.submissions if place else 0,
        scores=place.scores if place else {},
        best=best,
        history=[_entry(record, withdrawn.get(record.submission.id)) for record in records],
        next=cursor,
    )


def _card(published: Published, now: datetime) -> dict[str, object]:
    definition = published.definition
    return {
        "id": published.id,
        "title": definition.title,
        "summary": definition.summary,
        "tags": definition.tags,
        "state": definition.phase_at(now),
        "opens": definition.opens,
        "closes": definition.closes,
        "url": f"/api/benchmarks/{published.id}",
    }


def _submission(submission: Submission) -> dict[str, object]:
    return {
        "submission": submission.id,
        "benchmark": submission.benchmark,
        **_player(submission.player),
        "submitted_at": submission.submitted_at,
    }


def _player(player: Player) -> dict[str, Any]:
    return {"player": player.id, "name": player.name, "kind": player.kind, "verified": player.verified}


def _output(record: Record) -> OutputView | None:
    output = record.output
    return None if output is None else OutputView(stdout=output.stdout, stderr=output.stderr, ended=output.ended)


def _entry(record: Record, withdrawal: Withdrawal | None) -> HistoryEntry:
    return HistoryEntry(
        submission=record.submission.id,
        submitted_at=record.submission.submitted_at,
        outcome=record.outcome,
        scores=record.scores if record.outcome is Outcome.SCORED else None,
        part=record.submission.part,
        withdrawn=withdrawal and view_withdrawal(withdrawal),
    )


def _scores(record: Record) -> dict[str, object]:
    parts = [
        PartView(part=one.part, scores=one.scores, detail=dict(one.detail))
        for one in record.evaluations
        if one.part is not None
    ]
    detail: dict[str, Json] = record.evaluations[0].detail if len(record.evaluations) == 1 else {}
    return {"scores": record.scores, "detail": detail, "parts": parts or None}
