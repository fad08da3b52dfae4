"""Samples of Every Eval Ever as rows of a table. Source: docs/sources.md, "Every Eval Ever"."""

from collections.abc import Sequence
from typing import Any

_MEMBERS = frozenset({"schema_version", "sample_id", "answer_attribution", "evaluation"})
"""Of a sample, so that no other row is taken for one."""


def read_samples(rows: Sequence[Any]) -> Sequence[Any]:
    """Return rows; if the first one is a sample, the columns of each sample.

    A sample without an answer, or with another shape, has empty cells: what compares them names the row.

    >>> attribution = {"extracted_value": "B", "is_terminal": True}
    >>> sample = {"schema_version": "0.2.1", "sample_id": "q1", "answer_attribution": [attribution], "evaluation": {}}
    >>> read_samples([sample])[0]["answer"], read_samples([{"id": 1}])
    ('B', [{'id': 1}])
    """
    if not rows or not (isinstance(rows[0], dict) and rows[0].keys() >= _MEMBERS):
        return rows
    return [_read_sample(row) if isinstance(row, dict) else row for row in rows]


def _read_sample(sample: dict[str, Any]) -> dict[str, Any]:
    judged = sample.get("evaluation")
    evaluation = judged if isinstance(judged, dict) else {}
    return {
        "sample_id": sample.get("sample_id"),
        "answer": _find_answer(sample.get("answer_attribution")),
        "score": evaluation.get("score"),
        "is_correct": evaluation.get("is_correct"),
        "model_id": sample.get("model_id"),
        "evaluation_name": sample.get("evaluation_name"),
    }


def _find_answer(attribution: Any) -> Any:
    """Return the last value that was extracted as the final one."""
    steps = [step for step in attribution if isinstance(step, dict)] if isinstance(attribution, list) else []
    return next((step.get("extracted_value") for step in reversed(steps) if step.get("is_terminal")), None)
