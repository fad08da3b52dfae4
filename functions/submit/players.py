"""Who hands in a result: names as they may be shown, and the ids of guests."""

import hashlib
import re
import unicodedata

from ledger.submissions import Player, PlayerKind
from submit.problems import Problem, unprocessable

MAX_NAME_LENGTH = 64
MAX_NAME_BYTES = 800
GUEST = "guest"
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Shown as nothing although they are letters, marks or symbols: two names that look the same would be two players.
# Source: Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties (what is not Cf or Cn), and the blank Braille.
_INVISIBLE = frozenset(
    map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0))
)
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_MAX_MARKS = 3
_MAX_SLUG = 40
_ZALGO = re.compile("M" * (_MAX_MARKS + 1))


def name_guest(name: str | None, kind: PlayerKind) -> Player:
    """Give the guest of this name.

    Args:
        name: As the caller wrote it; None: the guest without a name.
        kind: Human or model.

    Returns:
        A player whose id is `guest`, or `guest-` + slug + 8 hexadecimal digits of the folded name: the same
        name in another case or width is the same guest.

    Raises:
        Problem: 422, the name may not be shown.
    """
    if name is None:
        return Player(id=GUEST, name=GUEST, kind=kind)
    shown = check_name(name)
    folded = unicodedata.normalize("NFKC", shown.casefold())
    ascii_only = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_MAX_SLUG].rstrip("-")
    digest = hashlib.sha256(folded.encode()).hexdigest()[:8]
    return Player(id="-".join(filter(None, (GUEST, slug, digest))), name=shown, kind=kind)


def check_name(name: str) -> str:
    """Give a display name in the form in which it is kept and shown.

    Returns:
        NFKC, white space collapsed, 1-64 code points, none of them control, format, surrogate, private, unassigned
        or invisible.

    Raises:
        Problem: 422, with what is wrong.
    """
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise _refused(f"expected at most {MAX_NAME_LENGTH} characters")
    harmful = next(filter(_is_harmful, name), None)
    if harmful is not None:
        raise _refused(f"expected no control, format, private or invisible characters, found U+{ord(harmful):04X}")
    shown = " ".join(unicodedata.normalize("NFKC", name).split())
    if not shown:
        raise _refused("expected at least one visible character")
    if len(shown) > MAX_NAME_LENGTH:
        raise _refused(f"expected at most {MAX_NAME_LENGTH} characters, found {len(shown)}")
    if all(unicodedata.category(character)[0] in "MZPS" for character in shown):
        raise _refused("expected at least one letter or digit")
    if _ZALGO.search("".join("M" if unicodedata.category(one)[0] == "M" else "." for one in shown)):
        raise _refused(f"expected at most {_MAX_MARKS} combining marks in a row")
    return shown


def _is_harmful(character: str) -> bool:
    return (
        unicodedata.category(character) in _HARMFUL
        or character in _INVISIBLE
        or any(ord(character) in selectors for selectors in _VARIATION_SELECTORS)
    )


def _refused(detail: str) -> Problem:
    return unprocessable("invalid-player", f"player: {detail}", parameter="player")
