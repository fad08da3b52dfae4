"""The interface of a scorer: what it is built from, how it is called and for how long, and what it returns."""

import json
import signal
import sys
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import FrameType, MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from scoring_core.io.formats import JSON

if TYPE_CHECKING:
    from pydantic import BaseModel

    from scoring_core.output import Output
    from scoring_core.scorers.script.run import RunScript

type Json = bool | int | float | str | list[Json] | dict[str, Json] | None
type Scores = dict[str, int | float]
"""Metric → number, always finite. An absent score is a missing key: never 0, NaN or None."""

MAX_SCORES_BYTES = 300_000
"""Of the scores of all parts, as JSON: a record holds them with a message, a pointer and a short detail in 400 KB."""
_LONGEST_NUMBER = -2.2250738585072014e-308
MAX_SECONDS = 30.0
"""Many times what the largest valid result of 20 MB takes (measured: 1.1 s)."""
_AGAIN_SECONDS = 0.1
MAX_DOUBLE = sys.float_info.max
"""A number of JSON, of any digits, is within ± this or too large for a double."""


class Evaluation(NamedTuple):
    """The scores of one part of a result, and their explanation.

    Args:
        scores: Every score that the scorer yields, at full precision.
        detail: Explains them to the player, without the ground truth.
        part: The question, level or track that was scored; None for the benchmark as a whole.
        output: What an evaluation script printed, for the owner in case these scores do not fit the metrics.
        absent: The scores that an evaluation script names and says to have no value.
        public: In a final, that of the public rows.
    """

    scores: Scores
    detail: dict[str, Json]
    part: str | None = None
    output: "Output | None" = None
    absent: frozenset[str] = frozenset()
    public: "Evaluation | None" = None


class TicketedRun(NamedTuple):
    """What the run ticket of a result says, which no player can change.

    Args:
        seconds: From the ticket to the submission, by the server's clock; ≥ 0.
        seed: 16 hexadecimal digits, if the ticket had a seed.
    """

    seconds: float
    seed: str | None = None


class Scorer(Protocol):
    """Scores one result after another; what results share was prepared before."""

    def __call__(
        self, result: bytes, /, *, part: str | None = None, run: TicketedRun | None = None
    ) -> Sequence[Evaluation]:
        """Return one evaluation for each part that was scored, at least one.

        Args:
            result: The bytes as the player sent them.
            part: The part that the submission named, if it named one.
            run: What the run ticket says, if there was one; only scorers of plays take it.

        Scorer `script` also takes `file_format`, that of a result that is not JSON; the others look at the bytes.

        Raises InvalidResult or EvaluatorError.
        """
        ...


class ScorerInputs(NamedTuple):
    """The parts of a benchmark that decide scores.

    Args:
        parameters: The scorer's own model, validated.
        ground_truth: The bytes of the file, if there is one.
        script: The bytes of `evaluate.py`; None except for scorer `script`.
        modules: The other files of `evaluate/`, path inside it → bytes.
        run_script: Runs that script in a sandbox; without it results cannot be scored.
        is_hidden: Whether the hidden rows of the ground truth are scored, instead of the public ones.
    """

    parameters: "BaseModel"
    ground_truth: bytes | None = None
    script: bytes | None = None
    run_script: "RunScript | None" = None
    modules: Mapping[str, bytes] = MappingProxyType({})
    is_hidden: bool = False


