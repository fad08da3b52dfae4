"""`strict_json` beside Python's own reader: it takes exactly what that one takes and the rules allow."""

import json
import math
from typing import Any

from hypothesis import example, given

from scoring_core.errors import StrictJsonError
from scoring_core.io.strict_json import MAX_DEPTH, MAX_NUMBER_LENGTH, loads
from tests.fuzz.mutations import mutated_bytes

SAMPLES = [
    b'{"a": [1, 2.5, -3e-7, true, false, null], "\\u00e9": {"b": "\\ud83d\\ude00"}}',
    b'[{"question": "1", "text": "TR-V017-4945,5001"}, {"x\\"y": "\\\\"}]',
    b"[" * MAX_DEPTH + b"0" + b"]" * MAX_DEPTH,
    b'{"' + b'a":{"' * (MAX_DEPTH - 1) + b'":0' + b"}" * MAX_DEPTH,
    b"[" + b"7" * MAX_NUMBER_LENGTH + b", 1e308, 0." + b"3" * (MAX_NUMBER_LENGTH - 2) + b"]",
    '"z̷ə\U0010ffff "'.encode(),
]
TOKENS = [
    *(b"[", b"]", b"{", b"}", b":", b",", b'"', b"\\", b'"a":', b'"a":1,', b"\\u0061", b"\\ud83d", b"\\ude00"),
    *(b"NaN", b"-Infinity", b"1e400", b"1e-400", b"-0", b"00", b"9" * 400, b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80"),
    *(b"\0", b" ", b"\n", b"\x0b", b"[[[[[[[[", b"]]]]]]]]", "\u2028".encode()),
]


class Refused(Exception):
    """One of Laurel's own rules refuses it."""


def read_plainly(data: bytes) -> Any:
    """Read as the rules say, with no thought of speed. Raises ValueError, RecursionError or Refused."""
    value = json.loads(
        data.removeprefix(b"\xef\xbb\xbf").decode(),  # a mark at the beginning may be left out (RFC 8259)
        object_pairs_hook=unique,
        parse_constant=refuse,
        parse_int=lambda literal: int(short(literal)),
        parse_float=lambda literal: finite(float(short(literal))),
    )
    if depth_of(value) > MAX_DEPTH:
        raise Refused
    json.dumps(value, ensure_ascii=False).encode()  # a lone surrogate is a UnicodeEncodeError, so a ValueError
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object, if no key is there twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise Refused
    return dict(pairs)


def refuse(_: str) -> None:
    """Refuse NaN and its like."""
    raise Refused


def short(literal: str) -> str:
    """Return a number's text, if it is short enough."""
    if len(literal) > MAX_NUMBER_LENGTH:
        raise Refused
    return literal


def finite(value: float) -> float:
    """Return a number, if it is finite."""
    if not math.isfinite(value):
        raise Refused
    return value


def depth_of(value: Any) -> int:
    """Count how deep arrays and objects nest."""
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(depth_of, value.values() if isinstance(value, dict) else value), default=0)


@given(mutated_bytes(SAMPLES, TOKENS))
@example(b"\xef\xbb\xbf{}")
@example(b"[" * 100_000)
def test_takes_exactly_what_the_rules_allow(data: bytes) -> None:
    """Bytes are read as the plain reader reads them, or both refuse; nothing is raised but the one error."""
    try:
        expected, refused = read_plainly(data), False
    except (ValueError, RecursionError, Refused):
        expected, refused = None, True

    try:
        value, was_refused = loads(data), False
    except StrictJsonError:
        value, was_refused = None, True

    assert (was_refused, value) == (refused, expected)
