"""`iqa_fusion`: what a result comes to, and what never leaves the ground truth."""

import json
import subprocess
import sys
from typing import Any

import pytest

from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.iqa_fusion import SCORE_NAMES, SPEC, IqaFusionParameters
from scoring_core.scorers.iqa_fusion.scoring import prepare

IMAGES = {"a": 1.5, "b": 2.0, "c": 3.0, "d": 4.5}
TOOLS = {"a": 1.5, "b": 2.5, "c": 2.5, "d": 4.0}


def score(items: list[dict[str, Any]], truth: dict[str, Any], **parameters: object) -> Evaluation:
    """Score these items against this ground truth."""
    scorer = prepare(ScorerInputs(IqaFusionParameters.model_validate(parameters), json.dumps(truth).encode()))
    (evaluation,) = scorer(json.dumps({"items": items}).encode())
    return evaluation


def opinions(**mos: float) -> dict[str, Any]:
    """Write a ground truth of opinion scores."""
    return {id_: {"mos": value} for id_, value in mos.items()}


def answers(**letters: str | None) -> list[dict[str, Any]]:
    """Write items that answer multiple-choice questions."""
    return [{"id": id_, "final_answer": letter} for id_, letter in letters.items()]


def questions(**letters: str) -> dict[str, Any]:
    """Write a ground truth of right letters."""
    return {id_: {"answer": letter} for id_, letter in letters.items()}


TOOL_ITEMS: list[dict[str, Any]] = [{"id": id_, "tool_scores": [mean]} for id_, mean in TOOLS.items()]


def test_specification_offers_the_documented_scores() -> None:
    """The specification names exactly the documented scores."""
    assert SPEC.name == "iqa_fusion"
    assert SPEC.needs_ground_truth
    assert SPEC.score_names == SCORE_NAMES == (
        "SRCC", "PLCC", "KRCC", "RMSE", "PLCC_fitted", "RMSE_fitted", "MCQ_accuracy", "n_scored", "n_mcq",
    )  # fmt: skip


def test_scored_images_have_correlations_and_an_error() -> None:
    """Images with opinion scores give correlations, an error and their number; without questions no accuracy."""
    evaluation = score(TOOL_ITEMS, opinions(**IMAGES))

    assert set(evaluation.scores) == {"SRCC", "PLCC", "KRCC", "RMSE", "n_scored", "n_mcq"}
    assert evaluation.scores["SRCC"] == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert evaluation.scores["n_scored"] == 4
    assert evaluation.scores["n_mcq"] == 0
    assert "confusion" not in evaluation.detail


def test_order_of_items() -> None:
    """The order of the items changes no score, to the last bit."""
    assert score(TOOL_ITEMS[::-1], opinions(**IMAGES)).scores == score(TOOL_ITEMS, opinions(**IMAGES)).scores


def test_no_error_on_another_scale() -> None:
    """Opinion scores of 0 to 100 correlate, but nothing can be subtracted from them."""
    evaluation = score(TOOL_ITEMS, opinions(**{id_: 20 * mos for id_, mos in IMAGES.items()}))

    assert "RMSE" not in evaluation.scores
    assert evaluation.scores["SRCC"] == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


@pytest.mark.parametrize(
    ("answer", "accuracy"),
    [
        ("C", 100.0),
        (" (C) ", 100.0),
        ("C. Fair", 100.0),
        ("B", 0.0),
        ("", 0.0),
        (3, 0.0),
    ],
)
def test_letter_counts_in_any_spelling(answer: object, accuracy: float) -> None:
    """A letter counts in either case and with its bracket or dot; anything else is a missing letter, and wrong."""
    evaluation = score([{"id": "q", "final_answer": answer}], questions(q="C"))

    assert evaluation.scores == {"MCQ_accuracy": accuracy, "n_scored": 0, "n_mcq": 1}


def test_accuracy_is_in_percent() -> None:
    """One right letter of three, the letters of the ground truth in either case."""
    evaluation = score(answers(q="a", r="b", s="B"), questions(q="A", r="c", s="d"))

    assert evaluation.scores["MCQ_accuracy"] == 100 / 3


def test_confusion_table_counts_given_and_right_letters() -> None:
    """Rows are letters given, columns right letters; no letter, or one that is right nowhere, makes the row "none"."""
    given = answers(a="A", b="A", c="B", d=None, e="Z", f="B")
    right = questions(a="A", b="B", c="B", d="A", e="B", f="B")

    detail = score(given, right, confusion_minimum=1).detail

    assert detail["confusion"] == {"A": {"A": 1, "B": 1}, "B": {"B": 2}, "none": {"A": 1, "B": 1}}
    assert detail["confusion_withheld"] == 0


def test_confusion_table_withholds_rare_letters() -> None:
    """A letter given fewer than five times has no row: it would show which letter is right there."""
    letters = "AAAAABBBB"
    given = {f"q{index}": letter for index, letter in enumerate(letters)}

    detail = score(answers(**given), questions(**dict.fromkeys(given, "A"))).detail

    assert detail["confusion"] == {"A": {"A": 5}}
    assert detail["confusion_withheld"] == 4


