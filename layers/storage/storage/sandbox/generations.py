"""Generations of sandbox tenants, in the access table: a spent environment is left behind by raising its number."""

from dataclasses import dataclass

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True)
class SandboxGenerations:
    """One counter for each benchmark version whose script ever left an environment spent."""

    table: Table

    def read(self, version: str) -> int:
        """Give the present generation (consistent); 0 where none was ever left."""
        item = self.table.get(Schema.GENERATION, key=_key(version))
        return int(item["generation"]) if item else 0

    def leave(self, version: str, generation: int) -> None:
        """Leave a generation; nothing happens where somebody did so already."""
        try:
            self.table.put(
                Schema.GENERATION,
                {"key": _key(version), "generation": generation + 1},
                condition="#generation = :seen" if generation else "attribute_not_exists(#key)",
                values={"seen": generation} if generation else None,
            )
        except Conflict:
            return


def _key(version: str) -> str:
    return f"sandbox#{version}"
