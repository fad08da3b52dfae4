"""Boards of a version as folds need them, without a benchmark."""

from typing import NamedTuple

from scoring_core.benchmarks.boards import RowId
from scoring_core.ranking.accumulators import FoldingRules
from storage.boards.entries import LAST, BoardEntry
from storage.boards.published import VersionBoards
from storage.boards.standings import BoardKey
from storage.submissions.models import NAMELESS, PlayerKind


class PlainBoard(NamedTuple):
    """A board, as `PublishedBoard`.

    Args:
        key: What it is stored under.
        rules: How submissions become a standing.
        publish_number: The publish number of the rules.
        has_labels: Whether each label has a row.
        kind: Whose submissions it takes; None: everybody's.
        bounds: The first and the last submission that it takes.
    """

    key: BoardKey
    rules: FoldingRules
    publish_number: int = 1
    has_labels: bool = False
    kind: PlayerKind | None = None
    bounds: tuple[str, str] = ("", LAST)

    def find_row(self, entry: BoardEntry) -> str | None:
        """Return the id of the row that a submission counts for; None if the board does not take it."""
        first, last = self.bounds
        is_taken = entry.scores and self.kind in {None, entry.player.kind} and first <= entry.submission <= last
        label = (entry.label or "") if self.has_labels and entry.player.id not in NAMELESS else None
        return str(RowId(entry.player.id, label)) if is_taken else None


def make_version(*boards: PlainBoard, publish_number: int = 1) -> VersionBoards:
    """Return a version with these boards, the main one first, and no windows."""
    return VersionBoards(publish_number, boards, max(board.key.since for board in boards))
