"""Sizes of items and the units of reads and writes, as the DynamoDB developer guide defines them."""

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

WRITE_BYTES = 1024
READ_BYTES = 4096

type Item = Mapping[str, Any]
"""In DynamoDB's form."""


def measure_item(item: Item) -> int:
    """Return the size of an item: the UTF-8 bytes of its attributes' names, and their values."""
    return sum(len(name.encode()) + _measure_value(value) for name, value in item.items())


def _measure_value(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            size = len(content.encode())
        case "N":  # a byte for two significant digits, and one more
            digits = content.lstrip("-").replace(".", "").strip("0") or "0"
            size = math.ceil(len(digits) / 2) + 1
        case "B":
            size = len(content if isinstance(content, bytes) else base64.b64decode(content))
        case "SS" | "NS" | "BS":
            size = sum(_measure_value({kind[0]: member}) for member in content)
        case "L":
            size = 3 + sum(1 + _measure_value(member) for member in content)
        case "M":
            size = 3 + sum(1 + len(name.encode()) + _measure_value(member) for name, member in content.items())
        case _:  # BOOL, NULL
            size = 1
    return size


def count_write_units(size: int) -> int:
    """Return the units of writing an item of this size, 0: one that does not exist."""
    return max(1, math.ceil(size / WRITE_BYTES))


def count_read_units(size: int, *, consistent: bool) -> float:
    """Return the units of reading so many bytes, of one item or of all items of a query."""
    return max(1, math.ceil(size / READ_BYTES)) * (1.0 if consistent else 0.5)


def count_index_units(
    indexes: Iterable[Mapping[str, Any]], keys: Sequence[str], before: Item | None, after: Item | None
) -> int:
    """Return the units of what a write of the table changes in its indexes.

    Args:
        indexes: The table's `GlobalSecondaryIndexes`.
        keys: Names of the table's own key.
        before: The item before the write; None: there was none.
        after: The item after it.
    """
    return sum(_count_index(index, keys, before, after) for index in indexes)


def _count_index(index: Mapping[str, Any], keys: Sequence[str], before: Item | None, after: Item | None) -> int:
    own = [key["AttributeName"] for key in index["KeySchema"]]
    old, new = (_project(index, [*keys, *own], own, item) for item in (before, after))
    if old == new:
        return 0
    if old and new and all(old[key] == new[key] for key in own):
        return count_write_units(max(measure_item(old), measure_item(new)))
    return sum(count_write_units(measure_item(entry)) for entry in (old, new) if entry)


def _project(index: Mapping[str, Any], keys: Sequence[str], own: Sequence[str], item: Item | None) -> Item | None:
    """Return what an index holds of an item; None if the item is not in the index."""
    if item is None or any(key not in item for key in own):
        return None
    projection = index["Projection"]
    if projection["ProjectionType"] == "ALL":
        return item
    names = {*keys, *projection.get("NonKeyAttributes", ())}
    return {name: value for name, value in item.items() if name in names}
