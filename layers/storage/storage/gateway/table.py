"""A table: consistent reads, conditional writes, queries. What is stored has a schema, and newer ones are respected."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import NamedTuple, Protocol

from storage.gateway import conditions
from storage.gateway.errors import MAX_TRIES, Busy, Conflict
from storage.gateway.schema import Plain, Schema, Value, marshal

MAX_READS = 20
MAX_WRITES = 100
"""Of a transaction."""


class Page[Entry](NamedTuple):
    """Entries in order, and the position after which others may follow; None: there are none."""

    entries: tuple[Entry, ...]
    position: str | None


class TableIndex(NamedTuple):
    """An index of the submissions table, its partition key, and the attributes to read (empty: all of them)."""

    name: str
    key: str
    attributes: Sequence[str] = ()


class Write(NamedTuple):
    """An item that is written with its schema number on a condition; None is left out."""

    schema: Schema
    item: Mapping[str, Value | None]
    condition: conditions.ItemCondition


class Tables(Protocol):
    """Where tables are: `AwsTables`, or the engine's. Any call raises Busy or Refused, as for a missing table."""

    def get(self, table: str, key: Mapping[str, str], /) -> conditions.Item | None:
        """Read an item (consistent); None if it does not exist."""

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]], /) -> Iterator[conditions.Item]:
        """Read the items of different keys that exist (consistent), in any order."""

    def put(self, table: str, put: conditions.Put, /) -> None:
        """Write an item on a condition. Raises Conflict."""

    def transact(self, table: str, puts: Sequence[conditions.Put], /) -> None:
        """Write different items, each on its condition, or none. Raises Conflict."""

    def update(self, table: str, update: conditions.Update, /) -> conditions.Item:
        """Change an item on a condition; return what may be read. Raises Conflict."""

    def delete(self, table: str, key: Mapping[str, str], condition: conditions.ItemCondition | None, /) -> None:
        """Delete an item, if it exists, on a condition. Raises Conflict."""

    def query(self, table: str, query: conditions.Query, /) -> Iterator[Sequence[conditions.Item]]:
        """Read the pages of a query, each when it is asked for."""


