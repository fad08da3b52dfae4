"""Sound input made unsound: bytes cut, doubled, turned round and overwritten, and JSON with foreign values in it."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

MAX_CHANGES = 6

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    | st.sampled_from([0, -0.0, 1, -1, 2**53 + 1, 10**400, 1e308, -1e308, "", "\0", "0", "__proto__", [], {}, [[]]])
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def mutated_bytes(draw: st.DrawFn, samples: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """Return a sample with some of its bytes changed.

    Args:
        draw: Chooses.
        samples: Sound input.
        tokens: What is put in here and there, for a single byte seldom means anything.
    """
    data = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(0, MAX_CHANGES))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 4, 16, 64])))
        new = draw(
            st.sampled_from([b"", data[start:end] * 2, data[start:end][::-1], *tokens])
            | st.binary(min_size=1, max_size=4)
        )
        data = data[:start] + new + data[end:]
    return data[: draw(st.just(len(data)) | st.integers(0, len(data)))]


@st.composite
def mutated_json(draw: st.DrawFn, samples: Sequence[Any], values: st.SearchStrategy[Any] = json_values) -> Any:
    """Return a sample with some of its values replaced, left out, or repeated.

    Args:
        draw: Chooses.
        samples: Sound input.
        values: What is put in the place of others.
    """
    value = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 3))):
        value = _change(draw, value, values)
    return value


def _change(draw: st.DrawFn, value: Any, values: st.SearchStrategy[Any]) -> Any:
    """Change something at a place that is found by going down, each step by chance."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 5)) == 0:
        return draw(values)
    if isinstance(value, dict):
        key = draw(st.sampled_from(sorted(value)))
        rest = {name: inner for name, inner in value.items() if name != key}
        match draw(st.sampled_from(["down", "down", "down", "drop", "rename"])):
            case "drop":
                return rest
            case "rename":
                return rest | {draw(st.text(max_size=8)): value[key]}
        return value | {key: _change(draw, value[key], values)}
    place = draw(st.integers(0, len(value) - 1))
    new = draw(st.sampled_from([[], [value[place]] * 2, None]))
    return value[:place] + ([_change(draw, value[place], values)] if new is None else new) + value[place + 1 :]
