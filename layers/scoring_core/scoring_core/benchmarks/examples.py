"""The examples of a benchmark, and what each of them must get: a benchmark that tests the platform."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from scoring_core.benchmarks.definition import EXPECTED_FILE
from scoring_core.benchmarks.loading import Benchmark
from scoring_core.benchmarks.validation import validate
from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_yaml import read_yaml
from scoring_core.judgement import Judgement, judge
from scoring_core.metrics.score_type import Number
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Scorer, Scores


class Expectation(BaseModel):
    """What one example must get; what is left out is not compared.

    Args:
        outcome: How it must end.
        part: The part that the submission names.
        scores: The columns of the submission.
        parts: The columns part by part.
        message: What the message must contain.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    outcome: Outcome = Outcome.SCORED
    part: str | None = None
    scores: dict[str, Number] | None = None
    parts: dict[str, dict[str, Number]] | None = None
    message: str | None = None


class ExampleCheck(NamedTuple):
    """One example: what it got, and each way in which that is not what it must get."""

    name: str
    judgement: Judgement
    differences: tuple[str, ...]


def read_expectations(benchmark: Benchmark) -> dict[str, Expectation]:
    """Read `examples/expected.yaml`, example name without ending → expectation. Raises BenchmarkError."""
    if EXPECTED_FILE not in benchmark.files:
        return {}
    entries = read_yaml(benchmark.files[EXPECTED_FILE], EXPECTED_FILE) or {}
    if not isinstance(entries, dict):
        raise BenchmarkError(f"{EXPECTED_FILE}: expected a mapping from example to expectation")
    known = {_stem(name) for name in benchmark.examples}
    if len(known) < len(benchmark.examples):
        raise BenchmarkError(f"{EXPECTED_FILE}: two examples differ only in their ending; rename one")
    for name in entries:
        if name not in known:
            raise BenchmarkError(f"{EXPECTED_FILE}: {name}: there is no such example")
    return {name: validate(Expectation, entry, where=f"{EXPECTED_FILE}: {name}") for name, entry in entries.items()}


def check_examples(benchmark: Benchmark, scorer: Scorer) -> list[ExampleCheck]:
    """Score every example and compare; one without an expectation must at least be scored."""
    expectations = read_expectations(benchmark)
    checks = []
    for name, content in benchmark.examples.items():
        expectation = expectations.get(_stem(name), Expectation())
        judgement = judge(benchmark, scorer, content, part=expectation.part)
        checks.append(ExampleCheck(name, judgement, tuple(_differences(expectation, judgement))))
    return checks


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _differences(expected: Expectation, found: Judgement) -> list[str]:
    differences = []
    if found.outcome is not expected.outcome:
        reason = f" ({found.message})" if found.message else ""
        differences.append(f"outcome: expected {expected.outcome}, found {found.outcome}{reason}")
        return differences
    if expected.scores is not None:
        differences += _compare("scores", expected.scores, found.scores)
    if expected.parts is not None:
        differences += _compare_parts(expected.parts, {one.part or "": one.scores for one in found.evaluations})
    if expected.message is not None and expected.message not in found.message:
        differences.append(f"message: expected {expected.message!r} in it, found {found.message!r}")
    return differences


def _compare_parts(expected: Mapping[str, Scores], found: Mapping[str, Scores]) -> list[str]:
    differences = [f"parts.{part}: expected, but not scored" for part in expected if part not in found]
    for part, scores in found.items():
        if part in expected:
            differences += _compare(f"parts.{part}", expected[part], scores)
        else:
            differences.append(f"parts.{part}: scored, but not expected")
    return differences


def _compare(where: str, expected: Mapping[str, int | float], found: Scores) -> list[str]:
    return [
        f"{where}.{name}: expected {expected[name]}, found {found.get(name, 'none')}"
        if name in expected
        else f"{where}.{name}: found {found[name]}, but expected.yaml names no value for it (every column is compared)"
        for name in [*found, *(name for name in expected if name not in found)]
        if not _agree(expected.get(name), found.get(name))
    ]


def _agree(expected: float | None, found: float | None) -> bool:
    """Compare to twelve digits: the last bits of a correlation differ between machines and builds of scipy."""
    if expected is None or found is None:
        return expected is found
    return math.isclose(expected, found, rel_tol=1e-12, abs_tol=1e-12)
