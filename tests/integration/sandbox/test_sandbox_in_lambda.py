"""The sandbox function behind a wall like Lambda's: what works there, what is refused, what is protected."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from runner import closing

from sandbox.bubblewrap import Sandbox
from scoring_core.errors import InvalidResult, SandboxFailure
from scoring_core.metrics.score_type import ScoreType
from scoring_core.scorers.script.run import ScriptEnded, ScriptParameters, ScriptRun, read_answer
from scoring_core.scorers.script.scoring import read_end
from tests.harness.lambda_wall.init import SECRET
from tests.harness.lambda_wall.wall import lambda_sandbox

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
SCRIPTED = sorted(path.parent for path in BENCHMARKS.glob("*/evaluate.py"))
SELF_TEST = {"self_test": True}
# What the parent's memory has of the function's credentials.
SEARCH = f"""
import os, re
found, read = 0, 0
for line in open(f"/proc/{{os.getppid()}}/maps"):
    start, stop = (int(part, 16) for part in line.split()[0].split("-"))
    if "rw" in line.split()[1]:
        with open(f"/proc/{{os.getppid()}}/mem", "rb", 0) as memory:
            memory.seek(start)
            held = memory.read(stop - start)
        found, read = found + held.count(bytes({list(SECRET.encode())!r})), read + held.count(b"lambda_handler")
print(found, read > 0)
""".encode()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One function behind the wall."""
    with lambda_sandbox() as sandbox:
        yield sandbox


@pytest.fixture(scope="module", params=[lambda_sandbox, Sandbox], ids=["behind the wall", "without it"])
def any_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """A function, and the sandbox of a machine, which shares a runner as the platform does."""
    with request.param() as sandbox:
        yield sandbox


@pytest.mark.parametrize("folder", SCRIPTED, ids=lambda folder: folder.name)
def test_examples_of_a_script_get_what_is_promised(any_sandbox: Sandbox, folder: Path) -> None:
    """Each shipped example: its scores to the last bit, or the reason why it is invalid."""
    definition = yaml.safe_load(folder.joinpath("benchmark.yaml").read_text())
    expected = yaml.safe_load(folder.joinpath("examples", "expected.yaml").read_text())
    score_type = ScoreType.model_validate(definition["score_type"])
    truth = definition.get("ground_truth", "truth.json")
    run = any_sandbox.for_benchmark(
        folder.name,
        script=folder.joinpath("evaluate.py").read_bytes(),
        ground_truth=(truth, folder.joinpath(truth).read_bytes()),
        parameters=ScriptParameters.model_validate(definition["parameters"]),
    )

    assert {path.stem for path in folder.joinpath("examples").glob("*.json")} == set(expected)
    for name, promise in expected.items():
        end = run(folder.joinpath("examples", f"{name}.json").read_bytes(), result_name=f"{promise['part']}.json")
        if promise["outcome"] == "scored":
            assert score_type.select(read_end(end), exact=True) == promise["scores"], name
        else:
            with pytest.raises(InvalidResult, match=re.escape(promise["message"])):
                read_end(end)


