"""The scorer `table`: parts, weights, classes, marks, and what it says to owners."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scoring_core.errors import EvaluatorError, InvalidResult
from scoring_core.scorers.base import Evaluation, ScorerInputs
from scoring_core.scorers.table import FOREIGN_METRICS, METRICS, TableParameters, ground_truth, scoring, split_metric
from scoring_core.scorers.table.ground_truth import list_parts
from scoring_core.scorers.table.scoring import prepare

TRUTH = "id,target,place,share\na,1,north,1\nb,2,north,0\nc,4,south,2\nd,8,south,1\n"
RESULT = "id,target\na,1\nb,4\nc,4\nd,4\n"


def score(result: str, truth: str = TRUTH, part: str | None = None, **parameters: Any) -> list[Evaluation]:
    """Score a result."""
    inputs = ScorerInputs(TableParameters.model_validate(parameters), truth.encode())
    return [*prepare(inputs)(result.encode(), part=part)]


def test_every_metric_has_a_formula() -> None:
    """A name of METRICS is a mean of marks, or a value of its own, never both."""
    assert {*scoring._MARKS} == {name for name, facts in METRICS.items() if facts.is_mean}
    assert {*scoring._VALUES} == {name for name, facts in METRICS.items() if not facts.is_mean}


def test_parts_are_the_values_of_a_column() -> None:
    """One result is scored for each part, in the order of the truth."""
    parameters = TableParameters.model_validate({"metrics": ["mae"], "by": "place"})

    evaluations = score(RESULT, metrics=["mae"], by="place")

    assert list_parts(ScorerInputs(parameters, TRUTH.encode())) == ("north", "south")
    assert [(each.part, each.scores) for each in evaluations] == [("north", {"mae": 1.0}), ("south", {"mae": 2.0})]


def test_part_that_the_truth_lacks_now_is_refused() -> None:
    """A result was stored for a part that a later version of the benchmark no longer has."""
    with pytest.raises(InvalidResult, match="part: expected one of north, south, found 'west'"):
        score(RESULT, part="west", metrics=["mae"], by="place")


def test_result_of_one_part_has_its_rows_alone() -> None:
    """A submission that names its part needs no other rows, and may have none."""
    evaluations = score("id,target\nd,4\nc,5\n", part="south", metrics=["mae", "spearman"], by="place")

    assert [(each.part, each.scores) for each in evaluations] == [("south", {"mae": 2.5, "spearman": -1.0})]
    with pytest.raises(InvalidResult, match="row 2, column 'id': expected an id of the benchmark, found 'a'"):
        score(RESULT, part="south", metrics=["mae"], by="place")


def test_weights_are_those_of_rows() -> None:
    """A row of weight 0 counts nowhere."""
    assert score(RESULT, metrics=["mae"], weight="share")[0].scores == {"mae": 1.0}


def test_label_of_a_row_that_does_not_count_is_no_class() -> None:
    """A mean over classes is over those of the rows that have a weight, on both sides."""
    truth = "id,target,w\na,x,1\nb,y,2\nc,z,0\nd,x,0\n"
    result = "id,target\na,x\nb,y\nc,y\nd,w\n"
    metrics = ["f1_macro", "precision_macro", "recall_macro", "balanced_accuracy", "quadratic_kappa"]

    assert score(result, truth, metrics=metrics, weight="w")[0].scores == dict.fromkeys(metrics, 1.0)


def test_order_of_rows_changes_no_bit() -> None:
    """Sums are exact: any order of a result's rows, and of the truth's, gives the same scores."""
    rows = [f"r{n},{n * 0.1 % 0.7},{n * 0.3 % 1.1}" for n in range(40)]
    metrics = ["rmse", "mae", "r2", "pearson", "spearman", "rmsle"]

    def score_in(order: slice) -> Any:
        truth = "id,target\n" + "".join(f"{row.rpartition(',')[0]}\n" for row in rows[order])
        result = "id,target\n" + "".join(f"{row.split(',')[0]},{row.split(',')[2]}\n" for row in rows)
        return score(result, truth, metrics=metrics)[0].scores

    assert score_in(slice(None)) == score_in(slice(None, None, -1))


def test_score_without_a_value_is_absent_and_says_why() -> None:
    """An AUC of one class is no number; the others are scored."""
    (evaluation,) = score("id,target\na,0.5\nb,0.2\n", "id,target\na,1\nb,1\n", metrics=["roc_auc", "brier"])

    assert evaluation.scores == {"brier": pytest.approx(0.445)}
    assert evaluation.detail == {"rows": 2, "absent": {"roc_auc": "it needs rows of both classes"}}


def test_marks_are_shown_if_the_owner_allows_it() -> None:
    """The marks of a mean are one number a row, in the order of the truth; others have none."""
    shown = score(RESULT, metrics=["mae", "rmse", "r2"], by="place", feedback="items")[1].detail
    hidden = score(RESULT, metrics=["mae"])[0].detail

    assert shown == {"rows": 2, "ids": ["c", "d"], "marks": {"mae": [0.0, 4.0], "rmse": [0.0, 16.0]}}
    assert hidden == {"rows": 4}


def test_marks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With more rows times metrics than MAX_MARKS there are none."""
    monkeypatch.setattr(scoring, "MAX_MARKS", 7)

    assert score(RESULT, metrics=["mae"], feedback="items")[0].detail["marks"]
    assert score(RESULT, metrics=["mae", "mse"], feedback="items")[0].detail == {"rows": 4}


