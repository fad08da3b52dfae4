"""DynamoDB's attribute values, both ways, for the three kinds that we keep: str, int and bool.

There is no float, so no Decimal: scores travel as one JSON string.
"""

from collections.abc import Mapping
from typing import Any

type Plain = str | int | bool


def marshal(item: Mapping[str, Plain | None]) -> dict[str, Any]:
    """Give an item in DynamoDB's form; None is left out."""
    return {name: _marshal_value(value) for name, value in item.items() if value is not None}


def unmarshal(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Plain]:
    """Give an item of a table or a stream record in plain form. Raises ValueError on a kind that we never write."""
    return {name: _unmarshal_value(name, value) for name, value in item.items()}


def _marshal_value(value: Plain) -> dict[str, Any]:
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case str():
            return {"S": value}


def _unmarshal_value(name: str, value: Mapping[str, Any]) -> Plain:
    # Every item that is read comes through here; to match patterns of mappings would cost three times as much.
    if isinstance(text := value.get("S"), str):
        return text
    if isinstance(text := value.get("N"), str):
        return int(text)
    if isinstance(truth := value.get("BOOL"), bool):
        return truth
    raise ValueError(f"attribute {name!r}: expected S, N or BOOL, found {', '.join(value)}")
