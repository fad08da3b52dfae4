"""The item of each player, which alone has the name, and the owners of guests' names.

A verified player's item also has the mail address. Nobody else may take a verified player's name. An erasure replaces
the item; no raw result or record is rewritten.

Several guests may share a name: which is the first, the second, and so on, is in one item, of all names that look like
it. It holds the first MAX_NUMBERED owners in the order in which they came, so it has an end; later ones are told apart
by digits of their ids, and are not stored. Ids of guests are derived with a secret of the stack, so nobody reads or
guesses a name from one.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from scoring_core.errors import Rejected
from storage.gateway.conditions import Absent, Contains, Equals, Item, ItemChange, SizeIs
from storage.gateway.errors import Conflict
from storage.gateway.schema import Schema
from storage.gateway.table import Table, Write, retry_on_conflict
from storage.players.names import hash_skeleton
from storage.submissions.models import NAMELESS, Player, PlayerKind, SubmissionRecord, find_owner

PLAYER_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
GUEST = "guest"
MAX_NUMBERED = 200
"""Owners of a name who have a number: an item of less than 4 KB, which one read unit reads."""
SECRET_ITEM = "guest#secret"  # noqa: S105  # a key, no password
"""The key of the secret's item. That of a name ends in 64 digits."""
_DIGITS = 12
_TAG_DIGITS = 6


def is_player_id(text: str) -> bool:
    """Return whether a text has the form of a player's id, a guest's included."""
    return PLAYER_ID.fullmatch(text) is not None


def make_player_id(randomness: bytes) -> str:
    """Return the id of a new player: `p` and 80 random bits, nothing of the name."""
    return f"p{randomness[:10].hex()}"


def is_guest_id(player: str) -> bool:
    """Return whether an id is a guest's, or a verified player's who was one before."""
    return player == GUEST or player.startswith(f"{GUEST}-")


class NameTaken(Rejected):
    """The name, or one that looks like it, is another player's."""

    problem = "name-taken"
    pointer = "/name"


class Account(NamedTuple):
    """A verified player, the address for mail (None: no mail is sent), and when the account was created."""

    player: Player
    email: str | None
    created_at: datetime


