"""Scorer `squad_v2`: shapes of a result, what is refused and how, missing predictions, thresholds."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.squad_v2 import SCORE_NAMES, SPEC, SquadParameters
from scoring_core.scorers.squad_v2.scoring import prepare


def make_truth(questions: dict[str, list[str]]) -> bytes:
    """Write questions, id to golds, in SQuAD format."""
    qas = [{"id": identifier, "answers": [{"text": text} for text in golds]} for identifier, golds in questions.items()]
    return json.dumps({"data": [{"paragraphs": [{"qas": qas}]}]}).encode()


TRUTH = make_truth({"has": ["the river Main", "Main"], "no": []})


def score(result: Any, truth: bytes = TRUTH, **parameters: Any) -> Evaluation:
    """Score one result, given as a value."""
    scorer = prepare(ScorerInputs(SquadParameters(**parameters), truth))
    return scorer(json.dumps(result).encode())[0]


def test_the_kind_names_every_score_in_order() -> None:
    """A result with probabilities yields exactly the declared scores, in the declared order."""
    evaluation = score({"predictions": {"has": "Main", "no": ""}, "na_probs": {"has": 0.1, "no": 0.9}})

    assert tuple(evaluation.scores) == SCORE_NAMES == SPEC.score_names


def test_a_group_without_questions_is_absent() -> None:
    """Where everything is answerable there are no NoAns scores, and the other way round no HasAns and pr ones."""
    only_has = score({"q": "x"}, make_truth({"q": ["x"]})).scores
    only_no = score({"predictions": {"q": "x"}, "na_probs": {"q": 0.5}}, make_truth({"q": []})).scores

    assert not any(name.startswith("NoAns") for name in only_has)
    assert not any(name.startswith(("HasAns", "pr_")) for name in only_no)


def test_a_sum_loses_what_the_official_one_loses() -> None:
    """The built-in sum compensates floats and not integers: a right "no answer" is 1, shared words are floats."""
    words = ["bright", "cold", "deep", "early", "fine", "green"]
    golds = [[], [" ".join(words[:5])], [" ".join(words)], [], [" ".join(words[:3])], ["high"]]
    truth = make_truth({f"q{index}": texts[:1] for index, texts in enumerate(golds)})
    predictions = dict(zip([f"q{index}" for index in range(6)], ["", "cold", "cold", "", "cold", "high"], strict=True))

    scores = score(predictions, truth).scores

    # All floats, or all whole marks integers: ...364.
    assert scores["f1"] == 68.65079365079366


def test_of_questions_with_one_id_the_last_counts() -> None:
    """As officially, the same id again replaces the question and keeps its place."""
    qas = [{"id": "q", "answers": [{"text": "x"}]}, {"id": "r", "answers": []}, {"id": "q", "answers": []}]
    truth = json.dumps({"data": [{"paragraphs": [{"qas": qas}]}]}).encode()

    scores = score({"q": "", "r": ""}, truth).scores

    assert (scores["exact"], scores["total"], scores["NoAns_total"]) == (100.0, 2, 2)


@pytest.mark.parametrize("body", [{"predictions": "x"}, {"predictions": {"predictions": "x"}}])
def test_a_question_may_have_the_id_predictions(body: dict[str, Any]) -> None:
    """A string under "predictions" is the prediction of a question of that name; an object holds the predictions."""
    assert score(body, make_truth({"predictions": ["x"]})).scores["exact"] == 100.0


def test_unknown_ids_are_ignored_and_counted() -> None:
    """Predictions and probabilities that belong to no question change no score, and the detail counts them."""
    result = {"predictions": {"has": "Main", "no": ""}, "na_probs": {"no": 0.4, "has": 0.1}}
    more = {
        "predictions": {"has": "Main", "x": "y", "no": ""},
        "na_probs": {"y": None, "no": 0.4, "z": 7, "has": 0.1},
    }

    evaluation = score(more)

    assert evaluation.scores == score(result).scores
    assert evaluation.detail["unknown_ids"] == 1
    assert evaluation.detail["missing_predictions"] == 0
    assert evaluation.detail["unused_na_probs"] == 2


def test_the_detail_tells_what_the_probabilities_gave() -> None:
    """The scores that need probabilities are in the detail too, for benchmarks without columns for them."""
    evaluation = score({"predictions": {"has": "Main", "no": ""}, "na_probs": {"no": 0.9, "has": 0.1}})

    assert evaluation.detail["by_na_probs"] == {
        name: score for name, score in evaluation.scores.items() if name.startswith(("best_", "pr_"))
    }


@pytest.mark.parametrize(
    ("result", "pointer", "message"),
    [
        ([], "", "expected an object with one member for each question, found an array"),
        ("text", "", "found the string 'text'"),
        ({"has": "x", "no": None}, "/no", "expected the text of an answer, found null"),
        ({"has": "x", "no": "", "other": 3}, "/other", "found the number 3"),
        ({"has": "x", "no": ["x"]}, "/no", "found an array"),
        ({"predictions": {"has": "x", "no": 1}}, "/predictions/no", "found the number 1"),
        ({"predictions": {}, "na_prob": {}}, "/na_prob", 'expected only "predictions" and "na_probs"'),
        ({"predictions": {"has": "x", "no": ""}, "na_probs": None}, "/na_probs", "found null"),
        ({"na_probs": {"has": 0.5}}, "/na_probs", "expected the text of an answer, found an object"),
        ({"has": "x"}, "", "1 of 2 questions have no prediction: 'no'"),
        ({"predictions": {}}, "/predictions", "2 of 2 questions have no prediction: 'has', 'no'"),
        (
            {"predictions": {"has": "x", "no": ""}, "na_probs": {"no": 0.5}},
            "/na_probs",
            "1 predictions have no no-answer probability: 'has'",
        ),
        (
            {"predictions": {"has": "x", "no": ""}, "na_probs": {"no": True, "has": 0}},
            "/na_probs/no",
            "expected a number, found the boolean true",
        ),
        (
            {"predictions": {"has": "x", "no": ""}, "na_probs": {"no": "0.5", "has": 0}},
            "/na_probs/no",
            "expected a number, found the string '0.5'",
        ),
        (
            {"predictions": {"has": "x", "no": ""}, "na_probs": {"no": 10**400, "has": 0}},
            "/na_probs/no",
            "expected a number that fits a double",
        ),
    ],
)
def test_a_wrong_result_is_invalid_and_says_where(result: Any, pointer: str, message: str) -> None:
    """What is wrong with the result is named, with the place."""
    with pytest.raises(InvalidResult) as caught:
        score(result)

    assert caught.value.pointer == pointer
    assert message in caught.value.message


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" * 400])
def test_a_probability_beyond_a_double_is_invalid(number: str) -> None:
    """A number that overflows is named with its place, in whatever way it is written."""
    result = f'{{"predictions": {{"has": "x", "no": ""}}, "na_probs": {{"has": 0.5, "no": {number}}}}}'

    with pytest.raises(InvalidResult) as caught:
        prepare(ScorerInputs(SquadParameters(), TRUTH))(result.encode())

    assert caught.value.pointer == "/na_probs/no"
    assert "expected a number that fits a double" in caught.value.message


def test_the_first_ten_missing_predictions_are_named() -> None:
    """A long list of missing predictions is cut after ten ids and counted."""
    truth = make_truth({f"q{number:02}": [] for number in range(12)})

    with pytest.raises(InvalidResult) as caught:
        score({}, truth)

    assert caught.value.message.startswith("12 of 12 questions have no prediction: 'q00', 'q01'")
    assert caught.value.message.endswith("'q09' and 2 more")


def test_what_is_no_strict_json_is_invalid() -> None:
    """Bytes that strict JSON refuses are the player's error."""
    with pytest.raises(InvalidResult, match="the result is no strict JSON"):
        prepare(ScorerInputs(SquadParameters(), TRUTH))(b"{")