def test_detail_of_each_query_type() -> None:
    """Scoring gives q twice and ignores a submitted number, a question its letter, an explanation its text."""
    items: list[dict[str, Any]] = [
        {"id": "a", "final_answer": 1.0, "quality_level": "excellent", "quality_reasoning": "sharp"},
        {"id": "q", "query": "Rate it", "final_answer": "b) noise"},
        {"id": "x", "query": "Why is it blurry?", "final_answer": "It moved."},
        {"id": "y", "query": "Choose from A or B", "final_answer": "A", "tool_scores": [2]},
        {"id": "z", "query": "Rate it", "quality_probs": {}},
    ]

    detail = score(items, {"a": {"mos": 4.0}, "q": {"answer": "B"}}).detail

    columns = ("query_type", "final_answer", "quality_score", "quality_reasoning")
    shown = detail["items"]
    assert isinstance(shown, dict)
    assert shown == {
        "a": dict(zip(columns, ("scoring", pytest.approx(4.25), pytest.approx(4.25), "sharp"), strict=True)),
        "q": dict(zip(columns, ("mcq", "B", None, None), strict=True)),
        "x": dict(zip(columns, ("explanation", "It moved.", None, None), strict=True)),
        "y": dict(zip(columns, ("mcq", "A", None, None), strict=True)),
        "z": dict(zip(columns, ("scoring", 3.0, 3.0, None), strict=True)),
    }
    assert detail["unknown"] == 3


def test_unknown_ids_do_not_score() -> None:
    """Ids that the ground truth lacks are shown and counted, and change no score."""
    stranger = {"id": "stranger", "query": "Rate it", "tool_scores": [5]}

    evaluation = score([*TOOL_ITEMS, stranger], opinions(**IMAGES))

    assert evaluation.scores == score(TOOL_ITEMS, opinions(**IMAGES)).scores
    assert evaluation.detail["unknown"] == 1


def test_many_unknown_ids_are_counted_and_not_repeated() -> None:
    """A result of a hundred thousand ids that nobody asked for makes a short detail."""
    strangers = [{"id": f"stranger-{number}"} for number in range(100_000)]

    detail = score([*strangers, *TOOL_ITEMS], opinions(**IMAGES)).detail

    assert detail["unknown"] == 100_000
    assert isinstance(detail["items"], dict)
    assert {*IMAGES, "stranger-99"} <= detail["items"].keys()
    assert len(detail["items"]) == len(IMAGES) + 100


def test_missing_ids_can_be_ignored() -> None:
    """With `missing: ignore` only what the result holds counts."""
    evaluation = score(TOOL_ITEMS[:3], opinions(**IMAGES) | questions(q="A"), missing="ignore")

    assert evaluation.scores["n_scored"] == 3
    assert evaluation.scores["n_mcq"] == 0
    assert evaluation.detail["missing"] == 2


def test_empty_result_has_counts_only() -> None:
    """An empty result, where missing ids are ignored, has counts and no other score."""
    evaluation = score([], opinions(**IMAGES), missing="ignore")

    assert evaluation.scores == {"n_scored": 0, "n_mcq": 0}


@pytest.mark.parametrize(
    "fields", [{}, {"quality_probs": None}, {"tool_scores": []}, {"quality_level": None, "query": None}]
)
def test_nothing_said_is_the_middle(fields: dict[str, Any]) -> None:
    """Neither tools nor beliefs: uniform, so 3; null is a field that is left out."""
    detail = score([{"id": "a", **fields}], opinions(a=3)).detail

    assert detail["items"] == {
        "a": {"query_type": "scoring", "final_answer": 3.0, "quality_score": 3.0, "quality_reasoning": None}
    }


def test_log_probabilities_win_over_the_level() -> None:
    """A level named beside log-probabilities changes nothing; beside an empty object it counts."""
    truth = opinions(a=3, b=3)
    items = [
        {"id": "a", "quality_probs": {"5": 0, "1": -1}, "quality_level": "E"},
        {"id": "b", "quality_probs": {}, "quality_level": "E"},
    ]

    shown = score(items, truth).detail["items"]

    assert isinstance(shown, dict)
    qualities = [item["quality_score"] for item in shown.values() if isinstance(item, dict)]
    assert qualities == pytest.approx([3.9243, 1.75], abs=1e-3)


@pytest.mark.parametrize("level", [3, 3.0, "3", " 3", "C", "fair"])
def test_level_has_several_spellings(level: object) -> None:
    """A level is a number, the same in a string as models write it, a name or a letter."""
    evaluation = score([{"id": "a", "quality_level": level}], opinions(a=3))

    assert evaluation.scores["RMSE"] == pytest.approx(0)


def test_eta_is_a_parameter() -> None:
    """A sharper eta draws the quality to the tools."""
    item = {"id": "a", "tool_scores": [2], "quality_level": 5}

    errors = [score([item], opinions(a=2), eta=eta).scores["RMSE"] for eta in (0, 1, 10)]

    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(2.25)


def test_detail_says_nothing_of_the_truth() -> None:
    """Two ground truths that differ in every opinion and letter give the same detail, rare letters being withheld."""
    items = [*TOOL_ITEMS, *answers(q="A", r="B", s="C", t="A")]

    first = score(items, opinions(**IMAGES) | questions(q="A", r="B", s="C", t="A"))
    other = score(items, opinions(a=4, b=1, c=2.25, d=1) | questions(q="B", r="C", s="A", t="C"))

    assert first.detail == other.detail
    assert first.scores != other.scores


def test_scipy_waits_for_a_correlation() -> None:
    """A result without correlations is scored without importing numpy or scipy."""
    program = (
        "import sys; from scoring_core.scorers.base import ScorerInputs\n"
        "from scoring_core.scorers.iqa_fusion.scoring import IqaFusionParameters, prepare\n"
        'scorer = prepare(ScorerInputs(IqaFusionParameters(), b\'{"a": {"mos": 2}, "q": {"answer": "A"}}\'))\n'
        'scorer(b\'{"items": [{"id": "a"}, {"id": "q", "final_answer": "A"}]}\')\n'
        "print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    )

    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ended.stdout.strip() == "[]"
