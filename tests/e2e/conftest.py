"""The whole stack, started once for the tests of a file, on a free port."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from aggregate.aggregator import Aggregator
from local.stack import LocalStack, Stack
from tests.harness.local_stack import open_aggregator


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A running stack, without benchmarks."""
    lines: list[str] = []
    with LocalStack(port=0, log=lines.append, state=tmp_path_factory.mktemp("home") / ".laurel") as running:
        yield running


@pytest.fixture(scope="module")
def aggregator(stack: Stack) -> Aggregator:
    """What publishes benchmarks into the stack."""
    return open_aggregator(stack)


type Laurel = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def laurel(stack: Stack) -> Laurel:
    """The command line, as it is typed beside the running stack; `token` is what LAUREL_TOKEN holds."""

    def run(*arguments: str | Path, token: str | None = None) -> subprocess.CompletedProcess[str]:
        variables = {"LAUREL_API": stack.url, **({"LAUREL_TOKEN": token} if token else {})}
        return subprocess.run(
            [sys.executable, "-m", "cli", *map(str, arguments)],
            cwd=stack.state.parent,
            env={"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "200", **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def client(stack: Stack) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=60) as one:
        yield one


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]
