"""What the local stack lets strangers do: pages of other origins, other programs, other names."""

import stat
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.layout import ROOT
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from storage.gateway.table import Table
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player
from tests.harness.tokens import keep_account, keep_token

pytestmark = pytest.mark.e2e

EVIL = {"Origin": "https://evil.example"}
RUN = b'{"question": "1", "text": "TR-L03_V011-1"}'


@pytest.fixture(scope="module", autouse=True)
def published(aggregator: Aggregator) -> None:
    """A benchmark that takes results."""
    publish_benchmark(load_folder(ROOT / "benchmarks" / "aic-2025"), aggregator)


@pytest.fixture(scope="module")
def secret(stack: Stack) -> str:
    """A token of Heron's."""
    access = Table(stack.cloud.tables, stack.template.resources["AccessTable"].name)
    player = make_player("heron", "Heron", PlayerKind.MODEL)
    keep_account(access, player)
    return keep_token(access, player, Scope.SUBMIT, benchmarks=("aic-2025",))


@pytest.fixture
def ticket(client: httpx.Client, secret: str) -> Any:
    """A place for a file of Heron's."""
    answer = client.post(
        "/api/benchmarks/aic-2025/uploads",
        json={"bytes": len(RUN), "filename": "run.jsonl"},
        headers={"Authorization": f"Bearer {secret}"},
    )
    return answer.raise_for_status().json()


def test_foreign_page_sends_no_form(client: httpx.Client, ticket: Any) -> None:
    """Even a form of the API is taken from pages of this server alone."""
    answer = client.post(ticket["url"], data=ticket["fields"], files={"file": RUN}, headers=EVIL)

    assert answer.status_code == 403
    assert "this server" in answer.text


def test_nobody_else_reads_or_runs_anything(stack: Stack) -> None:
    """The store, the socket of the sandbox and the file that names both are their owner's alone."""
    data = stack.state / "data"

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (stack.state / "stack.json", *data.iterdir())}

    assert {"laurel.db", "functions.sock"} <= modes.keys()
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE(data.stat().st_mode) == 0o700


def test_the_site_is_the_only_port(stack: Stack) -> None:
    """Nothing else of the stack listens to other programs, but for the socket in its own folder."""
    sockets = {str(path.readlink()) for path in Path("/proc/self/fd").iterdir() if path.is_symlink()}
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = [line for line in listening if f"socket:[{line[9]}]" in sockets and line[3] == "0A"]

    assert {int(line[1].partition(":")[2], 16) for line in own} == {urlsplit(stack.url).port}