class ScorerSpec(NamedTuple):
    """What is known of a scorer before its code is imported.

    Args:
        name: What `scorer:` in `benchmark.yaml` says, and the folder of the scorer.
        parameters: Model of `parameters:`; frozen, unknown keys forbidden.
        score_names: Every score that it can yield; None if the benchmark's parameters or its script decide.
        needs_ground_truth: A benchmark without ground truth is rejected.
        has_parts: Its ground truth declares parts.
        reads: The formats of results that it reads: names of `io/formats.py`.
        revision: Rises when a result may get another score than before: then every benchmark of the scorer has another
            version once it is published again, which a rescore makes current.
        hides_rows: Its one ground truth has public and hidden rows if the parameter `rows` says so.
        trusts_players: Its scores are numbers of the result: one that does not fit its metric is the player's error.
    """

    name: str
    parameters: "type[BaseModel]"
    score_names: tuple[str, ...] | None
    needs_ground_truth: bool = True
    has_parts: bool = False
    hides_rows: bool = False
    trusts_players: bool = False
    reads: tuple[str, ...] = (JSON,)
    revision: int = 1

    def scores_of(self, parameters: "BaseModel") -> tuple[str, ...] | None:
        """Return every score that it can yield; None if the benchmark's script decides."""
        names: tuple[str, ...] | None = getattr(parameters, "score_names", self.score_names)
        return names

    def prepare(self, inputs: ScorerInputs) -> Scorer:
        """Build the scorer. Raises EvaluatorError if the inputs are wrong."""
        scorer: Scorer = import_module(f"scoring_core.scorers.{self.name}.scoring").prepare(inputs)
        return scorer

    def conceal(self, inputs: ScorerInputs) -> bytes | None:
        """Return the ground truth without its hidden rows' answers.

        Raises EvaluatorError if the ground truth is wrong.
        """
        if not self.hides_rows:
            return inputs.ground_truth
        truth: bytes = import_module(f"scoring_core.scorers.{self.name}.ground_truth").conceal(inputs)
        return truth

    def parts_of(self, inputs: ScorerInputs) -> tuple[str, ...]:
        """Return the parts that the ground truth itself declares, in its order."""
        if not self.has_parts:
            return ()
        parts: tuple[str, ...] = import_module(f"scoring_core.scorers.{self.name}.ground_truth").list_parts(inputs)
        return parts


class OutOfTime(BaseException):
    """The limit was exceeded. No Exception, so that no scorer handles it as its own error."""


@contextmanager
def limit_processor_time(seconds: float) -> Iterator[None]:
    """Limit the processor time that this process spends inside the context.

    A timer of the kernel counts it and interrupts Python code and regular expressions alike. Waiting does not count,
    nor does other work of the machine; evaluation scripts have a limit of their own.

    Only the main thread can be interrupted: there Lambda, the local workers and the command line score. In any other
    thread, and on systems without the timer (Windows), there is no limit. Raises OutOfTime if the limit was exceeded.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGPROF"):
        yield
        return
    armed = True

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if armed:
            raise OutOfTime

    before = signal.signal(signal.SIGPROF, interrupt)
    # Repeated, because Python drops an exception that is raised inside a destructor.
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)
    # Two `finally`: an interruption inside the first must not leave the timer running.
    try:
        try:
            yield
        finally:
            armed = False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def join_halves(public: Scorer, hidden: Scorer) -> Scorer:
    """Return the scorer of a final: by hidden rows, with the public ones beside.

    It raises what either raises. A result is read once for both by a scorer that can.
    """
    read = getattr(hidden, "read", bytes)

    def score(result: bytes, /, **given: Any) -> Sequence[Evaluation]:
        table = read(result)
        before = {evaluation.part: evaluation for evaluation in public(table, **given)}
        return [evaluation._replace(public=before.get(evaluation.part)) for evaluation in hidden(table, **given)]

    return score


def write_scores(evaluations: Iterable[Evaluation]) -> str:
    """Return the scores part by part as they are stored: JSON, in ASCII."""
    return json.dumps([[evaluation.part, evaluation.scores] for evaluation in evaluations])


def find_excess_of_scores(parts: Collection[str], metrics: Collection[str]) -> str | None:
    """Return why scores of so many parts and metrics may be too large to record."""
    widest = dict.fromkeys(metrics, _LONGEST_NUMBER)
    size_bytes = len(write_scores(Evaluation(widest, {}, part) for part in parts))
    if size_bytes <= MAX_SCORES_BYTES:
        return None
    return (
        f"expected metrics whose scores for all {len(parts)} parts take at most {MAX_SCORES_BYTES} bytes as JSON, "
        f"found {len(metrics)} that may take {size_bytes}: use fewer, or shorter names"
    )


def pointer(*steps: str | int) -> str:
    """Return the JSON pointer (RFC 6901) of these steps.

    >>> pointer("answers", 0, "a/b")
    '/answers/0/a~1b'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def describe(value: object) -> str:
    """Return a JSON value as an error message names it: its type, and itself if short.

    >>> describe(True), describe("x" * 99), describe(None), describe([])
    ('the boolean true', 'a string of 99 characters', 'null', 'an array')
    """
    match value:
        case None:
            return "null"
        case bool():
            return f"the boolean {str(value).lower()}"
        case int() | float():
            text = repr(value)
            return f"the number {text}" if len(text) <= 40 else "a long number"  # noqa: PLR2004
        case str():
            return f"the string {value!r}" if len(value) <= 40 else f"a string of {len(value)} characters"  # noqa: PLR2004
        case Mapping():
            return "an object"
        case _:
            return "an array"
