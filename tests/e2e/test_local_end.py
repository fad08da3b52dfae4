"""How the local stack ends, what the command line says of it afterwards, and what the next one finds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from local.layout import ROOT
from scoring_core.benchmarks.loading import load_folder
from tests.faults.restarts import run_restarts
from tests.faults.soak import Plan
from tests.faults.workload import RUNS

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KILLS = 2
"""`make soak` kills more often, and submits to every benchmark."""
SHORT = Plan(seconds=6, submissions=16, pause_seconds=2.0, seed=int(os.environ.get("LAUREL_SOAK_SEED", "1")))


def laurel(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command beside the stack."""
    command = [sys.executable, "-m", "cli", *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_killed_stack_loses_nothing_and_is_told_from_a_running_one(tmp_path: Path) -> None:
    """What was acknowledged before a kill is scored after it; commands say that the stack has ended."""
    lines: list[str] = []
    killed: list[subprocess.CompletedProcess[str]] = []

    tally = run_restarts(
        SHORT,
        kills=KILLS,
        state=tmp_path,
        log=lines.append,
        benchmarks=[load_folder(ROOT / "benchmarks" / "aic-2025"), RUNS],
        when_down=lambda: killed.append(laurel("audit", cwd=tmp_path)),
    )
    ended = laurel("audit", cwd=tmp_path)

    assert tally.faults == [], f"{tally}\n" + "\n".join(lines)
    assert tally.acknowledged == SHORT.submissions
    assert {"scored", "invalid"} <= set(tally.outcomes)
    assert (killed[0].returncode, ended.returncode) == (1, 1)
    assert "has ended" in killed[0].stderr
    assert "no stack runs in this folder" in ended.stderr
    assert not (tmp_path / ".laurel" / "stack.json").exists()
