"""A sandbox, and a process that finds every orphan of one."""

from collections.abc import Iterator

import pytest

from sandbox.bubblewrap import Sandbox
from tests.processes import adopt_orphans


@pytest.fixture(scope="module", autouse=True)
def subreaper() -> None:
    """Find every orphan."""
    adopt_orphans()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """One sandbox for all runs of a test, as a machine has."""
    with Sandbox() as sandbox:
        yield sandbox
