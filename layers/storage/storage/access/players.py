"""Verified players: their names, which nobody else may take, and the addresses that mail may go to."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from storage.access.names import find_skeletons
from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table
from storage.submissions.models import Player, PlayerKind

PLAYER_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
GUEST = "guest"


def is_player_id(text: str) -> bool:
    """Tell whether a text has the form of a player's id, a guest's included."""
    return PLAYER_ID.fullmatch(text) is not None


def is_guest_id(player: str) -> bool:
    """Tell whether an id is one of those that are reserved for guests."""
    return player == GUEST or player.startswith(f"{GUEST}-")


class NameTaken(Conflict):
    """The name, or one that looks like it, is another player's."""


class Account(NamedTuple):
    """A verified player and where mail for it goes.

    Args:
        player: Who; `verified`.
        email: Where its mail goes; None: nowhere.
        created_at: When it was first known.
    """

    player: Player
    email: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PlayerStore:
    """The accounts in the access table."""

    table: Table

    def put(self, account: Account) -> None:
        """Store an account, new or changed; its names are claimed first, so a crash leaves a claim of its own.

        A player who has the name already keeps it, even where names look alike today that did not when it was given:
        then it claims those skeletons that nobody has.

        Raises:
            NameTaken: Another verified player has the name, or one that looks like it.
        """
        player = account.player
        known = self.find(player.id)
        keeps = known is not None and known.player.name == player.name
        if not keeps and self._find_owners(player.name) - {player.id}:
            raise _taken(player)
        for skeleton in sorted(find_skeletons(player.name)):
            try:
                self.table.put(
                    Schema.NAME,
                    {"key": _name_key(skeleton), "player": player.id},
                    condition="attribute_not_exists(#key) OR #player = :player",
                    values={"player": player.id},
                )
            except Conflict as error:
                if not keeps:
                    raise _taken(player) from error
        self.table.put(
            Schema.PLAYER,
            {
                "key": _player_key(player.id),
                "player": player.id,
                "name": player.name,
                "kind": player.kind.value,
                "email": account.email,
                "created_at": account.created_at.isoformat(),
            },
            condition="attribute_not_exists(#key) OR #player = :player",
            values={"player": player.id},
        )

    def find(self, player: str) -> Account | None:
        """Read an account (consistent); None where no such player is verified."""
        plain = self.table.get(Schema.PLAYER, key=_player_key(player))
        if plain is None:
            return None
        return Account(
            player=Player(str(plain["player"]), str(plain["name"]), PlayerKind(str(plain["kind"])), verified=True),
            email=str(plain["email"]) if "email" in plain else None,
            created_at=datetime.fromisoformat(str(plain["created_at"])),
        )

    def find_namesake(self, name: str) -> str | None:
        """Give the verified player whose name is this one, or looks like it; None where there is none.

        Args:
            name: As `check_name` gives it.
        """
        return min(self._find_owners(name), default=None)

    def list_all(self) -> Iterable[Account]:
        """Read every account, by reading the whole table: for the command line."""
        items = self.table.scan(_player_key(""))
        found = [str(Schema.PLAYER.read(item)["player"]) for item in items]
        return [account for player in sorted(found) if (account := self.find(player)) is not None]

    def _find_owners(self, name: str) -> set[str]:
        found = (self.table.get(Schema.NAME, key=_name_key(one)) for one in sorted(find_skeletons(name)))
        return {str(plain["player"]) for plain in found if plain is not None}


def _taken(player: Player) -> NameTaken:
    return NameTaken(f"the name {player.name!r} is taken, or looks like one that is")


def _player_key(player: str) -> str:
    return f"player#{player}"


def _name_key(skeleton: str) -> str:
    return f"name#{skeleton}"
