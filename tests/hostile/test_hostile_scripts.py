"""The corpus of hostile and broken evaluation scripts: each ends as its first line says, and leaves nothing behind.

The first line of a script is `# OUTCOME: words of the message`, or `# scored {scores}`; `twice` at its end asks for two
runs, the second on what the first left.
"""

import ctypes
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.bubblewrap import Sandbox
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.score_type import Header, ScoreType
from scoring_core.script import Parameters, read_end

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)

SCRIPTS = sorted(Path(__file__).parent.joinpath("scripts").glob("*.py"))
SCORE_TYPE = ScoreType(headers=(Header(name="score", type="float", min=0, max=100),))
TRUTH = ("truth.json", b'{"level": 1}')
HONEST = b"""
import json, sys
print(json.dumps({"score": json.load(open(sys.argv[1]))["run"]}))
"""
# A script that must run out of time does so soon; any other has time enough on a busy machine.
SHORT, LONG = 0.5, 10.0
GONE_SECONDS = 1.0
SUBREAPER = 36
FAMILIES = {"time_": 20, "survivor_": 8, "look_": 20, "trace_": 8, "words_": 40}


@dataclass(frozen=True)
class Case:
    """What a script's first line promises."""

    outcome: str
    message: str
    scores: dict[str, float] | None
    runs: int

    @property
    def must_be_stopped(self) -> bool:
        """Whether it does not end by itself, or need not."""
        return self.outcome == "evaluator_error" and self.message in {"", "ran out of time"}

    @classmethod
    def read(cls, script: bytes) -> "Case":
        """Read a script's first line."""
        line = script.partition(b"\n")[0].decode()
        scored = re.fullmatch(r"# scored (\{.*\})( twice)?", line)
        if scored:
            return cls("scored", "", json.loads(scored[1]), runs=2 if scored[2] else 1)
        failed = re.fullmatch(r"# (invalid|evaluator_error): ?(.*)", line)
        assert failed, f"the first line promises nothing: {line}"
        return cls(failed[1], failed[2], None, runs=1)


@pytest.fixture(scope="module", autouse=True)
def subreaper() -> None:
    """Make every orphan of a sandbox a child of this process, so that none can hide from the looking below."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox of its own for each case."""
    with Sandbox() as sandbox:
        yield sandbox


def living() -> set[int]:
    """Every process below this one that is not dead."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            parents[int(path.parent.name)] = int(parent)
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return below - {os.getpid()}


def remains() -> set[str]:
    """What a run could leave on this machine: mounts, control groups, files."""
    groups = [str(path) for path in Path("/sys/fs/cgroup").rglob(f"laurel-{os.getpid()}-*")]
    files = [
        str(path)
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/mnt", "/run")  # noqa: S108  # where runs write, were they free
        for path in Path(folder).iterdir()
        if re.match(r"canary|left|result-|benchmark-|run-", path.name)
    ]
    return {*Path("/proc/self/mountinfo").read_text().splitlines(), *groups, *files}


def outcome_of(
    sandbox: Sandbox, script: bytes, seconds: float, run: int = 1
) -> tuple[str, str, dict[str, float] | None]:
    """How one run of a script ends: outcome, message, scores."""
    parameters = Parameters(timeout_seconds=seconds, memory_mib=128, processes=16, files_mib=8)
    run_script = sandbox.for_benchmark("corpus", script=script, ground_truth=TRUTH, parameters=parameters)
    end = run_script(json.dumps({"run": run}).encode())
    try:
        return "scored", end.output.stderr, SCORE_TYPE.select(read_end(end), exact=True)
    except InvalidResult as error:
        return "invalid", error.message, None
    except EvaluatorError as error:
        return "evaluator_error", f"{error.message}\n{end.output.stderr}", None


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_ends_as_its_first_line_says_and_leaves_nothing(path: Path, sandbox: Sandbox) -> None:
    """The outcome is the promised one, nothing of the run is left, and an honest script scores right afterwards."""
    script = path.read_bytes()
    case = Case.read(script)
    seconds = SHORT if case.must_be_stopped else LONG
    before = living(), remains()

    found = [outcome_of(sandbox, script, seconds, run) for run in range(1, case.runs + 1)]
    honest = outcome_of(sandbox, HONEST, LONG, run=7)
    sandbox.close()

    for outcome, message, scores in found:
        assert (outcome, scores) == (case.outcome, case.scores), message
        assert case.message in message
    assert honest == ("scored", "", {"score": 7.0})
    deadline = time.monotonic() + GONE_SECONDS
    while (left := living() - before[0]) and time.monotonic() < deadline:
        os.sched_yield()
    assert not left
    assert not remains() - before[1]


def test_corpus_is_complete() -> None:
    """Every family of the corpus is there, so that a lost folder cannot pass for a passed one."""
    families = {family: sum(path.stem.startswith(family) for path in SCRIPTS) for family in FAMILIES}

    assert all(families[family] >= least for family, least in FAMILIES.items()), families
