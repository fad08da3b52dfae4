"""Invitations: who has the code of one gets a token. One item each, of which only the SHA-256 of the code is stored.

Each change of an item is conditional on its lock version. So an invitation is used as often as it may be, however many
open it at once, and none is used after it was revoked.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Plain, Schema, from_attributes, to_attributes
from storage.gateway.table import Table, Write, retry_on_conflict
from storage.players.secret_lists import SecretLists
from storage.players.tokens import Scope

CODE_BYTES = 16
MAX_USES = 500
"""Of an invitation: its item then has 20 KB."""
MAX_OPEN = 300
"""Open invitations of a benchmark, or of a player: with all who came a list of 4 MB."""
KEEP = timedelta(days=30)
"""How long an invitation is kept after its end, so that its maker sees who came."""


class InvitationState(StrEnum):
    """Whether an invitation can be used, and if not, why."""

    OPEN = "open"
    USED_UP = "used_up"
    EXPIRED = "expired"
    REVOKED = "revoked"


class Invitation(NamedTuple):
    """An invitation, without its code.

    Args:
        sha256: Of its code.
        holder: Whose it is: `benchmark#` or `player#`, and the id.
        maker: The id of the player who made it.
        scopes: What the tokens allow.
        benchmarks: What they cover; empty: all, as the maker's own token does.
        player: Whose tokens they are; None: each is a new player's, or that of the player who comes with a token.
        is_member: Whether they are a member's of that player; else the player's own, which replace earlier ones.
        max_uses: How many tokens may be issued.
        used: The players to whom they were.
        note: What the maker calls it; of one that was mailed, who it is for.
        address: Where its link was mailed; None: nowhere, or it is erased.
        number: The number of that student, if the list had it.
        ends_at: When it ends, UTC, in whole seconds.
        lock_version: Of the item.
    """

    sha256: str
    holder: str
    maker: str
    scopes: frozenset[Scope]
    benchmarks: tuple[str, ...]
    player: str | None
    is_member: bool
    max_uses: int
    note: str
    made_at: datetime
    ends_at: datetime
    used: tuple[str, ...] = ()
    revoked_at: datetime | None = None
    address: str | None = None
    number: str | None = None
    lock_version: int = 1

    @property
    def id(self) -> str:
        """The name of the invitation, which opens nothing."""
        return self.sha256[:12]

    def without_person(self) -> "Invitation":
        """Return it without who it was mailed to."""
        return self if self.address is None else self._replace(note="", address=None, number=None)

    def state_at(self, moment: datetime) -> InvitationState:
        """Return whether it can be used."""
        if self.revoked_at is not None:
            return InvitationState.REVOKED
        if len(self.used) >= self.max_uses:
            return InvitationState.USED_UP
        return InvitationState.EXPIRED if moment >= self.ends_at else InvitationState.OPEN


class InvitationStore(NamedTuple):
    """The invitations in the access table."""

    table: Table

    def put(self, *invitations: Invitation) -> None:
        """Store new invitations of one holder and moment, or none of them.

        They are at most MAX_WRITES - 1. Raises TooManyListed, Busy.
        """
        made_at, name = invitations[0].made_at, _list_of(invitations[0].holder)

        def find_ended(hashes: frozenset[str]) -> frozenset[str]:
            stored = self._find_many(hashes)
            return hashes - {each.sha256 for each in stored if each.state_at(made_at) is InvitationState.OPEN}

        stored = [Write(Schema.INVITATION, _to_item(each), Absent("key")) for each in invitations]
        hashes = frozenset(each.sha256 for each in invitations)

        def attempt() -> None:
            listed = self._lists.plan_add(name, hashes, limit=MAX_OPEN, find_ended=find_ended)
            self.table.transact([*stored, listed])

        retry_on_conflict(attempt, what=name)

    def find(self, sha256: str) -> Invitation | None:
        """Read the invitation of a code with this hash (consistent).

        It may have ended. None if it is unknown.
        """
        plain = self.table.get(Schema.INVITATION, key=_key(sha256))
        return None if plain is None else _from_item(plain)

    def list_of(self, holder: str) -> list[Invitation]:
        """Return the invitations of a holder, the newest first. Raises Busy."""
        stored = self._find_many(self._lists.read(_list_of(holder)))
        return sorted(stored, key=lambda each: (each.made_at, each.sha256), reverse=True)

    def erase_addresses(self, holder: str, player: str) -> None:
        """Erase the addresses of those invitations of a holder by which a player came.

        Raises Busy.
        """
        self._change_all(holder, lambda each: each.without_person() if player in each.used else each)

    def revoke_all(self, holder: str, *, now: datetime) -> None:
        """Take back all invitations of a holder, and erase their addresses. Raises Busy."""
        self._change_all(
            holder, lambda each: each if each.revoked_at else each._replace(revoked_at=now).without_person()
        )

    def _change_all(self, holder: str, change: Callable[[Invitation], Invitation]) -> None:
        def attempt() -> None:
            for each in self.list_of(holder):
                if (changed := change(each)) != each:
                    self.change(changed)

        retry_on_conflict(attempt, what=_list_of(holder))

    def plan_change(self, changed: Invitation) -> Write:
        """Return the write of a changed invitation, if nobody changed it meanwhile."""
        following = changed._replace(lock_version=changed.lock_version + 1)
        return Write(Schema.INVITATION, _to_item(following), Equals("lock_version", changed.lock_version))

    def change(self, changed: Invitation) -> None:
        """Write a changed invitation. Raises Conflict if somebody changed it meanwhile."""
        self.table.transact([self.plan_change(changed)])

    @property
    def _lists(self) -> SecretLists:
        return SecretLists(self.table)

    def _find_many(self, hashes: Iterable[str]) -> list[Invitation]:
        items = self.table.get_many({"key": _key(sha256)} for sha256 in sorted(hashes))
        return [_from_item(Schema.INVITATION.read(item)) for item in items]


def holder_of_benchmark(benchmark: str) -> str:
    """Return the holder of the invitations to a benchmark."""
    return f"benchmark#{benchmark}"


def holder_of_player(player: str) -> str:
    """Return the holder of a player's own invitations."""
    return f"player#{player}"


def _to_item(invitation: Invitation) -> dict[str, Plain | None]:
    attributes = to_attributes(invitation)
    key, expires_at = _key(str(attributes.pop("sha256"))), int((invitation.ends_at + KEEP).timestamp())
    return {"key": key, **attributes, "expires_at": expires_at}


def _from_item(plain: Mapping[str, Plain]) -> Invitation:
    return from_attributes(Invitation, plain, sha256=str(plain["key"]).removeprefix(_key("")))


def _list_of(holder: str) -> str:
    return f"invitations#{holder}"


def _key(sha256: str) -> str:
    return f"invitation#{sha256}"
