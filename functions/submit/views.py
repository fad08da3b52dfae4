"""What the API answers: the models behind the OpenAPI page."""

from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from ledger.benchmark_store import Published
from ledger.snapshots import State
from ledger.submissions import PlayerKind, Record, Submission
from scoring_core.definition import Ranking, SubmissionRules
from scoring_core.evaluation import Json
from scoring_core.judgement import Outcome
from scoring_core.score_type import Header


class _View(BaseModel):
    model_config = ConfigDict(frozen=True)


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
    message: str | None = Field(default=None, description="Why there is no score; needs the receipt.")
    pointer: str | None = None
    output: OutputView | None = None


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


def view_record(record: Record, *, trusted: bool, rank: Rank | None) -> SubmissionView:
    """Show what became of a submission.

    Args:
        record: With its long output.
        trusted: Whether the caller may read the messages of an invalid result.
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
    if record.outcome is not Outcome.INVALID:
        return view.model_copy(update={"message": "internal error, try again later"})
    if not trusted:
        return view
    output = record.output and OutputView(
        stdout=record.output.stdout, stderr=record.output.stderr, ended=record.output.ended
    )
    return view.model_copy(update={"message": record.message, "pointer": record.pointer, "output": output})


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
    player = submission.player
    return {
        "submission": submission.id,
        "benchmark": submission.benchmark,
        "player": player.id,
        "name": player.name,
        "kind": player.kind,
        "verified": player.verified,
        "submitted_at": submission.submitted_at,
    }


def _scores(record: Record) -> dict[str, object]:
    parts = [
        PartView(part=one.part, scores=one.scores, detail=dict(one.detail))
        for one in record.evaluations
        if one.part is not None
    ]
    detail: dict[str, Json] = record.evaluations[0].detail if len(record.evaluations) == 1 else {}
    return {"scores": record.scores, "detail": detail, "parts": parts or None}
