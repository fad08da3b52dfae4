"""The measure itself: it finds what is quadratic, and passes what is linear."""

import re

import pytest

from tests.fuzz import growth
from tests.fuzz.growth import Superlinear, check_growth, check_memory
from tests.fuzz.shapes import shuffled


def drain(values: list[int]) -> None:
    """Empty a copy from its front, and look each value up in what is left."""
    left = values.copy()
    while left:
        first = left.pop(0)
        if first in left:
            return


def cut(text: str) -> None:
    """Walk through a text by cutting off its front."""
    while text:
        text = text[1:]


@pytest.mark.parametrize(
    ("read", "make"),
    [
        pytest.param(re.compile(r"(?:a|a)*b").match, lambda size: "a" * size, id="exponential"),
        pytest.param(drain, lambda size: list(range(size)), id="a loop over what is left"),
        pytest.param(cut, lambda size: "x" * size, id="slices of what is left"),
    ],
)
def test_quadratic_work_is_found(read: object, make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated scans of the rest are distinguished from linear time."""
    monkeypatch.setattr(growth, "_ROUNDS", 3)
    with pytest.raises(Superlinear):
        check_growth(read, make)  # type: ignore[arg-type]  # pairs of the table fit each other


@pytest.mark.parametrize(
    ("read", "make"),
    [
        pytest.param(re.compile(r"\s*x").match, lambda size: " " * size, id="one quantifier"),
        pytest.param(sorted, shuffled, id="a sort"),
        pytest.param(lambda text: sum(map(ord, text)), lambda size: "x" * size, id="a loop"),
    ],
)
def test_linear_work_passes(read: object, make: object) -> None:
    """What takes every character once passes, and a sort does."""
    check_growth(read, make)  # type: ignore[arg-type]  # as above


def test_memory_beyond_its_share_is_found() -> None:
    """A reader that keeps every suffix of its input is distinguished from one that keeps the input twice."""
    check_memory(lambda data: data * 2, bytes, size=1 << 16, most_per_byte=3)
    with pytest.raises(AssertionError, match="bytes for each byte"):
        check_memory(lambda data: [data[at:] for at in range(len(data))], bytes, size=1 << 12, most_per_byte=100)
