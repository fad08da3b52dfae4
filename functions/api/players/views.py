"""Answers about players."""

from datetime import datetime

from pydantic import Field

from api.players.histories import HistoryLine
from handlers.http.bodies import Body
from handlers.http.submission_views import WithdrawalView, view_withdrawal
from handlers.http.views import View
from scoring_core.outcome import Outcome
from storage.ids import time_of
from storage.submissions.models import PlayerKind
from storage.submissions.withdrawals import Withdrawal


class PlayerPart(View):
    """What counts of a player for one part."""

    part: str
    scores: dict[str, int | float] | None = Field(description="Null if the player has no scored submission of it.")


class ImprovementView(View):
    """A submission that improved what a player has on the main board."""

    submission: str
    submitted_at: datetime
    value: int | float = Field(description="Of the metric that decides the rank, after it.")


class HistoryEntry(View):
    """One submission of a player. Why it has no score is shown only with its receipt, elsewhere."""

    submission: str
    submitted_at: datetime
    outcome: Outcome
    scores: dict[str, int | float] | None
    part: str | None = None
    label: str | None = Field(default=None, description="Where a board shows labels, or the token may see it.")
    counts: bool | None = Field(
        default=None, description="Whether the row on the main board rests on it; null if nothing says it."
    )
    batch: str | None = Field(default=None, description="Of its batch; only with a token of the player or an owner.")
    entry: str | None = Field(default=None, description="Its name in the batch; only with such a token.")
    withdrawn: WithdrawalView | None = None


class PlayerView(View):
    """A player's rank, and a page of the player's submissions."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool
    rank: int | None = Field(description="The current rank; null if the board does not show the player.")
    banned: str | None = Field(description="The public reason if the player is banned.")
    percentile: float | None = Field(
        description="How many percent of the other rows rank no better: 100 for the leader, 0 for the last."
    )
    total: int | None = Field(description="How many rows the board has.")
    players: int | None = Field(description="How many players the board has.")
    submissions: int = Field(description="How many scored submissions the board counts.")
    scores: dict[str, int | float] = Field(description="As the board shows them.")
    parts: list[PlayerPart] = Field(
        default=[], description="Every part of the benchmark, in its order; empty if it has none or the player no row."
    )
    improvements: list[ImprovementView] = Field(
        default=[], description="Of the row on the main board, the oldest first: every one, or of more than 50 some."
    )
    best: dict[str, int | float] = Field(description="The best value of each metric among the submissions below.")
    history: list[HistoryEntry] = Field(description="Newest first.")
    next: str | None = Field(description="The `cursor` of the page with older ones; null on the last page.")


def view_improvement(submission: str, value: float) -> ImprovementView:
    """Return the view of an improvement."""
    return ImprovementView(submission=submission, submitted_at=time_of(submission), value=value)


def view_entry(
    line: HistoryLine, withdrawal: Withdrawal | None, counting: frozenset[str] | None = None
) -> HistoryEntry:
    """Return the view of one submission of a player.

    `counting` are those that count, if that is known.
    """
    return HistoryEntry(
        submission=line.submission,
        submitted_at=time_of(line.submission),
        outcome=line.outcome,
        scores=line.scores if line.outcome is Outcome.SCORED else None,
        part=line.part,
        label=line.label,
        counts=None if counting is None else line.submission in counting,
        batch=line.batch,
        entry=line.entry,
        withdrawn=withdrawal and view_withdrawal(withdrawal),
    )


class ErasureRequest(Body):
    """Whom to erase."""

    confirm: str = Field(max_length=64, description="The id of the player who is erased, as the export has it.")


class PlayerCard(View):
    """A player."""

    player: str
    name: str
    kind: PlayerKind
    verified: bool


class PlayerBoard(View):
    """A benchmark whose main board shows a player."""

    benchmark: str
    title: str
    rank: int
    total: int = Field(description="How many rows the board has.")
    submissions: int = Field(description="How many scored submissions the board counts.")
    scores: dict[str, int | float]


class PlayerBoards(PlayerCard):
    """A player and the benchmarks whose main boards show one, in order of their ids."""

    benchmarks: list[PlayerBoard]


class OwnData(PlayerCard):
    """What is kept of a player, by benchmark; the raw results are at `/api/benchmarks/B/submissions/S/result`."""

    email: str | None = Field(description="Where mail goes; null for guests, and if there is no address.")
    created_at: datetime | None = Field(description="When the account was made; null for guests.")
    invited_at: list[str] = Field(description="Addresses to which the links were mailed by which the player came.")
    benchmarks: dict[str, PlayerView] = Field(
        description="The newest 50 submissions of each; `next` is the `cursor` of older ones at "
        "`/api/benchmarks/B/players/PLAYER`."
    )
    next: str | None = Field(description="The `after` of the benchmarks that follow; null at the end.")


class Erased(View):
    """A player who is erased. The rows leave the boards within seconds."""

    player: str
    benchmarks: list[str] = Field(description="The listed benchmarks on which nothing of the player counts any more.")
