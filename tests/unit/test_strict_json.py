"""`strict_json.loads`: what it takes, and each thing that it refuses, with its place."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scoring_core.errors import StrictJsonError
from scoring_core.io.strict_json import MAX_DEPTH, MAX_NUMBER_LENGTH, loads
from tests.harness.bad_bodies import BAD_BODIES

characters = st.text(st.characters(exclude_categories=["Cs"])) | st.text('[]{}:,"\\ \n/u00d8')
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | characters,
    lambda inner: st.lists(inner) | st.dictionaries(characters, inner),
)


@settings(deadline=None)
@given(value=json_values, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 2]))
@example(value={"a": {}, "[{": ['"]', "\\"]}, ensure_ascii=False, indent=None)
@example(value=[["\U0001f600", "\\ud83d", '\\"']], ensure_ascii=True, indent=None)
def test_what_json_writes_is_read_as_it_was(*, value: Any, ensure_ascii: bool, indent: int | None) -> None:
    """Any value, written in any way, is read as itself."""
    data = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent).encode()

    assert loads(data) == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b" \t\r\n1 ", 1),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"\\\\\\ud83d\\ude00"', "\\\U0001f600"),
        (b'"\\u0000"', "\x00"),
        (b'"\\ufffe \xef\xbb\xbf"', "\ufffe \ufeff"),
        (b'["[[[[", "{{{{"]', ["[[[[", "{{{{"]),
        (b'{"a": {"a": 1}, "b": [{"a": 2}]}', {"a": {"a": 1}, "b": [{"a": 2}]}),
        (b'{"a:b": "c:d", "e": ":"}', {"a:b": "c:d", "e": ":"}),
        (b'{"a\\"b:": "\\":\\""}', {'a"b:': '":"'}),
        (b"1e308", 1e308),
        (b"1e-400", 0.0),
        (b"9007199254740993", 9007199254740993),
        (b"1" * MAX_NUMBER_LENGTH, int("1" * MAX_NUMBER_LENGTH)),
        (b"3.141592653589793238462643383279502884197169399375105820974944592307816406286", math.pi),
    ],
)
def test_what_json_allows_is_read(data: bytes, value: Any) -> None:
    """What looks dangerous and is not, is read."""
    assert loads(data) == value


def test_minus_zero_keeps_its_sign() -> None:
    """−0.0 is a number of its own in IEEE 754."""
    assert math.copysign(1.0, loads(b"-0.0")) == -1.0  # type: ignore[arg-type]  # a float


@pytest.mark.parametrize(("data", "message", "position"), BAD_BODIES)
def test_what_json_forbids_is_refused_with_its_place(data: bytes, message: str, position: str) -> None:
    """Each refusal says what is wrong and where."""
    with pytest.raises(StrictJsonError) as caught:
        loads(data)

    assert (caught.value.message, caught.value.position) == (message, position)


def test_overflow_can_be_left_to_the_caller() -> None:
    """Without the check a number that overflows is infinite, and only that."""
    assert loads(b"[1e400, -1e400, 1.5]", check_overflow=False) == [math.inf, -math.inf, 1.5]

    with pytest.raises(StrictJsonError, match="Infinity is no JSON number"):
        loads(b"[Infinity]", check_overflow=False)


def nest(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    """Write brackets in brackets."""
    return (opening * depth + closing * depth).encode()


@pytest.mark.parametrize(
    "data",
    [
        nest(MAX_DEPTH),
        nest(MAX_DEPTH - 1, '{"a":', "}").replace(b"}", b"1}", 1),
        nest(MAX_DEPTH // 2, '[{"[[[[":', "}]").replace(b"}", b'"}}}"}', 1),
        b"[" + nest(MAX_DEPTH - 1) + b"," + b"[],{}," * 1000 + b"0]",
        b'["' + b"[" * 100_000 + b'"]',
        b'["' + b'\\"[' * 1000 + b'", "' + b"\\\\" * 1000 + b'", []]',
    ],
)
def test_nesting_up_to_the_limit_is_read(data: bytes) -> None:
    """The deepest nesting that is allowed is read, and brackets in strings do not nest."""
    assert loads(data) == json.loads(data)


@pytest.mark.parametrize(
    ("data", "position"),
    [
        (nest(MAX_DEPTH + 1), "line 1, column 65"),
        (nest(100_000), "line 1, column 65"),
        (b"[" * 100_000, "line 1, column 65"),
        (b'{"a":' * 100_000, "line 1, column 321"),
        (b'["]",' * 100_000, "line 1, column 321"),
        (b'["\\"]",\n' * 65, "line 65, column 1"),
        (b"[[],{}," * 65 + b"0" + b"]" * 65, "line 1, column 443"),
        (nest(33, '[{"a":', "}]").replace(b"}", b"0}", 1), "line 1, column 193"),
    ],
)
def test_deeper_nesting_is_refused_where_it_begins(data: bytes, position: str) -> None:
    """A depth bomb is refused at the first bracket beyond the limit, whatever stands in strings."""
    with pytest.raises(StrictJsonError) as caught:
        loads(data)

    assert (caught.value.message, caught.value.position) == (f"nested deeper than {MAX_DEPTH}", position)


@pytest.mark.parametrize("max_depth", [1, 2, 3, 5, 32])
def test_the_limit_can_be_set(max_depth: int) -> None:
    """At the limit a value is read, one deeper it is refused."""
    loads(nest(max_depth), max_depth=max_depth)

    with pytest.raises(StrictJsonError, match=f"nested deeper than {max_depth}"):
        loads(nest(max_depth + 1), max_depth=max_depth)
