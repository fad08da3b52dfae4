"""Tables: items, conditional writes, transactions, queries, indexes, and the streams of what changes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from engine import limits
from engine.store import Held, Store
from storage.gateway.conditions import Item, ItemCondition, Put, Query, Update
from storage.gateway.errors import Conflict, Refused

_KEY_BYTES: Final = (limits.MAX_PARTITION_KEY_BYTES, limits.MAX_SORT_KEY_BYTES)
_READ: Final = 200
"""Rows of a page of a query that does not say how many."""
_BASE: Final = "items WHERE tbl = ? AND hash = ?"
_INDEX: Final = (
    "entries JOIN items ON items.tbl = entries.tbl AND items.hash = base_hash AND items.sort = base_sort "
    "WHERE entries.tbl = ? AND idx = ? AND entries.hash = ?"
)


class KeyNames(NamedTuple):
    """The attributes of a key; `sort` is None where there is none."""

    hash: str
    sort: str | None


class Index(NamedTuple):
    """An index: its key, and the attributes that it holds; None: all."""

    keys: KeyNames
    attributes: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class TableForm:
    """What the template declares of a table."""

    name: str
    keys: KeyNames
    indexes: Mapping[str, Index]
    stream: str | None
    expires: str | None


class Tables:
    """The tables of a store, with the calls of the gateway's `Tables`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._forms: dict[str, TableForm] = {}

    def get(self, table: str, key: Mapping[str, str], /) -> Item | None:
        """Read an item; None if it does not exist."""
        form = self._form(table)
        return self._find(form, _read_key(form, key))

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]], /) -> Iterator[Item]:
        """Read the items of different keys that exist, all as they are at one moment."""
        form = self._form(table)
        with self.store.reading():
            found = [self._find(form, key) for key in _read_keys(form, keys)]
        return (item for item in found if item is not None)

    def put(self, table: str, put: Put, /) -> None:
        """Write an item on a condition."""
        form = self._form(table)
        self._change(form, _key_of(form, put.item), put.condition, lambda _: put.item)

    def transact(self, table: str, puts: Sequence[Put], /) -> None:
        """Write up to a hundred different items, or none of them if one condition does not hold."""
        form = self._form(table)
        keys = [_key_of(form, put.item) for put in puts]
        if not 1 <= len(set(keys)) == len(keys) <= limits.MAX_TRANSACTION:
            raise Refused(f"write items: expected 1 to {limits.MAX_TRANSACTION} different ones, found {len(keys)}")
        most = limits.MAX_TRANSACTION_BYTES
        if len(puts) * limits.MAX_ITEM_BYTES > most and sum(limits.measure_item(put.item) for put in puts) > most:
            raise Refused(f"write {len(keys)} items: expected at most {most} bytes")
        try:
            with self.store.writing():
                befores = [self._find(form, key) for key in keys]
                places = list(zip(keys, befores, puts, strict=True))
                if not all(put.condition.holds(before or {}) for _, before, put in places):
                    raise _conflict(None if put.condition.holds(before or {}) else before for _, before, put in places)
                for key, before, put in places:
                    self._write(form, key, before, put.item)
        except Held as error:  # as AWS says of a transaction that met another one
            raise Conflict(str(error)) from error

    def update(self, table: str, update: Update, /) -> Item:
        """Change an item on a condition; create it if it does not exist. Return the changed attributes."""
        form = self._form(table)
        after = self._change(form, _read_key(form, update.key), update.condition, update.apply) or {}
        return {name: after[name] for name in update.names if name in after}

    def delete(self, table: str, key: Mapping[str, str], condition: ItemCondition | None, /) -> None:
        """Delete an item, if it exists, on a condition."""
        form = self._form(table)
        self._change(form, _read_key(form, key), condition, lambda _: None)

    def query(self, table: str, query: Query, /) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, each when it is asked for."""
        at: tuple[str, ...] | None = ()
        while at is not None:
            items, at = self.read_page(table, query, at)
            yield items

    def read_page(
        self, table: str, query: Query, at: tuple[str, ...] = ()
    ) -> tuple[list[Item], tuple[str, ...] | None]:
        """Return the items of a page after a position, and the position of the next one; None: there is none."""
        form, length = self._form(table), query.length or _READ
        index = form.indexes[query.by_index] if query.by_index else None
        keys = index.keys if index else form.keys
        if query.key[0] != keys.hash:
            raise Refused(f"query {table}: expected a value of {keys.hash}, found one of {query.key[0]}")
        source, fixed, ordered = _BASE, [form.name, query.key[1]], ["sort"]
        if query.by_index:
            source, fixed = _INDEX, [form.name, query.by_index, query.key[1]]
            ordered = ["entries.sort", "base_hash", "base_sort"]
        order, beyond = ("DESC", "<") if query.is_down else ("ASC", ">")
        columns, by = ", ".join(ordered), ", ".join(f"{column} {order}" for column in ordered)
        page = f" AND ({columns}) {beyond} ({', '.join('?' * len(at))})" if at else ""
        source = f"{source} AND {ordered[0]} BETWEEN ? AND ?{page} ORDER BY {by} LIMIT {length}"
        sql = f"SELECT {columns}, item FROM {source}"  # noqa: S608  # no text of others
        rows = self.store.read(sql, *fixed, *query.bounds, *at)
        names = frozenset(query.attributes) or (index.attributes if index else None)
        items = [
            item if names is None else {name: value for name, value in item.items() if name in names}
            for item in (orjson.loads(row[-1]) for row in rows)
            if all(each is None or each.holds(item) for each in (query.sort, query.keep))
        ]
        return items, None if len(rows) < length else tuple(rows[-1][:-1])

    def list_items(self, table: str) -> list[dict[str, Any]]:
        """Return all items of a table, in order of their keys."""
        sql = "SELECT item FROM items WHERE tbl = ? ORDER BY hash, sort"
        return [orjson.loads(text) for (text,) in self.store.read(sql, table)]

    def expire(self) -> None:
        """Delete the items whose time to live is over."""
        for name in self.store.list_resources("table"):
            form = self._form(name)
            with self.store.writing():
                sql = "SELECT hash, sort, item FROM items WHERE tbl = ? AND expires < ?"
                for partition, sort, text in self.store.read(sql, name, int(self.store.clock())):
                    self._write(form, (partition, sort), orjson.loads(text), None)

    # What the calls share

    def _form(self, name: str) -> TableForm:
        form = self._forms.get(name)
        if form is None:
            properties = self.store.find_resource("table", name)
            if properties is None:
                raise Refused(f"there is no table {name}")
            form = self._forms[name] = _read_form(name, properties)
        return form

    def _find(self, form: TableForm, key: tuple[str, str]) -> dict[str, Any] | None:
        sql = "SELECT item FROM items WHERE tbl = ? AND hash = ? AND sort = ?"
        rows = self.store.read(sql, form.name, *key)
        return orjson.loads(rows[0][0]) if rows else None

    def _change(
        self,
        form: TableForm,
        key: tuple[str, str],
        condition: ItemCondition | None,
        change: Callable[[Item | None], Item | None],
    ) -> Item | None:
        """Write what becomes of an item, None deletes it, and return that. Raises Conflict, which has the item."""
        with self.store.writing():
            before = self._find(form, key)
            if condition is not None and not condition.holds(before or {}):
                raise _conflict([before])
            after = change(before)
            self._write(form, key, before, after)
        return after

    def _write(self, form: TableForm, key: tuple[str, str], before: Item | None, after: Item | None) -> None:
        """Write an item, its entries of indexes and its stream record, inside a transaction."""
        if before == after:  # a write that changes nothing has no stream record
            return
        with self.store.writing() as connection:
            if after is None:
                connection.execute("DELETE FROM items WHERE tbl = ? AND hash = ? AND sort = ?", (form.name, *key))
            else:
                text = _dump(after)
                _check_item(form, after, text)
                ends = after.get(form.expires, {}).get("N") if form.expires else None
                connection.execute(
                    "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, ?)",
                    (form.name, *key, text, None if ends is None else int(float(ends))),
                )
            for name, index in form.indexes.items():
                old, new = _entry_of(index, before), _entry_of(index, after)
                if old != new and old is not None:
                    connection.execute(
                        "DELETE FROM entries WHERE tbl = ? AND idx = ? AND hash = ? AND sort = ? AND base_hash = ? "
                        "AND base_sort = ?",
                        (form.name, name, *old, *key),
                    )
                if old != new and new is not None:
                    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (form.name, name, *new, *key))
            if form.stream:
                record = _make_record(form, before, after)
                connection.execute(
                    "INSERT INTO records (tbl, at, record) VALUES (?, ?, ?)",
                    (form.name, self.store.clock(), _dump(record)),
                )


_read_record: Final = lru_cache(maxsize=200)(orjson.loads)
"""A stream has two readers, soon after each other; nobody changes a record."""


class Streams:
    """The streams of tables, each of one shard."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def read(self, table: str, /, *, after: str | None, length: int) -> list[dict[str, Any]]:
        """Read up to so many records after a number, as Lambda passes them on."""
        sql = "SELECT number, at, record FROM records WHERE tbl = ? AND number > ? ORDER BY number LIMIT ?"
        records: list[dict[str, Any]] = []
        size = 0
        for number, at, text in self.store.read(sql, table, int(after or 0), length):
            size += len(text)
            if records and size > limits.MAX_RECORDS_BYTES:
                break
            record = _read_record(text)
            place = {"ApproximateCreationDateTime": at, "SequenceNumber": f"{number:021d}"}
            records.append({"eventID": f"{number:032x}", **record, "dynamodb": {**record["dynamodb"], **place}})
        return records

    def trim(self, seconds: float) -> None:
        """Delete the records that are older."""
        with self.store.writing() as connection:
            connection.execute("DELETE FROM records WHERE at < ?", (self.store.clock() - seconds,))


