"""A model owner submits a folder of runs twice with one command, and all are scored once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.versions.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from storage.access.tokens import Scope
from storage.aws.table import Table
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player
from tests.harness.tokens import keep_account, keep_token

pytestmark = [pytest.mark.e2e, pytest.mark.long]

RUNS = int(os.environ.get("LAUREL_RUNS", "150"))
"""CI has not the time for more; `LAUREL_RUNS=2000` plays all that a model owner has, in less than four minutes."""
TOKEN = "laurel_model_owner"


@pytest.fixture
def owner(stack: Stack, aggregator: Aggregator, root: Path) -> None:
    """A published benchmark, and a model with a token."""
    publish_benchmark(load_folder(root / "benchmarks" / "aic-2025"), aggregator)
    access = Table(stack.cloud.dynamodb, stack.template.resources["AccessTable"].name)
    player = make_player("solver", "Solver 9000", PlayerKind.MODEL)
    keep_account(access, player)
    keep_token(access, player, Scope.SUBMIT, secret=TOKEN, benchmarks=("aic-2025",))


def run_drop(stack: Stack, folder: Path, state: Path) -> tuple[int, dict[str, Any]]:
    """Run `laurel drop`, and give its exit code and what it printed."""
    command = [sys.executable, "-m", "cli", "drop", "aic-2025", str(folder), "--api", stack.url, "--wait", "--json"]
    environment = {**os.environ, "LAUREL_TOKEN": TOKEN, "XDG_STATE_HOME": str(state)}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)


@pytest.mark.usefixtures("owner")
def test_folder_of_runs_is_scored_once(stack: Stack, client: httpx.Client, tmp_path: Path) -> None:
    """All runs but a broken one are scored once; a second command submits nothing; the board shows the model."""
    folder = tmp_path / "runs"
    for number in range(RUNS):
        path = folder / f"{number % 10}" / f"{number}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"question": "7", "text": f"TR-V030-{1500 + number}"}))
    (folder / "broken.json").write_text("{")

    code, report = run_drop(stack, folder, tmp_path)
    again, repeated = run_drop(stack, folder, tmp_path)

    statuses = [one["status"] for one in report["drops"]]
    assert (sum(one["scored"] for one in statuses), sum(one["refused"] for one in statuses)) == (RUNS, 1)
    assert (code, again, repeated["skipped"], repeated["drops"]) == (1, 1, RUNS + 1, [])  # the broken one still is
    shown = client.get("/api/benchmarks/aic-2025/players/solver").raise_for_status().json()
    assert (shown["name"], shown["verified"]) == ("Solver 9000", True)