@pytest.mark.parametrize(
    ("truth", "given", "right"),
    [
        (["1", "2", "1"], ["1.0", "2", "01"], 1.0),  # all labels are numbers, so are those of the result
        (["01", "1", "2"], ["1", "1", "2.0"], 1 / 3),  # two labels of one number are texts
        (["x", "1", "2"], ["x", "1.0", "2"], 2 / 3),
        (["true", "false", "true"], ["true", "false", "false"], 2 / 3),
    ],
)
def test_labels_are_numbers_if_all_of_the_truth_are(truth: list[str], given: list[str], right: float) -> None:
    """Of 1 pandas makes 1.0 where a column lacks a value somewhere."""
    rows = ["".join(f"{row},{label}\n" for row, label in enumerate(side)) for side in (truth, given)]

    assert score(f"id,target\n{rows[1]}", f"id,target\n{rows[0]}", metrics=["accuracy"])[0].scores["accuracy"] == right


def test_columns_of_a_metric_are_its_own() -> None:
    """One benchmark may compare labels in one column and chances in another."""
    metrics = ["accuracy", {"metric": "roc_auc", "prediction": "p"}, {"metric": "mae", "target": "age", "name": "age"}]
    truth = "id,target,age\na,0,30\nb,1,40\n"

    (evaluation,) = score("id,target,p,age\na,0,0.1,31\nb,0,0.9,40\n", truth, metrics=metrics)

    assert evaluation.scores == {"accuracy": 0.5, "roc_auc": 1.0, "age": 0.5}


def test_score_of_columns_is_their_mean() -> None:
    """A metric of several columns needs no expression; without a value in one there is none."""
    metrics = [{"metric": "rmse", "columns": ["a", "b"]}, {"metric": "pearson", "columns": ["a", "c"], "name": "mean"}]
    truth = "id,a,b,c\n1,1,10,5\n2,2,20,5\n"

    (evaluation,) = score("id,a,b,c\n1,3,14,1\n2,4,16,2\n", truth, metrics=metrics)

    assert evaluation.scores == {"rmse": 3.0}
    assert [*evaluation.detail["absent"]] == ["mean"]