def _conflict(stored: Iterable[Item | None]) -> Conflict:
    error = Conflict("write an item: somebody else wrote it in the meantime")
    error.items = [item or {} for item in stored]
    return error


def _read_form(name: str, properties: Mapping[str, Any]) -> TableForm:
    base = _read_names(properties["KeySchema"])
    indexes = {}
    for declared in properties.get("GlobalSecondaryIndexes", ()):
        keys, projection = _read_names(declared["KeySchema"]), declared["Projection"]
        held = frozenset((*(key for key in (*base, *keys) if key), *projection.get("NonKeyAttributes", ())))
        indexes[declared["IndexName"]] = Index(keys, None if projection["ProjectionType"] == "ALL" else held)
    lifetime = properties.get("TimeToLiveSpecification", {})
    return TableForm(
        name=name,
        keys=base,
        indexes=indexes,
        stream=properties.get("StreamSpecification", {}).get("StreamViewType"),
        expires=lifetime.get("AttributeName") if lifetime.get("Enabled") else None,
    )


def _read_names(schema: Iterable[Mapping[str, str]]) -> KeyNames:
    names = {part["KeyType"]: part["AttributeName"] for part in schema}
    return KeyNames(names["HASH"], names.get("RANGE"))


def _read_key(form: TableForm, key: Mapping[str, str]) -> tuple[str, str]:
    """Return the partition key and the sort key, which is empty where there is none. Raises Refused."""
    if key.keys() != {name for name in form.keys if name is not None}:
        raise Refused(f"a key of {form.name}: expected {form.keys}, found {', '.join(sorted(key))}")
    for name, limit in zip(form.keys, _KEY_BYTES, strict=True):
        if name is not None:
            _check_key(name, key[name], limit)
    return key[form.keys.hash], key[form.keys.sort] if form.keys.sort else ""


