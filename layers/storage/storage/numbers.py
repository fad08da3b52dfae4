"""Numbers in the access table that only rise: publish numbers of benchmarks, and generations of sandbox tenants."""

from dataclasses import dataclass

from storage.gateway.conditions import Absent, Below
from storage.gateway.schema import Schema
from storage.gateway.table import Table


@dataclass(frozen=True, slots=True)
class RisingNumbers:
    """The numbers, by what `publish_number` and `generation` return; each begins at 0."""

    table: Table

    def read(self, key: str) -> int:
        """Return a number (consistent). Raises NewerSchema."""
        item = self.table.get(Schema.NUMBER, key=key)
        return int(item["number"]) if item else 0

    def raise_to(self, key: str, number: int) -> None:
        """Raise a number; it never falls, not even by a write that arrives late."""
        self.table.put_if(
            Schema.NUMBER,
            {"key": key, "number": number},
            Absent("key") | Below("number", number),
        )


def publish_number(benchmark: str) -> str:
    """Return the key of the highest number with which a benchmark was published.

    A publisher raises it before it replaces the pointer, so it is never behind the pointer. A reader whose pointer has
    the number that it reads here therefore has the latest one. The number is ahead if a publisher died in between: then
    every reader reads the pointer, until the next publish.
    """
    return f"publish#{benchmark}"


def generation(slot: str) -> str:
    """Return the key of the generation of the tenants of a version's slot."""
    return f"sandbox#{slot}"
