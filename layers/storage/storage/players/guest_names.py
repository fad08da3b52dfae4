"""The owners of guests' names: which of the players who share a name is the first, the second, and so on.

A name is one item, of all names that look like it. It holds the first MAX_NUMBERED owners in the order in which they
came, so it has an end; later ones are told apart by digits of their ids, and are not stored.

Ids of guests are derived with a secret of the stack, so nobody reads or guesses a name from one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from storage.gateway.conditions import Absent, Contains, Item, ItemChange, SizeIs
from storage.gateway.schema import Schema
from storage.gateway.table import Table, retry_on_conflict
from storage.players.names import find_look, find_skeletons
from storage.players.players import name_key, player_key
from storage.submissions.models import Player, find_owner

MAX_NUMBERED = 200
"""Owners of a name who have a number: an item of less than 4 KB, which one read unit reads."""
_SECRET_ITEM = "guest#secret"  # noqa: S105  # a key, no password
"""The key of the secret's item. That of a name ends in 64 digits."""
_DIGITS = 12
_TAG_DIGITS = 6


@dataclass(frozen=True, slots=True)
class NameOwners:
    """The owners of a name and of those that look like it, as they were read.

    Args:
        is_verified: Whether the name is a verified player's, or looks like one that is, or the guest has joined.
        numbers: Owner → number, from 1.
        kept: How the guest who was asked for is shown; None: not kept yet.
        is_erased: Whether that guest is erased.
    """

    is_verified: bool = False
    numbers: Mapping[str, int] = field(default_factory=dict)
    kept: str | None = None
    is_erased: bool = False


@dataclass(frozen=True, slots=True)
class GuestNameStore:
    """The owners of names in the access table."""

    table: Table

    def keep_secret(self, drawn: bytes) -> bytes:
        """Return the secret that guests' ids are derived with: the first drawn.

        It is an item beside what it names, for as long as that: another secret would make other players of all guests.
        Raises Busy.
        """

        def attempt() -> bytes:
            plain = self.table.get(Schema.GUEST_SECRET, key=_SECRET_ITEM)
            if plain is not None:
                return bytes.fromhex(str(plain["secret"]))
            self.table.update(
                Schema.GUEST_SECRET,
                {"key": _SECRET_ITEM},
                ItemChange(set={"secret": drawn.hex()}),
                Absent("key"),
            )
            return drawn

        return retry_on_conflict(attempt, what="secret of guests' ids")

    def read(self, guest: Player) -> NameOwners:
        """Read who has a guest's checked name, and how the guest is shown (consistent).

        It is one request. Raises Busy.
        """
        keys = [player_key(guest.id), *(name_key(skeleton) for skeleton in sorted(find_skeletons(guest.name)))]
        keys += [] if find_owner(guest.id) is None else [_key(guest.name)]
        items = {str(item["key"]["S"]): item for item in self.table.get_many({"key": key} for key in keys)}
        owners, own = items.pop(_key(guest.name), None), items.pop(player_key(guest.id), None)
        plain = Schema.PLAYER.read(own) if own else {}
        for item in items.values():
            Schema.NAME.check(int(item["schema"]["N"]))
        kept = str(plain["name"]) if "name" in plain else None
        return NameOwners(bool(items) or "created_at" in plain, _read_numbers(owners), kept, "erased_at" in plain)

    def show(self, guest: Player, owners: NameOwners) -> Player:
        """Return an owned guest as it is shown: `Ada`, then `Ada ·2`.

        The first time, this is one conditional write, if nobody else came meanwhile. Raises Busy.

        Args:
            guest: The guest, under the name as it was submitted.
            owners: What was read of the name; read again if somebody came since.
        """
        read: NameOwners | None = owners

        def attempt() -> int | None:
            nonlocal read
            now, read = read or NameOwners(numbers=_read_numbers(self.table.get_item(key=_key(guest.name)))), None
            number = now.numbers.get(_owner_of(guest))
            if number is None and len(now.numbers) < MAX_NUMBERED:
                number = len(now.numbers) + 1
                self.table.update(
                    Schema.GUEST_NAME,
                    {"key": _key(guest.name)},
                    ItemChange(add={"owners": frozenset({f"{number}:{_owner_of(guest)}"})}),
                    SizeIs("owners", len(now.numbers)) if now.numbers else Absent("owners"),
                )
            return number

        number = retry_on_conflict(attempt, what=f"owners of the name {guest.name}")
        return show_guest(guest, number)

    def erase(self, guest: Player) -> None:
        """Forget whose number of a name one was; it is nobody else's. Raises Busy."""

        def attempt() -> None:
            numbers = _read_numbers(self.table.get_item(key=_key(guest.name)))
            owner = _owner_of(guest)
            if owner in numbers:  # one without a number is told from others by its id alone
                number = numbers.pop(owner)
                kept = frozenset(f"{each}:{own}" for own, each in {**numbers, f"-{number}": number}.items())
                self.table.update(
                    Schema.GUEST_NAME,
                    {"key": _key(guest.name)},
                    ItemChange(set={"owners": kept}),
                    SizeIs("owners", len(kept)) & Contains("owners", f"{number}:{owner}"),
                )

        retry_on_conflict(attempt, what=f"owners of the name of {guest.id}")


def show_guest(guest: Player, number: int | None) -> Player:
    """Return an owned guest as it is shown; after MAX_NUMBERED there is no number."""
    if number == 1:
        return guest
    mark = _owner_of(guest)[:_TAG_DIGITS] if number is None else str(number)
    return replace(guest, name=f"{guest.name} ·{mark}")


def _owner_of(guest: Player) -> str:
    owner = find_owner(guest.id)
    assert owner is not None  # noqa: S101  # only asked of owned guests
    return owner[:_DIGITS]


def _read_numbers(item: Item | None) -> dict[str, int]:
    if item is None:
        return {}
    Schema.GUEST_NAME.check(int(item["schema"]["N"]))
    owners: Sequence[str] = item["owners"]["SS"]
    return {owner: int(number) for number, _, owner in (text.partition(":") for text in owners)}


def _key(name: str) -> str:
    # Its hash, because a key has at most 2 KB, and one character may look like many.
    return f"guest#{hashlib.sha256(find_look(name).encode()).hexdigest()}"
