"""The shipped benchmarks against any body: scored within their columns, or invalid; never the owner's fault or ours."""

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring_core.benchmarks.loading import load_folder
from scoring_core.judgement import MAX_MESSAGE_LENGTH, MAX_POINTER_LENGTH, Judgement, judge
from scoring_core.metrics.score_type import MetricType
from scoring_core.outcome import Outcome
from tests.fuzz.mutations import json_values, mutated_bytes, mutated_json

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BUILT_IN = ["aic-2025", "coin-sprint", "full-duplex", "houses", "iqa", "rain-tomorrow", "squad-v2"]
TOKENS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b":",
    b'"',
    b"null",
    b"1e308",
    b"-1",
    b"NaN",
    b"\\ud800",
    b"PK\x03\x04",
    b"\n",
    b"\r",
    b"\t",
]


@cache
def judge_of(benchmark: str) -> Callable[[bytes], Judgement]:
    """Return what judges results of a shipped benchmark."""
    loaded = load_folder(BENCHMARKS / benchmark)
    scorer = loaded.prepare_scorer()
    is_zip_taken = "zip" in loaded.definition.submissions.takes
    return lambda result: judge(
        loaded, scorer, result, file_format="zip" if is_zip_taken and result.startswith(b"PK") else "json"
    )


@cache
def headers_of(benchmark: str) -> dict[str, MetricType]:
    """Return the columns of a shipped benchmark."""
    return {header.name: header for header in load_folder(BENCHMARKS / benchmark).definition.score_type.headers}


@cache
def bodies_of(benchmark: str) -> st.SearchStrategy[bytes]:
    """Return bodies: shipped examples with values or bytes changed, and any JSON."""
    paths = sorted((BENCHMARKS / benchmark / "examples").glob("*.*[npv]"))  # .json, .zip, .csv
    files = [path.read_bytes() for path in paths]
    values = [json.loads(path.read_bytes()) for path in paths if path.suffix == ".json"]
    changed = mutated_json(values) | json_values
    return changed.map(lambda value: json.dumps(value).encode()) | mutated_bytes(files, TOKENS)


@pytest.mark.parametrize("benchmark", BUILT_IN)
@settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_body_is_scored_or_invalid(benchmark: str, data: st.DataObject) -> None:
    """Any body is rejected with a message, or every score is within its metric's bounds."""
    judgement = judge_of(benchmark)(data.draw(bodies_of(benchmark)))

    assert judgement.outcome in {Outcome.SCORED, Outcome.INVALID}, judgement
    assert (judgement.outcome is Outcome.INVALID) == bool(judgement.message)
    assert len(judgement.message) <= MAX_MESSAGE_LENGTH
    assert len(judgement.pointer) <= MAX_POINTER_LENGTH
    assert judgement.pointer == "" or judgement.pointer.startswith("/")
    for scores in (judgement.scores, *(evaluation.scores for evaluation in judgement.evaluations)):
        for name, score in scores.items():
            header = headers_of(benchmark)[name]
            assert math.isfinite(score)
            assert header.min is None or score >= header.min
            assert header.max is None or score <= header.max
    assert json.dumps([evaluation.detail for evaluation in judgement.evaluations], allow_nan=False)
