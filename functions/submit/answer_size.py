"""How large an answer may be. Lambda sends 6 MB and no more, so what may be longer comes in parts, or by an address."""

import json
from typing import Final

from pydantic import BaseModel

MAX_ANSWER_BYTES: Final = 6_000_000
"""Of a whole answer with its headers; Lambda's own limit is 6,291,556 bytes."""
MAX_BODY_BYTES: Final = 5_900_000
"""Of a body, and so of all that it is made of."""


def measure(body: BaseModel | object) -> int:
    r"""Return how many bytes a body takes in the answer of a Lambda, where its JSON is a string inside of JSON.

    >>> measure({"é": "\x01"})
    26
    """
    value = body.model_dump(mode="json") if isinstance(body, BaseModel) else body
    return measure_text(json.dumps(value)) - 2


def measure_text(text: str) -> int:
    """Return how many bytes a text takes inside of JSON, its quotation marks included."""
    return len(json.dumps(text))