def test_truth_may_have_a_column_for_each_of_many_classes() -> None:
    """Contests of a hundred breeds write 1 into the column of a row's class, and results their chances there."""
    names = [f"breed {number}" for number in range(120)]
    header = f"id,{','.join(names)}\n"
    right = [[float(place == row) for place in range(120)] for row in range(3)]
    truth, result = (
        header + "".join(f"{row},{','.join(map(str, cells))}\n" for row, cells in enumerate(rows))
        for rows in (right, [[1 / 120] * 120] * 3)
    )

    (evaluation,) = score(result, truth, one_hot=names, metrics=["log_loss", "top_k_accuracy@5"])

    assert evaluation.scores == {"log_loss": pytest.approx(math.log(120)), "top_k_accuracy@5": 0.0}
    with pytest.raises(EvaluatorError, match="row 2: expected 1 in the column of one class and 0 in those of the"):
        score(result, truth.replace("1.0", "0.5"), one_hot=names, metrics=["log_loss"])


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("quadratic_weighted_kappa", "quadratic_kappa"),
        ("qwk", "quadratic_kappa"),
        ("matthews_corrcoef", "mcc"),
        ("word_error_rate", "wer"),
        ("top_k_accuracy_score", "top_k_accuracy@k"),
        ("spearmanr", "spearman"),
        ("macro F1", "f1_macro"),
    ],
)
def test_name_of_another_library_is_answered_with_ours(name: str, own: str) -> None:
    """Names of scikit-learn, Kaggle and TorchMetrics are known, and each leads to a metric that there is."""
    with pytest.raises(ValueError, match=f"found '{name}'; did you mean '{own}'") as caught:
        split_metric(name)

    assert "known are" not in str(caught.value)
    assert all(split_metric(each) for each in FOREIGN_METRICS.values())


def test_chances_are_divided_by_their_sum() -> None:
    """Probabilities that were rounded to two digits are accepted, and gain nothing by a sum above 1."""
    metrics = [{"metric": "brier", "classes": {"x": "px", "y": "py"}}]

    (evaluation,) = score("id,px,py\na,0.504,0.504\n", "id,target\na,x\n", metrics=metrics)

    assert evaluation.scores == {"brier": 0.5}


