"""Display names and reasons: what may be shown, and which names look alike."""

import re
import unicodedata
from functools import cache
from importlib.resources import files

from scoring_core.errors import LaurelError
from scoring_core.texts import is_harmful

MAX_NAME_LENGTH = 64
MAX_REASON_LENGTH = 300
_MAX_CHARACTER_BYTES = 12
"""What is longer is not looked at: so long is a character that is written in its parts."""
# Shown as nothing although they are letters, marks or symbols: two names that look the same would be two players.
# Source: Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties (what is not Cf or Cn), and what its charts
# show as blank: the Braille pattern, two hieroglyphs, the filler of Khitan, the null notehead.
_INVISIBLE = frozenset(
    "\u034f\u200c\u200d\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00013441\U00013442\U00016fe4\U0001d159"
)
_DOT_ABOVE = "\u0307"
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_MAX_MARKS = 3
_ZALGO = re.compile("M" * (_MAX_MARKS + 1))


class InvalidName(LaurelError):
    """A name or a reason that may not be shown; the message says what was expected."""


def check_name(name: str) -> str:
    """Give a display name in the form in which it is kept and shown.

    Returns:
        NFKC, white space collapsed, 1-64 code points, none of them control, format, surrogate, private, unassigned
        or invisible.

    Raises:
        InvalidName: With what is wrong.
    """
    return _check_shown(name, max_length=MAX_NAME_LENGTH)


def check_reason(reason: str) -> str:
    """Give a reason for all to read in the form in which it is kept and shown: as a name, of 1-300 code points.

    Raises:
        InvalidName: With what is wrong.
    """
    return _check_shown(reason, max_length=MAX_REASON_LENGTH)


def _check_shown(text: str, *, max_length: int) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > max_length * _MAX_CHARACTER_BYTES:
        raise InvalidName(f"expected at most {max_length} characters")
    harmful = next(filter(_is_harmful, text), None)
    if harmful is not None:
        raise InvalidName(f"expected no control, format, private or invisible characters, found U+{ord(harmful):04X}")
    shown = " ".join(unicodedata.normalize("NFKC", text).split())
    if not shown:
        raise InvalidName("expected at least one visible character")
    if len(shown) > max_length:
        raise InvalidName(f"expected at most {max_length} characters, found {len(shown)}")
    if all(unicodedata.category(character)[0] in "MZPS" for character in shown):
        raise InvalidName("expected at least one letter or digit")
    if _ZALGO.search("".join("M" if unicodedata.category(one)[0] == "M" else "." for one in shown)):
        raise InvalidName(f"expected at most {_MAX_MARKS} combining marks in a row")
    return shown


def find_skeletons(name: str) -> frozenset[str]:
    """Give what two names that look alike have in common: they look alike if they share one of these.

    The skeleton of Unicode Technical Standard 39, without spaces and punctuation: once of the name whose case is
    folded, so that `ANNA` is `anna`, and once folded afterwards, so that `lris` is `Iris`. Each also without the dots
    that `i` and `j` have anyway; with them, too, because verified players hold the skeletons of when they were made.

    Args:
        name: As `check_name` gives it.
    """
    skeletons = {_bare(_resemble(name.casefold())), _bare(_resemble(name).casefold())}
    return frozenset(skeletons | set(map(_drop_dots, skeletons)))


def _is_harmful(character: str) -> bool:
    return (
        is_harmful(character)
        or character in _INVISIBLE
        or any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    )


def _resemble(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", decomposed.translate(_confusables()))


def _drop_dots(text: str) -> str:
    """Drop the dot above behind `i` and `j`, whose own it takes the place of, other marks between them or not."""
    kept, dotted = [], False
    for one in text:
        if one == _DOT_ABOVE and dotted:
            continue
        dotted = one in "ij" or (dotted and unicodedata.combining(one) > 0)
        kept.append(one)
    return "".join(kept)


def _bare(text: str) -> str:
    return "".join(one for one in text if unicodedata.category(one)[0] not in "ZP") or text


@cache
def _confusables() -> dict[int, str]:
    """Read, once, what stands for each character that looks like another."""
    lines = files("ledger").joinpath("confusables.txt").read_text(encoding="utf-8").split("\n")
    return {ord(one): other for one, _, other in (line.partition(" ") for line in lines if line)}
