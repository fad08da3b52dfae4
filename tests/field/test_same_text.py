"""Texts are compared as people see them: ids, labels, answers and names as other programs spell them."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks.loading import load_folder
from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.io.text import MAX_MARKS, fold_labels, text_key
from scoring_core.judgement import judge
from scoring_core.outcome import Outcome
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.table import TableParameters
from scoring_core.scorers.table.scoring import prepare

CASES = Path(__file__).parent / "cases"
MARKS = [unicodedata.lookup(f"COMBINING {name}") for name in ("ACUTE ACCENT", "DOT BELOW", "CIRCUMFLEX ACCENT", "HORN")]
texts = st.text(st.sampled_from(["a", "ơ", "é", "İ", "ß", "가", "ü", " ", "\u00a0", "\u3000", "\n", "1", *MARKS]))


def read_table(labels: list[str], *, column: str = "label") -> bytes:
    """Return a table with a row for each label; its ids are numbers."""
    return "".join([f"id,{column}\n", *(f"{row},{label}\n" for row, label in enumerate(labels))]).encode()


def score(truth: list[str], given: list[str], **parameters: Any) -> Evaluation:
    """Score labels against others."""
    model = TableParameters.model_validate({"target": "label", "metrics": ["accuracy"], **parameters})
    return prepare(ScorerInputs(model, read_table(truth)))(read_table(given))[0]


@given(texts, texts)
def test_same_is_an_equivalence_of_what_is_seen(text: str, other: str) -> None:
    """A key has itself as key, and canonical equivalents with any white space around them have one key."""
    key = text_key(text)

    assert text_key(key) == key
    assert (
        key
        == text_key(f"\t{unicodedata.normalize('NFD', text)}\u00a0 ")
        == text_key(unicodedata.normalize("NFC", text))
    )
    if text_key(other) == key:
        assert unicodedata.normalize("NFD", text).strip() == unicodedata.normalize("NFD", other).strip()


@given(st.integers(0, 400), st.text("a\u0301\u0323\u0344", max_size=80))
def test_key_of_many_marks_has_itself_as_key(count: int, text: str) -> None:
    """Also where a text has more marks in a row than are sorted."""
    key = text_key("a" + "\u0301\u0323" * count + text)

    assert text_key(key) == key
    assert count <= MAX_MARKS or len(key) >= 2 * count


@given(st.lists(st.sampled_from(["True", "FALSE", "true", "0", "1", "1.0", "yes", "é", "e\u0301"]), min_size=1), texts)
def test_folded_label_stays(labels: list[str], text: str) -> None:
    """What gives each spelling one text leaves that text alone."""
    fold = fold_labels(labels)

    assert fold(fold(text)) == fold(text)
    assert {*map(fold, map(fold, labels))} == {*map(fold, labels)}


@pytest.mark.parametrize(
    ("benchmark", "result", "score"),
    [
        *(("labels-unknown/transported", f"labels-unknown/{name}.csv", 1) for name in ("excel", "lower", "numbers")),
        ("labels-unknown/transported", "labels-unknown/result.json", 1),
        ("labels-spelled-otherwise/fblab", "labels-spelled-otherwise/lab.json", 1),
        ("labels-spelled-otherwise/fblab", "labels-spelled-otherwise/lab.csv", 1),
        ("nfd/nfd-table", "nfd/labels.csv", 1),
        ("nfd/nfd-table", "nfd/ids.csv", 1),
    ],
)
def test_right_result_scores_as_right(benchmark: str, result: str, score: float) -> None:
    """Labels and ids that only another program spells otherwise are right."""
    loaded = load_folder(CASES / benchmark)

    judged = judge(
        loaded, loaded.prepare_scorer(), (CASES / result).read_bytes(), file_format=result.rpartition(".")[2]
    )

    assert (judged.outcome, [*judged.scores.values()], judged.message) == (Outcome.SCORED, [score], "")


@pytest.mark.parametrize(
    ("truth", "given"),
    [
        (["True", "False"], ["1", "0"]),  # a model's numbers
        (["True", "False"], ["1.0", "0.0"]),  # pandas, where a column lacks a value
        (["1", "0"], ["TRUE", "FALSE"]),  # R
        (["1", "0"], ["True", "False"]),  # pandas
        (["FALSE", "TRUE"], ["false", "true"]),  # JSON for Excel's
        (["true", "TRUE", "False"], ["True", "true", "FALSE"]),  # two files in one truth
        (["mèo", "chó"], [unicodedata.normalize("NFD", "mèo"), "chó"]),  # Vietnamese of a Mac
        (["ぱん", "がく"], [unicodedata.normalize("NFD", "ぱん"), "がく"]),  # Japanese of a Mac
        (["Ä", "Ö"], ["A\u0308", " Ö\u00a0"]),  # German, with the space of a web page
        (["قطة", "كلب"], ["قطة ", "\u3000كلب"]),  # Arabic
        (["İyi", "Kötü"], ["I\u0307yi", "Ko\u0308tu\u0308"]),  # Turkish
        (["3", "4"], [" 3", "4.0 "]),  # numbers
    ],
)
@pytest.mark.parametrize("metric", ["accuracy", "exact_match", "f1_macro"])
def test_label_as_another_program_spells_it(truth: list[str], given: list[str], metric: str) -> None:
    """Every label is right, and none is unknown."""
    if metric == "exact_match" and truth[0] == "3":
        given = [" 3", "4 "]  # texts are no numbers
    evaluation = score(truth, given, metrics=[metric])

    assert (evaluation.scores[metric], evaluation.detail) == (1, {"rows": len(truth)})


@pytest.mark.parametrize("labels", [[True, False], ["true", "false"], [0, 1], ["FALSE", "TRUE"]])
def test_declared_booleans_are_those_of_the_truth(labels: list[Any]) -> None:
    """YAML's `labels: [true, false]` and `positive: true` mean what the truth has."""
    evaluation = score(["True", "False"], ["TRUE", "1"], labels=labels, positive=labels[1], metrics=["accuracy", "f1"])

    assert evaluation.scores["accuracy"] == 0.5
    with pytest.raises(InvalidResult, match="found 'maybe'"):
        score(["True", "False"], ["maybe", "True"], labels=labels)


