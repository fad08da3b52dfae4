"""Bytes → JSON value. Rejects what JSON (RFC 8259) forbids, what is ambiguous, and what would exhaust the reader.

Python's own reader accepts UTF-16, NaN, repeated keys and numbers that overflow. The checks cost next to nothing on
valid input; the position of a fault is searched only once there is one.
"""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from math import isfinite
from typing import Any, NoReturn

from scoring_core.errors import InvalidResult, StrictJsonError
from scoring_core.io.formats import find_foreign
from scoring_core.scorers.base import Json

MAX_DEPTH = 64
MAX_NUMBER_LENGTH = 1000

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
# Everything up to an escaped surrogate that is not one of a pair, high then low.
_WITHOUT_LONE_SURROGATE = re.compile(
    rb"(?:[^\\]++|\\(?!u[dD][89a-fA-F]).|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)*+", re.DOTALL
)
_TYPED_QUOTES = frozenset("“”„«»‘’‚")
"""What telephones and word processors make of straight ones."""
_DECIMAL_COMMA = re.compile(r"[0-9],[0-9]")
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}:,]|[^\s\[\]{}:,"]++', re.DOTALL)


def loads(data: bytes, *, max_depth: int = MAX_DEPTH, check_overflow: bool = True) -> Json:
    """Read strict JSON.

    Args:
        data: UTF-8, any JSON value. One byte order mark before it is left out (RFC 8259, section 8.1).
        max_depth: How deep arrays and objects may nest; `[]` has depth 1.
        check_overflow: False if the caller rejects infinite numbers itself, which is faster for many numbers.

    Returns:
        The value: dict, list, str, int, float, bool or None. Every number is finite, every key occurs once in its
        object, and every string can be encoded.

    Raises:
        StrictJsonError: With the fault and its position.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        foreign = find_foreign(data, "JSON")
        raise StrictJsonError(f"not UTF-8 (byte {error.start}){(foreign and f': this is {foreign}') or ''}") from error
    if not data.strip(_SPACE):
        raise StrictJsonError("empty: expected a JSON value")
    try:
        value = _read(text, parse_float=_finite if check_overflow else float)
    except (StrictJsonError, RecursionError):
        _check_depth(text, max_depth)  # reported before any other fault
        raise
    if data.count(b"[") + data.count(b"{") > max_depth and _nests_deeper(value, max_depth):
        _check_depth(text, max_depth)
    paired = _WITHOUT_LONE_SURROGATE.match(data)
    if paired and paired.end() < len(data):
        offset = len(data[: paired.end()].decode())
        raise StrictJsonError("a lone surrogate: expected pairs that form a character", _position(text, offset))
    return value


def read_result(result: bytes) -> Json:
    """Return a result as JSON. Raises InvalidResult."""
    try:
        return loads(result)
    except StrictJsonError as error:
        raise InvalidResult(f"expected JSON: {error}") from error


def _read(text: str, parse_float: Callable[[str], float]) -> Json:
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_reject_constant,
            parse_float=parse_float,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        fault = error.msg[:1].lower() + error.msg[1:].removesuffix(" starting at")
        if _DECIMAL_COMMA.match(text, max(error.pos - 2, 0)):
            fault = "a decimal comma is written as a point"
        elif text[error.pos : error.pos + 1] in _TYPED_QUOTES:
            fault = f'{text[error.pos]} is no quotation mark of JSON: write "'
        elif text.startswith(BYTE_ORDER_MARK.decode()):
            fault = "a second byte order mark"
        elif "\0" in text[:2]:
            fault = "this is UTF-16: save it as UTF-8"
        raise StrictJsonError(fault, f"line {error.lineno}, column {error.colno}") from error
    except _RepeatedKeyError:
        _reject_repeated_key(text)
    except _LiteralError as error:
        # What follows the literal may be nonsense that the reader has not reached.
        place = next(token.start() for token in _TOKEN.finditer(text) if token[0].startswith(error.literal))
        raise StrictJsonError(error.message, _position(text, place)) from error
    return value  # type: ignore[no-any-return]  # json.loads is typed Any


class _RepeatedKeyError(Exception):
    """An object has a key twice."""


class _LiteralError(Exception):
    """A number or a constant is not accepted."""

    def __init__(self, message: str, literal: str) -> None:
        super().__init__(message)
        self.message = message
        self.literal = literal


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RepeatedKeyError
    return value


def _finite(literal: str) -> float:
    if len(literal) <= MAX_NUMBER_LENGTH and isfinite(value := float(literal)):
        return value
    _check_length(literal)
    raise _LiteralError(f"{literal[:40]} is too large for a double", literal)


def _short(literal: str) -> int:
    _check_length(literal)
    return int(literal)


def _check_length(literal: str) -> None:
    if len(literal) > MAX_NUMBER_LENGTH:
        raise _LiteralError(f"a number of {len(literal)} characters: at most {MAX_NUMBER_LENGTH}", literal)


def _reject_constant(name: str) -> NoReturn:
    raise _LiteralError(f"{name} is no JSON number", name)


def _nests_deeper(value: Json, max_depth: int) -> bool:
    level: list[Any] = [value]
    for _ in range(max_depth):
        level = [
            member
            for container in level
            for member in (container.values() if type(container) is dict else container)
            if type(member) is dict or type(member) is list
        ]
        if not level:
            return False
    return True


def _check_depth(text: str, max_depth: int) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{":
                depth += 1
                if depth > max_depth:
                    raise StrictJsonError(f"nested deeper than {max_depth}", _position(text, token.start()))
            case "]" | "}":
                depth -= 1


def _reject_repeated_key(text: str) -> NoReturn:
    # One set of keys for each open object; an array has one too, which stays empty.
    open_keys: list[set[str]] = [set()]
    for token, following in pairwise(_TOKEN.finditer(text)):
        if token[0] in {"{", "["}:
            open_keys.append(set())
        elif token[0] in {"}", "]"}:
            open_keys.pop()
        elif following[0] == ":":
            key = json.loads(token[0])
            if key in open_keys[-1]:
                raise StrictJsonError(f"the key {key[:64]!r} is there twice", _position(text, token.start()))
            open_keys[-1].add(key)
    raise AssertionError("the reader found a repeated key")


def _position(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}"