class PlayerStore(NamedTuple):
    """The accounts in the access table."""

    table: Table

    def plan(self, account: Account, *, is_new: bool = False) -> list[Write]:
        """Return what stores an account: itself, and the skeleton of its name.

        Raises NameTaken if the name looks like another's. A new account replaces no account, only a guest's item.
        """
        player = account.player
        if self.find_namesake(player.name) not in {None, player.id}:
            raise NameTaken(f"name: the name {player.name!r} is taken, or looks like one that is")
        return [
            _write(Schema.NAME, {"key": name_key(player.name), "player": player.id}),
            _write(
                Schema.PLAYER,
                {
                    "key": player_key(player.id),
                    "player": player.id,
                    "name": player.name,
                    "kind": player.kind.value,
                    "email": account.email,
                    "created_at": account.created_at.isoformat(),
                },
                is_new=is_new,
            ),
        ]

    def find(self, player: str) -> Account | None:
        """Read an account (consistent); None without one, as of an erased player."""
        plain = self.table.get(Schema.PLAYER, key=player_key(player))
        if plain is None or "created_at" not in plain:  # erased, or a guest
            return None
        return Account(
            player=Player(str(plain["player"]), str(plain["name"]), PlayerKind(str(plain["kind"])), verified=True),
            email=str(plain["email"]) if "email" in plain else None,
            created_at=datetime.fromisoformat(str(plain["created_at"])),
        )

    def keep_guest(self, guest: Player) -> None:
        """Store how a guest is shown. Raises Conflict if the guest is erased."""
        item = {"key": player_key(guest.id), "player": guest.id, "name": guest.name, "kind": guest.kind.value}
        self.table.put(Schema.PLAYER, item, Absent("erased_at") & Absent("created_at"))

    def name(self, players: Sequence[Player]) -> list[Player]:
        """Return players as they are named now (consistent). Raises Busy.

        A player without an item, or an erased one, keeps the name that was given: of a record, the id.
        """
        ids = {player.id for player in players} - NAMELESS
        items = map(Schema.PLAYER.read, self.table.get_many({"key": player_key(player)} for player in sorted(ids)))
        names = {str(plain["player"]): str(plain["name"]) for plain in items if "name" in plain}
        return [player._replace(name=names.get(player.id, player.name)) for player in players]

    def name_records(self, records: Sequence[SubmissionRecord]) -> list[SubmissionRecord]:
        """Return records of players as they are named now. Raises Busy."""
        players = self.name([record.submission.player for record in records])
        return [
            record._replace(submission=record.submission._replace(player=player))
            for record, player in zip(records, players, strict=True)
        ]

    def erase_guest(self, guest: str, *, now: datetime) -> None:
        """Erase a guest's name. A repeat changes nothing that counts.

        Raises Conflict if the guest has joined.
        """
        erased = {"key": player_key(guest), "player": guest, "erased_at": now.isoformat()}
        self.table.put(Schema.PLAYER, erased, Absent("created_at"))

    def erase(self, player: Player, *, now: datetime, beside: Sequence[Write] = ()) -> None:
        """Erase an account: name, kind, address, with what is written beside it.

        A repeat changes nothing. Raises Conflict.

        Its id stays used up, so that no token of it opens another account. The name is free before it is gone: who is
        interrupted still has the token to go on with.
        """
        with suppress(Conflict):  # another's, or gone
            self.table.delete(Equals("player", player.id), key=name_key(player.name))
        erased = {"key": player_key(player.id), "player": player.id, "erased_at": now.isoformat()}
        self.table.transact([_write(Schema.PLAYER, erased), *beside])

    def keeps(self, player: str) -> bool:
        """Return whether anything is kept of a player (consistent)."""
        return self.table.get_item(key=player_key(player)) is not None

    def find_namesake(self, name: str) -> str | None:
        """Return the verified player who has a name or one that looks like it."""
        plain = self.table.get(Schema.NAME, key=name_key(name))
        return None if plain is None else str(plain["player"])


def _write(schema: Schema, item: Mapping[str, str | None], *, is_new: bool = False) -> Write:
    """Return the write of a player's item, unless it is another's, erased or not new."""
    mine = Absent("key") | (Equals("player", str(item["player"])) & Absent("erased_at"))
    return Write(schema, item, mine & Absent("created_at") if is_new else mine)


def player_key(player: str) -> str:
    """Return the key of a player's item."""
    return f"player#{player}"


def name_key(name: str) -> str:
    """Return the key of the item that reserves a name, and those that look like it."""
    return f"name#{hash_skeleton(name)}"


class NameOwners(NamedTuple):
    """The owners of a name and of those that look like it, as they were read.

    Args:
        is_verified: Whether the name is a verified player's, or looks like one that is, or the guest has joined.
        numbers: Owner → number, from 1.
        kept: How the guest who was asked for is shown; None: not kept yet.
        is_erased: Whether that guest is erased.
    """

    is_verified: bool = False
    numbers: Mapping[str, int] = MappingProxyType({})
    kept: str | None = None
    is_erased: bool = False


