"""`iqa_fusion`: which results, ground truths and parameters are refused, with what message and where."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.scorers.base import Json, ScorerInputs
from scoring_core.scorers.iqa_fusion import IqaFusionParameters
from scoring_core.scorers.iqa_fusion.scoring import IqaFusion, prepare


def build(truth: dict[str, Any]) -> IqaFusion:
    """Build a scorer with the defaults."""
    return prepare(ScorerInputs(IqaFusionParameters(), json.dumps(truth).encode()))


def test_missing_ids_are_an_error() -> None:
    """By default a result answers every id; the message lists the first ten and the count."""
    scorer = build({f"i{index:02}": {"mos": 3} for index in range(12)})

    with pytest.raises(InvalidResult) as caught:
        scorer(b'{"items": [{"id": "i00"}]}')

    assert caught.value.message == (
        "expected an item for each of the 12 ids, 11 are missing: "
        "'i01', 'i02', 'i03', 'i04', 'i05', 'i06', 'i07', 'i08', 'i09', 'i10' and 1 more"
    )
    assert caught.value.pointer == "/items"


@pytest.mark.parametrize(
    ("item", "pointer", "message"),
    [
        ([], "/items/1", "expected an object, found an array"),
        ({}, "/items/1", 'the key "id"'),
        ({"id": 7}, "/items/1/id", "expected a string, found the number 7"),
        ({"id": "a"}, "/items/1/id", "expected each id once"),
        ({"id": "b", "query": 1}, "/items/1/query", "expected a string"),
        ({"id": "b", "tool_scores": 3}, "/items/1/tool_scores", "expected an array"),
        ({"id": "b", "tool_scores": [3, 5.1]}, "/items/1/tool_scores/1", "from 1 to 5, found the number 5.1"),
        ({"id": "b", "tool_scores": [True]}, "/items/1/tool_scores/0", "found the boolean true"),
        ({"id": "b", "quality_probs": [1]}, "/items/1/quality_probs", "expected an object of log-probabilities"),
        ({"id": "b", "quality_probs": {"1": "x"}}, "/items/1/quality_probs/1", "expected a log-probability"),
        ({"id": "b", "quality_probs": {"1": 10**400}}, "/items/1/quality_probs/1", "found a long number"),
        ({"id": "b", "quality_probs": {"6": 0}}, "/items/1/quality_probs/6", '"1" to "5"'),
        ({"id": "b", "quality_level": 0}, "/items/1/quality_level", "expected a level"),
        ({"id": "b", "quality_level": 2.5}, "/items/1/quality_level", "expected a level"),
        ({"id": "b", "quality_level": True}, "/items/1/quality_level", "expected a level"),
        ({"id": "b", "final_answer": ["A"]}, "/items/1/final_answer", "expected a letter, a number or a text"),
        ({"id": "b", "quality_reasoning": {}}, "/items/1/quality_reasoning", "expected a string"),
    ],
)
def test_malformed_item_is_invalid_with_its_pointer(item: Json, pointer: str, message: str) -> None:
    """What breaks the form of an item is invalid, with its pointer."""
    scorer = build({"a": {"mos": 1}, "b": {"mos": 2}})

    with pytest.raises(InvalidResult, match=re.escape(message)) as caught:
        scorer(json.dumps({"items": [{"id": "a"}, item]}).encode())

    assert caught.value.pointer == pointer


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (b"", "expected JSON: empty"),
        (b'{"items": [{"id": "a", "tool_scores": [NaN]}]}', "NaN is no JSON number"),
        (b"[]", 'with the key "items", found an array'),
        (b"{}", 'with the key "items", found an object without it'),
        (b'{"items": {}}', "expected an array of items, found an object"),
    ],
)
def test_malformed_result_is_invalid(result: bytes, message: str) -> None:
    """What is no result at all is invalid."""
    scorer = build({"a": {"mos": 1}})

    with pytest.raises(InvalidResult, match=re.escape(message)):
        scorer(result)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (b"", "expected strict JSON: empty"),
        (b"[]", "expected a JSON object"),
        (b"{}", "expected a JSON object"),
        (b'{"a": 4.5}', "at /a"),
        (b'{"a": {"mos": 1, "answer": "A"}}', "at /a"),
        (b'{"a/b": {"mos": "secret"}}', "at /a~1b/mos"),
        (b'{"a": {"mos": true}}', "at /a/mos"),
        (b'{"a": {"mos": 1e10}}', "at /a/mos"),
        (b'{"a": {"answer": "secret"}}', "at /a/answer"),
        (b'{"a": {"answer": 1}}', "at /a/answer"),
    ],
)
def test_broken_ground_truth_is_the_owners_fault(truth: bytes, message: str) -> None:
    """A broken ground truth is the owner's, with where and never with what stands there."""
    with pytest.raises(EvaluatorError, match=re.escape(message)) as caught:
        prepare(ScorerInputs(IqaFusionParameters(), truth))

    assert "secret" not in caught.value.message


@pytest.mark.parametrize(
    "parameters",
    [{"eta": -1}, {"eta": 1e7}, {"eta": "1"}, {"eta": True}, {"missing": "zero"}, {"ita": 1}, {"confusion_minimum": 0}],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any]) -> None:
    """Parameters out of range, of another type or unknown are refused."""
    with pytest.raises(ValidationError):
        IqaFusionParameters.model_validate(parameters)
