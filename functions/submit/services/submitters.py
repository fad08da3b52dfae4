"""Decides who submits a result: the player of a token, one whom a host names, or a guest."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import NamedTuple

from scoring_core.benchmarks.terms import DailyLimits, SubmissionTerms
from storage.access.bans import name_subject
from storage.access.guest_names import GuestNameStore, NameOwners
from storage.access.players import Account, PlayerStore
from storage.access.tokens import Scope, hash_secret
from storage.submissions.models import Player, PlayerKind
from submit.auth import Caller
from submit.problems import PLAYER_KEY_PREFIX, Problem, forbidden, unauthorized, unprocessable
from submit.services.players import name_guest

_PLAYER_KEY = "laurel-player-key"
_IS_PLAYER_KEY = re.compile(f"{PLAYER_KEY_PREFIX}[0-9a-f]{{32}}")
_ONLY_HOSTS = "expected none: the token says who played; to name players, use a token of the scope `host`, or none"


class Submitter(NamedTuple):
    """Who submits.

    Args:
        player: The player.
        limits: How many results of the day are accepted.
        origin: By what the quota is found, if not by the player: that of a network address, or of a host's player.
        shares: Whether all guests at the address have one quota.
        owners: Who owns the name of the guest, and of those that look like it; None if the player is no owned guest.
    """

    player: Player
    limits: DailyLimits
    origin: str | None = None
    shares: bool = False
    owners: NameOwners | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitterRequest:
    """What a request says of who submits: lower-case headers, the name and kind of a guest."""

    caller: Caller
    headers: Mapping[str, str]
    player: str | None
    kind: PlayerKind | None

    def name_guest(self, *, owner: str | None = None) -> Player:
        """Return the guest that is named. Raises Problem 422."""
        return name_guest(self.player, self.kind or PlayerKind.HUMAN, owner=owner)


@dataclass(frozen=True, slots=True)
class SubmitterService:
    """Identifies submitters."""

    players: PlayerStore
    guest_names: GuestNameStore

    def identify(self, request: SubmitterRequest, terms: SubmissionTerms) -> Submitter:
        """Return who submits. Raises Problem 401, 403, 409, 422."""
        submitter = self._identify(request, terms)
        account = request.caller.account
        for player in (submitter.player, *([account.player] if account else [])):
            check_ban(player, terms.bans)
        return submitter

    def _identify(self, request: SubmitterRequest, terms: SubmissionTerms) -> Submitter:
        caller = request.caller
        if caller.receipt_sha256 is not None:
            detail = "Authorization: a receipt gives access to one submission; expected a token, or no credentials"
            raise unauthorized("token-needed", detail)
        if caller.account is not None:
            return self._identify_by_token(request, caller.account, terms)
        if not terms.anonymous:
            raise unauthorized("token-needed", "Authorization: this benchmark accepts results only with a token")
        key = _read_player_key(request)
        if key is None:
            guest, owners = request.name_guest(), None
            if request.player is not None and self.players.find_namesake(guest.name) is not None:
                raise _name_taken()
        else:
            guest, owners = self._name_owned(request, owner=f"key {hash_secret(key)}")
        return Submitter(guest, terms.limits_of_address, caller.origin, shares=True, owners=owners)

    def show(self, submitter: Submitter) -> Player:
        """Return the player as boards show it; numbers an owner's name once. Raises Busy."""
        player, owners = submitter.player, submitter.owners
        return player if owners is None else self.guest_names.show(player, owners)

    def _identify_by_token(self, request: SubmitterRequest, account: Account, terms: SubmissionTerms) -> Submitter:
        """Return the player of the token, or the one whom a host names.

        Raises:
            Problem: 403, 409 or 422.
        """
        caller, limits = request.caller, terms.limits_of_player
        if _PLAYER_KEY in request.headers:
            raise _invalid_player_key("expected none beside a token, which says who played")
        if not caller.may(Scope.HOST, terms.id):
            player = caller.find_player(terms.id)
            given = "player" if request.player is not None else "kind" if request.kind is not None else None
            if given is not None:
                raise unprocessable(f"{given}-beside-token", f"{given}: {_ONLY_HOSTS}", parameter=given)
            return Submitter(player or account.player, limits)
        if request.player is None:
            if request.kind is None and caller.may(Scope.SUBMIT, terms.id):
                return Submitter(account.player, limits)
            detail = "player: expected the name of the player, because the token is a host's"
            raise unprocessable("player-needed", detail, parameter="player")
        guest, owners = self._name_owned(request, owner=f"host {account.player.id}")
        # A host's players have quotas of their own, which are found by the origin, as those of addresses are.
        return Submitter(guest, limits, hash_secret(f"player {guest.id}"), owners=owners)

    def _name_owned(self, request: SubmitterRequest, *, owner: str) -> tuple[Player, NameOwners]:
        """Return an owner's guest and the owners of the name. Raises Problem 409, 422."""
        guest = request.name_guest(owner=owner)
        owners = self.guest_names.read(guest.name)
        if owners.is_verified:
            raise _name_taken()
        return guest, owners


def check_ban(player: Player, bans: Mapping[str, str]) -> None:
    """Check that neither a player nor a guest's name is banned. Raises Problem 403."""
    reason = bans.get(player.id)
    if reason is None and bans and not player.verified:
        reason = bans.get(name_subject(player.name))
    if reason is not None:
        raise forbidden("banned", f"player: banned from this benchmark by its owner: {reason}")


def _read_player_key(request: SubmitterRequest) -> str | None:
    """Return the key of a guest. Raises Problem 422."""
    key = request.headers.get(_PLAYER_KEY)
    if key is None:
        return None
    if not _IS_PLAYER_KEY.fullmatch(key):
        raise _invalid_player_key(f"expected `{PLAYER_KEY_PREFIX}` and 32 hexadecimal digits in lower case")
    if request.player is None:
        detail = "player: expected the name of the player whose key is sent"
        raise unprocessable("player-needed", detail, parameter="player")
    return key


def _invalid_player_key(expected: str) -> Problem:
    return unprocessable("invalid-player-key", f"Laurel-Player-Key: {expected}", parameter="Laurel-Player-Key")


def _name_taken() -> Problem:
    detail = "player: this name belongs to a verified player, or looks like one that does"
    return Problem(HTTPStatus.CONFLICT, "name-taken", detail, [{"parameter": "player", "detail": detail}])
