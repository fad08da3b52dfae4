"""What the pictures of boards, players and submissions show: only what their pages show everybody. Pure."""

from collections.abc import Iterable

from api.boards.pictures.drawing import Picture, PictureRow, Scale
from api.boards.pictures.glyphs import can_show
from handlers.http.submission_views import SubmissionView
from storage.boards.models import Head
from storage.boards.site.board_page import find_ends, find_primary, title_board
from storage.boards.site.values import show_count, show_value, show_with_unit
from storage.boards.views import RankedRow
from storage.players.names import label_player

ROWS = 3
"""So many rows are in a picture."""


def picture_board(head: Head) -> Picture:
    """Return the picture of a board: its first rows."""
    primary, rows = find_primary(head), head.rows
    values = rows.scores.get(primary.id) or [None] * len(rows.player)
    names = (label_player(name, verified=verified) for name, verified in zip(rows.name, rows.verified, strict=True))
    shown = zip(rows.rank[:ROWS], names, values, strict=False)
    return Picture(
        subject=show_count(head.total, *(("entry", "entries") if head.ranking.rows == "label" else ("player",))),
        title=title_board(head),
        fallback=head.id,
        note=_join([f"{primary.label}, {primary.direction.value} is better" if rows.player else head.summary]),
        rows=[_make_row(head, rank, name, value) for rank, name, value in shown],
    )


def picture_player(places: Iterable[tuple[Head, RankedRow]]) -> Picture:
    """Return the picture of a player, who is on at least one of these boards."""
    shown = list(places)
    head, own = shown[0]
    name = label_player(own.row.name, verified=own.row.verified)
    return Picture(
        subject=_name_subject(head),
        title=name,
        fallback="A player",
        note=f"rank {own.rank:,} of {head.total:,}",
        rows=[
            _make_row(each, ranked.rank, each.board_title or each.title, ranked.row.scores.get(find_primary(each).id))
            for each, ranked in shown[:ROWS]
        ],
    )


def picture_submission(main: Head, part: Head | None, view: SubmissionView) -> Picture | None:
    """Return the picture of a submission; None without a score for everybody.

    `part` is the board of what was scored, where the score has its place; None if there is none.
    """
    primary = find_primary(main)
    value = None if view.withdrawn else (view.scores or {}).get(primary.id)
    if value is None:
        return None
    overall = "" if part is None or part.board == main.board else " overall"
    rank = [] if view.rank is None else [f"rank {view.rank:,} of {main.total:,}{overall}"]
    return Picture(
        subject=_name_subject(part or main),
        title=f"{primary.label} {show_with_unit(value, primary)}",
        fallback=show_value(value, primary),
        note=_join([label_player(view.name, verified=view.verified), *rank]),
        scale=None if part is None else _make_scale(part, value),
    )


def _make_scale(head: Head, value: float) -> Scale | None:
    ends, place, primary = find_ends(head), _find_place(head, value), find_primary(head)
    if ends is None or place is None:
        return None
    return Scale(last=show_value(ends[0], primary), first=show_value(ends[1], primary), place=place)


def _make_row(head: Head, rank: int, name: str, value: float | None) -> PictureRow:
    return PictureRow(rank, name, show_with_unit(value, find_primary(head)), _find_place(head, value))


def _find_place(head: Head, value: float | None) -> float | None:
    """Return the place of a value, 0 to 1; None where there is no distance."""
    ends = find_ends(head)
    if ends is None or value is None:
        return None
    worst, best = ends
    return min(1.0, max(0.0, (value - worst) / (best - worst)))


def _name_subject(head: Head) -> str:
    return title_board(head) if can_show(title_board(head)) else head.id


def _join(pieces: Iterable[str]) -> str:
    """Return a sentence of the pieces that the fonts can show."""
    return " · ".join(filter(can_show, pieces))
