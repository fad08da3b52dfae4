"""What AWS refuses: the figures of its documents, and the checks of items, keys and messages by them."""

import re
from collections.abc import Mapping
from typing import Any, Final

from engine.errors import refuse

MAX_ITEM_BYTES: Final = 400 * 1024
MAX_PARTITION_KEY_BYTES: Final = 2048
MAX_SORT_KEY_BYTES: Final = 1024
MAX_DIGITS: Final = 38
MAX_TRANSACTION: Final = 100
MAX_TRANSACTION_BYTES: Final = 4 * 1024 * 1024
MAX_OBJECT_KEY_BYTES: Final = 1024
MAX_METADATA_BYTES: Final = 2 * 1024
MAX_OBJECT_BYTES: Final = 1_000_000_000
"""S3 takes 5 GB in one request, SQLite a gigabyte in one value."""
MAX_LISTED: Final = 1000
MAX_MESSAGE_BYTES: Final = 1024 * 1024
DEDUPLICATION_SECONDS: Final = 300
STREAM_SECONDS: Final = 24 * 3600
MAX_RECORDS: Final = 1000
MAX_RECORDS_BYTES: Final = 1024 * 1024
_NOT_IN_MESSAGES: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_values(item: Mapping[str, Mapping[str, Any]]) -> None:
    """Check that no set is empty and no number is too long. Raises ClientError: ValidationException."""
    for name, value in item.items():
        if len(value.get("N", "").lstrip("-")) > MAX_DIGITS:
            raise refuse("Write", f"Attempting to store more than {MAX_DIGITS} significant digits in a Number: {name}")
        if "SS" in value and not value["SS"]:
            raise refuse("Write", f"One or more parameter values were invalid: the set {name} may not be empty")


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


def check_message(operation: str, body: str) -> None:
    """Check the text of a message. Raises ClientError: InvalidMessageContents, InvalidParameterValue."""
    if _NOT_IN_MESSAGES.search(body):
        raise refuse(operation, "The message contains characters outside the allowed set.", "InvalidMessageContents")
    if not 1 <= len(body.encode()) <= MAX_MESSAGE_BYTES:
        message = f"One or more parameters are invalid. Reason: Message must be 1 to {MAX_MESSAGE_BYTES} bytes."
        raise refuse(operation, message, "InvalidParameterValue")
