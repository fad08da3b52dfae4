"""Models with a rule that is broken on purpose, so that their stories show that they would notice."""

from collections.abc import Callable
from enum import Enum

import pytest

UNTIL_NOTICED = 600
"""Seeds of which one must notice that a rule is broken."""


def expect_notice[Rule: Enum](tell: Callable[[int, Rule], object], broken: Rule) -> None:
    """Tell stories with a broken rule until one of them ends with an AssertionError; fail if none does."""
    for seed in range(UNTIL_NOTICED):
        try:
            tell(seed, broken)
        except AssertionError as error:
            print(f"{broken.name}: {error}")  # noqa: T201  # with -s
            return
    pytest.fail(f"{UNTIL_NOTICED} stories did not notice {broken.name}")
