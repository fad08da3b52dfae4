"""Guests: how their names become ids."""

import hashlib
import re
import unicodedata

from storage.access.names import InvalidName, check_name, claims_rank
from storage.access.players import GUEST
from storage.submissions.models import Player, PlayerKind
from submit.credentials import has_secret
from submit.problems import unprocessable

_MAX_SLUG = 40
_NO_SLUG = re.compile(r"[^a-z0-9]+")
_SUFFIXES = {PlayerKind.HUMAN: "", PlayerKind.MODEL: "-model"}


def name_guest(name: str | None, kind: PlayerKind) -> Player:
    """Give the guest of this name.

    Args:
        name: As the caller wrote it; None: the guest without a name.
        kind: Human or model.

    Returns:
        A player whose id is `guest`, or `guest-` + slug + 8 hexadecimal digits of the folded name: the same
        name in another case or width is the same guest. A model's ends in `-model` besides, which no human's does,
        so that nobody makes a model of a human by a name.

    Raises:
        Problem: 422, the name may not be shown, claims what only verified players have, or is a secret.
    """
    if name is not None and has_secret(name):
        raise unprocessable("invalid-player", "player: expected a name, found a token or a receipt", parameter="player")
    suffix = _SUFFIXES[kind]
    if name is None:
        return Player(id=GUEST + suffix, name=GUEST, kind=kind)
    try:
        shown = check_name(name)
    except InvalidName as error:
        raise unprocessable("invalid-player", f"player: {error}", parameter="player") from error
    if claims_rank(shown):
        raise unprocessable(
            "invalid-player", "player: no guest is verified, official or an administrator", parameter="player"
        )
    folded = unicodedata.normalize("NFKC", shown.casefold())
    ascii_only = unicodedata.normalize("NFKD", folded).encode("ascii", "ignore").decode()
    slug = _NO_SLUG.sub("-", ascii_only).strip("-")[:_MAX_SLUG].rstrip("-")
    digest = hashlib.sha256(folded.encode()).hexdigest()[:8]
    return Player(id="-".join(filter(None, (GUEST, slug, digest))) + suffix, name=shown, kind=kind)
