"""A benchmark owner's own evaluation script: what its end means."""

from collections.abc import Sequence
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from scoring_core.errors import EvaluatorError, InvalidResult, SandboxFailure, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.text import show_harmless
from scoring_core.scorers.base import Evaluation, Json, Scorer, ScorerInputs, ScorerSpec, Scores, describe
from scoring_core.scorers.script.run import RunScript, ScriptEnd, ScriptEnded, ScriptLimits, cut_text

MAX_RESULT_BYTES = 4 << 20
MAX_SCRIPT_BYTES = 1 << 20
MAX_GROUND_TRUTH_BYTES = 64 << 20
"""Beside a script, whose sandbox on one machine holds it in memory, in a folder of 128 MiB."""
MAX_DEPTH = 32
MAX_INTEGER = 1 << 53
SCORED, INVALID = 0, 2
"""The exit codes that mean something; every other one is the owner's error."""

_MESSAGE_BYTES = 4000


class Isolation(StrEnum):
    """Whether the runs of one benchmark version share a warm runner, one after another, or each gets its own."""

    SHARED = "shared"
    STRICT = "strict"


class Parameters(BaseModel):
    """Limits of one run.

    Args:
        timeout_seconds: Wall time.
        memory_mib: Memory of all its processes together, beyond the interpreter and the packages it imports.
        processes: Processes and threads at one time.
        files_mib: What it writes in its own folder and in `/tmp`.
        isolation: Whether runs share a runner.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    timeout_seconds: float = Field(default=30, gt=0, le=120, allow_inf_nan=False)
    memory_mib: int = Field(default=512, ge=16, le=2048)
    processes: int = Field(default=32, ge=1, le=128)
    files_mib: int = Field(default=64, ge=1, le=256)
    isolation: Isolation = Isolation.SHARED

    @property
    def limits(self) -> ScriptLimits:
        """The limits as the sandbox takes them."""
        return ScriptLimits(
            timeout_seconds=self.timeout_seconds,
            memory_mib=self.memory_mib,
            processes=self.processes,
            files_mib=self.files_mib,
        )


class ScriptScorer:
    """Hands each result to the owner's script and reads what it says."""

    def __init__(self, run_script: RunScript | None) -> None:
        self._run_script = run_script

    def __call__(self, result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        """Score one result; the part is the one that the submission named, and the script reads it off the file's name.

        Raises:
            InvalidResult: The script exited with 2, or the result is too large for one.
            EvaluatorError: The script failed, or what it printed is no scores.
            SandboxFailure: The script could not be run; ours, and worth another try.
        """
        if len(result) > MAX_RESULT_BYTES:
            raise InvalidResult(
                f"a result for an evaluation script has at most {MAX_RESULT_BYTES} bytes, found {len(result)}"
            )
        if self._run_script is None:
            raise SandboxFailure("there is no sandbox here to run evaluation scripts in")
        end = self._run_script(result, result_name=f"{part or 'result'}.json")
        return (Evaluation(scores=read_end(end), part=part, output=end.output),)


def read_end(end: ScriptEnd) -> Scores:
    """Give the scores that a run printed.

    Args:
        end: How the run ended.

    Returns:
        Score name → finite number, at least as printed: names, minima and maxima are checked against the score type
        elsewhere.

    Raises:
        InvalidResult: It exited with 2.
        EvaluatorError: It ended in any other way than with 0, or its stdout is not one JSON object of numbers.

    Source: docs/sources.md, "Score pipeline", exit codes and stdout.

    >>> read_end(ScriptEnd(ScriptEnded.EXITED, exit_code=0, stdout=b'{"Coins": 50, "Points": 3.2}'))
    {'Coins': 50, 'Points': 3.2}
    """
    if end.ended is ScriptEnded.EXITED and end.exit_code == INVALID:
        raise InvalidResult(_reason(end), output=end.output)
    if end.ended is ScriptEnded.EXITED and end.exit_code == SCORED:
        try:
            return _scores(strict_json.loads(end.stdout, max_depth=MAX_DEPTH))
        except (StrictJsonError, _NoScoresError) as error:
            message = f"stdout: expected one JSON object, score name → number, and nothing else; {error}"
            raise EvaluatorError(message, output=end.output) from error
    expected = f"expected exit code {SCORED} (scored) or {INVALID} (the result is invalid)"
    raise EvaluatorError(f"the evaluation script {end.summary}; {expected}", output=end.output)


class _NoScoresError(Exception):
    """JSON, but not scores."""


def _scores(value: Json) -> Scores:
    if not isinstance(value, dict):
        raise _NoScoresError(f"found {describe(value)}")
    return {name: _number(name, score) for name, score in value.items()}


def _number(name: str, value: Json) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _NoScoresError(f"{name[:64]!r} is {describe(value)}")
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        raise _NoScoresError(f"{name[:64]!r} is an integer beyond ±2^53, which not every reader keeps exactly")
    # −0.0 equals 0 and sorts with it, but would be shown as "-0".
    return value or 0


def _reason(end: ScriptEnd) -> str:
    said = b"\n".join(text.strip() for text in (end.stdout, end.stderr) if text.strip())
    if not said:
        return "the evaluation script found the result invalid and gave no reason"
    return show_harmless(cut_text(said, limit=_MESSAGE_BYTES))


def _prepare(materials: ScorerInputs) -> Scorer:
    if materials.script is None:
        raise EvaluatorError("scorer `script` needs evaluate.py, and there is none")
    if len(materials.script) > MAX_SCRIPT_BYTES:
        raise EvaluatorError(f"evaluate.py has {len(materials.script)} bytes, at most {MAX_SCRIPT_BYTES} are run")
    truth = materials.ground_truth or b""
    if len(truth) > MAX_GROUND_TRUTH_BYTES:
        raise EvaluatorError(
            f"the ground truth has {len(truth)} bytes, a script reads at most {MAX_GROUND_TRUTH_BYTES}"
        )
    return ScriptScorer(materials.run_script)


KIND = ScorerSpec(name="script", parameters=Parameters, score_names=None, prepare=_prepare, needs_ground_truth=False)