def _read_keys(form: TableForm, keys: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    read = [_read_key(form, key) for key in keys]
    if len(set(read)) < len(read):
        raise Refused(f"keys of {form.name}: one comes twice")
    return read


def _key_of(form: TableForm, item: Item) -> tuple[str, str]:
    return _read_key(form, {name: item[name].get("S", "") for name in form.keys if name is not None and name in item})


def _check_key(name: str, text: str, limit: int) -> None:
    if not 1 <= len(text.encode()) <= limit:
        raise Refused(f"a key: expected 1 to {limit} bytes of {name}, found {len(text.encode())}")


def _check_item(form: TableForm, item: Item, text: str) -> None:
    """Check what AWS limits of an item, of this JSON. Raises Refused."""
    limits.check_item(item, text)
    for index in form.indexes.values():
        for name, limit in zip(index.keys, _KEY_BYTES, strict=True):
            if name is not None and name in item:
                _check_key(name, item[name].get("S", ""), limit)


def _entry_of(index: Index, item: Item | None) -> tuple[str, str] | None:
    """Return the key of an item's entry in an index; None if it has none."""
    if item is None or any(name not in item for name in index.keys if name is not None):
        return None
    return item[index.keys.hash]["S"], item[index.keys.sort]["S"] if index.keys.sort else ""


def _make_record(form: TableForm, before: Item | None, after: Item | None) -> dict[str, Any]:
    images: dict[str, Any] = {}
    if after is not None and form.stream in {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"}:
        images["NewImage"] = after
    if before is not None and form.stream in {"OLD_IMAGE", "NEW_AND_OLD_IMAGES"}:
        images["OldImage"] = before
    item = after if after is not None else before or {}
    keys = {name: item[name] for name in form.keys if name is not None}
    name = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
    return {"eventName": name, "dynamodb": {"Keys": keys, **images, "StreamViewType": form.stream}}


def _dump(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()  # enumerations
