"""What AWS refuses: the figures of its documents, and the checks of items by them."""

from collections.abc import Mapping
from typing import Any, Final

from storage.gateway.errors import Refused

MAX_ITEM_BYTES: Final = 400 * 1024
MAX_CHARACTER_BYTES: Final = 4
"""Of UTF-8: JSON has each name and value of an item, so that it is never shorter than DynamoDB counts it."""
MAX_PARTITION_KEY_BYTES: Final = 2048
MAX_SORT_KEY_BYTES: Final = 1024
MAX_DIGITS: Final = 38
MAX_TRANSACTION: Final = 100
MAX_TRANSACTION_BYTES: Final = 4 * 1024 * 1024
MAX_OBJECT_KEY_BYTES: Final = 1024
MAX_METADATA_BYTES: Final = 2 * 1024
MAX_OBJECT_BYTES: Final = 1_000_000_000
"""S3 takes 5 GB in one request, SQLite a gigabyte in one value."""
MAX_MESSAGE_BYTES: Final = 1024 * 1024
DEDUPLICATION_SECONDS: Final = 300
STREAM_SECONDS: Final = 24 * 3600
MAX_RECORDS_BYTES: Final = 1024 * 1024


def check_item(item: Mapping[str, Mapping[str, Any]], text: str) -> None:
    """Check that an item, of this JSON, is not too large, no set empty and no number too long. Raises Refused."""
    if len(text) * MAX_CHARACTER_BYTES > MAX_ITEM_BYTES and (size := measure_item(item)) > MAX_ITEM_BYTES:
        raise Refused(f"write an item: expected at most {MAX_ITEM_BYTES} bytes, found {size}")
    for name, value in item.items():
        if len(value.get("N", "").lstrip("-")) > MAX_DIGITS:
            raise Refused(f"write an item: expected at most {MAX_DIGITS} digits in {name}")
        if "SS" in value and not value["SS"]:
            raise Refused(f"write an item: the set {name} may not be empty")


def measure_item(item: Mapping[str, Mapping[str, Any]]) -> int:
    """Return the bytes of an item as DynamoDB counts them."""
    return sum(len(name.encode()) + _measure_value(value) for name, value in item.items())


def _measure_value(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content) if content.isascii() else len(content.encode())
        case "N":
            return len(content.lstrip("-").replace(".", "").strip("0")) // 2 + 2
        case "SS":
            return sum(len(member.encode()) for member in content)
    return 1
