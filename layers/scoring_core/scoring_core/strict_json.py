"""Bytes → JSON value, refusing what JSON (RFC 8259) forbids, what is ambiguous, and what would hurt.

Python's own reader takes UTF-16, NaN, repeated keys, numbers that overflow and nesting that exhausts the stack.
Each check here looks at the bytes first and costs next to nothing where there is nothing to find.
"""

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from scoring_core.errors import StrictJsonError
from scoring_core.evaluation import Json

MAX_DEPTH = 64
MAX_NUMBER_LENGTH = 1000

_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Below 200 digits and a two-digit exponent nothing overflows a double.
_RISKY_NUMBER = re.compile(rb"\d[eE]\+?\d{3}|\d{200}")


def loads(data: bytes, *, max_depth: int = MAX_DEPTH) -> Json:
    """Read strict JSON.

    Args:
        data: UTF-8 without byte order mark, any JSON value.
        max_depth: How deep arrays and objects may nest; `[]` has depth 1.

    Returns:
        The value: dict, list, str, int, float, bool or None. Every number is finite, every key was there once,
        every string can be encoded.

    Raises:
        StrictJsonError: With what is wrong and where.

    >>> loads(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    if data.startswith(b"\xef\xbb\xbf"):
        raise StrictJsonError("byte order mark: expected UTF-8 without one")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 (byte {error.start})") from error
    if not data.strip(b" \t\r\n"):
        raise StrictJsonError("empty: expected a JSON value")
    _check_depth(data, max_depth)
    try:
        if _RISKY_NUMBER.search(data):
            value = json.loads(
                text,
                object_pairs_hook=_unique,
                parse_constant=_refuse_constant,
                parse_float=_finite,
                parse_int=_short,
            )
        else:
            value = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise StrictJsonError(
            error.msg[:1].lower() + error.msg[1:], f"line {error.lineno}, column {error.colno}"
        ) from error
    if _SURROGATE_ESCAPE.search(data):
        _check_surrogates(value)
    return value  # type: ignore[no-any-return]  # json.loads is typed Any


def _check_depth(data: bytes, max_depth: int) -> None:
    if data.count(b"[") + data.count(b"{") <= max_depth:
        return
    depth = 0
    for byte in _STRINGS.sub(b"", data):
        if byte in b"[{":
            depth += 1
            if depth > max_depth:
                raise StrictJsonError(f"nested deeper than {max_depth}")
        elif byte in b"]}":
            depth -= 1


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise StrictJsonError(f"the key {key[:64]!r} is there twice")
            seen.add(key)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise StrictJsonError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    if len(text) > MAX_NUMBER_LENGTH:
        raise StrictJsonError(f"a number of {len(text)} characters: at most {MAX_NUMBER_LENGTH}")
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise StrictJsonError(f"{text[:40]} is too large for a double")
    return value


def _short(text: str) -> int:
    if len(text) > MAX_NUMBER_LENGTH:
        raise StrictJsonError(f"a number of {len(text)} characters: at most {MAX_NUMBER_LENGTH}")
    return int(text)


def _check_surrogates(value: Json) -> None:
    for string in _strings(value):
        if _SURROGATE.search(string):
            raise StrictJsonError("a lone surrogate: expected pairs that form a character")


def _strings(value: Json) -> Iterator[str]:
    pending = [value]
    while pending:
        match pending.pop():
            case str() as string:
                yield string
            case dict() as members:
                yield from members
                pending.extend(members.values())
            case list() as elements:
                pending.extend(elements)
