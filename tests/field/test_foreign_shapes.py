"""Shapes of Hugging Face's libraries, for `squad_v2`: the message says which it is, and how to turn it round."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import EvaluatorError
from scoring_core.judgement import judge
from scoring_core.outcome import Outcome
from scoring_core.scorers.squad_v2.ground_truth import read_questions

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "squad-v2"
CASE = Path(__file__).parent / "cases" / "cut-foreign-shapes" / "list.json"
COLUMNS = {"id": "q1", "answers": {"text": ["a", "b"], "answer_start": [0, 9]}}


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (json.loads(CASE.read_text()), "found an array: of each {"),
        (
            {"predictions": {"q1": [{"text": "a", "probability": 0.9}]}},
            "found an array: this is nbest_predictions.json",
        ),
        ({"q1": [{"text": "", "probability": 0.9, "start_logit": 1}]}, "send predictions.json"),
        ({"q1": -3.5, "q2": 2.0}, "belong into na_probs"),
    ],
)
def test_shape_of_a_result_is_named(result: Any, sentence: str) -> None:
    """It is the player's, and has a cure."""
    benchmark = load_folder(BENCHMARK)

    judged = judge(benchmark, benchmark.prepare_scorer(), json.dumps(result).encode())

    assert judged.outcome is Outcome.INVALID
    assert sentence in judged.message


@pytest.mark.parametrize(
    ("truth", "sentence"),
    [
        ([COLUMNS], "the top: expected an object, found an array; rows of Hugging Face's squad_v2 go into"),
        ({"data": [COLUMNS]}, "/data/0/paragraphs: expected an array, found nothing; rows of Hugging Face's"),
        ({"data": [{"paragraphs": [{"qas": [COLUMNS]}]}]}, "make one object for each text"),
        ({"data": [{"paragraphs": [{"qas": [{"id": 1, "answers": []}]}]}]}, '[{"text": string}, …]}'),
    ],
)
def test_shape_of_a_truth_is_named(truth: Any, sentence: str) -> None:
    """It is the owner's."""
    with pytest.raises(EvaluatorError) as caught:
        read_questions(json.dumps(truth).encode())

    assert sentence in caught.value.message
