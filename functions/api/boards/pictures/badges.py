"""Badges of a board and of a row: title, player and value, as an SVG. Pure."""

from html import escape

from api.boards.pictures.drawing import measure
from scoring_core.io.text import mask_harmful, shorten
from scoring_core.metrics.spelling import show_with_unit
from storage.boards.models import Head
from storage.boards.views import RankedRow
from storage.players.names import label_player

MAX_LABEL = 32
MIN_TITLE = 12
"""Of a benchmark's title, before that of a board."""
MAX_NAME = 24
MAX_UNIT = 16
ACCENT = "#136a41"
GROUND = "#3d4543"
_PADDING = 8
_SIZE = 11
# Unicode isolates, because `<title>` may contain no markup.
_FIRST_STRONG = "\u2068"
_POP = "\u2069"


def draw_badge(head: Head) -> str:
    """Return the badge of a board as an SVG; names are escaped."""
    best = next(iter(head.rows.scores.get(head.primary.id, ())), None)
    return _draw(head, _name_leader(head), best)


def draw_row_badge(head: Head, ranked: RankedRow) -> str:
    """Return a row's badge as an SVG: board, rank, player, value; names are escaped."""
    name = label_player(_neutralise(ranked.row.name, MAX_NAME), verified=ranked.row.verified)
    value = ranked.row.scores.get(head.primary.id)
    return _draw(head, f"{'=' if ranked.tied else ''}{ranked.rank} · {name}", value)


def _name_board(head: Head) -> str:
    """Return the benchmark's title, and the board's if it is not the main one."""
    if head.board_title is None:
        return _neutralise(head.title, MAX_LABEL)
    board = _neutralise(head.board_title, MAX_LABEL - MIN_TITLE)
    return f"{_neutralise(head.title, MAX_LABEL - len(board))} · {board}"


def _name_leader(head: Head) -> str:
    leaders = head.rows.rank.count(1)
    if leaders == 0:
        return "no results yet"
    first = label_player(_neutralise(head.rows.name[0], MAX_NAME), verified=head.rows.verified[0])
    return first if leaders == 1 else f"{first} +{leaders - 1}"


def _neutralise(text: str, length: int) -> str:
    """Return a text cut to a length, without harmful characters."""
    return shorten(mask_harmful(text[: length + 1]), length)


def _draw(head: Head, leader: str, value: float | None) -> str:
    label, metric = _name_board(head), head.primary
    unit = metric.unit and _neutralise(metric.unit, MAX_UNIT)
    best = "" if value is None else f" · {show_with_unit(value, metric.decimals, unit)}"
    # Fonts differ; `textLength` makes the text as wide as estimated here.
    left = round(measure(label, _SIZE)) + 2 * _PADDING
    right = round(measure(leader + best, _SIZE)) + 2 * _PADDING
    width = left + right
    title = escape(f"{_FIRST_STRONG}{label}{_POP}: {_FIRST_STRONG}{leader}{_POP}{best}")
    # Isolated, a right-to-left title or name does not reorder what is beside it.
    name = f'<tspan unicode-bidi="isolate">{escape(label)}</tspan>'
    message = f'<tspan unicode-bidi="isolate">{escape(leader)}</tspan>{escape(best)}'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" viewBox="0 0 {width} 20" role="img" '
        f'aria-labelledby="t"><title id="t">{title}</title>'
        f'<clipPath id="c"><rect width="{width}" height="20" rx="4"/></clipPath><g clip-path="url(#c)">'
        f'<rect width="{left}" height="20" fill="{GROUND}"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{ACCENT}"/></g>'
        f'<g fill="#fff" font-family="system-ui,sans-serif" font-size="{_SIZE}">'
        f'<text x="{_PADDING}" y="14" textLength="{left - 2 * _PADDING}">{name}</text>'
        f'<text x="{left + _PADDING}" y="14" textLength="{right - 2 * _PADDING}">{message}</text></g></svg>\n'
    )
