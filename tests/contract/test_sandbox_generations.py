"""Generations of sandbox tenants: left behind once, whoever says so, and never taken up again."""

import pytest

from storage.access.idempotency import IdempotencyStore
from storage.sandbox.client import SandboxGenerations


@pytest.mark.parametrize("seen", [0, 1, 5])
def test_retiring_again_changes_nothing(access: IdempotencyStore, seen: int) -> None:
    """A process that leaves a generation that is not the present one changes nothing."""
    generations = SandboxGenerations(access.table)
    for generation in (0, 1):
        generations.retire("0a", generation)

    generations.retire("0a", seen)

    assert generations.read("0a") == 2
