"""Which tokens a player has, and which invitations a benchmark or a player has: lists of the hashes of their secrets.

A hash is listed before what it names is stored, so nothing that is stored is missing in its list. A hash whose thing
has ended, or was never stored, is dropped when the list is full.
"""

from collections.abc import Callable
from dataclasses import dataclass

from scoring_core.errors import LaurelError
from storage.aws.errors import Conflict, retry_on_conflict
from storage.aws.schema import Schema
from storage.aws.table import Table


class TooManyListed(LaurelError):
    """A list has as many hashes as it may."""


type FindEnded = Callable[[frozenset[str]], frozenset[str]]


@dataclass(frozen=True, slots=True)
class SecretLists:
    """The lists in the access table, each a set in one item."""

    table: Table

    def read(self, holder: str) -> frozenset[str]:
        """Return the hashes of a list (consistent); empty if there is none."""
        item = self.table.get_item(key=_key(holder)) or {}
        if item:
            Schema.LISTED.check(int(item["schema"]["N"]))
        return frozenset(item.get("hashes", {}).get("SS", ()))

    def add(self, holder: str, sha256: str, *, limit: int, find_ended: FindEnded) -> None:
        """List a hash; a repeat changes nothing.

        Args:
            holder: Whose list it is: `tokens#` or `invitations#`, and the id of a player or benchmark.
            sha256: The hash of the secret.
            limit: How many hashes the list may have.
            find_ended: Returns those of a full list that may go.

        Raises:
            TooManyListed: The list is full, and none may go.
            Busy: Too many wrote at once.
        """

        def attempt() -> None:
            try:
                self._change(
                    holder,
                    "ADD #hashes :hashes",
                    "attribute_not_exists(#hashes) OR size(#hashes) < :max OR contains(#hashes, :hash)",
                    {"hashes": frozenset({sha256}), "hash": sha256, "max": limit},
                )
            except Conflict:
                ended = find_ended(self.read(holder))
                if not ended:
                    raise TooManyListed(f"there are {limit}, as many as there may be; end another one first") from None
                self._change(holder, "DELETE #hashes :hashes", "attribute_exists(#key)", {"hashes": ended})
                raise

        retry_on_conflict(attempt, what=holder)

    def _change(self, holder: str, change: str, condition: str, values: dict[str, str | int | frozenset[str]]) -> None:
        self.table.update(Schema.LISTED, {"key": _key(holder)}, change=change, condition=condition, values=values)


def _key(holder: str) -> str:
    return f"listed#{holder}"
