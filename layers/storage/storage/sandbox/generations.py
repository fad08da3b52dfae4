"""Generations of sandbox tenants, in the access table. A higher number leaves a tainted environment behind."""

from dataclasses import dataclass

from storage.aws.errors import Conflict
from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True)
class SandboxGenerations:
    """One number for each benchmark version whose script ever tainted an environment."""

    table: Table

    def read(self, version: str) -> int:
        """Return the current generation (consistent); 0 if none was ever retired."""
        item = self.table.get(Schema.GENERATION, key=_key(version))
        return int(item["generation"]) if item else 0

    def retire(self, version: str, generation: int) -> None:
        """Retire a generation; nothing happens if it is retired already."""
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
