"""Generations of sandbox tenants: left behind once, whoever says so, and never taken up again."""

import pytest

from storage.access.idempotency import IdempotencyStore
from storage.sandbox.client import SandboxGenerations


@pytest.fixture
def generations(access: IdempotencyStore) -> SandboxGenerations:
    """The store, over the same table as the idempotency keys."""
    return SandboxGenerations(access.table)


@pytest.mark.parametrize("seen", [0, 1, 5])
def test_retiring_again_changes_nothing(generations: SandboxGenerations, seen: int) -> None:
    """A process that leaves a generation that is not the present one changes nothing."""
    for generation in (0, 1):
        generations.retire("0a", generation)

    generations.retire("0a", seen)

    assert generations.read("0a") == 2
