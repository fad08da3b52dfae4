"""DynamoDB's attribute values, both ways: str, int and bool, and sets of str where they are written.

There is no float, so no Decimal: scores are stored as one JSON string.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

type Plain = str | int | bool
type Value = Plain | frozenset[str]


def marshal(item: Mapping[str, Value | None]) -> dict[str, Any]:
    """Return an item in DynamoDB's form; None is left out."""
    return {name: marshal_value(value) for name, value in item.items() if value is not None}


def unmarshal(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Plain]:
    """Return an item in plain form. Raises ValueError on any other kind of value."""
    return {name: _unmarshal_value(name, value) for name, value in item.items()}


def to_moment(value: Plain | None) -> datetime | None:
    """Return a time that was stored as ISO 8601; None without one. Raises ValueError."""
    return None if value is None else datetime.fromisoformat(str(value))


def to_text(value: Plain | None) -> str | None:
    """Return a text that was stored; None if there is none."""
    return None if value is None else str(value)


def marshal_value(value: Value) -> dict[str, Any]:
    """Return a value in DynamoDB's form."""
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case frozenset():
            return {"SS": sorted(value)}


def _unmarshal_value(name: str, value: Mapping[str, Any]) -> Plain:
    # Every item that is read passes here. Matching patterns of mappings would take three times as long.
    if isinstance(text := value.get("S"), str):
        return text
    if isinstance(text := value.get("N"), str):
        return int(text)
    if isinstance(truth := value.get("BOOL"), bool):
        return truth
    raise ValueError(f"attribute {name!r}: expected S, N or BOOL, found {', '.join(value)}")
