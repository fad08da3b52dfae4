"""How the local stack ends, and what the command line says of it afterwards."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def test_killed_stack_is_told_from_a_running_one(tmp_path: Path) -> None:
    """While a stack runs, commands speak to it; once it was killed they say so, and the next start is as the first."""
    file = tmp_path / ".laurel" / "stack.json"
    with running(tmp_path) as process:
        while_it_runs = laurel("token", "list", "--json", cwd=tmp_path)
        process.kill()
        process.wait()
        after_it_was_killed = laurel("token", "list", cwd=tmp_path)
    left = json.loads(file.read_text())

    with running(tmp_path) as process:
        again = laurel("token", "list", "--json", cwd=tmp_path)
        anew = json.loads(file.read_text())
        process.terminate()
        process.wait()
    after_it_ended = laurel("token", "list", cwd=tmp_path)

    assert (while_it_runs.returncode, again.returncode) == (0, 0), while_it_runs.stderr + again.stderr
    assert after_it_was_killed.returncode == after_it_ended.returncode == 1
    assert "has ended" in after_it_was_killed.stderr
    assert "no stack runs here" in after_it_ended.stderr
    assert left["environment"]["AWS_SECRET_ACCESS_KEY"] != anew["environment"]["AWS_SECRET_ACCESS_KEY"]
    assert not file.exists()
