"""Selects the rows of a group's members from a board."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from scoring_core.ranking.order import PlaceKey, RankOrder
from storage.access.bans import BanStore
from storage.access.groups import Group
from storage.benchmarks.boards import PublishedBoard
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.pages import MAX_WHOLE_ROWS, Row
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.standings import Columns, StandingStore
from storage.boards.views import RankedRow
from storage.ids import Clock
from submit.groups.schemas import GroupRowsView, GroupRowView
from submit.problems import not_found, unprocessable
from submit.schemas.boards import view_row


@dataclass(frozen=True, slots=True)
class GroupBoardService:
    """Reads what the members of a group have on boards.

    Where players have rows, their standings are read, a hundred a request. Where labels have rows, the board itself is,
    which says whose they are. Bans are read each time, so they hold at once.
    """

    standings: StandingStore
    reader: BoardReader
    bans: BanStore
    clock: Clock

    def find_rows(
        self, published: PublishedBenchmark, board: str, group: Group, *, start: int, limit: int
    ) -> GroupRowsView:
        """Return the rows of a group from number `start` on. Raises Problem 404, 422."""
        board = published.name_present(board, self.clock())
        selected = published.find_board(board)
        if selected is None:
            raise not_found("there is no such board")
        shown = self.reader.find(published.id, board, version=published.version)
        is_whole = shown is not None and shown.total <= MAX_WHOLE_ROWS
        columns = Columns.of(selected.board.rules)
        members = group.members.keys() - self.bans.read(published.id).reasons.keys()
        if not columns.has_labels:
            rows = self._read_rows(selected, columns, members)
        elif shown is None or is_whole:
            rows = _select_best(shown, members)
        else:
            detail = f"this board has {shown.total} rows, one a label; a group is shown of at most {MAX_WHOLE_ROWS}"
            raise unprocessable("too-many-rows", detail)
        ranked = rank_rows(rows, columns.order)
        page = ranked[start - 1 :][:limit]
        following = start + len(page)
        return GroupRowsView(
            code=group.code,
            name=group.name,
            benchmark=published.id,
            board=board,
            version=published.version,
            members=len(group.members),
            total=len(ranked),
            board_total=shown.total if shown and is_whole else None,
            rows=[_view(each, shown if is_whole else None) for each in page],
            next=following if page and following <= len(ranked) else None,
        )

    def _read_rows(self, selected: PublishedBoard, columns: Columns, members: Collection[str]) -> list[Row]:
        standings = self.standings.read_standings(selected.key, members, rules=selected.board.rules)
        return list(map(columns.read_row, standings.values()))


def rank_rows(rows: Iterable[Row], order: RankOrder) -> list[RankedRow]:
    """Return rows in order, ranked among themselves; ties share a rank (1, 2, 2, 4)."""
    ordered = sorted((row.place(order), row) for row in rows)
    tied = Counter(place.key for place, _ in ordered)
    ranks: dict[PlaceKey, int] = {}
    return [
        RankedRow(ranks.setdefault(place.key, number), tied[place.key] > 1, row)
        for number, (place, row) in enumerate(ordered, start=1)
    ]


def _select_best(shown: ShownBoard | None, members: Collection[str]) -> list[Row]:
    """Return the first row of each member on a board where each label has one."""
    best: dict[str, Row] = {}
    for _, _, row in shown.all_rows() if shown else ():
        if row.player in members:
            best.setdefault(row.player, row)
    return list(best.values())


def _view(ranked: RankedRow, shown: ShownBoard | None) -> GroupRowView:
    rank = shown.rank_of(ranked.row.scores) if shown else None
    return GroupRowView(**dict(view_row(ranked)), board_rank=rank)
