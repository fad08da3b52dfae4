"""DynamoDB's attribute values, both ways."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.aws.attributes import marshal, unmarshal

PLAIN = st.one_of(st.text(max_size=9), st.integers(), st.booleans())


def test_values_have_their_attribute_types() -> None:
    """Text, integers and truths each have their kind; None is left out."""
    assert marshal({"a": "x", "b": 7, "c": True, "d": None, "e": ""}) == {
        "a": {"S": "x"},
        "b": {"N": "7"},
        "c": {"BOOL": True},
        "e": {"S": ""},
    }


@given(item=st.dictionaries(st.text(max_size=9), PLAIN, max_size=5))
def test_attributes_are_read_back_as_written(item: dict[str, str | int | bool]) -> None:
    """What was written is read back, kind and all."""
    back = unmarshal(marshal(item))

    assert back == item
    assert {name: type(value) for name, value in back.items()} == {name: type(value) for name, value in item.items()}


@pytest.mark.parametrize("value", [{"N": "1.5"}, {"L": []}, {"NULL": True}, {"S": 1}, {}])
def test_unknown_attribute_type_is_refused(value: dict[str, Any]) -> None:
    """A kind that we never write is refused, not guessed."""
    with pytest.raises(ValueError, match=r"."):
        unmarshal({"a": value})