def test_a_part_is_invalid() -> None:
    """There are no parts to name."""
    scorer = prepare(ScorerInputs(SquadParameters(), TRUTH))

    with pytest.raises(InvalidResult, match="no parts"):
        scorer(b"{}", part="one")


def test_a_missing_prediction_may_be_worth_nothing() -> None:
    """With `missing: zero` what is missing counts 0 in every score, also where no answer would be right."""
    evaluation = score({"has": "Main"}, missing="zero")

    assert evaluation.scores["exact"] == 50.0
    assert evaluation.scores["NoAns_exact"] == 0.0
    assert evaluation.detail["missing_predictions"] == 1


def test_a_missing_prediction_gains_nothing_from_probabilities() -> None:
    """With `missing: zero` neither a threshold nor a probability turns a missing prediction into a right one."""
    result = {"predictions": {"has": "Main"}, "na_probs": {"has": 0.25, "no": 0.75}}

    evaluation = score(result, missing="zero", na_prob_thresh=0.5)

    assert evaluation.scores["NoAns_exact"] == 0.0
    assert evaluation.scores["best_exact"] == 50.0
    assert evaluation.scores["best_exact_thresh"] == 0.25
    assert evaluation.detail["unused_na_probs"] == 1


def test_a_negative_threshold_gives_nothing_for_a_missing_prediction() -> None:
    """What is missing is no "no answer", whatever the threshold."""
    scores = score({"has": "Main"}, missing="zero", na_prob_thresh=-0.5).scores

    assert (scores["HasAns_exact"], scores["NoAns_exact"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (b"", "ground truth: empty"),
        (b'{"data": [', "line 1, column 11"),
        (b"[]", "the top: expected an object, found an array"),
        (b'{"data": null}', "/data: expected an array, found null"),
        (b'{"data": []}', "no questions"),
        (b'{"data": [{}]}', "/data/0/paragraphs: expected an array, found nothing"),
        (b'{"data": [3]}', "/data/0: expected an object, found the number 3"),
        (b'{"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": []}, 3]}]}]}', "/data/0/paragraphs/0/qas/1"),
        (b'{"data": [{"paragraphs": [{"qas": [{"id": "q"}]}]}]}', "expected a question"),
        (b'{"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": ""}]}]}]}', "expected a question"),
        (b'{"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": 3}]}]}]}]}', "expected a question"),
    ],
)
def test_a_broken_ground_truth_is_the_owners_error_and_says_where(truth: bytes, message: str) -> None:
    """What is wrong with the ground truth is named, with the place, before any result is scored."""
    with pytest.raises(EvaluatorError) as caught:
        prepare(ScorerInputs(SquadParameters(), truth))

    assert message in caught.value.message


