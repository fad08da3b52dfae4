"""Draws the pictures of boards, players and submissions: only what their pages show everybody.

A text that the fonts lack is left out.
"""

import hashlib
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from api.boards.cards import Story, spell_rank
from api.boards.pictures.signs import draw_board_sign, draw_face, find_hues
from handlers.http.outcomes import find_player
from storage.boards.models import Head
from storage.boards.site.board_page import title_board
from storage.boards.site.markup import show_count, show_value, show_with_unit
from storage.boards.views import RankedRow
from storage.submissions.models import Player

FONTS: Final = ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSansSC-Regular.otf")
"""Files in `laurel_fonts`, which comes with PicturesLayer."""
WIDTH: Final = 1200
HEIGHT: Final = 630
WHITE: Final = "#ffffff"
TEXT: Final = "#0e1b15"
MUTED: Final = "#53625a"
LINE: Final = "#dde4df"
MEDAL_COLOURS: Final = ("#f3c23c", "#c6d0d7", "#dc9760")
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
_LEFT, _MIDDLE, _RIGHT = 60, 624, WIDTH - 60
_LIST_LEFT, _LIST, _ROW, _OWN_ROW, _VALUE = 680, 460, 62, 92, 200
_LIST_MIDDLE: Final = 328
_TRACK: Final = 400
_TITLE_SIZES: Final = (92, 76, 60)
_MAX_TICKS: Final = 60
_FONTS: Final = "Noto Sans,Noto Sans CJK SC"
_NARROW: Final = frozenset(" !'(),-.:;I[]fijlrt|·")
_WIDE: Final = frozenset("MWmw@%—…")
RANGES: Final = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x377), (0x37B, 0x37F), (0x384, 0x38A), (0x38C, 0x38C), (0x38E, 0x3A1),
    (0x3A3, 0x3E1), (0x3F0, 0x482), (0x48A, 0x52F), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x202F, 0x202F),
    (0x2030, 0x203A), (0x20A0, 0x20BF), (0x2212, 0x2212),
)  # fmt: skip
"""Latin, Greek and Cyrillic letters and what stands beside them; the other font has what is in GB 2312."""


def draw_board(head: Head, rows: Sequence[RankedRow]) -> str:
    """Return the picture of a board as an SVG: its first rows, and who leads."""
    primary, right = head.primary, _MIDDLE if rows else _RIGHT
    subject = f"{_name(head.title, head.id)} · {_count(head)}" if head.board_title else _count(head)
    title = _name(head.board_title or head.title, head.board if head.board_title else head.id)
    size = next((each for each in _TITLE_SIZES if measure(_split(title, each, right)[1], each) <= right - _LEFT), 60)
    lines = [
        _write(line, _LEFT - 3, 216 + round(number * size * 1.15), size, bold=True, colour=WHITE, width=right - _LEFT)
        for number, line in enumerate(_split(title, size, right))
    ]
    if rows:
        leads = f"leads with {show_with_unit(rows[0].row.scores.get(primary.id), primary)}"
        lines += _draw_player(head, find_player(rows[0]), rows[0].row.name, leads)
    else:
        lines.append(_write("Nobody is on this board yet", _LEFT, 515, 34, width=_RIGHT - _LEFT, colour=WHITE))
    foot = f"{primary.label}, {primary.direction.value} is better"
    return _frame(head, subject, [*lines, *_draw_rows(head, rows, rows[0] if rows else None)], foot)


