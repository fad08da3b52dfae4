"""Players' rows of a board."""

from dataclasses import dataclass

from scoring_core.ranking.part_columns import without_parts
from storage.boards.reading import ShownBoard
from storage.submissions.models import Player, PlayerKind


@dataclass(frozen=True, slots=True)
class PlayerRank:
    """A player's row of a board.

    Args:
        player: As the board shows the player.
        rank: From 1.
        row_id: The row's id.
        submissions: How many scored submissions the player has.
        scores: Metric → value; a metric without a value is left out.
    """

    player: Player
    rank: int
    row_id: str
    submissions: int
    scores: dict[str, int | float]


def find_rank(board: ShownBoard, player: str, label: str | None = None) -> PlayerRank | None:
    """Return a player's row; None if there is none."""
    ranked = board.find_row(player, label)
    if ranked is None:
        return None
    row = ranked.row
    return PlayerRank(
        player=Player(row.player, row.name, PlayerKind(row.kind), verified=row.verified),
        rank=ranked.rank,
        row_id=row.id,
        submissions=row.submissions,
        scores=without_parts(row.scores),
    )
