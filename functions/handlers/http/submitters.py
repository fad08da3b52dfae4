"""Decides who submits a result: the player of a token, one whom a host names, or a guest, whose id is derived here."""

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple

from handlers.http.auth import PLAYER_KEY_HEADER, Caller
from handlers.http.dependencies import HttpServices
from handlers.http.problems import PLAYER_KEY_PREFIX, Problem, forbidden, has_secret, unauthorized, unprocessable
from scoring_core.benchmarks.terms import SubmissionTerms
from storage.players.names import InvalidName, check_name, claims_rank, drop_joiners, is_numbered
from storage.players.players import GUEST, NameOwners
from storage.players.tokens import Scope, hash_secret
from storage.submissions.models import Player, PlayerKind, Submission, find_owner

_IS_PLAYER_KEY = re.compile(f"{PLAYER_KEY_PREFIX}[0-9a-f]{{32}}")
_DIGITS = 20
_SUFFIXES = {PlayerKind.HUMAN: "", PlayerKind.MODEL: "-model"}
_ONLY_HOSTS = "expected none: the token says who played; to name players, use a token of the scope `host`, or none"


class Submitter(NamedTuple):
    """The sender of a result.

    Args:
        player: The player.
        origin: The hash of the network address, whose quota a guest shares with others; None if the player is no guest.
        owners: The owners of the guest's name, and of names that look like it; None unless the player is one.
    """

    player: Player
    origin: str | None = None
    owners: NameOwners | None = None


class SubmitterRequest:
    """What a request says of its sender: lower-case headers, the name and kind of a guest."""

    def __init__(
        self, *, caller: Caller, headers: Mapping[str, str], player: str | None, kind: PlayerKind | None
    ) -> None:
        self.caller, self.headers, self.player, self.kind = caller, headers, player, kind


def identify_submitter(http: HttpServices, request: SubmitterRequest, terms: SubmissionTerms) -> Submitter:
    """Return who submits. Raises Problem 401, 403, 409, 422."""
    submitter = _find_submitter(http, request, terms)
    account = request.caller.account
    for player in (submitter.player, *([account.player] if account else [])):
        check_ban(player, terms.bans)
    return submitter


def _find_submitter(http: HttpServices, request: SubmitterRequest, terms: SubmissionTerms) -> Submitter:
    """Return the player of a token, or the guest of a name, a host's or a key's.

    Raises Problem 401, 403, 409, 422.
    """
    caller, account = request.caller, request.caller.account
    if caller.receipt_sha256 is not None:
        detail = "Authorization: a receipt gives access to one submission; expected a token, or no credentials"
        raise unauthorized("token-needed", detail)
    if account is None and not terms.anonymous:
        raise unauthorized("token-needed", "Authorization: this benchmark accepts results only with a token")
    owner = _find_owner(caller, request.headers)
    if account is not None and not caller.may(Scope.HOST, terms.id):
        player = caller.check_player(terms.id)
        _check_unnamed(request)
        return Submitter(player)
    if request.player is None:
        if account is not None and request.kind is None and caller.may(Scope.SUBMIT, terms.id):
            return Submitter(account.player)
        if owner is not None:
            raise _player_needed(", because the token is a host's" if account else " whose key is sent")
        nameless = name_guest(None, request.kind or PlayerKind.HUMAN, secret=b"")
        return Submitter(nameless, caller.origin)
    guest, owners = read_guest(http, request, owner=owner)
    if owners.is_erased:
        raise forbidden("erased", "player: this player was erased; with a new key the name is another player's")
    return Submitter(guest, None if account else caller.origin, owners)


def show_player(http: HttpServices, submitter: Submitter) -> Player:
    """Return the player as boards show it, and keep that of a guest once.

    It comes before the raw result, which has no name. Raises Busy, or Conflict if the guest was erased meanwhile.
    """
    player, owners = submitter.player, submitter.owners
    if owners is None:
        return player
    if find_owner(player.id) is not None:
        player = http.guest_names.show(player, owners)
    if owners.kept != player.name:
        http.players.keep_guest(player)
    return player