@pytest.mark.parametrize("metric", ["mse", "r2"])
def test_value_that_no_double_holds_is_the_players(metric: str) -> None:
    """Predictions of 1e300 have no mean squared error."""
    with pytest.raises(InvalidResult, match=f"^{metric}: its value is too large for a number"):
        score("id,target\na,1e300\nb,-1e300\nc,1\nd,1\n", metrics=[metric])


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"metrics": []}, "at least 1 item"),
        ({"metrics": ["rmes"]}, "expected a metric, found 'rmes'; did you mean 'rmse'?"),
        ({"metrics": ["ndcg"]}, "did you mean 'ndcg@k'?"),
        ({"metrics": ["map@1001"]}, "k is 1 to 1000"),
        ({"metrics": ["rmse@3"]}, "expected a metric, found 'rmse@3'"),
        ({"metrics": ["mae", "mae"]}, "the score 'mae' is there twice; give one a `name`"),
        ({"metrics": ["mae"], "labels": ["a", "a"]}, "labels: expected each once"),
        ({"metrics": ["spearman"], "weight": "w"}, "weight: spearman has no weights"),
        ({"metrics": [{"metric": "mae", "classes": {"a": "b", "c": "d"}}]}, "classes: only log_loss, brier"),
        ({"metrics": [{"metric": "map@3", "gains": "g"}]}, "gains: only ndcg@k has them"),
        ({"metrics": ["roc_auc_macro"]}, "roc_auc_macro: expected classes, the column of each class's score, or"),
        ({"metrics": [{"metric": "mae", "columns": ["a"], "target": "b"}]}, "columns: expected no target, prediction"),
    ],
)
def test_parameter_that_fits_nothing_is_named(parameters: dict[str, Any], sentence: str) -> None:
    """An owner reads what is wrong before anything is scored."""
    with pytest.raises(ValidationError) as caught:
        TableParameters.model_validate(parameters)

    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("truth", "parameters", "sentence"),
    [
        ("id,y\na,1\n", {"metrics": ["mae"]}, "row 1: expected the columns 'id' and 'target', found 'id' and 'y'"),
        ("id,target\n", {"metrics": ["mae"]}, "expected 1 to 2000000 rows, found 0"),
        ("id,target\na,1\na,2\n", {"metrics": ["mae"]}, "row 3, column 'id': 'a' is there twice, first in row 2"),
        ("id,target\n,1\n", {"metrics": ["mae"]}, "row 2, column 'id': expected an id, found an empty cell"),
        ("id,target\na,x\n", {"metrics": ["mae"]}, "row 2, column 'target': expected a number, found 'x'"),
        ("id,target\na,\n", {"metrics": ["accuracy"]}, "row 2, column 'target': expected a label, found an empty cell"),
        ("id,target\na,z\n", {"metrics": ["accuracy"], "labels": ["x", "y"]}, "expected one of 'x', 'y', found 'z'"),
        ("id,target\na,x\nb,y\n", {"metrics": ["f1"]}, "positive: f1 needs it: expected 'x' or 'y'"),
        ("id,target\na,x\nb,y\n", {"metrics": ["f1"], "positive": "z"}, "positive: f1 needs it: expected 'x' or 'y'"),
        ("id,target\na,x\n", {"metrics": ["f1"]}, "f1 is of two classes, found 1 in column 'target'; name both in"),
        ("id,target\na,1\nb,2\nc,3\n", {"metrics": ["f1"]}, "f1 is of two classes, found 3 in column 'target'; use"),
        ("id,target\na,1\nb,2\nc,3\n", {"metrics": ["brier"]}, "name the columns of all in `classes`"),
        ("id,target,w\na,1,-1\n", {"metrics": ["mae"], "weight": "w"}, "expected a weight from 0 to 1e+15, found '-1'"),
        ("id,target,w\na,1,0\n", {"metrics": ["mae"], "weight": "w"}, "the weights are all 0"),
        (
            "id,target,w,g\na,1,0,x\nb,1,1,y\n",
            {"metrics": ["mae"], "weight": "w", "by": "g"},
            "the weights of the part 'x' are all 0",
        ),
        (
            "id,target,g\na,1,x y\n",
            {"metrics": ["mae"], "by": "g"},
            "expected 1 to 64 letters, digits, '.', '_' or '-'",
        ),
        ("id,target\na,\n", {"metrics": ["map@3"]}, "expected at least one item, found an empty cell"),
        (
            "id,target,g\na,x y,1\n",
            {"metrics": [{"metric": "ndcg@3", "gains": "g"}]},
            "expected 2 numbers of at least 0, one for each item of 'target', found '1'",
        ),
    ],
)
def test_mistake_of_the_truth_is_the_owners(truth: str, parameters: dict[str, Any], sentence: str) -> None:
    """The truth is read as strictly as a result, and its owner reads the row and the column."""
    inputs = ScorerInputs(TableParameters.model_validate(parameters), truth.encode())

    with pytest.raises(EvaluatorError) as caught:
        prepare(inputs)

    assert sentence in caught.value.message


def test_rows_of_a_truth_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A truth that would not fit into a function is rejected when it is published."""
    monkeypatch.setattr(ground_truth, "MAX_ROWS", 3)

    with pytest.raises(EvaluatorError, match="expected 1 to 3 rows, found 4"):
        score(RESULT, metrics=["mae"])


def test_yaml_may_write_labels_as_numbers_and_words() -> None:
    """`positive: 1`, `labels: [0, 1]` and `labels: [true, false]` mean the texts of a table."""
    parameters = TableParameters.model_validate({"metrics": ["f1"], "labels": [False, True], "positive": True})

    assert (parameters.labels, parameters.positive) == (("false", "true"), "true")
    assert TableParameters.model_validate({"metrics": ["f1"], "labels": [0, 1]}).labels == ("0", "1")


numbers = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=20)


@given(rows=numbers)
def test_scores_stay_within_the_bounds_of_their_metric(rows: list[tuple[float, float]]) -> None:
    """Rounding never carries a score past its bounds, which would be the owner's fault."""
    metrics = [name for name, facts in METRICS.items() if facts.reads.value == "numbers" and name != "rmsle"]
    truth, result = (
        "id,target\n" + "".join(f"{row},{pair[side]!r}\n" for row, pair in enumerate(rows)) for side in (0, 1)
    )

    scores = score(result, truth, metrics=metrics)[0].scores

    for name, value in scores.items():
        facts = METRICS[split_metric(name)[0]]
        assert facts.least is None or value >= facts.least
        assert facts.most is None or value <= facts.most
