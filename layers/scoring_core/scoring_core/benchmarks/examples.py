"""The examples of a benchmark and their expected scores: a benchmark tests the platform."""

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
    """What one example must get: scores, scores by part, and a text in the message; None is not compared."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    outcome: Outcome = Outcome.SCORED
    part: str | None = None
    scores: dict[str, Number] | None = None
    parts: dict[str, dict[str, Number]] | None = None
    message: str | None = None


class ExampleCheck(NamedTuple):
    """One example, its judgement, and how that differs from the expectation."""

    name: str
    judgement: Judgement
    differences: tuple[str, ...]


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
        if name not in stems:
            raise BenchmarkError(f"{EXPECTED_FILE}: {name}: there is no such example")
    return {name: validate(Expectation, entry, file=f"{EXPECTED_FILE}: {name}") for name, entry in entries.items()}


def check_examples(benchmark: Benchmark, scorer: Scorer) -> list[ExampleCheck]:
    """Score and compare every example; without an expectation it must be scored."""
    expectations = read_expectations(benchmark)
    checks = []
    for name, content in benchmark.examples.items():
        expectation = expectations.get(_stem(name), Expectation())
        judgement = judge(benchmark, scorer, content, part=expectation.part)
        checks.append(ExampleCheck(name, judgement, tuple(_differences(expectation, judgement))))
    return checks


def _stem(name: str) -> str:
    return name.rsplit(".", 1)[0]


def _differences(expected: Expectation, judgement: Judgement) -> list[str]:
    if judgement.outcome is not expected.outcome:
        reason = f" ({judgement.message})" if judgement.message else ""
        return [f"outcome: expected {expected.outcome}, found {judgement.outcome}{reason}"]
    differences = []
    if expected.scores is not None:
        differences += _compare("scores", expected.scores, judgement.scores)
    if expected.parts is not None:
        differences += _compare_parts(expected.parts, {each.part or "": each.scores for each in judgement.evaluations})
    if expected.message is not None and expected.message not in judgement.message:
        differences.append(f"message: expected {expected.message!r} in it, found {judgement.message!r}")
    return differences


def _compare_parts(expected: Mapping[str, Scores], actual: Mapping[str, Scores]) -> list[str]:
    differences = [f"parts.{part}: expected, but not scored" for part in expected if part not in actual]
    for part, scores in actual.items():
        if part in expected:
            differences += _compare(f"parts.{part}", expected[part], scores)
        else:
            differences.append(f"parts.{part}: scored, but not expected")
    return differences


def _compare(path: str, expected: Mapping[str, int | float], actual: Scores) -> list[str]:
    return [
        f"{path}.{name}: expected {expected[name]}, found {actual.get(name, 'none')}"
        if name in expected
        else f"{path}.{name}: found {actual[name]}, but expected.yaml names no value for it (every metric is compared)"
        for name in [*actual, *(name for name in expected if name not in actual)]
        if not _agree(expected.get(name), actual.get(name))
    ]


def _agree(expected: float | None, actual: float | None) -> bool:
    # The last bits of a correlation differ between machines and builds of scipy.
    if expected is None or actual is None:
        return expected is actual
    return math.isclose(expected, actual, rel_tol=1e-12, abs_tol=1e-12)
