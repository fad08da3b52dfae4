"""A game page, a player and an administrator, from the first thing they type to what they see in the end."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.publishing import publish_benchmark
from local.stack import Stack
from scoring_core.benchmarks.loading import load_folder
from scripts.frontend.build_wheel import build_wheel
from scripts.tools import ROOT
from tests.e2e.test_from_post_to_board import renamed, wait_for
from tests.harness.installation import install

pytestmark = pytest.mark.e2e

GAME = {"Content-Type": "application/json", "Origin": "https://game.example"}
RIGHT = {"question": "1", "text": "TR-V011-4945,5001"}


@pytest.fixture
def benchmark(root: Path, tmp_path: Path, aggregator: Aggregator, request: pytest.FixtureRequest) -> str:
    """A board of the test's own."""
    name = f"quiz-{request.node.name.replace('_', '-')[5:45]}"
    with renamed(root / "benchmarks" / "aic-2025", tmp_path, name) as folder:
        publish_benchmark(load_folder(folder), aggregator)
    return name


def play(client: httpx.Client, benchmark: str, result: Any = None, **headers: str) -> httpx.Response:
    """Submit a result from a game's page and wait for its score."""
    return client.post(
        f"/api/benchmarks/{benchmark}/submissions",
        params={} if "Authorization" in headers else {"player": "Ada"},
        json=result or RIGHT,
        headers={**GAME, "Prefer": "wait=10", **headers},
    )


def head_of(client: httpx.Client, benchmark: str) -> dict[str, Any]:
    """Read a board."""
    head: dict[str, Any] = client.get(f"/data/b/{benchmark}/head.json").raise_for_status().json()
    return head


def test_game_page_plays_submits_and_withdraws(client: httpx.Client, benchmark: str) -> None:
    """One call gives the score; a repeat is the same submission; what was wrong goes off the board."""
    first = play(client, benchmark, **{"Idempotency-Key": "play-1"})
    again = play(client, benchmark, **{"Idempotency-Key": "play-1"})
    others = [play(client, benchmark).status_code for _ in range(2)]

    scored = first.json()
    assert (first.status_code, scored["outcome"], scored["scores"]) == (200, "scored", {"score": 79.0})
    assert first.headers["Access-Control-Allow-Origin"] == "*"
    assert (again.json()["submission"], again.json()["receipt"]) == (scored["submission"], scored["receipt"])
    assert others == [200, 200]
    wait_for(lambda: head_of(client, benchmark)["total"] == 1 or None)

    withdrawn = client.post(
        f"{first.headers['Location']}/withdrawal",
        json={"reason": "the level was broken"},
        headers={**GAME, "Authorization": f"Bearer {scored['receipt']}"},
    )

    assert withdrawn.status_code == 200
    removed = wait_for(lambda: head_of(client, benchmark)["notices"] or None)
    assert [(one["name"], one["reason"]) for one in removed] == [("Ada", "the level was broken")]


@pytest.fixture
def installed(tmp_path: Path, stack: Stack) -> Path:
    """The command as the site serves it, in an environment that has what the lock names for it and nothing else."""
    return install(tmp_path / "installed", f"{stack.url}/command/{build_wheel().name}")


@pytest.mark.long
def test_installed_command_needs_neither_repository_nor_aws(
    installed: Path, stack: Stack, client: httpx.Client, benchmark: str, tmp_path: Path
) -> None:
    """A player installs the wheel from the site, and checks, submits and reads a board; what operates needs a token."""
    (tmp_path / "result.json").write_text(json.dumps(RIGHT))

    def laurel(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [installed, *map(str, arguments)],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "COLUMNS": "200", "LAUREL_API": stack.url},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    checked = laurel("check", ROOT / "benchmarks" / "aic-2025")
    submitted = laurel("submit", benchmark, "result.json", "--player", "Ada", "--wait")
    wait_for(lambda: head_of(client, benchmark)["total"] == 1 or None)
    board = laurel("board", benchmark)
    refused = laurel("rebuild", benchmark)

    assert (checked.returncode, checked.stdout.splitlines()[-1]) == (0, "all 15 examples as expected")
    assert submitted.returncode == 0, submitted
    assert submitted.stderr == f"site: {stack.url} (LAUREL_API)\n"
    assert (board.returncode, "Ada" in board.stdout, "1 of 1 players" in board.stdout) == (0, True, True)
    assert (refused.returncode, "expected a token with the scope `admin`" in refused.stderr) == (2, True)
