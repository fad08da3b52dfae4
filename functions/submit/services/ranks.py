"""Where a player stands: the row of the published snapshot."""

from dataclasses import dataclass, field

from storage.aws.errors import NotFound
from storage.boards.models import Head, Rows
from storage.boards.snapshots import SnapshotStore
from storage.submissions.models import Player


@dataclass(frozen=True, slots=True)
class PlayerRank:
    """A player's row.

    Args:
        player: As the board shows the player.
        rank: From 1.
        submissions: How many scored submissions the player has.
        scores: The columns; one that there is no value for is a missing key.
    """

    player: Player
    rank: int
    submissions: int
    scores: dict[str, int | float]


@dataclass(slots=True)
class RankPoller:
    """Looks at a board again and again for one player; a rows file is read once, however often its head is."""

    snapshots: SnapshotStore
    benchmark: str
    player: str
    _rows_url: str = field(default="", init=False)
    _place: PlayerRank | None = field(default=None, init=False)

    def look(self, version: str) -> tuple[PlayerRank | None, int]:
        """Give the player's place and how many players the board has; None and 0 where it shows another version."""
        head = find_head(self.snapshots, self.benchmark, version=version)
        if head is None:
            return None, 0
        if head.rows_url != self._rows_url:
            self._rows_url, self._place = head.rows_url, find_rank(self.snapshots, head, self.player)
        return self._place, head.total


def find_head(snapshots: SnapshotStore, benchmark: str, *, version: str) -> Head | None:
    """Read the head of a board; None where the board shows another version, or none."""
    head = snapshots.read_head(benchmark)
    return head.value if head is not None and head.value.version == version else None


def find_rank(snapshots: SnapshotStore, head: Head, player: str) -> PlayerRank | None:
    """Find a player's row, in the head or else in the rows file; None where the board does not show the player."""
    rows = head.rows
    if player not in rows.player and head.total > len(rows.player):
        try:
            rows = snapshots.read_rows(head.rows_url)
        except NotFound:  # a newer head has replaced this one long ago
            return None
    return _read_place(rows, rows.player.index(player)) if player in rows.player else None


def _read_place(rows: Rows, index: int) -> PlayerRank:
    scores = {name: column[index] for name, column in rows.scores.items()}
    return PlayerRank(
        player=Player(rows.player[index], rows.name[index], rows.kind[index], verified=rows.verified[index]),
        rank=rows.rank[index],
        submissions=rows.submissions[index],
        scores={name: score for name, score in scores.items() if score is not None},
    )
