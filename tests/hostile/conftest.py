"""A sandbox, in a process that adopts every orphan."""

from collections.abc import Iterator

import pytest

from sandbox.bubblewrap import Sandbox
from tests.harness.lambda_wall.wall import lambda_sandbox
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


@pytest.fixture
def sandbox_in_lambda() -> Iterator[Sandbox]:
    """One sandbox behind a wall like Lambda's, which gives a function less time than template.yaml."""
    with lambda_sandbox(timeout_seconds=12) as sandbox:
        yield sandbox
