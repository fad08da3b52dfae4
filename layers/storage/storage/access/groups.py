"""Groups: players who share a code. One item a group, and one a player of the codes that the player joined.

Both are changed by single conditional writes, so a group never has more members than it may, however many join at once.
A player's codes are noted before the group is joined and dropped after it is left: they bound how many groups a player
is in. Codes of groups that are gone, or that an interrupted join noted, are dropped when the player has too many.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from scoring_core.errors import LaurelError
from storage.aws.errors import Conflict, NotFound, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Item, Table
from storage.submissions.models import Player

MAX_MEMBERS = 500
"""Of a group: its item has 160 KB at most, with the longest names."""
MAX_JOINED = 50
"""So many groups a player may be in."""
LETTERS = "BCDFGHJKMNPQRSTVWXZ"
"""What codes are made of: no vowels, so that they spell nothing, no digits and no L, which look like others."""
_LENGTH = 10
"""19 letters to the power of 10: 42 bits."""
_CODE = re.compile(f"[{LETTERS}]{{{_LENGTH}}}")
_LONGEST = 64
_AS_TYPED = str.maketrans("", "", "- ")


class GroupFull(LaurelError):
    """A group has as many members as it may."""


class TooManyGroups(LaurelError):
    """A player is in as many groups as a player may be."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """A group. `maker` is a text that only who made it can give; `entries` are `id name`, one a member."""

    code: str
    name: str
    maker: str
    made_at: datetime
    entries: frozenset[str] = frozenset()

    @cached_property
    def members(self) -> Mapping[str, str]:
        """Player → the name under which the player joined."""
        return {player: name for player, _, name in (entry.partition(" ") for entry in sorted(self.entries))}


def make_code(random: bytes) -> str:
    """Return a code made of random bytes, of which 16 are enough.

    >>> make_code(bytes(16)), make_code(b"16 random bytes!")
    ('BBBBB-BBBBB', 'XKNQK-PNCGT')
    """
    number, letters = int.from_bytes(random), []
    for _ in range(_LENGTH):
        number, index = divmod(number, len(LETTERS))
        letters.append(LETTERS[index])
    return _show("".join(letters))


def read_code(text: str) -> str | None:
    """Return the code that a person typed, in any case; None if it is none.

    >>> read_code("gjcbp wmdqz"), read_code("GJCBPWMDQ1")
    ('GJCBP-WMDQZ', None)
    """
    letters = text.translate(_AS_TYPED).upper() if len(text) <= _LONGEST else ""
    return _show(letters) if _CODE.fullmatch(letters) else None


@dataclass(frozen=True, slots=True)
class GroupStore:
    """The groups in the access table."""

    table: Table

    def make(self, group: Group) -> bool:
        """Store a new group without members; return False if its code is another's."""
        item = {
            "key": _key(group.code),
            "name": group.name,
            "maker": group.maker,
            "made_at": group.made_at.isoformat(),
        }
        return self.table.put_if(Schema.GROUP, item, condition="attribute_not_exists(#key)")

    def find(self, code: str) -> Group | None:
        """Read a group (consistent); None if there is none of this code."""
        item = self.table.get_item(key=_key(code))
        return None if item is None else _read_group(item)

    def join(self, code: str, player: Player) -> None:
        """Make a player a member, who may be one already.

        Raises:
            NotFound: There is no such group.
            GroupFull: It has MAX_MEMBERS.
            TooManyGroups: The player is in MAX_JOINED.
            Busy: Too many wrote at once.
        """
        self._note(player.id, code)
        try:
            self.table.update(
                Schema.GROUP,
                {"key": _key(code)},
                change="ADD #members :entries",
                condition="attribute_exists(#key) AND (attribute_not_exists(#members) OR size(#members) < :max)",
                values={"entries": frozenset({f"{player.id} {player.name}"}), "max": MAX_MEMBERS},
            )
        except Conflict as error:
            group = self.find(code)
            if group is not None and player.id in group.members:
                return
            self._drop(player.id, frozenset({code}))
            if group is None:
                raise NotFound(f"there is no group {code}") from error
            raise GroupFull(f"this group has {MAX_MEMBERS} members, as many as it may") from error

    def list_joined(self, player: str) -> list[Group]:
        """Return the groups that a player is in (consistent), in order of their codes."""
        return [group for group in self._read_noted(player)[1] if player in group.members]

    def leave(self, group: Group, player: str) -> None:
        """End a membership, if the group exists and has it."""
        entries = frozenset(entry for entry in group.entries if entry.partition(" ")[0] == player)
        with suppress(Conflict):  # it was deleted meanwhile
            self.table.update(
                Schema.GROUP,
                {"key": _key(group.code)},
                change="DELETE #members :entries",
                condition="attribute_exists(#key)",
                values={"entries": entries},
            )
        self._drop(player, frozenset({group.code}))

    def delete(self, group: Group) -> None:
        """Delete a group, if it exists.

        Its members' notes of it go when they need the room.
        """
        self.table.delete(key=_key(group.code))

    def _note(self, player: str, code: str) -> None:
        """Note that a player joins a group. Raises TooManyGroups, Busy."""

        def attempt() -> None:
            try:
                self.table.update(
                    Schema.MEMBERSHIPS,
                    {"key": _player_key(player)},
                    change="ADD #codes :codes",
                    condition="attribute_not_exists(#codes) OR size(#codes) < :max OR contains(#codes, :code)",
                    values={"codes": frozenset({code}), "code": code, "max": MAX_JOINED},
                )
            except Conflict:
                self._make_room(player)
                raise

        retry_on_conflict(attempt, what=f"groups of {player}")

    def _make_room(self, player: str) -> None:
        """Drop a player's notes of groups that the player is not in. Raises TooManyGroups."""
        noted, groups = self._read_noted(player)
        left = noted - {group.code for group in groups if player in group.members}
        if len(noted) - len(left) >= MAX_JOINED:
            raise TooManyGroups(f"a player may be in {MAX_JOINED} groups; leave another one first")
        if left:
            self._drop(player, left)

    def _read_noted(self, player: str) -> tuple[frozenset[str], list[Group]]:
        """Return the codes that a player has noted, and the groups of these that exist."""
        item = self.table.get_item(key=_player_key(player)) or {}
        if item:
            Schema.MEMBERSHIPS.check(int(item["schema"]["N"]))
        noted = frozenset(item.get("codes", {}).get("SS", ()))
        groups = map(_read_group, self.table.get_many({"key": _key(code)} for code in sorted(noted)))
        return noted, sorted(groups, key=lambda group: group.code)

    def _drop(self, player: str, codes: frozenset[str]) -> None:
        with suppress(Conflict):  # nothing is noted
            self.table.update(
                Schema.MEMBERSHIPS,
                {"key": _player_key(player)},
                change="DELETE #codes :codes",
                condition="attribute_exists(#key)",
                values={"codes": codes},
            )


def _read_group(item: Item) -> Group:
    Schema.GROUP.check(int(item["schema"]["N"]))
    return Group(
        code=item["key"]["S"].removeprefix(_key("")),
        name=item["name"]["S"],
        maker=item["maker"]["S"],
        made_at=datetime.fromisoformat(item["made_at"]["S"]),
        entries=frozenset(item.get("members", {}).get("SS", ())),
    )


def _show(letters: str) -> str:
    return f"{letters[: _LENGTH // 2]}-{letters[_LENGTH // 2 :]}"


def _key(code: str) -> str:
    return f"group#{code}"


def _player_key(player: str) -> str:
    return f"memberships#{player}"
