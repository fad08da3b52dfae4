"""Signs and colours of players and boards, from their ids, in colours that resvg knows. Pure.

A player's is what `ui/lib/sign.ts` draws on the site.
"""

import math
import re
from typing import Final

from storage.submissions.models import Player, PlayerKind

HUES: Final = (
    ("#004623", "#1c6e47", "#61c28e", "#b7dcc5", "#def5e6", "#008853"),
    ("#0b376a", "#345f95", "#75aef5", "#bcd3f2", "#e1f0ff", "#3772bb"),
    ("#611f0e", "#8d4635", "#ec8e76", "#f0c6bb", "#ffe8e0", "#b05139"),
    ("#412963", "#674f8d", "#b699eb", "#d6caee", "#f1eaff", "#7e5db1"),
    ("#522f00", "#7b5600", "#d2a249", "#e3cead", "#faedd7", "#996700"),
    ("#004550", "#006d78", "#26c0cf", "#abdbe1", "#d7f5f9", "#008695"),
    ("#5a1e44", "#84446a", "#e08bbc", "#eac4d8", "#ffe6f3", "#a54f83"),
    ("#2c4000", "#516720", "#99b860", "#c9d7b4", "#e9f3dc", "#607e15"),
)
"""The hues 158, 255, 35, 300, 80, 205, 345 and 125 of boards, as ground, lane, bar, second text, tint and tile.

They are OKLCH of lightness and chroma .34 .1, .48 .1, .74 .12, .86 .05, .95 .032 and .55 .13.
"""
_CELLS: Final = (
    *("M0 0H12A12 12 0 0 1 0 12Z", "M12 0V12A12 12 0 0 1 0 0Z", "M12 12H0A12 12 0 0 1 12 0Z"),
    *("M0 12V0A12 12 0 0 1 12 12Z", "M0 0L12 12H0Z", "M12 0V12H0Z"),
    *("M6 1.5A4.5 4.5 0 1 1 5.99 1.5Z", "M0 0H6A6 6 0 0 1 6 12H0Z"),
)
_TILES: Final = (
    *(("#2463ae", "#2e6cb8", "#7cb7ff"), ("#eea74c", "#9c5a00", "#e7a554"), ("#67459a", "#7956ad", "#c1a1f8")),
    *(("#48cc9c", "#008358", "#59cda0"), ("#b04945", "#ac4642", "#fa938c"), ("#36c9f8", "#007aa6", "#45c4f0")),
    *(("#f08cbd", "#a34677", "#f092bf"), ("#366a04", "#477c20", "#91c673")),
)
"""Of players: the tile, and the ring of a guest on a light and on a dark ground."""
_LIGHT: Final = (1, 3, 5, 6)
"""Tiles with a dark sign."""
_DARK_INK: Final = "#0e1b15"
_ARMS: Final = ((4, 1.12), (5, 0.95), (6, 0.8), (8, 0.64))
_POINT: Final = re.compile(r"[^A-Z ]+,[^ ]+")
_CORES: Final = ((0, 0), (0, 2.2), (3.1, 0), (3.4, 1.7))


def draw_face(player: Player, x: float, y: float, size: float, *, ground: str, is_dark: bool = False) -> str:
    """Return a face around a point as an SVG, `size` px wide.

    A guest's is hollow, and shows the ground.
    """
    path, colour, hole, dot = make_sign(player.id)
    tile, *rings = _TILES[colour]
    ink = (_DARK_INK if colour in _LIGHT else "#fff") if player.verified else rings[is_dark]
    corner = 5.5 if player.kind is PlayerKind.MODEL else 11
    fill, width = (tile, 0) if player.verified else (ground, 1.7)
    return (
        f'<g transform="translate({x:g} {y:g}) scale({size / 24:g})" fill="{ink}"><rect x="-11" y="-11" width="22" '
        f'height="22" rx="{corner}" fill="{fill}" stroke="{ink}" stroke-width="{width}"/>'
        f'<path fill-rule="evenodd" d="{path}"/><circle r="{hole}" fill="{fill}"/><circle r="{dot}"/></g>'
    )


