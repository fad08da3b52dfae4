"""Submission ids and JSON in few bytes: DynamoDB charges a write for each KB of its item."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

_OTHER = "="
"""Starts what is no UUID."""


def pack_id(submission: str) -> str:
    """Return a submission's id in 22 characters.

    >>> pack_id("019a5b1e-0000-7000-8000-00000000002a")
    'AZpbHgAAcACAAAAAAAAAKg'
    """
    digits = submission.replace("-", "")
    if len(digits) == 32:  # noqa: PLR2004
        try:
            packed = urlsafe_b64encode(bytes.fromhex(digits)).decode()[:22]
        except ValueError:
            pass
        else:
            if unpack_id(packed) == submission:
                return packed
    return f"{_OTHER}{submission}"


def unpack_id(packed: str) -> str:
    """Return the id that was packed."""
    if packed.startswith(_OTHER):
        return packed.removeprefix(_OTHER)
    digits = urlsafe_b64decode(f"{packed}==").hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def write_json(value: Any) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
