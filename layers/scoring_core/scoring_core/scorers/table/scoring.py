r"""The scores of `table`: each metric over the rows of a part, with the marks of rows where it is their mean.

>>> from scoring_core.scorers.table import TableParameters
>>> truth = b"id,target\na,1\nb,2\nc,4\n"
>>> score = prepare(ScorerInputs(TableParameters.model_validate({"metrics": ["rmse", "r2"]}), truth))
>>> score(b"id,target\nc,4\na,1\nb,4\n")[0].scores
{'rmse': 1.1547005383792515, 'r2': 0.1428571428571429}
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from scoring_core.benchmarks.terms import find_part_fault
from scoring_core.errors import InvalidResult
from scoring_core.metrics import numbers
from scoring_core.scorers.base import Evaluation, Json, ScorerInputs
from scoring_core.scorers.table import Reads, TableMetric, TableParameters, chances, labels
from scoring_core.scorers.table.ground_truth import Classes, Truth, read_truth
from scoring_core.scorers.table.lists import (
    count_edits,
    measure_gain,
    measure_overlap,
    measure_precision,
    measure_recall,
)
from scoring_core.scorers.table.submission import ResultTable

MAX_MARKS = 100_000
"""Of all metrics of a result: with more there are none, as they would take megabytes."""
_ROOTS = frozenset({"rmse", "rmsle"})


class Pairs(NamedTuple):
    """What a metric compares, one of each for a row.

    Args:
        truth: What the truth has.
        given: What the result has.
        weights: None if each is 1.
        classes: Of labels, chances and scores.
    """

    truth: Sequence[Any]
    given: Sequence[Any]
    weights: Sequence[float] | None = None
    classes: Classes | None = None


def prepare(inputs: ScorerInputs) -> "TableScorer":
    """Build the scorer. Raises EvaluatorError if the truth is wrong."""
    parameters = cast("TableParameters", inputs.parameters)
    return TableScorer(parameters, read_truth(inputs.ground_truth or b"", parameters, is_hidden=inputs.is_hidden))


class TableScorer:
    """Scores one table after another against the same truth."""

    def __init__(self, parameters: TableParameters, truth: Truth) -> None:
        self._parameters = parameters
        self._truth = truth

    def read(self, result: bytes) -> ResultTable:
        """Read a result that is scored by two truths. Raises InvalidResult."""
        return ResultTable(result, self._parameters)

    def __call__(self, result: bytes | ResultTable, /, *, part: str | None = None) -> list[Evaluation]:
        """Score one result.

        Args:
            result: A table with a row for each id of the truth; of `part`, if that is named.
            part: The only part that the result is about.

        Returns:
            One evaluation for each part that it is about; one in all without parts. A score that has no value is
            absent. Detail: `rows`, how many are scored; `absent`, score → why; `unknown_labels`, column → how many rows
            have a label that the truth lacks, or all if no text occurs in it; and with `feedback: items` the `ids` of
            the rows and their `marks`, score → one number a row, of at most MAX_MARKS.

        Raises:
            InvalidResult: The truth lacks the part, the table cannot be read, or a score is too large for a double.
        """
        if (fault := find_part_fault(part, [*self._truth.groups], needs_part=False)) is not None:
            raise InvalidResult(fault)
        table = self.read(result) if isinstance(result, bytes) else result
        predictions = table.read_predictions(self._truth, part=part)
        parts: Sequence[str | None] = [part] if part is not None else [*self._truth.groups] or [None]
        return [self._score(predictions, self._truth.scored[name], name) for name in parts]

    def _score(
        self, predictions: Sequence[Sequence[Any]], places: Sequence[int] | None, part: str | None
    ) -> Evaluation:
        marks: dict[str, Sequence[float]] = {}
        absent: dict[str, Json] = {}
        strange: dict[str, Json] = {}
        weights = _pick(self._truth.weights, places) if self._truth.weights is not None else None
        values: dict[str, list[float]] = {}
        metrics = self._parameters.single_metrics
        for metric, target, given in zip(metrics, self._truth.targets, predictions, strict=True):
            truth = _pick(target.values, places)
            if target.ranks is not None:
                truth = target.ranks if places is None else numbers.rank(truth)
            pairs = Pairs(truth, _pick(given, places), weights, target.classes)
            if metric.classes is None and (count := _count_strangers(metric, pairs)):
                strange[self._parameters.predictions_of(metric)[0]] = count
            value, own_marks = measure(metric, pairs)
            if value is None:
                absent[metric.score_name] = _ABSENT[metric.key]
            else:
                values.setdefault(metric.score_name, []).append(value)
            if own_marks is not None and metric.columns is None and self._parameters.feedback == "items":
                marks[metric.score_name] = own_marks
        scores = {name: numbers.average(each) for name, each in values.items() if name not in absent}
        rows = len(self._truth.rows) if places is None else len(places)
        detail: dict[str, Json] = {"rows": rows, **({"absent": absent} if absent else {})}
        if strange:
            detail["unknown_labels"] = strange
        if marks and rows * len(marks) <= MAX_MARKS:
            ids = [*self._truth.rows]
            detail["ids"] = [*_pick(ids, places)]
            detail["marks"] = {name: [*values] for name, values in marks.items()}
        return Evaluation(scores, detail, part)


def _pick(values: Sequence[Any], places: Sequence[int] | None) -> Sequence[Any]:
    return values if places is None else [values[place] for place in places]


def _count_strangers(metric: TableMetric, pairs: Pairs) -> int:
    """Return how many labels the truth lacks; of texts, which may be any, all or none."""
    match metric.facts.reads:
        case Reads.LABELS:
            return sum(isinstance(code, float) for code in pairs.given)
        case Reads.TEXTS if {*pairs.given}.isdisjoint(pairs.truth):
            return len(pairs.given)
        case _:
            return 0


def measure(metric: TableMetric, pairs: Pairs) -> tuple[float | None, Sequence[float] | None]:
    """Return the value of a metric, or None, and the marks of the rows, or None.

    The value lies within the bounds of the metric: a sum of rounded numbers may pass them by the last bit.

    Raises InvalidResult if the value is too large for a double.
    """
    facts = metric.facts
    marks = _MARKS[metric.key](metric, pairs) if facts.is_mean else None
    try:
        value = numbers.average(marks, pairs.weights) if marks is not None else _VALUES[metric.key](metric, pairs)
        value = math.sqrt(value) if value is not None and metric.key in _ROOTS else value
    except OverflowError:
        value = math.inf
    if value is None:
        return None, marks
    if not math.isfinite(value):
        expected = "expected predictions of the size of the truth"
        raise InvalidResult(f"{metric.score_name}: its value is too large for a number: {expected}")
    least = value if facts.least is None else max(value, facts.least)
    return float(least if facts.most is None else min(least, facts.most)), marks


def _count(pairs: Pairs) -> labels.Confusion:
    closed = pairs.classes is not None and pairs.classes.closed
    classes = range(len(pairs.classes.names)) if pairs.classes is not None and closed else ()
    return labels.confuse(pairs.truth, pairs.given, pairs.weights, classes)


def _measure_losses(metric: TableMetric, pairs: Pairs) -> list[float]:
    if metric.classes is not None:
        return chances.measure_class_log_losses(pairs.truth, pairs.given)
    return chances.measure_log_losses(pairs.truth, pairs.given, _positive(pairs))


def _measure_distances(metric: TableMetric, pairs: Pairs) -> list[float]:
    if metric.classes is not None:
        return chances.measure_class_brier(pairs.truth, pairs.given)
    return chances.measure_brier(pairs.truth, pairs.given, _positive(pairs))


def _positive(pairs: Pairs) -> int:
    return pairs.classes.positive if pairs.classes is not None else -1


def _mark_equal(_: TableMetric, pairs: Pairs) -> list[int]:
    return [int(right == guess) for right, guess in zip(pairs.truth, pairs.given, strict=True)]


def _mark_lists(measure_row: Callable[[Mapping[str, float], Sequence[str], int], float]) -> "_Marks":
    return lambda metric, pairs: [
        measure_row(relevant, items, metric.k) for relevant, items in zip(pairs.truth, pairs.given, strict=True)
    ]


def _rate_edits(pairs: Pairs, split: Callable[[str], Sequence[str]]) -> float | None:
    """Return the edits of all rows over the items of their truth; None if it has none."""
    truth, given = [*map(split, pairs.truth)], map(split, pairs.given)
    length = numbers.average([*map(len, truth)], pairs.weights)
    return numbers.average([*map(count_edits, truth, given)], pairs.weights) / length if length else None


def _rate_by(name: str, average_by: str) -> "_Value":
    return lambda _, pairs: getattr(labels.rate(_count(pairs), average_by, _positive(pairs)), name)


type _Marks = Callable[[TableMetric, Pairs], Sequence[float]]
type _Value = Callable[[TableMetric, Pairs], float | None]

_MARKS: Mapping[str, _Marks] = {
    "accuracy": _mark_equal,
    "exact_match": _mark_equal,
    "mae": lambda _, pairs: numbers.measure_absolute(pairs.truth, pairs.given),
    "mape": lambda _, pairs: numbers.measure_shares(pairs.truth, pairs.given),
    "smape": lambda _, pairs: numbers.measure_symmetric_shares(pairs.truth, pairs.given),
    "mse": lambda _, pairs: numbers.measure_squares(pairs.truth, pairs.given),
    "rmse": lambda _, pairs: numbers.measure_squares(pairs.truth, pairs.given),
    "rmsle": lambda _, pairs: numbers.measure_logarithmic(pairs.truth, pairs.given),
    "log_loss": _measure_losses,
    "brier": _measure_distances,
    "ndcg@k": _mark_lists(measure_gain),
    "map@k": _mark_lists(measure_precision),
    "recall@k": _mark_lists(measure_recall),
    "f1_samples": lambda _, pairs: [*map(measure_overlap, pairs.truth, pairs.given)],
    "top_k_accuracy@k": lambda metric, pairs: chances.measure_best(pairs.truth, pairs.given, metric.k),
    "levenshtein": lambda _, pairs: [*map(count_edits, pairs.truth, pairs.given)],
}
"""Metric → the marks of the rows, whose weighted mean, or its root, is the value."""
_VALUES: Mapping[str, _Value] = {
    "balanced_accuracy": lambda _, pairs: labels.balance_accuracy(_count(pairs)),
    **{
        "_".join(filter(None, (name, average_by))): _rate_by(name, average_by)
        for name in labels.Rates._fields
        for average_by in ("", "micro", "macro", "weighted")
    },
    "mcc": lambda _, pairs: labels.correlate_classes(_count(pairs)),
    "kappa": lambda _, pairs: labels.agree(_count(pairs)),
    "quadratic_kappa": lambda _, pairs: labels.agree_by_distance(_count(pairs)),
    "median_absolute_error": lambda _, pairs: statistics.median(numbers.measure_absolute(pairs.truth, pairs.given)),
    "wer": lambda _, pairs: _rate_edits(pairs, str.split),
    "cer": lambda _, pairs: _rate_edits(pairs, str),
    "roc_auc_macro": lambda _, pairs: chances.measure_roc_areas(
        pairs.truth, pairs.given, pairs.weights, by_weight=False
    ),
    "roc_auc_weighted": lambda _, pairs: chances.measure_roc_areas(
        pairs.truth, pairs.given, pairs.weights, by_weight=True
    ),
    "r2": lambda _, pairs: numbers.determine(pairs.truth, pairs.given, pairs.weights),
    "pearson": lambda _, pairs: numbers.correlate(pairs.truth, pairs.given, pairs.weights),
    "spearman": lambda _, pairs: numbers.correlate_ranks(pairs.truth, numbers.rank(pairs.given)),
    "kendall": lambda _, pairs: numbers.correlate_order(pairs.truth, pairs.given),
    "roc_auc": lambda _, pairs: chances.measure_roc_area(pairs.truth, pairs.given, pairs.weights, _positive(pairs)),
    "average_precision": lambda _, pairs: chances.measure_average_precision(
        pairs.truth, pairs.given, pairs.weights, _positive(pairs)
    ),
}
"""Metric → its value; None if it has none."""
_ONE_SIDE = "it needs two rows, and more than one value on either side"
_ABSENT: Mapping[str, str] = {
    "r2": "it needs two rows",
    "pearson": _ONE_SIDE,
    "spearman": _ONE_SIDE,
    "kendall": _ONE_SIDE,
    "roc_auc": "it needs rows of both classes",
    "average_precision": "it needs a row of the positive class",
    **dict.fromkeys(("roc_auc_macro", "roc_auc_weighted"), "it needs a row of each class"),
    **dict.fromkeys(("wer", "cer"), "it needs a truth that is not empty"),
    "kappa": "it needs more than one class",
    "quadratic_kappa": "it needs more than one class",
}
"""Metric → why it has no value."""
