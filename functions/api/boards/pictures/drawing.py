"""Draws a picture as an SVG whose texts the fonts have. Pure."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, NamedTuple

from api.boards.pictures.glyphs import can_show, fit

WIDTH: Final = 1200
HEIGHT: Final = 630
GROUND: Final = "#fbfcfb"
TEXT: Final = "#14201a"
MUTED: Final = "#55635b"
LINE: Final = "#e0e6e2"
ACCENT: Final = "#136a41"
MEDAL_COLOURS: Final = ("#f0c243", "#c9d2d8", "#dd9a63")
MEDAL_TEXT: Final = "#2b2208"
"""The light colours of the site's tokens.css."""
LAST_MEDAL: Final = 3
MEDALS: Final = {
    1: "M14 1.6L17.4 4.5L21.9 4.2L22.9 8.5L26.7 10.9L25 15.0L26.7 19.1L22.9 21.5L21.9 25.8L17.4 25.5L14 28.4L10.6 25.5"
    "L6.1 25.8L5.1 21.5L1.3 19.1L3 15.0L1.3 10.9L5.1 8.5L6.1 4.2L10.6 4.5z",
    2: "M14 2l11.3 6.5v13L14 28 2.7 21.5v-13z",
    3: "M14 2.5a12.5 12.5 0 1 1 0 25 12.5 12.5 0 1 1 0-25z",
}
MARK: Final = (
    "M17 24.5Q18.5 29 23.3 27.1Q21.2 22.3 17 24.5zM17 24.5Q20.8 24.8 20.2 20.8Q16.1 20.9 17 24.5zM21 23Q24.4 26 27.4 "
    "22.1Q23.5 19.2 21 23zM21 23Q24.3 21.5 21.9 18.4Q18.6 20.4 21 23zM23.8 19.6Q27.9 20.6 28.7 16Q24.1 15.4 23.8 19.6"
    "zM23.8 19.6Q25.8 16.9 22.4 15.5Q20.6 18.6 23.8 19.6zM24.6 15.4Q28.4 14.3 26.9 10.2Q22.9 11.8 24.6 15.4zM24.6 15."
    "4Q25 12.3 21.6 12.6Q21.5 16 24.6 15.4zM23.2 11.3Q25.8 8.7 22.8 6Q20.2 9.1 23.2 11.3zM15 24.5Q10.8 22.3 8.7 27.1Q"
    "13.5 29 15 24.5zM15 24.5Q15.9 20.9 11.8 20.8Q11.2 24.8 15 24.5zM11 23Q8.5 19.2 4.6 22.1Q7.6 26 11 23zM11 23Q13.4"
    " 20.4 10.1 18.4Q7.7 21.5 11 23zM8.2 19.6Q7.9 15.4 3.3 16Q4.1 20.6 8.2 19.6zM8.2 19.6Q11.4 18.6 9.6 15.5Q6.2 16.9"
    " 8.2 19.6zM7.4 15.4Q9.1 11.8 5.1 10.2Q3.6 14.3 7.4 15.4zM7.4 15.4Q10.5 16 10.4 12.6Q7 12.3 7.4 15.4zM8.8 11.3Q11"
    ".8 9.1 9.2 6Q6.2 8.7 8.8 11.3z"
)
"""The laurel of favicon.svg, 32 units wide."""
_LEFT, _RIGHT = 72, WIDTH - 72
_FIRST_ROW, _ROW = 340, 92
_SHAPE_LEFT, _SHAPE_RIGHT = 640, 860
_SHORT_VALUE: Final = 10
_LONG_RANK: Final = 1_000
_FONTS: Final = "Noto Sans,Noto Sans CJK SC"


class PictureRow(NamedTuple):
    """A row: its rank, a name, a value with its unit, and its place between 0 for the last and 1 for the first."""

    rank: int
    name: str
    value: str
    place: float | None = None


class Scale(NamedTuple):
    """A line from a board's last value to its first, and a place on it between 0 and 1."""

    last: str
    first: str
    place: float


class Picture(NamedTuple):
    """What a picture shows: what it is about, a title, a sentence, and rows or a scale.

    A text that the fonts lack is left out; `fallback` stands for the title.
    """

    subject: str
    title: str
    fallback: str
    note: str
    rows: Sequence[PictureRow] = ()
    scale: Scale | None = None


