"""The boards of a published benchmark, with the keys and publish numbers under which they are stored."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scoring_core.benchmarks.boards import MAIN, Board
from scoring_core.benchmarks.definition import RowKind
from scoring_core.outcome import Outcome
from storage.boards.standings import BoardKey
from storage.submissions.models import SubmissionRecord


class PublishedBoard(NamedTuple):
    """A board of a published benchmark.

    Args:
        key: What it is stored under.
        board: What it takes, and how it ranks.
        revision: The publish number that last changed it, or the benchmark's texts.
    """

    key: BoardKey
    board: Board
    revision: int

    def takes(self, record: SubmissionRecord) -> bool:
        """Return whether the board has a row for what a record scored."""
        if record.outcome is not Outcome.SCORED:
            return False
        parts = {evaluation.part for evaluation in record.evaluations}
        return self.board.takes(kind=record.submission.player.kind, parts=parts)


def find_since(
    boards: Iterable[PublishedBoard], earlier: Mapping[str, PublishedBoard], *, publish_number: int
) -> dict[str, int]:
    """Return since which publish number each board has the same rows, if not always.

    Args:
        boards: The boards that are about to be published.
        earlier: Board id → the same version's board as it was published before.
        publish_number: That of the publishing.
    """
    since = {}
    for published in boards:
        board = published.board
        before = earlier.get(board.id)
        if before is not None and before.board.selects_as(board):
            number = before.key.since
        else:
            is_first = before is None and board.id == MAIN and board.ranking.rows is RowKind.PLAYER
            number = 0 if is_first else publish_number
        if number:
            since[board.id] = number
    return since
