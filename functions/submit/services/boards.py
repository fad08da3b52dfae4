"""Answers what boards show: rows from any rank, a player's neighbours, search, another order, CSV."""

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scoring_core.metrics.score_type import Direction
from storage.access.players import is_player_id
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Head
from storage.boards.reading import BoardReader, ShownBoard, find_percentile
from storage.boards.views import RankedRow
from submit.problems import Problem, not_found, unprocessable
from submit.schemas.base import MAX_CONTENT_BYTES
from submit.schemas.boards import AroundView, RowsView, view_row

MAX_SCANNED_ROWS = 20_000
"""So many rows are read one by one; of a larger board only an edition is searched and sorted."""
_BOARD_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


type SortDirection = Literal["asc", "desc"]
_FIRST = {"asc": Direction.LOWER, "desc": Direction.HIGHER}


class RowsRequest(NamedTuple):
    """Which rows of a board: `limit` from number `start` on, of those whose name has `query`, sorted by a metric."""

    start: int
    limit: int
    query: str = ""
    sort: str | None = None
    direction: SortDirection | None = None


@dataclass(frozen=True, slots=True)
class BoardService:
    """Reads boards for everybody."""

    reader: BoardReader

    def find_rows(self, published: PublishedBenchmark, board: str, request: RowsRequest) -> RowsView:
        """Return rows of a board. Raises Problem 404, 422."""
        shown = self._find(published, board)
        matches, rows = self._select(shown, request)
        following = request.start + len(rows)
        return RowsView(
            **_board_members(shown.head),
            matches=matches,
            rows=list(map(view_row, rows)),
            next=following if rows and following <= matches else None,
        )

    def find_around(
        self, published: PublishedBenchmark, board: str, player: str, label: str | None, *, above: int, below: int
    ) -> AroundView:
        """Return a player's row between its neighbours. Raises Problem 404."""
        shown = self._find(published, board)
        around = shown.find_around(player, label, above=above, below=below) if is_player_id(player) else None
        if around is None:
            raise not_found("this board has no row of that player")
        own = around.own
        return AroundView(
            **_board_members(shown.head),
            player=player,
            label=own.row.label,
            rank=own.rank,
            number=around.number,
            percentile=find_percentile(own.rank, shown.total),
            rows=list(map(view_row, around.rows)),
        )

    def write_csv(self, published: PublishedBenchmark, board: str) -> str:
        """Return all rows of a board as CSV. Raises Problem 404, 422."""
        shown = self._find(published, board)
        if shown.total <= MAX_SCANNED_ROWS:
            metrics = shown.head.metrics
            header = write_header(metrics, has_labels=shown.head.row_kind == "label")
            text = header + "".join(write_lines(shown.all_rows(), metrics))
            if len(json.dumps(text)) <= MAX_CONTENT_BYTES:
                return text
        raise _too_many(shown)

    def _find(self, published: PublishedBenchmark, board: str) -> ShownBoard:
        shown = self.reader.find(published.id, board) if _BOARD_ID.fullmatch(board) else None
        if shown is None:
            raise not_found("there is no such board")
        return shown

    def _select(self, shown: ShownBoard, request: RowsRequest) -> tuple[int, Sequence[RankedRow]]:
        """Return how many rows match, and those that the request wants of them."""
        if not request.query and request.sort is None:
            return shown.total, shown.rows_from(request.start, request.limit)
        if shown.total > MAX_SCANNED_ROWS:
            raise _too_many(shown)
        rows: Iterable[RankedRow] = shown.all_rows()
        if request.query:
            query = fold_name(request.query)
            rows = (ranked for ranked in rows if query in fold_name(ranked.row.name))
        selected = sort_rows(rows, shown.head, request.sort, request.direction)
        return len(selected), selected[request.start - 1 : request.start - 1 + request.limit]


def sort_rows(
    rows: Iterable[RankedRow], head: Head, metric: str | None, direction: SortDirection | None
) -> list[RankedRow]:
    """Return rows sorted by a metric: equal ones by rank, without a value last.

    Without a direction the better values come first. Raises Problem 422 if the board has no such metric.
    """
    selected = list(rows)
    if metric is None:
        return selected
    better = {shown.id: shown.direction for shown in head.metrics}
    if metric not in better:
        names = ", ".join(better)
        raise unprocessable("unknown-metric", f"sort: expected one of {names}, found {metric[:64]!r}", parameter="sort")
    highest_first = (_FIRST[direction] if direction else better[metric]) is Direction.HIGHER
    present = [ranked for ranked in selected if metric in ranked.row.scores]
    present.sort(key=lambda ranked: ranked.row.scores[metric], reverse=highest_first)
    return present + [ranked for ranked in selected if metric not in ranked.row.scores]


def fold_name(name: str) -> str:
    """Return a name without case, width and accents, as the page's search compares it.

    >>> fold_name("ＡDÉLE")
    'adele'
    """
    decomposed = unicodedata.normalize("NFKD", name)
    return "".join(letter for letter in decomposed if not unicodedata.category(letter).startswith("M")).lower()


def _board_members(head: Head) -> dict[str, object]:
    return {
        "benchmark": head.id,
        "board": head.board,
        "version": head.version,
        "sequence": head.sequence,
        "total": head.total,
    }


def _too_many(shown: ShownBoard) -> Problem:
    detail = f"this board has {shown.total} rows; at most {MAX_SCANNED_ROWS} are searched, sorted or written as CSV"
    return unprocessable("too-many-rows", detail)
