"""Which tokens a player has, and which invitations a benchmark or a player has: lists of the hashes of their secrets.

A hash is listed in the transaction that stores what it names, so nothing that is stored is missing in its list. A hash
whose thing has ended is dropped when the list is full.
"""

from collections.abc import Callable
from typing import NamedTuple

from scoring_core.errors import Rejected
from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Schema, Value
from storage.gateway.table import Table, Write


class TooManyListed(Rejected):
    """A list has as many hashes as it may."""

    def __init__(self, kind: str, limit: int) -> None:
        super().__init__(f"{kind}: there are {limit}, as many as there may be; end another one first")
        self.problem = f"too-many-{kind}"


type FindEnded = Callable[[frozenset[str]], frozenset[str]]


class SecretLists(NamedTuple):
    """The lists in the access table, each a set in one item."""

    table: Table

    def read(self, holder: str) -> frozenset[str]:
        """Return the hashes of a list (consistent); empty if there is none."""
        return self._read(holder)[0]

    def plan_add(self, holder: str, added: frozenset[str], *, limit: int, find_ended: FindEnded) -> Write:
        """Return the write of a list with more hashes, if nobody changed it meanwhile.

        Args:
            holder: Whose list it is: `tokens#` or `invitations#`, and the id of a player or benchmark.
            added: The hashes of the secrets.
            limit: How many hashes the list may have.
            find_ended: Returns those of a full list that may go.

        Raises TooManyListed if the list is full, and none may go.
        """
        hashes, lock_version = self._read(holder)
        if len(hashes) + len(added) > limit:
            hashes -= find_ended(hashes)
            if len(hashes) + len(added) > limit:
                raise TooManyListed(holder.partition("#")[0], limit)
        return _write(holder, hashes | added, lock_version)

    def plan_same(self, holder: str) -> list[Write]:
        """Return the write of a list as it is, if nobody changed it meanwhile."""
        hashes, lock_version = self._read(holder)
        return [_write(holder, hashes, lock_version)] if lock_version else []

    def _read(self, holder: str) -> tuple[frozenset[str], int]:
        """Return the hashes of a list and its lock version; none and 0 without one."""
        item = self.table.get_item(key=_key(holder))
        if item is None:
            return frozenset(), 0
        Schema.LISTED.check(int(item["schema"]["N"]))
        return frozenset(item["hashes"]["SS"]), int(item["lock_version"]["N"])


def _write(holder: str, hashes: frozenset[str], before: int) -> Write:
    item: dict[str, Value] = {"key": _key(holder), "hashes": hashes, "lock_version": before + 1}
    return Write(Schema.LISTED, item, Equals("lock_version", before) if before else Absent("key"))


def _key(holder: str) -> str:
    return f"listed#{holder}"
