"""The boards of a published benchmark, with the keys and publish numbers under which they are stored."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from scoring_core.benchmarks.boards import MAIN, Board, Window
from scoring_core.benchmarks.definition import RowKind
from scoring_core.outcome import Outcome
from scoring_core.ranking.accumulators import FoldingRules
from storage.boards.entries import LAST, BoardEntry
from storage.boards.standings import BoardKey
from storage.keys import first_id, time_of
from storage.submissions.models import NAMELESS, Player, SubmissionRecord


class PublishedBoard(NamedTuple):
    """A board of a published benchmark.

    Args:
        key: What it is stored under.
        board: What it takes, and how it ranks.
        publish_number: Of the publishing that last changed it, or the benchmark's texts.
    """

    key: BoardKey
    board: Board
    publish_number: int

    @property
    def rules(self) -> FoldingRules:
        """How submissions become a standing."""
        return self.board.rules

    @property
    def bounds(self) -> tuple[str, str]:
        """Ids between which the submissions are that it may take."""
        span = self.board.span
        return ("", LAST) if span is None else (first_id(span.starts), first_id(span.ends))

    def selects_as(self, other: "PublishedBoard | PublishedWindow") -> bool:
        """Return whether it has the same rows of the same submissions."""
        return isinstance(other, PublishedBoard) and self.board.selects_as(other.board)

    def takes(self, record: SubmissionRecord) -> bool:
        """Return whether the board has a row for what a record scored."""
        parts = {evaluation.part for evaluation in record.evaluations}
        return record.outcome is Outcome.SCORED and self._takes(record.submission.id, record.submission.player, parts)

    def find_row(self, entry: BoardEntry) -> str | None:
        """Return the row that a submission counts for; None if it is not taken.

        Guests without a name share one that only counts, even where each label has a row.
        """
        player = entry.player.id
        if not entry.scores or not self._takes(entry.submission, entry.player, entry.scores.keys()):
            return None
        return player if player in NAMELESS else str(self.board.find_row(player, entry.label))

    def _takes(self, submission: str, player: Player, parts: Collection[str | None]) -> bool:
        if self.board.span is not None and not self.board.span.contains(time_of(submission)):
            return False
        return self.board.takes(submission, kind=player.kind, parts=parts)


class PublishedWindow(NamedTuple):
    """A window of a published benchmark.

    Args:
        key: What its instances are stored under, but for their ids.
        window: Which instances there are.
        publish_number: As that of a board.
    """

    key: BoardKey
    window: Window
    publish_number: int

    def selects_as(self, other: "PublishedBoard | PublishedWindow") -> bool:
        """Return whether its instances have the same rows of the same submissions."""
        return isinstance(other, PublishedWindow) and self.window.selects_as(other.window)

    def find_at(self, moment: datetime) -> PublishedBoard | None:
        """Return the instance of a moment; None if there is none."""
        return self._publish(self.window.find_at(moment))

    def find(self, board: str) -> PublishedBoard | None:
        """Return an instance by its id; None if there is none."""
        return self._publish(self.window.find(board))

    def list_back(self, latest: datetime, earliest: datetime) -> Iterator[PublishedBoard]:
        """Yield the instances of a time, the latest first; as `Window.list_back`."""
        for board in self.window.list_back(latest, earliest):
            yield PublishedBoard(self.key._replace(board=board.id), board, self.publish_number)

    def _publish(self, board: Board | None) -> PublishedBoard | None:
        return None if board is None else PublishedBoard(self.key._replace(board=board.id), board, self.publish_number)


class VersionBoards(NamedTuple):
    """The boards of a version, as one publishing has them.

    Args:
        publish_number: That of the publishing.
        boards: All but the instances of windows, the main board first.
        newest_since: The publish number by which a board or a window began last.
        find_instances: Returns the instances of windows of the time of a submission.
    """

    publish_number: int
    boards: Sequence[PublishedBoard]
    newest_since: int
    find_instances: Callable[[BoardEntry], Sequence[PublishedBoard]] = lambda _: ()

    @property
    def main(self) -> BoardKey:
        """The key of the main board."""
        return self.boards[0].key

    @property
    def key(self) -> BoardKey:
        """The first key of the main board: the partition of the entries and the anchors."""
        return BoardKey(self.main.benchmark, self.main.version)

    def list_boards(self, entry: BoardEntry) -> list[PublishedBoard]:
        """Return the boards on which a submission counts.

        One that waits for the owner counts on none, and a withdrawal of it shows nowhere: no board ever had it.
        """
        boards = () if entry.waits else (*self.boards, *self.find_instances(entry))
        return [board for board in boards if board.find_row(entry) is not None]


def find_since(
    published: Iterable[PublishedBoard | PublishedWindow],
    earlier: Mapping[str, PublishedBoard | PublishedWindow],
    *,
    publish_number: int,
) -> dict[str, int]:
    """Return since which publish number each has the same rows, if not always.

    Args:
        published: What is about to be published.
        earlier: Id → what was published before of the same version.
        publish_number: That of the publishing.
    """
    since = {}
    for each in published:
        before = earlier.get(each.key.board)
        if before is not None and before.selects_as(each):
            number = before.key.since
        else:
            is_main = isinstance(each, PublishedBoard) and each.board.id == MAIN
            has_labels = isinstance(each, PublishedBoard) and each.board.ranking.rows is RowKind.LABEL
            number = 0 if before is None and is_main and not has_labels else publish_number
        if number:
            since[each.key.board] = number
    return since