class GuestNameStore(NamedTuple):
    """The owners of names in the access table."""

    table: Table

    def keep_secrets(self, drawn: bytes, *moved: bytes) -> tuple[bytes, ...]:
        """Return the secrets that guests' ids are derived with; the first drawn leads.

        Those that `moved` here follow. They are an item beside what they name, for as long as that: another secret
        would make other players of all guests. Raises Busy.
        """

        def attempt() -> tuple[bytes, ...]:
            plain = self.table.get(Schema.GUEST_SECRET, key=SECRET_ITEM) or {}
            before = tuple(map(bytes.fromhex, f"{plain.get('secret', '')} {plain.get('moved', '')}".split()))
            secrets = tuple(dict.fromkeys([*(before or [drawn]), *moved]))
            if secrets != before:
                first, *others = (secret.hex() for secret in secrets)
                change = ItemChange(set={"secret": first, **({"moved": " ".join(others)} if others else {})})
                same = Equals("moved", str(plain["moved"])) if "moved" in plain else Absent("moved")
                condition = same & Equals("secret", first) if plain else Absent("key")
                self.table.update(Schema.GUEST_SECRET, {"key": SECRET_ITEM}, change, condition)
            return secrets

        return retry_on_conflict(attempt, what="secret of guests' ids")

    def read(self, guest: Player) -> NameOwners:
        """Read who has a guest's checked name, and how the guest is shown (consistent).

        It is one request. Raises Busy.
        """
        keys = [player_key(guest.id), name_key(guest.name)]
        keys += [] if find_owner(guest.id) is None else [guest_key(guest.name)]
        items = {str(item["key"]["S"]): item for item in self.table.get_many({"key": key} for key in keys)}
        owners, own = items.pop(guest_key(guest.name), None), items.pop(player_key(guest.id), None)
        plain = Schema.PLAYER.read(own) if own else {}
        for item in items.values():
            Schema.NAME.check(int(item["schema"]["N"]))
        kept = str(plain["name"]) if "name" in plain else None
        return NameOwners(bool(items) or "created_at" in plain, _read_numbers(owners), kept, "erased_at" in plain)

    def show(self, guest: Player, owners: NameOwners) -> Player:
        """Return an owned guest as it is shown: `Ada`, then `Ada ·2`.

        After MAX_NUMBERED there is no number, but digits of the id.
        The first time, this is one conditional write, if nobody else came meanwhile. Raises Busy.

        Args:
            guest: The guest, under the name as it was submitted.
            owners: What was read of the name; read again if somebody came since.
        """
        read: NameOwners | None = owners

        def attempt() -> int | None:
            nonlocal read
            now, read = read or NameOwners(numbers=_read_numbers(self.table.get_item(key=guest_key(guest.name)))), None
            number = now.numbers.get(_owner_of(guest))
            if number is None and len(now.numbers) < MAX_NUMBERED:
                number = len(now.numbers) + 1
                self.table.update(
                    Schema.GUEST_NAME,
                    {"key": guest_key(guest.name)},
                    ItemChange(add={"owners": frozenset({f"{number}:{_owner_of(guest)}"})}),
                    SizeIs("owners", len(now.numbers)) if now.numbers else Absent("owners"),
                )
            return number

        number = retry_on_conflict(attempt, what=f"owners of the name {guest.name}")
        mark = _owner_of(guest)[:_TAG_DIGITS] if number is None else str(number)
        return guest if number == 1 else guest._replace(name=f"{guest.name} ·{mark}")

    def erase(self, guest: Player) -> None:
        """Forget whose number of a name one was; it is nobody else's. Raises Busy."""

        def attempt() -> None:
            numbers = _read_numbers(self.table.get_item(key=guest_key(guest.name)))
            owner = _owner_of(guest)
            if owner in numbers:  # one without a number is told from others by its id alone
                number = numbers.pop(owner)
                kept = frozenset(f"{each}:{own}" for own, each in {**numbers, f"-{number}": number}.items())
                self.table.update(
                    Schema.GUEST_NAME,
                    {"key": guest_key(guest.name)},
                    ItemChange(set={"owners": kept}),
                    SizeIs("owners", len(kept)) & Contains("owners", f"{number}:{owner}"),
                )

        retry_on_conflict(attempt, what=f"owners of the name of {guest.id}")


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


def guest_key(name: str) -> str:
    """Return the key of the item of those who have a name, or one that looks like it."""
    return f"guest#{hash_skeleton(name)}"