@pytest.mark.parametrize(
    ("truth", "given", "message"),
    [
        (["cat", "dog"], ["Cat", "Dog"], "found none of them but 'Cat', 'Dog'; did you mean 'cat'?"),
        (["cat", "dog"], ["ｃａｔ", "ｄｏｇ"], "found none of them but 'ｃａｔ', 'ｄｏｇ'; did you mean 'cat'?"),
        (["cat", "dog"], ["\u200ecat", "\u200ecat"], "'\\u200ecat'; did you mean 'cat'?"),
        (["cat", "dog"], ["0.9", "0.1"], "found none of them but '0.1', '0.9'"),
        (["True", "False"], ["WAHR", "FALSCH"], "but 'FALSCH', 'WAHR'; expected 'False' or 'True'"),
        (["1", "0"], ["0.9", "0.2"], "but '0.2', '0.9'; expected '0' or '1'"),
        (["2", "3"], ["True", "False"], "expected a number as label, found 'True'"),
    ],
)
def test_result_without_any_label_of_the_truth_is_invalid(truth: list[str], given: list[str], message: str) -> None:
    """A player reads which labels the truth lacks, and what was probably meant."""
    with pytest.raises(InvalidResult) as caught:
        score(truth, given)

    assert message in caught.value.message


def test_no_label_of_the_truth_is_told_that_a_result_does_not_come_near() -> None:
    """The labels of a truth that declares none may be its answers."""
    with pytest.raises(InvalidResult) as caught:
        score(["cat", "secret"], ["Cat", "Cow"])

    assert "did you mean 'cat'?" in caught.value.message
    assert "secret" not in caught.value.message


def test_some_unknown_labels_are_counted() -> None:
    """They are classes of their own, and the details say how many rows have them."""
    truth = ["cat", "dog", "cat", "dog"]

    assert score(truth, ["cat", "Dog", "cat", "Cow"]).detail == {"rows": 4, "unknown_labels": {"label": 2}}
    assert score(truth, truth).detail == {"rows": 4}


def test_wrong_texts_are_no_mistake() -> None:
    """A text may be any: without a right one among them the score is 0, and the details say so."""
    evaluation = score(["Hanoi", "Paris"], ["hanoi", "Rome"], metrics=["exact_match"])

    assert (evaluation.scores, evaluation.detail["unknown_labels"]) == ({"exact_match": 0.0}, {"label": 2})
    assert "unknown_labels" not in score(["Hanoi", "Paris"], ["Paris", "Rome"], metrics=["exact_match"]).detail


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ("id,label\na,cat\nP3 ,dog\n", "row 3, column 'id': expected no white space around a text, found 'P3 '"),
        (
            "id,label\na,cat\nb,\u00a0dog\n",
            "row 3, column 'label': expected no white space around a text, found '\\xa0dog'",
        ),
        ("id,label\n\u00e9,cat\ne\u0301,dog\n", "row 3, column 'id': 'e\u0301' is there twice, first in row 2"),
    ],
)
def test_truth_that_nobody_can_see_is_the_owners(truth: str, message: str) -> None:
    """White space around an id or a label, and ids that are one, are named to the one person who can change them."""
    parameters = TableParameters.model_validate({"target": "label", "metrics": ["accuracy", "f1_macro"]})

    with pytest.raises(EvaluatorError) as caught:
        prepare(ScorerInputs(parameters, truth.encode()))

    assert caught.value.message.count(message) == 1


def test_items_of_lists_are_texts() -> None:
    """An item of a list is the same in any form of its letters."""
    evaluation = score(["phở bún"], [unicodedata.normalize("NFD", "bún phở")], metrics=["map@2"])

    assert evaluation.scores == {"map@2": 1.0}


def test_many_marks_take_no_quadratic_time() -> None:
    """A text of a hundred thousand marks is compared as it is: Unicode would sort them for seconds."""
    text = "a" + "\u0301\u0323" * 50_000

    assert text_key(text) == text
