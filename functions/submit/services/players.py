"""Derives the ids of guests from their names."""

import hashlib
import re
import unicodedata

from storage.access.names import InvalidName, check_name, claims_rank, drop_joiners, is_numbered
from storage.access.players import GUEST
from storage.submissions.models import Player, PlayerKind
from submit.problems import has_secret, unprocessable

_MAX_SLUG = 40
_MAX_OWNED_SLUG = 30
"""Shorter, as the digits behind it are more: an id has at most 64 characters."""
_OWNED_DIGITS = 20
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_SUFFIXES = {PlayerKind.HUMAN: "", PlayerKind.MODEL: "-model"}


def name_guest(name: str | None, kind: PlayerKind, *, owner: str | None = None) -> Player:
    """Return the guest of a name.

    Args:
        name: As the caller wrote it; None for the guest without a name.
        kind: Human or model.
        owner: A text that only the owner of the name can give; None if anybody may use the name.

    Returns:
        A player whose id is `guest`, or `guest-` + slug + 8 hexadecimal digits of the folded name: the same name in
        another case or width is the same guest. With an owner it is `guest--`, which no other id begins with, and 20
        digits of name and owner: a name has as many guests as owners, and one that is nobody's. A model's id also ends
        in `-model`, which no human's id does, so a human and a model of one name are two guests.

    Raises:
        Problem: 422, the name cannot be shown, claims a rank that only verified players have, or is a secret.
    """
    suffix = _SUFFIXES[kind]
    if name is None:
        return Player(id=GUEST + suffix, name=GUEST, kind=kind)
    try:
        shown = check_guest_name(name)
    except InvalidName as error:
        raise unprocessable("invalid-player", f"player: {error}", parameter="player") from error
    folded = unicodedata.normalize("NFKC", drop_joiners(shown).casefold())
    ascii_only = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    slug = _NO_SLUG.sub("-", ascii_only).strip("-")
    if owner is None:
        start, slug, digest = GUEST, slug[:_MAX_SLUG], hashlib.sha256(folded.encode()).hexdigest()[:8]
    else:
        start, slug = f"{GUEST}-", slug[:_MAX_OWNED_SLUG]
        digest = hashlib.sha256(f"{owner}\0{folded}".encode()).hexdigest()[:_OWNED_DIGITS]
    return Player(id="-".join(filter(None, (start, slug.rstrip("-"), digest))) + suffix, name=shown, kind=kind)


def check_guest_name(name: str) -> str:
    """Return a name that anybody may give, as it is shown. Raises InvalidName."""
    if has_secret(name):
        raise InvalidName("expected a name, found a token or a receipt")
    shown = check_name(name)
    if claims_rank(shown):
        raise InvalidName("a guest may not be named verified, official or administrator")
    if is_numbered(shown):
        raise InvalidName("expected no `·` and a number at the end, by which the site tells guests of one name apart")
    return shown