def find_guest(http: HttpServices, name: str, kind: PlayerKind, *, owner: str) -> Player | None:
    """Return a guest who may become a verified player.

    None if the guest of this name and owner (`read_owner`) never submitted, was erased, or has joined. Raises Busy,
    Problem 422.
    """
    guest = find_named(http, name, kind, owner=owner)
    owners = http.guest_names.read(guest)
    return None if owners.is_verified or owners.kept is None else guest


def made(http: HttpServices, caller: Caller, submission: Submission) -> bool:
    """Return whether a submission is the caller's, by token, receipt or player key.

    Raises Busy, Problem 422.
    """
    if caller.player_key is not None:
        return find_name(http, submission.player, owner=_own_by_key(caller.player_key)) is not None
    if caller.receipt_sha256 is not None and submission.receipt_sha256 is not None:
        return hmac.compare_digest(caller.receipt_sha256, submission.receipt_sha256)
    # By the id, not by `verified`: who has joined also made what was submitted as a guest before.
    return caller.is_player(submission.player.id, submission.benchmark)


def own_rows(benchmark: str) -> str:
    """Return what owns the names in rows that a benchmark took over."""
    return f"rows {benchmark}"


def find_name(http: HttpServices, player: Player, *, owner: str) -> str | None:
    """Return the name of a guest of this owner; None if the player is none.

    It is nobody's who has joined or was erased. Raises Busy, Problem 422.
    """
    if find_owner(player.id) is None or http.players.find(player.id) is not None:
        return None
    name = http.players.name([player])[0].name
    # The number behind a name is the site's: nobody submits under one.
    shown = name.rpartition(" ·")[0] if is_numbered(name) else name
    if not shown or shown == player.id:
        return None
    guests = (name_guest(shown, player.kind, secret=secret, owner=owner) for secret in http.guest_secrets)
    return shown if player.id in {guest.id for guest in guests} else None


def identify_member(http: HttpServices, request: SubmitterRequest) -> Player:
    """Return the player of a key or a token, or whom a host names.

    A host that names nobody is meant itself. No benchmark is asked, so none rejects the player.

    Raises Problem 401, 409, 422.
    """
    caller, owner = request.caller, read_owner(request.caller, request.headers)
    names = caller.token is not None and caller.token.hosts and request.player is not None
    if caller.account is not None and not names:
        _check_unnamed(request)
        return caller.account.player
    if request.player is None:
        raise _player_needed(" whose key is sent")
    return read_guest(http, request, owner=owner)[0]


def read_guest(http: HttpServices, request: SubmitterRequest, *, owner: str | None) -> tuple[Player, NameOwners]:
    """Return the guest of a name and the owners of the name. Raises Problem 409, 422."""
    guest = find_named(http, request.player, request.kind or PlayerKind.HUMAN, owner=owner)
    owners = http.guest_names.read(guest)
    if owners.is_verified:
        raise name_taken()
    return guest, owners


def find_named(http: HttpServices, name: str | None, kind: PlayerKind, *, owner: str | None) -> Player:
    """Return the guest of a name. Raises Busy, Problem 422.

    One who moved here with a benchmark has an id by the secret of the other stack.
    """
    secrets = (b"",) if name is None else http.guest_secrets
    first, *others = (name_guest(name, kind, secret=secret, owner=owner) for secret in secrets)
    if others and not http.players.keeps(first.id):
        return next((guest for guest in others if http.players.keeps(guest.id)), first)
    return first


def check_ban(player: Player, bans: Mapping[str, str]) -> None:
    """Check that neither a player nor a guest's name is banned. Raises Problem 403."""
    reason = bans.get(player.id)
    if reason is None and bans and not player.verified:
        from storage.players.bans import name_subject  # noqa: PLC0415  # a POST where nobody is banned needs none of it

        reason = bans.get(name_subject(player.name))
    if reason is not None:
        raise forbidden("banned", f"player: banned from this benchmark by its owner: {reason}")


