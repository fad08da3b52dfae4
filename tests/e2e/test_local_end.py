"""How the local stack ends, what the command line says of it afterwards, and where its benchmarks go on."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.layout import ROOT
from local.stack import LocalStack, Stack
from scoring_core.benchmarks.loading import load_folder
from tests.faults.restarts import run_restarts
from tests.faults.soak import Plan
from tests.faults.workload import RUNS

pytestmark = [pytest.mark.e2e, pytest.mark.long]

KILLS = int(os.environ.get("LAUREL_SOAK_RESTARTS", "5"))
"""`make soak` submits to every benchmark."""
SHORT = Plan(seconds=6, submissions=16, pause_seconds=2.0, seed=int(os.environ.get("LAUREL_SOAK_SEED", "1")))


def laurel(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command beside the stack."""
    command = [sys.executable, "-m", "cli", *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


def run(folder: Path) -> LocalStack:
    """Return the stack of a folder."""
    return LocalStack(port=0, log=lambda _: None, state=folder / ".laurel", data=folder / "data")


def read(stack: Stack) -> dict[str, Any]:
    """Read what everybody sees of RUNS, but for what tells when its head was rendered."""
    path, passing = f"/api/benchmarks/{RUNS.definition.id}", ("sequence", "generated_at", "beat")
    with httpx.Client(base_url=stack.url, timeout=60) as client:
        rows = client.get(f"{path}/rows").json()["rows"]
        lists = [client.get(f"{path}/submissions", params={"player": row["player"]}).json() for row in rows]
        head = client.get(f"/data/b/{RUNS.definition.id}/head.json").json()
    return {"rows": rows, "lists": lists, "head": {name: head[name] for name in head if name not in passing}}


def move(state: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Restore a copy of a stack, move RUNS from there to another; return what is seen of it in both."""
    folder, copy, there = str(state / "moved"), state / "copy", state / "there"
    commands = [laurel("backup", str(state / "copy.db"), "--data", "data", cwd=state)]
    copy.mkdir()
    commands += [laurel("restore", str(state / "copy.db"), "--data", "data", cwd=copy)]
    with run(copy) as stack:
        before = read(stack)
        commands += [laurel("export", RUNS.definition.id, folder, "--move", cwd=copy)]
    with run(there) as stack:
        commands += [laurel("import", folder, cwd=there)]
        after = read(stack)
    commands += [laurel("verify", folder, cwd=there)]
    assert [done.stderr for done in commands if done.returncode] == []
    return before, after


def test_killed_stack_loses_nothing_and_is_told_from_a_running_one(tmp_path: Path) -> None:
    """What was acknowledged is scored after a kill, also where it moves to; commands say that the stack has ended."""
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
    before, after = move(tmp_path)

    assert tally.faults == [], f"{tally}\n" + "\n".join(lines)
    assert tally.acknowledged == SHORT.submissions
    assert {"scored", "invalid"} <= set(tally.outcomes)
    assert (killed[0].returncode, ended.returncode) == (1, 1)
    assert (after, len(before["rows"]) > 0) == (before, True)
    assert "has ended" in killed[0].stderr
    assert "no stack runs in this folder" in ended.stderr
    assert not (tmp_path / ".laurel" / "stack.json").exists()