def draw_board_sign(benchmark: str, x: float, y: float, size: float) -> str:
    """Return a board's sign below and right of a point, as an SVG."""
    rest = hash32(benchmark) // len(HUES)
    cells = "".join(
        f'<path transform="translate({index % 2 * 12} {index // 2 * 12})" '
        f'opacity="{(1, 0.62, 0.62, 1)[index]}" d="{_CELLS[rest // 8**index % 8]}"/>'
        for index in range(4)
    )
    return (
        f'<g transform="translate({x:g} {y:g}) scale({size / 30:g}) translate(3 3)" fill="#fff">'
        f'<rect x="-3" y="-3" width="30" height="30" rx="7" fill="{find_hues(benchmark)[5]}"/>{cells}</g>'
    )


def find_hues(benchmark: str) -> tuple[str, ...]:
    """Return the colours of a board, in the order of HUES."""
    return HUES[hash32(benchmark) % len(HUES)]


def make_sign(player: str) -> tuple[str, int, float, float]:
    """Return the sign of a player.

    It is a path that is filled by the rule `evenodd`, a number of _TILES, and the radii of a hole and a dot.
    """
    rest, taken = hash32(player), []
    for count in (8, 4, 6, 4, 2, 2):
        rest, value = divmod(rest, count)
        taken.append(value)
    colour, drawn, shape, core, is_turned, has_beads = taken
    count, width = _ARMS[1 if drawn == 0 and shape in {3, 4, 5} else drawn]
    step = 2 * math.pi / count
    arm = _make_arms(width, count)[shape]
    beads = _circle(-8.9, 1.15) if has_beads and count in {4, 5} and shape in {0, 2, 5} else ""
    angles = [(number + is_turned / 2) * step for number in range(count)]
    path = "".join(_turn(arm, angle) + _turn(beads, angle + step / 2) for angle in angles)
    return path, colour, *_CORES[core]


def _make_arms(k: float, count: int) -> tuple[str, ...]:
    """Return an upright arm of each shape; only its points have commas."""
    x, y = math.sin(0.74 * math.pi / count), -math.cos(0.74 * math.pi / count)
    outer, inner = f"{9.4 * x},{9.4 * y} L{5.6 * x},{5.6 * y}", f"{-5.6 * x},{5.6 * y}"
    bar = f"M{-1.5 * k},-9.3 L{1.5 * k},-9.3 {1.5 * k},-2.4 {-1.5 * k},-2.4 Z"
    ring = _circle(-6.2, 3 * k) + _circle(-6.2, 1.35 * k)
    return (
        f"M0,-9.6 Q{4.3 * k},-5.6 0,-1.8 Q{-4.3 * k},-5.6 0,-9.6 ",
        _circle(-6.5, 2.5 * k),
        ring if count == min(_ARMS)[0] else bar,  # four bars would be a cross
        f"M{-3.3 * k},-8.2 L{3.3 * k},-8.2 A{3.3 * k} {3.3 * k} 0 0 1 {-3.3 * k},-8.2 Z",
        f"M{-9.4 * x},{9.4 * y} A9.4 9.4 0 0 1 {outer} A5.6 5.6 0 0 0 {inner} Z",
        f"M0,-9.7 L{2.9 * k},-6.6 0,-1.2 {-2.9 * k},-6.6 Z",
    )


def _circle(y: float, radius: float) -> str:
    arc = f"A{radius} {radius} 0 0 1"
    return f"M0,{y - radius} {arc} 0,{y + radius} {arc} 0,{y - radius} "


def _turn(path: str, angle: float) -> str:
    sin, cos = math.sin(angle), math.cos(angle)

    def place(point: re.Match[str]) -> str:
        x, y = map(float, point[0].split(","))
        return f"{x * cos - y * sin:.2f} {x * sin + y * cos:.2f}"

    return _POINT.sub(place, path)


def hash32(text: str) -> int:
    """Return 32 bits of a text: FNV-1a over its UTF-8, then the finalizer lowbias32."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    value = (value ^ value >> 16) * 0x7FEB352D & 0xFFFFFFFF
    value = (value ^ value >> 15) * 0x846CA68B & 0xFFFFFFFF
    return value ^ value >> 16
