"""What the API answers about players."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from pydantic import Field

from scoring_core.outcome import Outcome
from storage.submissions.models import Player, PlayerKind, SubmissionRecord
from storage.submissions.withdrawals import Withdrawal
from submit.schemas.base import View, player_members
from submit.schemas.submissions import WithdrawalView, view_withdrawal
from submit.services.ranks import PlayerRank


class HistoryEntry(View):
    """One submission of a player; why there is no score is told to whoever holds its receipt, elsewhere."""

    submission: str
    submitted_at: datetime
    outcome: Outcome
    scores: dict[str, int | float] | None
    part: str | None = None
    withdrawn: WithdrawalView | None = None


class PlayerView(View):
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


def view_player(
    player: Player,
    *,
    place: PlayerRank | None,
    players: int | None,
    records: Iterable[SubmissionRecord],
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
        **player_members(player),
        rank=place.rank if place else None,
        players=players,
        submissions=place.submissions if place else 0,
        scores=place.scores if place else {},
        best=best,
        history=[_entry(record, withdrawn.get(record.submission.id)) for record in records],
        next=cursor,
    )


def _entry(record: SubmissionRecord, withdrawal: Withdrawal | None) -> HistoryEntry:
    return HistoryEntry(
        submission=record.submission.id,
        submitted_at=record.submission.submitted_at,
        outcome=record.outcome,
        scores=record.scores if record.outcome is Outcome.SCORED else None,
        part=record.submission.part,
        withdrawn=withdrawal and view_withdrawal(withdrawal),
    )
