"""Evaluation scripts without bubblewrap: the same answers as in it, and nothing left of a run."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cli.commands.work import NOBODY
from sandbox.bubblewrap import Sandbox
from sandbox.plain import PlainRunner, PlainSandbox
from sandbox.runner_pool import RunnerDiedError
from scoring_core.errors import SandboxFailure
from scoring_core.scorers.script.run import ScriptEnded, ScriptParameters, ScriptRun
from tests.harness.processes import living_below
from tests.harness.waiting import wait_for

BANNER = ("/bin/sh", "-c", 'echo "== CUDA =="; exec "$0" "$@"')
"""A command that prints before it hands on, as the entry points of containers do."""
ASKS = """
import os, sys
from below.names import NAME
own, given = os.path.dirname(__file__), os.path.dirname(sys.argv[1])
print(NAME, open(own + "/truth.json").read(), os.path.basename(sys.argv[1]), open(given + "/run.json").read())
print(os.listdir(), [name for name in os.environ if name.startswith(("LAUREL", "AWS"))], end="")
sys.exit(2)
"""
ENDS = {
    ASKS: (ScriptEnded.EXITED, 2, "5 7 part.json [1]\n[] []"),
    "import time; time.sleep(1000)": (ScriptEnded.TIMED_OUT, None, ""),
    "while True: print('x' * 1000)": (ScriptEnded.STDOUT_FULL, None, None),
    "import os; os.kill(os.getpid(), 11)": (ScriptEnded.SIGNALLED, None, ""),
}


@pytest.mark.parametrize("prefix", [(), BANNER], ids=["none", "command"])
def test_end_of_a_run_is_told_as_in_the_sandbox(prefix: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A script finds its files and no secret of the runner; its time and its output are limited."""
    monkeypatch.setenv("LAUREL_TOKEN", "laurel_secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    truth, modules = ("truth.json", b"7"), {"below/names.py": b"NAME = 5"}
    with PlainSandbox(prefix=prefix) as sandbox:
        for script, told in ENDS.items():
            limits = ScriptParameters(timeout_seconds=2 if told[0] is ScriptEnded.TIMED_OUT else 60)
            run = sandbox.for_benchmark(
                "v", script=script.encode(), ground_truth=truth, parameters=limits, modules=modules
            )
            end = run(b"{}", result_name="part.json", run=b"[1]")
            assert (end.ended, end.exit_code, told[2] and end.stdout.decode()) == told
            assert len(end.stdout) <= 1 << 20


@pytest.mark.parametrize("kind", [Sandbox, PlainSandbox], ids=["bubblewrap", "none"])
def test_large_result_is_a_file_that_the_script_opens(kind: type[Sandbox], tmp_path: Path) -> None:
    """It has the name that others have; one that a container does not show is the machine's fault."""
    file, script = (
        tmp_path / "result.zip",
        b"import os, sys; print(sys.argv[1][-9:], os.stat(sys.argv[1]).st_size, end='')",
    )
    file.write_bytes(bytes(6_000_000))
    if os.geteuid() == 0:
        os.chown(tmp_path, NOBODY, NOBODY)
    with kind(results=tmp_path) as sandbox:
        run = sandbox.for_benchmark("v", script=script, ground_truth=None, parameters=ScriptParameters())
        assert run(file, result_name="part.zip").stdout == b"/part.zip 6000000"
        if kind is PlainSandbox:
            with pytest.raises(SandboxFailure, match=r"No such file or directory: .*/gone\.zip"):
                run(tmp_path / "gone.zip")


def test_closed_runner_ends_its_run(tmp_path: Path) -> None:
    """Also where no signal of this machine arrives, as in a container; and what the script has started."""
    file = tmp_path / "pids"
    script = f"""
import os, subprocess, time
print(os.getpid(), subprocess.Popen(["sleep", "1000"]).pid, file=open({str(file)!r}, "w"), flush=True)
time.sleep(1000)
"""
    event = ScriptRun(script=script.encode(), result=b"{}", limits=ScriptParameters(timeout_seconds=1000)).to_event()
    runner = PlainRunner(["/usr/bin/setsid", "--wait"])
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(runner.ask, event)
        pids = set(map(int, str(wait_for(lambda: file.exists() and file.read_text())).split()))

        runner.close()

        assert isinstance(asked.exception(), RunnerDiedError)
    wait_for(lambda: not pids & living_below(1))