def draw_story(story: Story) -> str:
    """Return the picture of a player or submission as an SVG."""
    head, player, place = story.head, story.player, story.place
    ground, *_, soft, _, _ = find_hues(head.id)
    name, width = _name(player.name, "A player"), _MIDDLE - _LEFT
    lines = [*_draw_rows(head, story.rows, place)]
    if place is None:
        lines.append(_write(story.value, _LEFT - 3, 230, 84, bold=True, colour=WHITE, width=_RIGHT - _LEFT))
        lines += _draw_player(head, player, name, "")
    elif story.submission is None:
        lines.append(draw_face(player, _LEFT + 70, 205, 140, ground=ground, is_dark=True))
        lines.append(_write_rank(place.rank, head, _LEFT + 168, 240, 104))
        size = 62 if measure(name, 62) <= width else 40
        lines.append(_write(name, _LEFT, 348, size, bold=True, colour=WHITE, width=width))
        lines.append(_write(story.value, _LEFT, 485, 27, colour=WHITE, width=width))
        lines.append(_write(story.gap, _LEFT, 523, 27, colour=soft, width=width))
    else:
        passed = max(0, (story.before or 0) - place.rank)
        if passed:
            lines.append(_write(f"{spell_rank(place.rank + passed)} →", _LEFT, 182, 64, colour=soft, width=width))
        lines.append(_write_rank(place.rank, head, _LEFT - 6, 350, 186))
        lines += _draw_player(head, player, f"{name} passed {passed:,}" if passed else name, story.gap or story.value)
    if place:
        lines += _draw_track(place.rank, max(story.before or 0, place.rank), head)
    return _frame(head, _name(title_board(head), head.id), lines, _count(head))


def _frame(head: Head, subject: str, lines: Iterable[str], foot: str) -> str:
    """Return a picture, with what is above and below all else."""
    ground, _, _, soft, *_ = find_hues(head.id)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="{_FONTS}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{ground}"/>',
            draw_board_sign(head.id, _LEFT, 48, 56),
            _write(subject, _LEFT + 74, 87, 32, bold=True, colour=WHITE, width=_RIGHT - _LEFT - 74),
            *lines,
            f'<g transform="translate({_LEFT} 549) scale(1.125)"><rect width="32" height="32" rx="7" fill="#136a41"/>',
            f'<path fill="#d9f2e3" d="{MARK}"/></g>',
            _write("Laurel", _LEFT + 48, 576, 26, bold=True, colour=WHITE, width=110),
            _write(foot, _RIGHT, 576, 24, colour=soft, anchor="end", width=900),
            "</svg>",
        ]
    )


def _draw_player(head: Head, player: Player, name: str, note: str) -> Iterator[str]:
    ground, *_, soft, _, _ = find_hues(head.id)
    yield draw_face(player, _LEFT + 32, 485, 64, ground=ground, is_dark=True)
    yield _write(name, _LEFT + 80, 477, 34, bold=True, colour=WHITE, width=_MIDDLE - _LEFT - 80)
    yield _write(note, _LEFT + 80, 515, 27, colour=soft, width=_MIDDLE - _LEFT - 80)


def _write_rank(rank: int, head: Head, x: int, y: int, size: int) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{WHITE}" font-size="{size}" font-weight="700" letter-spacing="{-size / 40:g}">'
        f'{spell_rank(rank)}<tspan dx="{size / 6:g}" fill="{find_hues(head.id)[3]}" font-size="44" font-weight="400" '
        f'letter-spacing="0">of {head.total:,}</tspan></text>'
    )


def _split(text: str, size: int, right: int) -> tuple[str, str]:
    """Return the words of a text that fit a line, at least one, and the rest."""
    words, width = text.split(), right - _LEFT
    count = next((count for count in range(len(words), 1, -1) if measure(" ".join(words[:count]), size) <= width), 1)
    return " ".join(words[:count]), " ".join(words[count:])


def _count(head: Head) -> str:
    return show_count(head.total, *(("entry", "entries") if head.ranking.rows == "label" else ("player",)))


def _name(text: str, other: str) -> str:
    return text if can_show(text) else other


def _draw_track(rank: int, before: int, head: Head) -> Iterator[str]:
    """Yield a tick for each place, or for some of many; the first at the right."""
    _, lane, bar, *_ = find_hues(head.id)
    count = min(head.total, _MAX_TICKS)
    own, last = (math.ceil(each * count / head.total) for each in (rank, before))
    step = (_MIDDLE - _LEFT) / count
    for number in range(1, count + 1):
        colour, half = (WHITE, 17) if number == own else (bar if own < number <= last else lane, 7)
        yield f'<rect x="{_LEFT + (count - number) * step:.1f}" y="{_TRACK - half}" rx="2" fill="{colour}" '
        yield f'width="{step - min(5, step / 4):.1f}" height="{2 * half}"/>'


