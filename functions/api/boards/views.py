"""Answers about boards and their rows."""

from datetime import datetime
from operator import not_

from pydantic import Field

from handlers.http.views import View
from scoring_core.benchmarks.boards import Board, Window, WindowSpan, list_boards
from scoring_core.benchmarks.definition import LateRules
from scoring_core.benchmarks.owner_changes import ArchiveMark, MovedClose
from scoring_core.outcome import is_taken_over
from scoring_core.ranking.part_columns import read_done, read_parts, without_parts
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import HeadWindow
from storage.boards.views import RankedRow
from storage.keys import head_key, time_of
from storage.submissions.models import PlayerKind


class SpanView(View):
    """The time of the submissions on an instance of a window."""

    board: str = Field(description="The id of the instance, which `board=` takes for ever.")
    starts: datetime = Field(alias="from", description="Its first moment.")
    ends: datetime = Field(alias="to", description="The first moment after it.")
    time_zone: str = Field(description="Whose days and weeks they are, as IANA names it.")
    before: str | None = Field(description="The instance before; null for a season.")


class BoardCard(View):
    """A board of a benchmark."""

    id: str = Field(
        description="What `board=` takes; the first board is `main`. That of a window is its present instance."
    )
    title: str | None = Field(description="Null for the board `main`.")
    url: str = Field(description="Address of its first rows and all that a page needs first; see `board_url`.")
    window: SpanView | None = Field(
        default=None,
        exclude_if=not_,
        description="Only of a window: its present instance, and `url` is that one's, which does not exist until "
        "somebody plays. Of a season also before and after it.",
    )


class BoardList(View):
    """The boards of a benchmark, the first one `main`, then its windows; and its marks."""

    benchmark: str
    boards: list[BoardCard]
    archived: ArchiveMark | None = Field(description="Since when, and the public reason; null if it is not archived.")
    moved: MovedClose | None = Field(description="When it was to close first, and why it closes later; null if not.")
    late: LateRules | None = Field(description="How results are taken after it has closed; null if they are not.")
    banned: int = Field(description="How many players and names are banned; `/bans` lists them.")


class RowView(View):
    """A row of a board."""

    rank: int = Field(description="From 1; equal values share a rank (1, 2, 2, 4).")
    tied: bool = Field(description="Whether another row shares the rank.")
    player: str
    name: str
    kind: PlayerKind
    verified: bool
    label: str | None = Field(default=None, description="Only where each label of a player has a row.")
    scores: dict[str, int | float] = Field(description="Metric → value; a metric without a value is left out.")
    done: int | None = Field(default=None, description="How many parts are done; null where a board has no parts.")
    parts: dict[str, dict[str, int | float]] | None = Field(
        default=None,
        description="Part → metric → value that counts; null where rows do not have them. A player's page has all.",
    )
    submissions: int = Field(description="How many scored submissions the row counts.")
    submission: str = Field(description="The last submission that the row rests on.")
    submitted_at: datetime = Field(description="When that submission was submitted.")
    taken_over: bool = Field(default=False, exclude_if=not_, description="Whether it is a row of an earlier board.")


class _Rows(View):
    benchmark: str
    board: str
    version: str = Field(description="The version of the benchmark that the board shows.")
    sequence: int = Field(description="Rises whenever the board changes.")
    total: int = Field(description="How many rows the board has.")
    window: SpanView | None = Field(default=None, exclude_if=not_, description="Only on the instance of a window.")
    is_outdated: bool = Field(
        default=False,
        description="Whether the board is a window that ended, and that a rescore has not reached yet: its rows are "
        "those under `version`, which is not the current one.",
    )
    rows: list[RowView]


class RowsView(_Rows):
    """Rows of a board, in order."""

    matches: int = Field(description="How many rows there are of this search: the total without one.")
    next: int | None = Field(description="The `from` of the rows that follow; null at the end.")


class AroundView(_Rows):
    """A player's row between its neighbours; no rows, and no rank, if the board has no row of the player."""

    player: str
    label: str | None
    rank: int | None = Field(description="Null if the board has no row of the player.")
    number: int | None = Field(description="The row's place, as `from` counts: the rank, or more if others share it.")


def view_boards(published: PublishedBenchmark, now: datetime) -> BoardList:
    """Return the view of a benchmark's boards and present windows."""
    boards = list_boards(published.definition, published.parts)
    cards = [_view_board(published.id, board) for board in boards]
    for window in published.windows:
        # A season is the only instance of its window, whether it has begun or not.
        present = window.find_at(now) or window.find(window.window.id)
        if present is not None:
            cards.append(_view_window(published.id, window.window, present.board))
    return BoardList(
        benchmark=published.id,
        boards=cards,
        archived=published.archived,
        moved=published.moved,
        late=published.definition.submissions.late,
        banned=len(published.bans),
    )


def view_span(board: str, span: WindowSpan | HeadWindow) -> SpanView:
    """Return the view of the span of an instance."""
    return SpanView(board=board, starts=span.starts, ends=span.ends, time_zone=span.time_zone, before=span.before)


def view_row(ranked: RankedRow) -> RowView:
    """Return the view of a row."""
    row = ranked.row
    return RowView(
        rank=ranked.rank,
        tied=ranked.tied,
        player=row.player,
        name=row.name,
        kind=row.kind,
        verified=row.verified,
        label=row.label,
        scores=without_parts(row.scores),
        done=read_done(row.scores),
        parts=read_parts(row.scores) or None,
        submissions=row.submissions,
        submission=row.submission,
        submitted_at=time_of(row.submission),
        taken_over=is_taken_over(row.submission),
    )


def _view_window(benchmark: str, window: Window, present: Board) -> BoardCard:
    card = _view_board(benchmark, present)
    span = None if present.span is None else view_span(present.id, present.span)
    return card.model_copy(update={"id": window.id, "title": window.title, "window": span})


def _view_board(benchmark: str, board: Board) -> BoardCard:
    # Without a version, so that it leads to the board of today whenever it is followed.
    url = f"/{head_key(benchmark, board.id)}"
    return BoardCard(id=board.id, title=board.title, url=url)