def test_self_test_reports_what_is_missing(sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    """Which protections hold is known before the first script runs."""
    answer = sandbox.invoke("self-test", SELF_TEST)["self_test"]

    with capsys.disabled():
        print(f"\nself-test behind the wall: {json.dumps(answer, indent=2)}")  # noqa: T201 — to look at
    missing = {name for name, holds in answer["run"]["protections"].items() if not holds}
    assert answer["process"] != 1
    assert (answer["closed"], set(answer["zygote"].values())) == (True, {False})
    assert (answer["run"]["ended"], answer["run"]["code"], answer["run"]["spent"]) == ("exited", 0, False)
    assert missing == {"supervisor_not_signalled", "no_runtime_interface"}


def test_self_test_in_bubblewrap_misses_nothing() -> None:
    """On one machine every protection holds."""
    with Sandbox() as sandbox:
        answer = sandbox.invoke("self-test", SELF_TEST)["self_test"]

    assert answer["closed"]
    assert all(answer["zygote"].values())
    assert all(answer["run"]["protections"].values()), answer


def test_answer_of_a_self_test_scores_nothing(sandbox: Sandbox) -> None:
    """If it is taken for the answer to a run, that is a failure of the platform, never a score."""
    with pytest.raises(SandboxFailure):
        read_answer(sandbox.invoke("self-test", SELF_TEST))


def test_memory_of_the_runner_is_closed_without_prctl(sandbox: Sandbox) -> None:
    """The runner started again from a program that nobody may read: no run opens its memory."""
    run = sandbox.for_benchmark("search", script=SEARCH, ground_truth=None, parameters=ScriptParameters())

    end = run(b"{}")

    assert end.exit_code == 1
    assert "PermissionError" in end.output.stderr


def test_memory_that_a_run_can_read_has_no_credentials() -> None:
    """Where the runner could not be closed, what Lambda gave the function is overwritten."""
    with lambda_sandbox(variables={"LAUREL_CLOSED_PROGRAM": "/nowhere"}) as sandbox:
        run = sandbox.for_benchmark("search", script=SEARCH, ground_truth=None, parameters=ScriptParameters())
        end = run(b"{}")

    assert end.stdout == b"0 True\n", end.output.stderr


@pytest.mark.parametrize(
    "wall",
    [
        {"allowed": ("prctl",)},
        {"allowed": ("pidfd_open", "ioprio_get", "get_robust_list")},
        {"allowed": ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")},
        {"refused": ("sched_getscheduler", "sched_getparam", "getpriority", "listxattr")},
    ],
    ids=str,
)
def test_another_lambda_runs_scripts_too(wall: dict[str, tuple[str, ...]]) -> None:
    """Each refusal alone is survived; without the calls that only show who changed what, runs are not protected."""
    event = ScriptRun(script=b"print(1)", result=b"{}", limits=ScriptParameters()).to_event()
    with lambda_sandbox(**wall) as sandbox:
        ends = [read_answer(sandbox.invoke("tenant", event)) for _ in range(2)]

    assert [(end.exit_code, end.stdout, end.spent) for end in ends] == [(0, b"1\n", False)] * 2


# What a run's script does, and how the run must end for the platform.
ENDS = {
    "print(1)": (ScriptEnded.EXITED, 0, b"1\n", False),
    "raise SystemExit(3)": (ScriptEnded.EXITED, 3, b"", False),
    "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)": (ScriptEnded.SIGNALLED, None, b"", True),
    "while True: pass": (ScriptEnded.TIMED_OUT, None, b"", True),
    "import os, time\nif os.fork() == 0: time.sleep(60)": (ScriptEnded.EXITED, 0, b"", True),
    "import os, signal; os.kill(os.getppid(), signal.SIGKILL)": (ScriptEnded.SIGNALLED, None, b"", True),
}


@pytest.mark.parametrize("script", ENDS)
def test_lambda_that_refuses_siblings_runs_scripts_too(script: str) -> None:
    """Where no run can be the supervisor's child, the zygote waits for it and reports how it ended."""
    event = ScriptRun(script=script.encode(), result=b"{}", limits=ScriptParameters(timeout_seconds=2)).to_event()
    with lambda_sandbox(refuses_siblings=True) as sandbox:
        end = read_answer(sandbox.invoke("tenant", event))
        if not end.spent:
            assert sandbox.invoke("tenant", SELF_TEST)["self_test"]["zygote_waits"]
            end = read_answer(sandbox.invoke("tenant", event))

    assert (end.ended, end.exit_code, end.stdout, end.spent) == ENDS[script]


@pytest.mark.parametrize("files", [5, 6, 7])
def test_script_that_takes_the_runners_means_is_to_blame(sandbox: Sandbox, files: int) -> None:
    """A runner that may open few files cannot clean up: it ends, and does not report a failure of the platform."""
    script = f"import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, ({files}, {files}))"
    run = sandbox.for_benchmark(str(files), script=script.encode(), ground_truth=None, parameters=ScriptParameters())

    end = run(b"{}")

    assert end.spent
    assert end.ended in {ScriptEnded.RUNNER_DIED, ScriptEnded.EXITED}


# The first run changes a constant of the script in the memory of the zygote, which later runs are forked from.
INFECT = b"""
import json, os, sys
mark = "constant-of-the-honest-script"
if json.load(open(sys.argv[1])) == 1:
    others = {int(name) for name in os.listdir("/proc") if name.isdecimal()} - {1, os.getppid(), os.getpid()}
    with open(f"/proc/{others.pop()}/mem", "r+b", 0) as memory:
        for line in open("/proc/self/maps"):
            start, stop = (int(part, 16) for part in line.split()[0].split("-"))
            if "rw" in line.split()[1]:
                memory.seek(start)
                held = memory.read(stop - start) or b""
                at = held.find(mark.encode())
                while at >= 0:
                    memory.seek(start + at)
                    memory.write(b"forged")
                    at = held.find(mark.encode(), at + 1)
print(mark)
"""


@pytest.mark.parametrize(("fresh", "mark"), [(False, b"forged"), (True, b"consta")])
def test_only_a_new_zygote_is_safe_from_an_earlier_run(sandbox: Sandbox, *, fresh: bool, mark: bytes) -> None:
    """Without prctl a run can write to the zygote's memory; a strict run comes from a zygote of its own."""
    events = [
        ScriptRun(script=INFECT, result=result, limits=ScriptParameters(), fresh=fresh).to_event()
        for result in (b"1", b"2")
    ]

    first, second = (read_answer(sandbox.invoke(f"infected-{fresh}", event)) for event in events)

    assert (first.exit_code, first.spent, first.stdout[:6]) == (0, False, b"consta"), first.output.stderr
    assert second.stdout[:6] == mark


def test_start_after_one_that_ended_in_the_copy_goes_on_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy of Python with which Lambda's runtime cannot go on ends one start, and not every start."""
    started = []

    def end(program: Path, *_: object) -> None:
        started.append(program)
        raise SystemExit(1)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(closing, "close_process", lambda: False)
    monkeypatch.setattr(closing.os, "execve", end)

    with pytest.raises(SystemExit):
        closing.close_to_runs()
    closing.close_to_runs()

    assert len(started) == 1
    assert "cannot be closed to its runs" in capsys.readouterr().err
