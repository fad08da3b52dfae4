"""Answers that need no resolver: a status, a JSON text, headers."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

JSON: Final = "application/json"
MAX_ANSWER_BYTES: Final = 6_000_000
"""Limit of a whole answer with its headers; Lambda's own limit is 6,291,556 bytes."""


class Answer(NamedTuple):
    """An HTTP answer whose body is JSON."""

    status: HTTPStatus
    body: str
    headers: Mapping[str, str]
    content_type: str = JSON

    def to_event(self) -> dict[str, Any]:
        """Return the answer as API Gateway expects it (payload format 2.0)."""
        return {
            "statusCode": self.status.value,
            "body": self.body,
            "isBase64Encoded": False,
            "headers": {**self.headers, "Content-Type": self.content_type},
            "cookies": [],
        }


def write_compact(value: object) -> str:
    """Return a value as JSON, as short as the resolver writes it."""
    return json.dumps(value, separators=(",", ":"))
