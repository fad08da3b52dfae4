"""What a scorer is: what it is built from, how it is called, and what it gives."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from scoring_core.errors import Output
from scoring_core.scorers.script.run import RunScript

type Json = bool | int | float | str | list[Json] | dict[str, Json] | None
type Scores = dict[str, int | float]
"""Header name → number, always finite. A score that there is none of is a missing key: never 0, NaN or None."""

MAX_SCORES_BYTES = 300_000
"""Of the scores of all parts, as JSON: a record holds them beside a message, a pointer and a short detail in 400 KB."""
_LONGEST_NUMBER = -2.2250738585072014e-308


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The scores of one part of a result, and what explains them.

    Args:
        scores: Every score that the scorer yields, at full precision.
        detail: What explains them to the player; never a word of the ground truth.
        part: The question, level or track that was scored; None: the benchmark as a whole.
        output: What an evaluation script printed, for the owner, should these scores not fit the columns.
    """

    scores: Scores
    detail: dict[str, Json] = field(default_factory=dict)
    part: str | None = None
    output: Output | None = None


class Scorer(Protocol):
    """Scores one result after another; everything that results share was prepared before."""

    def __call__(self, result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
        """Score one result.

        Args:
            result: The bytes as the player sent them.
            part: The part that the submission named; None where it named none.

        Returns:
            One Evaluation for each part that was scored, at least one.

        Raises:
            InvalidResult: The result is wrong.
            EvaluatorError: The benchmark is wrong.
        """
        ...


@dataclass(frozen=True, slots=True)
class ScorerInputs:
    """What a scorer is built from: the files of a benchmark that decide scores.

    Args:
        parameters: The scorer's own parameters model, validated.
        ground_truth: The bytes of the ground truth; None where the benchmark has none.
        script: The bytes of `evaluate.py`; None but for scorer `script`.
        run_script: Runs that script in a sandbox; None where there is none, and then results cannot be scored.
    """

    parameters: BaseModel
    ground_truth: bytes | None = None
    script: bytes | None = None
    run_script: RunScript | None = None


def _no_parts(_: ScorerInputs) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """One row of the table of scorers.

    Args:
        name: What `scorer:` in `benchmark.yaml` says.
        parameters: Model of `parameters:`; frozen, unknown keys forbidden.
        score_names: Every score that it can yield; None where the benchmark's script decides.
        prepare: Builds the scorer once; raises EvaluatorError where the materials are wrong.
        parts_of: The parts that the ground truth itself declares, in its order; () where it declares none.
        needs_ground_truth: Whether a benchmark without ground truth is refused.
    """

    name: str
    parameters: type[BaseModel]
    score_names: tuple[str, ...] | None
    prepare: Callable[[ScorerInputs], Scorer]
    parts_of: Callable[[ScorerInputs], tuple[str, ...]] = _no_parts
    needs_ground_truth: bool = True


def write_scores(evaluations: Iterable[Evaluation]) -> str:
    """Return the scores part by part in the form in which they are recorded: JSON, in ASCII."""
    return json.dumps([[one.part, one.scores] for one in evaluations])


def find_excess_of_scores(parts: Collection[str], columns: Collection[str]) -> str | None:
    """Tell what is too large about so many parts and columns; None where their longest scores can be recorded.

    Args:
        parts: Those that one result may be scored for.
        columns: The names of the columns.
    """
    widest = dict.fromkeys(columns, _LONGEST_NUMBER)
    size_bytes = len(write_scores(Evaluation(scores=widest, part=part) for part in parts))
    if size_bytes <= MAX_SCORES_BYTES:
        return None
    return (
        f"expected columns whose scores for all {len(parts)} parts take at most {MAX_SCORES_BYTES} bytes as JSON, "
        f"found {len(columns)} that may take {size_bytes}: use fewer, or shorter names"
    )


def pointer(*steps: str | int) -> str:
    """Give the JSON pointer (RFC 6901) of these steps.

    >>> pointer("answers", 0, "a/b")
    '/answers/0/a~1b'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def describe(value: object) -> str:
    """Name a JSON value for an error message: its type, and itself where it is short.

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
