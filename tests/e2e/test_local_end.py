"""How the local stack ends, what the command line says of it afterwards, and what the next one finds."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

pytestmark = pytest.mark.e2e


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run `laurel local` until it invites; it is killed in the end, if it still runs."""
    command = [sys.executable, "-m", "local", "--port", "0", "--no-samples"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 120
            while "Laurel runs at" not in (folder / "log").read_text():
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline, "the stack does not start"
                threading.Event().wait(0.05)
            yield process
        finally:
            process.kill()
            process.wait()


def laurel(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command beside the stack."""
    command = [sys.executable, "-m", "cli", *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "COLUMNS": "200"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_killed_stack_is_told_from_a_running_one_and_comes_back(tmp_path: Path) -> None:
    """While a stack runs, commands speak to it; once killed they say so; the next one scores what was acknowledged."""
    file = tmp_path / ".laurel" / "stack.json"
    with running(tmp_path) as process:
        while_it_runs = laurel("token", "create", "--player", "heron", "--json", cwd=tmp_path)
        url = json.loads(file.read_text())["url"]
        path = "/api/benchmarks/aic-2025/submissions"
        acknowledged = httpx.post(f"{url}{path}?player=Ada", json={"question": "7", "text": "TR-V030-1519"})
        process.kill()
        process.wait()
        after_it_was_killed = laurel("token", "list", cwd=tmp_path)
    left = json.loads(file.read_text())

    with running(tmp_path) as process:
        again = laurel("token", "list", "--json", cwd=tmp_path)
        anew = json.loads(file.read_text())
        follow = f"{anew['url']}{acknowledged.json()['status_url']}"
        headers = {"Authorization": f"Bearer {acknowledged.json()['receipt']}"}
        deadline = time.monotonic() + 120
        while (status := httpx.get(follow, headers=headers).json())["status"] != "done":
            assert time.monotonic() < deadline, status
            threading.Event().wait(0.05)
        process.terminate()
        process.wait()
    after_it_ended = laurel("token", "list", cwd=tmp_path)

    assert (while_it_runs.returncode, again.returncode) == (0, 0), while_it_runs.stderr + again.stderr
    assert after_it_was_killed.returncode == after_it_ended.returncode == 1
    assert "has ended" in after_it_was_killed.stderr
    assert "no stack runs in this folder" in after_it_ended.stderr
    assert (acknowledged.status_code, status["outcome"]) == (202, "scored")
    assert [token["player"] for token in json.loads(again.stdout)] == ["heron"]
    assert left["environment"]["AWS_SECRET_ACCESS_KEY"] != anew["environment"]["AWS_SECRET_ACCESS_KEY"]
    assert not file.exists()
