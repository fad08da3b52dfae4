"""Owners: the players who created a benchmark with a token of the scope `organise`."""

from collections.abc import Iterable
from typing import NamedTuple

from storage.gateway.conditions import Absent, Equals
from storage.gateway.schema import Schema
from storage.gateway.table import Table


class OwnerStore(NamedTuple):
    """One item in the access table for each benchmark that was created over HTTP; it never changes."""

    table: Table

    def find(self, benchmark: str) -> str | None:
        """Return the id of the player who created a benchmark; None if nobody did."""
        item = self.table.get(Schema.OWNER, key=_key(benchmark))
        return str(item["player"]) if item else None

    def find_all(self, benchmarks: Iterable[str]) -> dict[str, str]:
        """Return benchmark → player, of those that somebody created. Raises Busy."""
        items = map(Schema.OWNER.read, self.table.get_many({"key": _key(benchmark)} for benchmark in benchmarks))
        return {str(item["key"]).removeprefix(_key("")): str(item["player"]) for item in items}

    def claim(self, benchmark: str, *, player: str) -> bool:
        """Note who creates a benchmark; return False if it is another player's."""
        return self.table.put_if(
            Schema.OWNER,
            {"key": _key(benchmark), "player": player},
            Absent("key") | Equals("player", player),
        )


def _key(benchmark: str) -> str:
    return f"owner#{benchmark}"
