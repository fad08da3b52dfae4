"""Samples of Every Eval Ever are rows of a table, scored against the owner's truth."""

import json
from typing import Any

import pytest

from scoring_core.errors import TableError
from scoring_core.io.tables import read_table
from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.table import SPEC, TableParameters

TRUTH = b"sample_id,reference\ngsm8k_1,12\ngsm8k_2,7\n"


def make_sample(sample: str, *answers: str, **changes: Any) -> dict[str, Any]:
    """Make a sample with all that the schema requires; the last answer is the final one."""
    attribution = [
        {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": answer,
            "extraction_method": "regex",
            "is_terminal": number == len(answers),
        }
        for number, answer in enumerate(answers, 1)
    ]
    return {
        "schema_version": "instance_level_eval_0.2.1",
        "evaluation_id": "gsm8k/org/model/1",
        "model_id": "org/model",
        "evaluation_name": "GSM8K",
        "sample_id": sample,
        "interaction_type": "single_turn",
        "input": {"raw": "How many?", "reference": ["made up"]},
        "output": {"raw": ["It is 12."]},
        "answer_attribution": attribution,
        "evaluation": {"score": 1.0, "is_correct": True},
        **changes,
    }


def write(*samples: object) -> bytes:
    """Write JSON lines."""
    return b"\n".join(json.dumps(sample).encode() for sample in samples) + b"\n"


def test_samples_have_six_columns() -> None:
    """The answer is the final value that was extracted; the rest is what the sample says of itself."""
    table = read_table(write(make_sample("gsm8k_1", "10", "12"), make_sample("gsm8k_2", "8")))

    assert {name: [*cells] for name, cells in table.columns.items()} == {
        "sample_id": ["gsm8k_1", "gsm8k_2"],
        "answer": ["12", "8"],
        "score": ["1.0", "1.0"],
        "is_correct": ["true", "true"],
        "model_id": ["org/model"] * 2,
        "evaluation_name": ["GSM8K"] * 2,
    }


def test_samples_are_compared_with_the_truth_and_not_believed() -> None:
    """A sample that calls itself right is wrong if its answer is."""
    parameters = {"id": "sample_id", "target": "reference", "prediction": "answer", "metrics": ["exact_match"]}
    scorer = SPEC.prepare(ScorerInputs(TableParameters.model_validate(parameters), TRUTH))

    (evaluation,) = scorer(write(make_sample("gsm8k_2", "8"), make_sample("gsm8k_1", "12")))

    assert evaluation.scores == {"exact_match": 0.5}


@pytest.mark.parametrize(
    "changes", [{"answer_attribution": []}, {"answer_attribution": None}, {"answer_attribution": [3]}]
)
def test_sample_without_an_answer_has_an_empty_cell(changes: dict[str, Any]) -> None:
    """What lacks an answer is read, and its answer is empty."""
    table = read_table(write(make_sample("gsm8k_1", "12"), make_sample("gsm8k_2", **changes)), need=("answer",))

    assert [*table.columns["answer"]] == ["12", ""]


def test_other_rows_are_not_taken_for_samples() -> None:
    """A row that lacks a member of samples keeps its own columns."""
    with pytest.raises(TableError, match="expected the column 'answer'"):
        read_table(write({"sample_id": "a", "evaluation": 1}, {"sample_id": "b", "evaluation": 2}), need=("answer",))