@pytest.mark.parametrize(
    "paragraph",
    [
        {"text": "beside the context"},
        {"answers": ["of the paragraph"]},
        {"context": {"id": "x", "answers": 3}},
        {"context": "a lone \ud800"},
    ],
)
def test_other_keys_of_a_ground_truth_are_ignored(paragraph: dict[str, Any]) -> None:
    """Whatever else a paragraph has, also under names that questions use, its questions are read."""
    qas = [{"id": "q", "answers": [{"text": "x", "id": 3}], "plausible_answers": [{"text": None}]}]
    truth = json.dumps({"data": [{"paragraphs": [{"qas": qas, **paragraph}]}]}).encode()

    assert score({"q": "x"}, truth).scores["exact"] == 100.0


def test_golds_may_be_any_text() -> None:
    """A gold that no prediction can equal, because it is no text that UTF-8 can carry, does no harm."""
    truth = make_truth({"q": ["lone \ud800", "x"], "r": ["ä \udfff"]})

    assert score({"q": "x", "r": "ä"}, truth).scores["f1"] == 83.33333333333333


@pytest.mark.parametrize(
    "parameters",
    [
        {"na_prob_thresh": "1"},
        {"na_prob_thresh": True},
        {"na_prob_thresh": float("nan")},
        {"missing": "ignore"},
        {"na_prob_treshold": 1.0},
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any]) -> None:
    """Types, values and names of parameters are checked."""
    with pytest.raises(ValidationError):
        SquadParameters(**parameters)