def _draw_rows(head: Head, rows: Sequence[RankedRow], own: RankedRow | None) -> Iterator[str]:
    """Yield a card with rows; the own one is larger, and stands out of it."""
    heights = [_OWN_ROW if row is own else _ROW for row in rows]
    top, tint, outlined = _LIST_MIDDLE - sum(heights) // 2, find_hues(head.id)[4], ""
    yield f'<rect x="{_LIST_LEFT}" y="{top}" width="{_LIST}" height="{sum(heights)}" rx="12" fill="{WHITE}"/>'
    for row, height in zip(rows, heights, strict=True):
        if row is own:
            outlined = f'<rect x="{_LIST_LEFT - 22}" y="{top}" width="{_LIST + 44}" height="{height}" rx="12" '
            outlined += f'fill="{tint}" stroke="{TEXT}" stroke-width="4"/>'
            outlined += "".join(_draw_row(head, row, top + height // 2, tint, is_own=True))
        else:
            if row is not rows[0]:
                yield f'<rect x="{_LIST_LEFT}" y="{top}" width="{_LIST}" height="1" fill="{LINE}"/>'
            yield from _draw_row(head, row, top + height // 2, WHITE)
        top += height
    yield outlined


def _draw_row(head: Head, ranked: RankedRow, middle: int, ground: str, *, is_own: bool = False) -> Iterator[str]:
    """Yield a row around a height."""
    primary, (rank, _, row) = head.primary, ranked
    size, base, centre, left = 30 if is_own else 24, middle + 10, _LIST_LEFT + 40, _LIST_LEFT + 124
    number, colour = min(size, 130 // len(f"{rank:,}")), TEXT if is_own else MUTED
    if rank in MEDALS:
        number, colour = 22, TEXT
        yield f'<path transform="translate({centre - 21} {middle - 22}) scale(1.5)" d="{MEDALS[rank]}" '
        yield f'fill="{MEDAL_COLOURS[rank - 1]}"/>'
    bold = is_own or rank in MEDALS
    yield _write(f"{rank:,}", centre, middle + number // 3, number, bold=bold, colour=colour, anchor="middle", width=76)
    yield draw_face(find_player(ranked), _LIST_LEFT + 96, middle, 42 if is_own else 32, ground=ground)
    value = show_value(row.scores.get(primary.id), primary)
    height = next((each for each in (size + 6 * is_own, 24, 20) if measure(value, each) <= _VALUE), 18)
    taken = min(_VALUE, round(measure(value, height)))
    yield _write(row.name, left, base, size - 2 * is_own, bold=is_own, width=_RIGHT - 36 - taken - left)
    yield _write(value, _RIGHT - 22, base, height, bold=True, anchor="end", width=_VALUE)


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


def can_show(text: str) -> bool:
    """Return whether the fonts have each character of a text."""
    return all(map(_has_glyph, text))


def fit(text: str, *, size: int, width: int) -> str:
    """Return a text cut to about `width` px at a size in px, with an ellipsis.

    >>> fit("W" * 64, size=40, width=200), fit("Ada Lovelace", size=40, width=200)
    ('WWWW…', 'Ada Lo…')
    """
    if measure(text, size) <= width:
        return text
    lengths = range(len(text) - 1, 0, -1)
    length = next((length for length in lengths if measure(f"{text[:length]}…", size) <= width), 0)
    return f"{text[:length].rstrip()}…"


def measure(text: str, size: int) -> float:
    """Return about how wide a text is, in px."""
    return size * sum(map(_measure_character, text))


def _measure_character(character: str) -> float:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0.0
    if character in _WIDE or unicodedata.east_asian_width(character) in {"W", "F"}:
        return 1.0
    if character in _NARROW:
        return 0.4
    return 0.74 if character.isupper() else 0.61


def _has_glyph(character: str) -> bool:
    if any(first <= ord(character) <= last for first, last in RANGES):
        return True
    try:
        return len(character.encode("gb2312")) > 1
    except UnicodeEncodeError:
        return False


def make_etag(svg: str) -> str:
    """Return what names a picture, without rendering it."""
    return f'"{hashlib.sha256(svg.encode()).hexdigest()[:32]}"'


def render_png(svg: str) -> bytes:
    """Return an SVG as PNG. It takes about 0.1 s of a whole vCPU."""
    import resvg_py  # noqa: PLC0415  # no other route waits for it

    fonts = [str(files("laurel_fonts") / name) for name in FONTS]
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=fonts))