def draw_picture(picture: Picture) -> str:
    """Return a picture as an SVG."""
    title = picture.title if can_show(picture.title) else picture.fallback
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="{_FONTS}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/><rect width="{WIDTH}" height="12" fill="{ACCENT}"/>',
        f'<g transform="translate({_LEFT} 62) scale(1.75)"><rect width="32" height="32" rx="7" fill="{ACCENT}"/>',
        f'<path fill="#d9f2e3" d="{MARK}"/></g>',
        _write("Laurel", _LEFT + 76, 102, 34, bold=True, width=200),
        _write(picture.subject, _RIGHT, 102, 30, colour=MUTED, anchor="end", width=760),
        _write(title, _LEFT - 3, 212, 68, bold=True, width=_RIGHT - _LEFT),
        _write(picture.note, _LEFT, 268, 30, colour=MUTED, width=_RIGHT - _LEFT),
        *(line for number, row in enumerate(picture.rows) for line in _draw_row(row, _FIRST_ROW + number * _ROW)),
        *(_draw_scale(picture.scale) if picture.scale else ()),
        "</svg>",
    ]
    return "".join(lines)


def _draw_row(row: PictureRow, middle: int) -> Iterator[str]:
    """Yield a row around a height."""
    base, bold = middle + 13, row.rank == 1
    top = middle - _ROW // 2
    yield f'<rect x="{_LEFT}" y="{top}" width="{_RIGHT - _LEFT}" height="2" fill="{LINE}"/>'
    centre = _LEFT + 28
    if row.rank <= LAST_MEDAL:
        yield f'<path transform="translate({_LEFT} {middle - 30}) scale(2)" fill="{MEDAL_COLOURS[row.rank - 1]}" '
        yield f'd="{MEDALS[row.rank]}"/>'
        yield _write(f"{row.rank}", centre, middle + 10, 27, bold=True, colour=MEDAL_TEXT, anchor="middle", width=40)
    else:
        yield _write(f"{row.rank:,}", centre, base, 32 if row.rank < _LONG_RANK else 18, anchor="middle", width=110)
    yield _write(row.name, 168, base, 38, bold=bold, width=_SHAPE_LEFT - 168 - 24)
    size = 38 if len(row.value) <= _SHORT_VALUE else 26
    yield _write(row.value, _RIGHT, base, size, bold=True, anchor="end", width=_RIGHT - _SHAPE_RIGHT - 24)
    if row.place is not None:
        yield from _draw_place(row.place, _SHAPE_LEFT, _SHAPE_RIGHT, middle, radius=9)


def _draw_scale(scale: Scale) -> Iterator[str]:
    yield from _draw_place(scale.place, _LEFT, _RIGHT, 430, radius=20)
    yield _write(f"last {scale.last}", _LEFT, 500, 30, colour=MUTED, width=500)
    yield _write(f"first {scale.first}", _RIGHT, 500, 30, colour=MUTED, anchor="end", width=500)


def _draw_place(place: float, left: int, right: int, middle: int, *, radius: int) -> Iterator[str]:
    """Yield a dot on a line, and the way from it to the first."""
    at, thickness = left + radius + place * (right - left - 2 * radius), radius // 3
    for start, colour in ((left, LINE), (at, ACCENT)):
        yield f'<path d="M{start:.1f} {middle}H{right}" stroke="{colour}" stroke-width="{thickness}"/>'
    yield f'<circle cx="{at:.1f}" cy="{middle}" r="{radius}" fill="{ACCENT}"/>'


def _write(
    text: str, x: int, y: int, size: int, *, width: int, bold: bool = False, colour: str = TEXT, anchor: str = "start"
) -> str:
    """Return a text in a box; nothing if the fonts lack a character of it."""
    if not can_show(text):
        return ""
    left, at = {"start": (x, 0), "middle": (x - width // 2, width // 2), "end": (x - width, width)}[anchor]
    return (
        f'<svg x="{left}" y="{y - 2 * size}" width="{width}" height="{3 * size}"><text x="{at}" y="{2 * size}" '
        f'font-size="{size}" font-weight="{700 if bold else 400}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(fit(text, size=size, width=width))}</text></svg>"
    )
