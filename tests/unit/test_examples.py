"""Examples and what each must get: a benchmark that tests the platform."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.examples import Expectation, check_examples, read_expectations
from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.errors import BenchmarkError, InvalidResult
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Evaluation


def echo(result: bytes, /, *, part: str | None = None) -> Sequence[Evaluation]:
    """Yield the scores that the result itself holds, or refuse it with its reason."""
    value = json.loads(result)
    if "reason" in value:
        raise InvalidResult(value["reason"])
    if "parts" in value:
        return [Evaluation(scores, {}, part=name) for name, scores in value["parts"].items()]
    return [Evaluation(value, {}, part=part)]


@pytest.fixture
def load(game: dict[str, Any], write_folder: Callable[..., Path]) -> Callable[..., Benchmark]:
    """Load the game with these examples and this `expected.yaml`; it has two levels if that names parts."""

    def load_with(examples: dict[str, object], expected: str | None = None) -> Benchmark:
        files = {f"examples/{name}": json.dumps(value).encode() for name, value in examples.items()}
        if expected is not None:
            files["examples/expected.yaml"] = expected.encode()
        levels = {"parts": ["a", "b"]} if "part" in (expected or "") else {}
        return load_folder(write_folder(game | levels, files))

    return load_with


FIT = {"Coins": 5, "Time": 0.1}


@pytest.mark.parametrize(
    "expected",
    [
        None,
        "",
        "one: {scores: {Coins: 5.0, Time: 0.1}}",
        "one: {part: a, parts: {a: {Coins: 5, Time: 0.1}}}",
    ],
)
def test_example_as_expected_has_no_differences(load: Callable[..., Benchmark], expected: str | None) -> None:
    """An example that gets what it must has no differences; what is left out is not compared."""
    (check,) = check_examples(load({"one.json": FIT}, expected), echo)

    assert (check.name, check.outcome, check.differences) == ("one.json", "scored", ())


@pytest.mark.parametrize(
    ("result", "expected", "differences"),
    [
        (FIT, "{scores: {Coins: 6, Time: 0.1}}", ["scores.Coins: expected 6, found 5"]),
        (FIT, "{scores: {Coins: 5, Time: 0.1000000001}}", ["scores.Time: expected 0.1000000001, found 0.1"]),
        (FIT, "{scores: {Coins: 5, Time: 0.10000000000000002}}", []),
        (FIT, "{scores: {Coins: 5}}",
         ["scores.Time: found 0.1, but expected.yaml names no value for it (every metric is compared)"]),
        (FIT, "{scores: {Coins: 5, Time: 0.1, Gems: 1}}", ["scores.Gems: expected 1, found none"]),
        (FIT, "{outcome: invalid}", ["outcome: expected invalid, found scored"]),
        ({"reason": "bad coin"}, "{}", ["outcome: expected scored, found invalid (bad coin)"]),
        ({"reason": "bad coin"}, "{outcome: invalid, message: worse}",
         ["message: expected 'worse' in it, found 'bad coin'"]),
        ({"Coins": -1, "Time": 1}, "{outcome: invalid}",
         ["outcome: expected invalid, found evaluator_error (score 'Coins': -1 is below the minimum 0)"]),
        ({"parts": {"a": FIT}}, "{part: a, parts: {a: {Coins: 5, Time: 0.1}, b: {}}}",
         ["parts.b: expected, but not scored"]),
        ({"parts": {"b": FIT, "a": FIT}}, "{part: a, parts: {}}",
         ["parts.b: scored, but not expected", "parts.a: scored, but not expected"]),
    ],
)  # fmt: skip
def test_each_difference_is_a_line(
    load: Callable[..., Benchmark], result: object, expected: str, differences: list[str]
) -> None:
    """Each difference from the expectation is a line: path, expected, found."""
    (check,) = check_examples(load({"one.json": result}, f"one: {expected}"), echo)

    assert list(check.differences) == differences


def test_every_example_is_checked(load: Callable[..., Benchmark]) -> None:
    """Examples without an expectation are run as well, in order of name; whatever their ending."""
    checks = check_examples(
        load({"b.dat": FIT, "a.json": {"reason": "no"}}, "a: {outcome: invalid, message: 'no'}"), echo
    )

    assert [(check.name, check.differences) for check in checks] == [("a.json", ()), ("b.dat", ())]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("two: {}", "examples/expected.yaml: two: there is no such example"),
        ("- one", "examples/expected.yaml: expected a mapping from example to expectation"),
        ("one: {outcome: wrong}", "examples/expected.yaml: one: outcome: expected 'scored', 'invalid'"),
        ("one: {score: {}}", "examples/expected.yaml: one: score: unknown key; did you mean 'scores'?"),
        ("one: {scores: {Coins: x}}", "examples/expected.yaml: one: scores.Coins: expected a finite number, found 'x'"),
        ("one: {}\none: {}", "examples/expected.yaml, line 2, column 1: the key 'one' is there twice"),
        ("one:", "examples/expected.yaml: one: expected a mapping"),
    ],
)
def test_impossible_expectation_is_refused_with_its_place(
    load: Callable[..., Benchmark], expected: str, message: str
) -> None:
    """An `expected.yaml` that cannot be meant is refused with its place."""
    with pytest.raises(BenchmarkError) as caught:
        read_expectations(load({"one.json": FIT}, expected))

    assert caught.value.message.startswith(message)


def test_examples_with_one_expectation_are_refused(load: Callable[..., Benchmark]) -> None:
    """Two examples that an expectation could not tell apart are refused."""
    with pytest.raises(BenchmarkError, match="differ only in their ending"):
        read_expectations(load({"one.json": FIT, "one.zip": FIT}, "one: {}"))


def test_example_without_expectation_must_be_scored() -> None:
    """Without an expectation an example must be scored."""
    assert Expectation() == Expectation(outcome=Outcome.SCORED, part=None, scores=None, parts=None, message=None)
