"""The publish number of each benchmark in the access table: a small read that shows whether a pointer is the latest."""

from dataclasses import dataclass

from storage.aws.schema import Schema
from storage.aws.table import Table


@dataclass(frozen=True, slots=True)
class PublishNumbers:
    """The highest number with which a benchmark was, or is about to be, published.

    A publisher raises the number before it replaces the pointer, so it is never behind the pointer. A reader whose
    pointer has the number that it reads here therefore has the latest one. The number is ahead if a publisher died in
    between: then every reader reads the pointer, until the next publish.
    """

    table: Table

    def read(self, benchmark: str) -> int | None:
        """Return the number (consistent); None if there is none. Raises NewerSchema."""
        item = self.table.get(Schema.PUBLISH_NUMBER, key=_key(benchmark))
        return int(item["publish_number"]) if item else None

    def raise_to(self, benchmark: str, publish_number: int) -> None:
        """Raise the number; it never falls, not even by a write that arrives late."""
        self.table.put_if(
            Schema.PUBLISH_NUMBER,
            {"key": _key(benchmark), "publish_number": publish_number},
            condition="attribute_not_exists(#key) OR #publish_number < :raised",
            values={"raised": publish_number},
        )


def _key(benchmark: str) -> str:
    return f"publish#{benchmark}"
