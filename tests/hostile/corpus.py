"""The corpus of hostile and broken evaluation scripts: how each must end, how to run it, what it could leave.

The first line of a script is `# OUTCOME: part of the message`, or `# scored {scores}`; `twice` at its end asks for two
runs, the second on what the first left. `lambda.yaml` lists what ends otherwise behind a wall like Lambda's, and why.
"""

import json
import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from hypothesis import settings

from sandbox.bubblewrap import Sandbox
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.metrics.score_type import MetricType, ScoreType
from scoring_core.scorers.script.run import ScriptParameters
from scoring_core.scorers.script.scoring import read_end
from tests.harness.processes import living_below
from tests.hostile.frames import FRAMES

SCRIPTS = sorted(Path(__file__).parent.joinpath("scripts").rglob("*.py"))
IN_LAMBDA = yaml.safe_load(Path(__file__).with_name("lambda.yaml").read_text(encoding="utf-8"))
IS_WHOLE = settings.get_current_profile_name() == "fuzz"
SCORE_TYPE = ScoreType(headers=(MetricType(name="score", type="float", min=0, max=100),))
TRUTH = ("truth.json", b'{"level": 1}')
HONEST = b"""
import json, sys
print(json.dumps({"score": json.load(open(sys.argv[1]))["run"]}))
"""
# A script that must run out of time gets little of it; any other gets enough on a busy machine.
SHORT, LONG = 0.5, 10.0
GONE_SECONDS = 1.0


@dataclass(frozen=True)
class Case:
    """How a script must end."""

    outcome: str
    message: str
    scores: dict[str, float] | None
    runs: int

    @property
    def must_be_stopped(self) -> bool:
        """Return whether it may never end by itself."""
        return self.outcome == "evaluator_error" and self.message in {"", "ran out of time"}

    def fits(self, message: str) -> bool:
        """Return whether a message is one of those expected, with | between them: some scripts race with a limit."""
        return any(expected in message for expected in self.message.split(" | "))

    @classmethod
    def read(cls, path: Path, *, in_lambda: bool = False) -> "Case":
        """Read a script's first line; for a Lambda, what `lambda.yaml` says instead."""
        case = cls._parse(path.read_bytes().partition(b"\n")[0].decode())
        if in_lambda and path.stem in IN_LAMBDA:
            return replace(cls._parse(f"# {IN_LAMBDA[path.stem]['ends']}"), runs=case.runs)
        return case

    @classmethod
    def _parse(cls, line: str) -> "Case":
        scored = re.fullmatch(r"# scored (\{.*\})( twice)?", line)
        if scored:
            return cls("scored", "", json.loads(scored[1]), runs=2 if scored[2] else 1)
        failed = re.fullmatch(r"# (invalid|evaluator_error): ?(.*)", line)
        assert failed, f"the first line names no outcome: {line}"
        return cls(failed[1], failed[2], None, runs=1)


def remains() -> set[str]:
    """Return what a run could leave on this machine: mounts, control groups, files."""
    groups = [str(path) for path in Path("/sys/fs/cgroup").rglob(f"laurel-{os.getpid()}-*")]
    files = [
        str(path)
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/mnt", "/run")  # noqa: S108  # where runs would write if they could
        for path in Path(folder).iterdir()
        if re.match(r"canary|left|result-|benchmark-|run-", path.name)
    ]
    return {*Path("/proc/self/mountinfo").read_text().splitlines(), *groups, *files}


def outcome_of(
    sandbox: Sandbox, script: bytes, seconds: float, run: float = 1, *, version: str = "corpus"
) -> tuple[str, str, dict[str, float] | None]:
    """Run a script and return its outcome, message and scores; scripts of one version share runners."""
    parameters = ScriptParameters(timeout_seconds=seconds, memory_mib=128, processes=16, files_mib=8)
    run_script = sandbox.for_benchmark(version, script=script, ground_truth=TRUTH, parameters=parameters)
    end = run_script(json.dumps({"run": run}).encode())
    try:
        return "scored", end.output.stderr, SCORE_TYPE.select(read_end(end), exact=True)
    except InvalidResult as error:
        return "invalid", error.message, None
    except EvaluatorError as error:
        return "evaluator_error", f"{error.message}\n{end.output.stderr}", None


def read_script(path: Path) -> bytes:
    """Return a script of the corpus as it runs, with the frame of its folder."""
    begin, end = FRAMES.get(path.parent.name, (b"", b""))
    return begin + path.read_bytes() + end


def find_faults(sandbox: Sandbox, path: Path, case: Case) -> list[str]:
    """Run a script, then an honest one, close the sandbox, and return what is not as it must be."""
    script = read_script(path)
    seconds = SHORT if Case.read(path).must_be_stopped else LONG
    before = living_below(os.getpid()), remains()
    ends = [outcome_of(sandbox, script, seconds, run) for run in range(1, case.runs + 1)]
    honest = outcome_of(sandbox, HONEST, LONG, run=7)
    sandbox.close()
    faults = [
        f"expected {case}, found {outcome} {scores}: {message}"
        for outcome, message, scores in ends
        if (outcome, scores) != (case.outcome, case.scores) or not case.fits(message)
    ]
    if honest != ("scored", "", {"score": 7.0}):
        faults.append(f"an honest script ends as {honest} afterwards")
    left = still_living(before[0]), remains() - before[1]
    return faults + [f"left behind: {some}" for some in left if some]


def still_living(before: set[int]) -> set[int]:
    """Return the processes that are new and do not end within a second."""
    deadline = time.monotonic() + GONE_SECONDS
    while (left := living_below(os.getpid()) - before) and time.monotonic() < deadline:
        os.sched_yield()
    return left
