"""Which texts the fonts of pictures can show, and how much of one fits. Pure."""

import unicodedata
from typing import Final

_NARROW: Final = frozenset(" !'(),-.:;I[]fijlrt|·")
_WIDE: Final = frozenset("MWmw@%—…")
RANGES: Final = (
    (0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x377), (0x37B, 0x37F), (0x384, 0x38A), (0x38C, 0x38C), (0x38E, 0x3A1),
    (0x3A3, 0x3E1), (0x3F0, 0x482), (0x48A, 0x52F), (0x1E00, 0x1EFF), (0x2010, 0x2027), (0x202F, 0x202F),
    (0x2030, 0x203A), (0x20A0, 0x20BF), (0x2212, 0x2212),
)  # fmt: skip
"""Latin, Greek and Cyrillic letters and what stands beside them; the other font has what is in GB 2312."""


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
    """Return about how wide a bold text is, in px."""
    return size * sum(map(_measure_character, text))


def _measure_character(character: str) -> float:
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
