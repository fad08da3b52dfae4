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
        NFKC, white space collapsed, 1-64 code points, none of them control, format, surrogate, private or unassigned.

    Raises:
        Problem: 422, with what is wrong.
    """
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME_BYTES:
        raise _refused(f"expected at most {MAX_NAME_LENGTH} characters")
    if any(unicodedata.category(character) in _HARMFUL for character in name):
        raise _refused("expected no control, format, private or unassigned characters")
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


def _refused(detail: str) -> Problem:
    return unprocessable("invalid-player", f"player: {detail}", parameter="player")
