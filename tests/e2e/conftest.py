"""The whole stack, started once for the tests of a file, on a free port.

No longer than that: moto keeps its state in the process, and other files' tests reset it.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from aggregate.workshop import Workshop, make_workshop
from local.stack import Stack, run_stack


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A running stack, without benchmarks."""
    lines: list[str] = []
    with run_stack(port=0, log=lines.append, state=tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.fixture(scope="module")
def workshop(stack: Stack) -> Workshop:
    """What publishes benchmarks into the stack."""
    return make_workshop(
        stack.settings, s3=stack.cloud.s3, dynamodb=stack.cloud.dynamodb, clock=lambda: datetime.now(UTC)
    )


@pytest.fixture
def client(stack: Stack) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=60) as one:
        yield one


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]
