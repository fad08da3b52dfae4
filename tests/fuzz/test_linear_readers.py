"""Every reader of what players and owners send takes time in proportion to its input, whatever the input holds."""

import json
from collections.abc import Callable

import pytest

from scoring_core.evaluation import Materials
from scoring_core.iqa_fusion import Parameters, prepare
from tests.fuzz.growth import check_growth

LETTERS = prepare(Materials(Parameters(), b'{"q": {"answer": "A"}}'))


def answer(text: str) -> bytes:
    """Write a result that answers a question."""
    return json.dumps({"items": [{"id": "q", "final_answer": text}]}).encode()


@pytest.mark.parametrize("pattern", [" ", "(", "a", "a ", "( ", "\n"])
@pytest.mark.parametrize("ending", ["", "x!", "(a)"])
def test_letter_of_an_answer(pattern: str, ending: str) -> None:
    """A letter is looked for in linear time, however much white space stands before it."""
    make: Callable[[int], bytes] = lambda size: answer(pattern * (size // len(pattern)) + ending)  # noqa: E731

    check_growth(LETTERS, make)
