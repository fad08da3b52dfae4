"""What the end of an evaluation script means. Source: docs/sources.md, "Score pipeline", exit codes and stdout."""

import json
import re
from collections.abc import Sequence

from scoring_core.errors import EvaluatorError, InvalidResult, SandboxFailure, StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.formats import JSON
from scoring_core.io.limits import MAX_SCRIPT_RESULT_BYTES
from scoring_core.io.strict_json import BYTE_ORDER_MARK
from scoring_core.io.text import show_harmless
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs, TicketedRun, describe
from scoring_core.scorers.script.run import Result, RunScript, ScriptEnd, ScriptEnded, cut_text

MAX_DEPTH = 32
SCORED, INVALID = 0, 2
"""The exit codes with a meaning; every other one is the owner's error."""

_MESSAGE_BYTES = 4000
_MAX_LINE_BYTES = 500
_MAX_TRACE_BYTES = 4000
_MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_INSTALLS = re.compile(r"(?:subprocess\.)?CalledProcessError: .{0,300}?\bpip\b")
_MISSING_FILE = re.compile(r"FileNotFoundError: \[Errno 2\] ")

_ADVICE = (
    (
        _MISSING_MODULE,
        (
            "the runtime of this benchmark has no {0!r}: `runtime:` in benchmark.yaml names another, as learning with "
            "scikit-learn; modules of your own belong into a folder evaluate/, with evaluate.py; without a sandbox the "
            "Python that has `laurel` needs it: `uv tool install --with PACKAGE …`"
        ),
    ),
    (_INSTALLS, "nothing can be installed while a script runs: `runtime:` in benchmark.yaml names what it may import"),
    (
        _MISSING_FILE,
        'the ground truth is beside evaluate.py: Path(__file__).with_name("…"); the result is sys.argv[1]',
    ),
)
"""Exceptions that scripts of other platforms often end with, and what to do about them."""


def prepare(inputs: ScorerInputs) -> "ScriptScorer":
    """Return the scorer; the script is checked when it is published."""
    return ScriptScorer(inputs.run_script)


class ScriptScorer:
    """Runs the owner's script on each result and reads its scores."""

    def __init__(self, run_script: RunScript | None) -> None:
        self._run_script = run_script

    def __call__(
        self, result: Result, /, *, part: str | None = None, run: TicketedRun | None = None, file_format: str = JSON
    ) -> Sequence[Evaluation]:
        """Score one result, or a file of one, whose size is the owner's matter.

        The script learns part and format from the name of the file, and reads what the run ticket says in `run.json`
        beside it. Raises InvalidResult if the script exited with 2, or the result is too large for one, EvaluatorError
        if the script failed, or its output is no scores, SandboxFailure if the script could not be run; that is ours,
        and worth another try.
        """
        if isinstance(result, bytes) and len(result) > MAX_SCRIPT_RESULT_BYTES:
            raise InvalidResult(
                f"a result for an evaluation script has at most {MAX_SCRIPT_RESULT_BYTES} bytes, found {len(result)}"
            )
        if self._run_script is None:
            raise SandboxFailure("there is no sandbox here to run evaluation scripts in")
        given = {} if run is None else {"run": json.dumps(run._asdict()).encode()}
        # A script that is no stricter than Python's reader would fail on it.
        if file_format == JSON and isinstance(result, bytes):
            result = result.removeprefix(BYTE_ORDER_MARK)
        end = self._run_script(result, result_name=f"{part or 'result'}.{file_format}", **given)
        named = read_end(end)
        scores = {name: score for name, score in named.items() if score is not None}
        return (Evaluation(scores, {}, part, output=end.output, absent=frozenset(named.keys() - scores.keys())),)


def read_end(end: ScriptEnd) -> dict[str, int | float | None]:
    """Return the scores that a run printed, not yet checked against the score type.

    One that is `null` has no value.

    Raises:
        InvalidResult: It exited with 2.
        EvaluatorError: It did not exit with 0 or 2, or its stdout is not one JSON object of numbers.

    >>> read_end(ScriptEnd(ScriptEnded.EXITED, exit_code=0, stdout=b'{"Coins": 50, "Points": 3.2}'))
    {'Coins': 50, 'Points': 3.2}
    """
    if end.ended is ScriptEnded.EXITED and end.exit_code == INVALID:
        raise InvalidResult(_reason(end), output=end.output)
    if end.ended is ScriptEnded.EXITED and end.exit_code == SCORED:
        try:
            return _scores(strict_json.loads(end.stdout, max_depth=MAX_DEPTH))
        except (StrictJsonError, TypeError) as error:
            message = f"stdout: expected one JSON object, score name → number, and nothing else; {error}"
            raise EvaluatorError(message, output=end.output) from error
    expected = f"expected exit code {SCORED} (scored) or {INVALID} (the result is invalid)"
    advice = find_advice(end.stderr)
    message = f"the evaluation script {end.summary}; {expected}{advice and f'; {advice}'}"
    raise EvaluatorError(message, output=end.output)


def find_advice(stderr: bytes) -> str:
    """Return what to do about the exception that a script ended with; "" for others.

    >>> find_advice(b"FileNotFoundError: [Errno 2] No such file or directory: 'ref.json'")[:43]
    'the ground truth is beside evaluate.py: Pat'
    """
    line = stderr.rstrip()[-_MAX_TRACE_BYTES:].decode(errors="replace").rpartition("\n")[2][:_MAX_LINE_BYTES]
    matches = ((pattern.match(line), advice) for pattern, advice in _ADVICE)
    return next((advice.format(*match.groups()) for match, advice in matches if match), "")


def _scores(value: Json) -> dict[str, int | float | None]:
    if not isinstance(value, dict):
        raise TypeError(f"found {describe(value)}")
    return {name: None if score is None else _number(name, score) for name, score in value.items()}


def _number(name: str, value: Json) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name[:64]!r} is {describe(value)}")
    # −0.0 equals 0 and sorts with it, but would be shown as "-0".
    return value or 0


def _reason(end: ScriptEnd) -> str:
    output = b"\n".join(text.strip() for text in (end.stdout, end.stderr) if text.strip())
    if not output:
        return "the evaluation script found the result invalid and gave no reason"
    return show_harmless(cut_text(output, limit=_MESSAGE_BYTES))
