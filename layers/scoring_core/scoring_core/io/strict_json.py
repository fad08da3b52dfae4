"""Bytes → JSON value, refusing what JSON (RFC 8259) forbids, what is ambiguous, and what would hurt.

Python's own reader takes UTF-16, NaN, repeated keys, numbers that overflow and nesting that exhausts the stack.
Each check here costs next to nothing where there is nothing to find; a refusal may take its time to say where.
"""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from math import isfinite
from typing import NoReturn

from scoring_core.errors import StrictJsonError
from scoring_core.scorers.base import Json

MAX_DEPTH = 64
MAX_NUMBER_LENGTH = 1000

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_UNESCAPED = re.compile(rb"(?:\A|\\.)([^\\]*+)", re.DOTALL)
_UNESCAPED_STRING = re.compile(rb'"[^"]*"?')
_ALL_BUT_SKELETON = bytes(sorted(set(range(256)) - set(b'[]{}"')))
# Everything up to an escaped surrogate that is not one of a pair, high then low.
_WITHOUT_LONE_SURROGATE = re.compile(
    rb"(?:[^\\]++|\\(?!u[dD][89a-fA-F]).|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)*+", re.DOTALL
)
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}:,]|[^\s\[\]{}:,"]++', re.DOTALL)


def loads(data: bytes, *, max_depth: int = MAX_DEPTH, check_overflow: bool = True) -> Json:
    """Read strict JSON.

    Args:
        data: UTF-8 without byte order mark, any JSON value.
        max_depth: How deep arrays and objects may nest; `[]` has depth 1.
        check_overflow: False where the caller refuses infinite numbers itself, which is faster for many numbers.

    Returns:
        The value: dict, list, str, int, float, bool or None. Every number is finite, every key was there once,
        every string can be encoded.

    Raises:
        StrictJsonError: With what is wrong and where.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    if data.startswith(_BYTE_ORDER_MARK):
        raise StrictJsonError("byte order mark: expected UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 (byte {error.start})") from error
    if not data.strip(_SPACE):
        raise StrictJsonError("empty: expected a JSON value")
    if not (_has_few_brackets(data, max_depth) or _nests_within(data, max_depth)):
        _refuse_depth(text, max_depth)
    value = _read(text, parse_float=_finite if check_overflow else float)
    paired = _WITHOUT_LONE_SURROGATE.match(data)
    if paired and paired.end() < len(data):
        offset = len(data[: paired.end()].decode())
        raise StrictJsonError("a lone surrogate: expected pairs that form a character", _position(text, offset))
    return value


def _read(text: str, parse_float: Callable[[str], float]) -> Json:
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=parse_float,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        raise StrictJsonError(_uncapitalise(error.msg), f"line {error.lineno}, column {error.colno}") from error
    except _RefusedKeyError:
        _refuse_repeated_key(text)
    except _RefusedLiteralError as error:
        raise StrictJsonError(error.message, _position_of_literal(text, error.literal)) from error
    return value  # type: ignore[no-any-return]  # json.loads is typed Any


class _RefusedKeyError(Exception):
    """An object has a key twice."""


class _RefusedLiteralError(Exception):
    """A number or a constant is refused."""

    def __init__(self, message: str, literal: str) -> None:
        super().__init__(message)
        self.message = message
        self.literal = literal


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RefusedKeyError
    return value


def _finite(literal: str) -> float:
    if len(literal) <= MAX_NUMBER_LENGTH and isfinite(value := float(literal)):
        return value
    _check_length(literal)
    raise _RefusedLiteralError(f"{literal[:40]} is too large for a double", literal)


def _short(literal: str) -> int:
    _check_length(literal)
    return int(literal)


def _check_length(literal: str) -> None:
    if len(literal) > MAX_NUMBER_LENGTH:
        message = f"a number of {len(literal)} characters: at most {MAX_NUMBER_LENGTH}"
        raise _RefusedLiteralError(message, literal)


def _refuse_constant(name: str) -> NoReturn:
    raise _RefusedLiteralError(f"{name} is no JSON number", name)


def _has_few_brackets(data: bytes, max_depth: int) -> bool:
    """Tell whether there are too few opening brackets, in strings or not, to nest deeper."""
    for bracket in (b"[", b"{"):
        position = -1
        for _ in range(max_depth // 2 + 1):
            position = data.find(bracket, position + 1)
            if position < 0:
                break
        else:
            return False
    return True


def _nests_within(data: bytes, max_depth: int) -> bool:
    """Prove that the nesting is within the limit; False where it may or may not be.

    Only brackets are kept, then the innermost pairs are taken away again and again; one round takes away at most
    two levels, an object and the array around it.
    """
    if b"\\" in data:
        data = b"".join(_UNESCAPED.findall(data))
    # Taking away pairs of neighbouring quotes keeps what stands inside a string apart from what does not.
    brackets = data.translate(None, _ALL_BUT_SKELETON).replace(b'""', b"")
    brackets = _UNESCAPED_STRING.sub(b"", brackets)
    for _ in range(max_depth // 2):
        if not brackets:
            break
        brackets = brackets.replace(b"{}", b"").replace(b"[]", b"")
    return not brackets


def _refuse_depth(text: str, max_depth: int) -> None:
    depth = 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "[" | "{":
                depth += 1
                if depth > max_depth:
                    raise StrictJsonError(f"nested deeper than {max_depth}", _position(text, token.start()))
            case "]" | "}":
                depth -= 1


def _refuse_repeated_key(text: str) -> NoReturn:
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


def _position_of_literal(text: str, literal: str) -> str:
    # What follows the literal may be nonsense that the reader has not come to.
    return next(_position(text, token.start()) for token in _TOKEN.finditer(text) if token[0].startswith(literal))


def _position(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return f"line {line}, column {column}"


def _uncapitalise(message: str) -> str:
    return message[:1].lower() + message[1:]