def read_owner(caller: Caller, headers: Mapping[str, str]) -> str:
    """Return a text that only who has a request's player key or token can give.

    With a name it makes the id of a guest whose name has an owner (`name_guest`). Raises Problem 401, 422.
    """
    owner = _find_owner(caller, headers)
    if owner is None or caller.receipt_sha256 is not None:
        raise unauthorized("player-key-needed", "Laurel-Player-Key: expected a player key, or a token in Authorization")
    return owner


def _find_owner(caller: Caller, headers: Mapping[str, str]) -> str | None:
    """Return what `read_owner` does; None without key and token. Raises Problem 422."""
    key = headers.get(PLAYER_KEY_HEADER)
    if caller.account is None:
        return None if key is None else _own_by_key(key)
    if key is not None:
        raise invalid_player_key("expected none beside a token, which says who you are")
    return f"host {caller.account.player.id}"


def _own_by_key(key: str) -> str:
    """Return the text that owns a name by a player key. Raises Problem 422."""
    if not _IS_PLAYER_KEY.fullmatch(key):
        raise invalid_player_key(f"expected `{PLAYER_KEY_PREFIX}` and 32 hexadecimal digits in lower case")
    return f"key {hash_secret(key)}"


def _player_needed(which: str) -> Problem:
    return unprocessable("player-needed", f"player: expected the name of the player{which}", parameter="player")


def _check_unnamed(request: SubmitterRequest) -> None:
    """Check that a token is not asked to name a player. Raises Problem 422."""
    given = "player" if request.player is not None else "kind" if request.kind is not None else None
    if given is not None:
        raise unprocessable(f"{given}-beside-token", f"{given}: {_ONLY_HOSTS}", parameter=given)


def invalid_player_key(expected: str) -> Problem:
    """Return the problem of a player key that is malformed or not expected."""
    return unprocessable("invalid-player-key", f"Laurel-Player-Key: {expected}", parameter="Laurel-Player-Key")


def name_taken() -> Problem:
    """Return the problem of a guest's name that is a verified player's."""
    detail = "player: this name belongs to a verified player, or looks like one that does"
    return Problem(HTTPStatus.CONFLICT, "name-taken", detail, [{"parameter": "player", "detail": detail}])


def name_guest(name: str | None, kind: PlayerKind, *, secret: bytes, owner: str | None = None) -> Player:
    """Return the guest of a name.

    Args:
        name: As the caller wrote it; None for the guest without a name.
        kind: Human or model.
        secret: The stack's, by which nobody else can tell the name of an id, or the id of a name.
        owner: A text that only the owner of the name can give; None if anybody may use the name.

    Returns:
        A player whose id is `guest`, or `guest-` and 20 hexadecimal digits of the folded name: the same name in another
        case or width is the same guest. With an owner it is `guest--`, and the digits are of name and owner: a name has
        as many guests as owners, and one that is nobody's. A model's id also ends in `-model`, which no human's id
        does, so a human and a model of one name are two guests. A guest with an owner who joins keeps the id.

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
    digits = hmac.digest(secret, f"{owner or ''}\0{folded}".encode(), hashlib.sha256).hex()[:_DIGITS]
    return Player(id=f"{GUEST}-{'-' if owner else ''}{digits}{suffix}", name=shown, kind=kind)


def check_guest_name(name: str) -> str:
    """Return a name that anybody may give, as it is shown. Raises InvalidName."""
    if has_secret(name):
        raise InvalidName("expected a name, found a token or a receipt")
    shown = check_name(name)
    if claims_rank(shown):
        raise InvalidName.of("rank")
    if is_numbered(shown):
        raise InvalidName.of("number")
    return shown
