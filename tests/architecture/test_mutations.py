"""The mutations still fit the code: one that does not would show nothing, and only `make mutations` would find it."""

import pytest

from tests.faults.mutations import MUTATIONS, Mutation
from tests.harness.stack import ROOT


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[one.name for one in MUTATIONS])
def test_a_mutation_applies(mutation: Mutation) -> None:
    """The guard that it takes away stands at one place, and its tests are there."""
    found = (ROOT / mutation.path).read_text(encoding="utf-8").count(mutation.before)

    assert (found, [one for one in mutation.tests if not (ROOT / one.partition("::")[0]).exists()]) == (1, [])