class Table(NamedTuple):
    """A table. Every write has a condition, and overwrites nothing of newer code."""

    client: Tables
    name: str

    def get(self, schema: Schema, **key: str) -> dict[str, Plain] | None:
        """Read an item (consistent); None if it does not exist. Raises NewerSchema."""
        item = self.get_item(**key)
        return None if item is None else schema.read(item)

    def get_item(self, **key: str) -> conditions.Item | None:
        """Read an item (consistent) in DynamoDB's form; None if it does not exist."""
        return self.client.get(self.name, key)

    def get_many(self, keys: Iterable[Mapping[str, str]]) -> Iterator[conditions.Item]:
        """Read the items of these keys that exist (consistent), in any order. Raises Busy."""
        yield from self.client.get_many(self.name, list(keys))

    def put(self, schema: Schema, item: Mapping[str, Value | None], condition: conditions.ItemCondition) -> None:
        """Write an item and its schema number on a condition; None is left out.

        Raises Conflict if the condition did not hold, NewerSchema if newer code wrote the existing item; both write
        nothing.
        """
        with _raise_newer(schema):
            self.client.put(self.name, _make_put(Write(schema, item, condition)))

    def put_if(self, schema: Schema, item: Mapping[str, Plain | None], condition: conditions.ItemCondition) -> bool:
        """Write as `put` does, and return whether the condition held. Raises NewerSchema."""
        try:
            self.put(schema, item, condition)
        except Conflict:
            return False
        return True

    def transact(self, writes: Sequence[Write]) -> None:
        """Write up to 100 different items of 4 MB, each on its condition, or none of them.

        Raises Conflict if a condition did not hold, or another write was at one of the items; NewerSchema if newer code
        wrote one of them; Refused if an item is too large.
        """
        if len(writes) == 1:  # half the price
            self.put(*writes[0])
            return
        schemas = [write.schema for write in writes]
        with _raise_newer(*schemas):
            self.client.transact(self.name, [_make_put(write) for write in writes])

    def update(
        self,
        schema: Schema,
        key: Mapping[str, str],
        change: conditions.ItemChange,
        condition: conditions.ItemCondition,
        *,
        may_read: bool = True,
    ) -> conditions.Item:
        """Change attributes of an item on a condition; create it if it does not exist.

        `may_read` is False if the caller's role may not read other attributes; the condition alone must then protect
        every existing item, and nothing is returned: otherwise the changed attributes as they are now. Raises Conflict
        if the condition did not hold, NewerSchema if newer code wrote the existing item; both change nothing.
        """
        change = change._replace(set={"schema": schema.number, **change.set})
        guarded = condition & _not_newer(schema) if may_read else condition
        with _raise_newer(schema):
            return self.client.update(self.name, conditions.Update(key, change, guarded, may_read))

    def delete(self, condition: conditions.ItemCondition | None = None, **key: str) -> None:
        """Delete an item, if it exists. Raises Conflict if the condition did not hold."""
        self.client.delete(self.name, key, condition)

    def query(
        self,
        key: tuple[str, str],
        sort: conditions.SortCondition | None = None,
        *,
        keep: conditions.ItemCondition | None = None,
        attributes: Collection[str] = (),
        index: str | None = None,
        length: int | None = None,
    ) -> Iterator[conditions.Item]:
        """Read a partition in order of the sort key; consistent, except from an index.

        The key is an attribute's name and its value. Items that do not fulfil `keep` are skipped. Without `attributes`
        all are read. `length` is how many are read at once.
        """
        query = conditions.Query(
            key=key,
            sort=sort,
            keep=keep,
            attributes=attributes,
            by_index=index,
            is_consistent=index is None,
            length=length,
        )
        for page in self.client.query(self.name, query):
            yield from page

    def read_down(self, key: tuple[str, str], between: conditions.Between, *, length: int) -> Sequence[conditions.Item]:
        """Read items of a partition between two sort keys, exclusive, the last first.

        They may lack what was written a moment ago.
        """
        query = conditions.Query(key=key, sort=between, is_consistent=False, is_down=True, length=length + 2)
        ends = {between.low, between.high}
        pages = self.client.query(self.name, query)
        inside = (item for page in pages for item in page if item[between.attribute]["S"] not in ends)
        return list(islice(inside, length))

    def read_page[Entry](
        self,
        index: TableIndex,
        value: str,
        *,
        before: str | None,
        length: int,
        read: Callable[[conditions.Item], Entry | None],
    ) -> Page[Entry]:
        """Read a page of an index after `before`, newest first, maybe without the latest.

        `read` returns an entry, or None to skip the item. A page has fewer entries than `length` if very many are
        skipped. A full page ends at its last entry, so that its position names no item that was skipped.
        """
        query = conditions.Query(
            key=(index.key, value),
            sort=None if before is None else conditions.Below("submission_version", before),
            attributes=index.attributes,
            by_index=index.name,
            is_consistent=False,
            is_down=True,
            length=length + 1,
        )
        entries: list[Entry] = []
        last, pages = before, self.client.query(self.name, query)
        for page in islice(pages, MAX_READS):
            for item in page:
                entry = read(item)
                if entry is not None:
                    if len(entries) == length:
                        return Page(tuple(entries), last)
                    entries.append(entry)
                before = item["submission_version"]["S"]
                last = last if entry is None else before
        return Page(tuple(entries), None if next(pages, None) is None else before)


class RisingNumbers(NamedTuple):
    """Numbers in a table that only rise, by their keys; each begins at 0."""

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
            conditions.Absent("key") | conditions.Below("number", number),
        )


def retry_on_conflict[Result](attempt: Callable[[], Result], *, what: str) -> Result:
    """Repeat a read and its conditional write until it has no conflict. Raises Busy."""
    for _ in range(MAX_TRIES):
        try:
            return attempt()
        except Conflict:
            continue
    raise Busy(f"{what}: lost {MAX_TRIES} races")


def _make_put(write: Write) -> conditions.Put:
    item = marshal({**write.item, "schema": write.schema.number})
    return conditions.Put(item, write.condition & _not_newer(write.schema))


def _not_newer(schema: Schema) -> conditions.ItemCondition:
    """Return the condition that no newer code wrote the item."""
    return conditions.Absent("schema") | conditions.AtMost("schema", schema.newest)


@contextmanager
def _raise_newer(*schemas: Schema) -> Iterator[None]:
    """Raise NewerSchema instead of Conflict if newer code wrote an existing item.

    A transaction writes items of these schemas, in this order.
    """
    try:
        yield
    except Conflict as error:
        for schema, item in zip(schemas, error.items, strict=False):
            schema.check(int(item.get("schema", {}).get("N", 0)))
        raise
