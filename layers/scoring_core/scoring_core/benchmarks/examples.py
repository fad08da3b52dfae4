"""The examples of a benchmark and their expected scores: a benchmark tests the platform."""

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import Field

from scoring_core.benchmarks.definition import EXPECTED_FILE
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.benchmarks.terms import read_format
from scoring_core.benchmarks.validation import validate
from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_models import StrictModel
from scoring_core.io.strict_yaml import read_yaml
from scoring_core.io.text import text_key
from scoring_core.judgement import Judgement, judge
from scoring_core.metrics.score_type import Number
from scoring_core.output import Output
from scoring_core.scorers.base import Scorer, Scores, TicketedRun


class ExampleOutcome(StrEnum):
    """What may become of an example: an outcome, or the platform does not accept it as a result (`refused`)."""

    SCORED = "scored"
    INVALID = "invalid"
    EVALUATOR_ERROR = "evaluator_error"
    REFUSED = "refused"


class ExampleRun(StrictModel):
    """What the run ticket of an example says: seconds from the ticket to the result, and the seed."""

    seconds: Number = Field(ge=0)
    seed: str | None = Field(default=None, pattern="^[0-9a-f]{16}$")


class Expectation(StrictModel):
    """What one example must get: scores, scores by part, and a text in the message; None is not compared."""

    outcome: ExampleOutcome = ExampleOutcome.SCORED
    part: str | None = None
    run: ExampleRun | None = None
    scores: dict[str, Number] | None = None
    parts: dict[str, dict[str, Number]] | None = None
    message: str | None = None


class ExampleCheck(NamedTuple):
    """One example, what became of it, and how that differs from the expectation.

    Args:
        name: The file's name below `examples/`.
        judgement: None if the platform would not accept the example as a result.
        differences: One line each; none if all is as expected.
        message: Why it was not scored.
    """

    name: str
    judgement: Judgement | None
    differences: tuple[str, ...]
    message: str = ""

    @property
    def outcome(self) -> ExampleOutcome:
        """What became of it."""
        return ExampleOutcome(self.judgement.outcome) if self.judgement else ExampleOutcome.REFUSED

    @property
    def output(self) -> Output | None:
        """What the evaluation script printed, if one ran and did not score."""
        return self.judgement.output if self.judgement else None

    def as_json(self) -> dict[str, Any]:
        """Return what a report in JSON says about the example."""
        output = self.output
        return {
            "name": self.name,
            "outcome": self.outcome,
            "differences": list(self.differences),
            **({"message": self.message} if self.message else {}),
            **({"output": {"stdout": output.stdout, "stderr": output.stderr}} if output else {}),
        }


def read_expectations(benchmark: Benchmark) -> dict[str, Expectation]:
    """Read `examples/expected.yaml`: example without ending → expectation.

    Raises BenchmarkError.
    """
    if EXPECTED_FILE not in benchmark.files:
        return {}
    entries = read_yaml(benchmark.files[EXPECTED_FILE], EXPECTED_FILE) or {}
    if not isinstance(entries, dict):
        raise BenchmarkError(f"{EXPECTED_FILE}: expected a mapping from example to expectation")
    stems = {_stem(name) for name in benchmark.examples}
    if len(stems) < len(benchmark.examples):
        raise BenchmarkError(f"{EXPECTED_FILE}: two examples differ only in their ending; rename one")
    for name in entries:
        if text_key(str(name)) not in stems:
            raise BenchmarkError(f"{EXPECTED_FILE}: {name}: there is no such example")
    expectations = {
        text_key(str(name)): validate(Expectation, entry, file=f"{EXPECTED_FILE}: {name}")
        for name, entry in entries.items()
    }
    if benchmark.definition.runs is None and any(expectation.run for expectation in expectations.values()):
        raise BenchmarkError(f"{EXPECTED_FILE}: run: expected none, because `runs` demands no run tickets")
    return expectations


def check_examples(benchmark: Benchmark, scorer: Scorer) -> Iterator[ExampleCheck]:
    """Score and compare one example after the other.

    Without an expectation it must be scored.
    """
    expectations = read_expectations(benchmark)
    for name, content in benchmark.examples.items():
        expectation = expectations.get(_stem(name), Expectation())
        yield _check_example(benchmark, scorer, name, content, expectation)


def _check_example(
    benchmark: Benchmark, scorer: Scorer, name: str, content: bytes, expectation: Expectation
) -> ExampleCheck:
    file_format = read_format(name, benchmark.definition.submissions.takes)
    refusal = benchmark.find_refusal(content, part=expectation.part, file_format=file_format)
    if refusal is not None:
        differences = _compare_outcomes(expectation, ExampleOutcome.REFUSED, refusal)
        return ExampleCheck(name, None, tuple(differences), refusal)
    run = None if expectation.run is None else TicketedRun(expectation.run.seconds, expectation.run.seed)
    judgement = judge(benchmark, scorer, content, part=expectation.part, run=run, file_format=file_format)
    outcome = ExampleOutcome(judgement.outcome)
    differences = _compare_outcomes(expectation, outcome, judgement.message)
    if expectation.outcome is outcome:
        differences += _compare_scores(expectation, judgement)
    return ExampleCheck(name, judgement, tuple(differences), judgement.message)


def _stem(name: str) -> str:
    return text_key(name.rsplit(".", 1)[0])


def _compare_outcomes(expected: Expectation, outcome: ExampleOutcome, message: str) -> list[str]:
    if outcome is not expected.outcome:
        return [f"outcome: expected {expected.outcome}, found {outcome}{message and f' ({message})'}"]
    if expected.message is not None and expected.message not in message:
        return [f"message: expected {expected.message!r} in it, found {message!r}"]
    return []


def _compare_scores(expected: Expectation, judgement: Judgement) -> Iterator[str]:
    if expected.scores is not None:
        yield from _compare("scores", expected.scores, judgement.scores)
    if expected.parts is None:
        return
    actual = {each.part or "": each.scores for each in judgement.evaluations}
    yield from (f"parts.{part}: expected, but not scored" for part in expected.parts if part not in actual)
    for part, scores in actual.items():
        if part in expected.parts:
            yield from _compare(f"parts.{part}", expected.parts[part], scores)
        else:
            yield f"parts.{part}: scored, but not expected"


def _compare(path: str, expected: Mapping[str, int | float], actual: Scores) -> Iterator[str]:
    for name in dict.fromkeys((*actual, *expected)):
        if name not in expected:
            fault = f"found {actual[name]}, but expected.yaml names no value for it (every metric is compared)"
            yield f"{path}.{name}: {fault}"
        elif not _agree(expected[name], actual.get(name)):
            yield f"{path}.{name}: expected {expected[name]}, found {actual.get(name, 'none')}"


def _agree(expected: float, actual: float | None) -> bool:
    # The last bits of a correlation differ between machines and builds of scipy.
    return actual is not None and math.isclose(expected, actual, rel_tol=1e-12, abs_tol=1e-12)
