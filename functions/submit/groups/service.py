"""Makes groups and deletes them; lets players join and leave."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from storage.access.groups import Group, GroupFull, GroupStore, TooManyGroups, make_code, read_code
from storage.access.names import InvalidName
from storage.access.quotas import QuotaExceeded, QuotaKey, QuotaKind, QuotaStore, quota_of_address
from storage.access.tokens import hash_secret
from storage.aws.errors import Busy, NotFound
from storage.ids import Clock, Randomness
from storage.submissions.models import Player, PlayerKind
from submit.auth import Caller
from submit.groups.schemas import GroupCard, MembershipView
from submit.joining.codes import WrongCodes
from submit.problems import Problem, forbidden, not_found, unprocessable
from submit.quotas import quota_problem
from submit.requests import parse_body
from submit.services.batches import describe_body
from submit.services.submitters import SubmitterRequest, SubmitterService, check_guest_name, name_guest, read_owner

MAX_BODY_BYTES = 10_000
PER_DAY: Mapping[QuotaKind, int] = {QuotaKind.GROUPS: 20, QuotaKind.JOINS: 600}
"""A player with a token, or all guests at an address together: a class of thirty that joins twenty groups."""
_QUOTA = "@groups"
"""In the place of a benchmark's id, which none can be."""
_CODES_BYTES = 16


@dataclass(frozen=True, slots=True)
class GroupService:
    """Serves who makes groups and who joins them."""

    groups: GroupStore
    quotas: QuotaStore
    submitters: SubmitterService
    clock: Clock
    randomness: Randomness

    def make(self, caller: Caller, headers: Mapping[str, str], body: bytes) -> GroupCard:
        """Make a group, which has no members yet. Raises Problem 400, 401, 413, 422, 429."""
        maker = _find_maker(caller, headers)
        name = _read_name(body)
        self._charge(QuotaKind.GROUPS, caller)
        group = Group(code=self._make_code(), name=name, maker=maker, made_at=self.clock())
        if not self.groups.make(group):  # one of 6 million million codes was drawn twice
            raise Busy("the code of a new group is another's")
        return _view(group)

    def find(self, text: str, caller: Caller) -> Group:
        """Return the group of a code.

        Raises:
            Problem: 404, there is none; 429, too many wrong codes were tried, which bounds how fast codes are guessed.
        """
        code = read_code(text)
        if code is None:
            raise not_found("there is no such group; expected a code as BCDFG-HJKMN, of ten letters")
        wrong_codes = WrongCodes(self.quotas, self.clock)
        group = wrong_codes.look_up(self._quota_of(caller), lambda: self.groups.find(code))
        if group is None:
            raise _no_group()
        return group

    def join(self, text: str, request: SubmitterRequest) -> MembershipView:
        """Make a player a member; a repeat changes nothing.

        Raises Problem 401, 404, 409, 422, 429.
        """
        player = self.submitters.identify_member(request)
        group = self.find(text, request.caller)
        if player.id in group.members:
            return _view_member(group, player.id, group.members[player.id])
        self._charge(QuotaKind.JOINS, request.caller, player)
        try:
            self.groups.join(group.code, player)
        except NotFound as error:
            raise _no_group() from error
        except GroupFull as error:
            raise Problem(HTTPStatus.CONFLICT, "group-full", str(error)) from error
        except TooManyGroups as error:
            raise Problem(HTTPStatus.CONFLICT, "too-many-groups", str(error)) from error
        return _view_member(group, player.id, player.name)

    def leave(self, text: str, player: str, caller: Caller, headers: Mapping[str, str]) -> MembershipView:
        """End a membership, as the player or as the group's maker.

        Raises Problem 401, 403, 404, 422, 429.
        """
        owner, maker = read_owner(caller, headers), _find_maker(caller, headers)
        group = self.find(text, caller)
        name = group.members.get(player)
        if name is None:
            raise not_found("this group has no such member")
        if maker != group.maker and not self._is_own(player, name, caller, owner):
            expected = "expected the key or token of the member, or of the group's maker"
            raise forbidden("not-the-member", f"Laurel-Player-Key: {expected}")
        self.groups.leave(group, player)
        return _view_member(group, player, name)

    def delete(self, text: str, caller: Caller, headers: Mapping[str, str]) -> GroupCard:
        """Delete a group, as its maker. Raises Problem 401, 403, 404, 422, 429."""
        maker = _find_maker(caller, headers)
        group = self.find(text, caller)
        if maker != group.maker:
            raise forbidden("not-the-maker", "Laurel-Player-Key: expected the key or token of the group's maker")
        self.groups.delete(group)
        return _view(group)

    def _is_own(self, player: str, name: str, caller: Caller, owner: str) -> bool:
        """Return whether a member is the caller, or a guest whose name is the caller's."""
        if caller.account is not None and caller.account.player.id == player:
            return True
        secret = self.submitters.read_secret()
        return any(name_guest(name, kind, secret=secret, owner=owner).id == player for kind in PlayerKind)

    def _make_code(self) -> str:
        return make_code(self.randomness(_CODES_BYTES))

    def _charge(self, kind: QuotaKind, caller: Caller, player: Player | None = None) -> None:
        """Count an action of the day. Raises Problem 429."""
        try:
            self.quotas.charge_action(self._quota_of(caller, player), kind, per_day=PER_DAY[kind])
        except QuotaExceeded as error:
            raise quota_problem(error, clock=self.clock) from error

    def _quota_of(self, caller: Caller, player: Player | None = None) -> QuotaKey:
        """Return the quota of a token's or a host's player; else that of the address."""
        account, day = caller.account, self.clock().date()
        if account is None:
            return quota_of_address(_QUOTA, caller.origin, day)
        return QuotaKey(_QUOTA, (player or account.player).id, day)


def _find_maker(caller: Caller, headers: Mapping[str, str]) -> str:
    """Return what is stored of a group's maker: of a key a hash.

    Raises Problem 401, 422.
    """
    owner = read_owner(caller, headers)
    return f"player {caller.account.player.id}" if caller.account else f"key {hash_secret(f'maker {owner}')}"


def _read_name(body: bytes) -> str:
    """Return the name of a new group. Raises Problem 400, 413, 422."""
    value = parse_body(body, max_bytes=MAX_BODY_BYTES)
    if not isinstance(value, dict) or set(value) != {"name"} or not isinstance(value["name"], str):
        raise unprocessable("not-a-group", f'body: expected {{"name": "…"}}, found {describe_body(value)}', pointer="")
    try:
        return check_guest_name(value["name"])
    except InvalidName as error:
        raise unprocessable("invalid-name", f"name: {error}", pointer="/name") from error


def _no_group() -> Problem:
    return not_found("there is no such group; the code is wrong, or its maker deleted it")


def _view(group: Group) -> GroupCard:
    return GroupCard(code=group.code, name=group.name)


def _view_member(group: Group, player: str, name: str) -> MembershipView:
    return MembershipView(code=group.code, name=group.name, player=player, player_name=name)
