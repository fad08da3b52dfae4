"""A sandbox, in a process that adopts every orphan."""

from collections.abc import Iterator

import pytest

from sandbox.bubblewrap import Sandbox
from tests.harness.processes import adopt_orphans


@pytest.fixture(scope="module", autouse=True)
def subreaper() -> None:
    """Adopt every orphan, so that no process of a run is missed."""
    adopt_orphans()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all runs of a test, as a machine has."""
    with Sandbox() as sandbox:
        yield sandbox
