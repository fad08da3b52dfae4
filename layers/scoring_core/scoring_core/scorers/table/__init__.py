"""`table`: rows of CSV, TSV, JSON lines or JSON, joined with those of the truth by an id and compared by stock metrics.

`ground_truth` and `submission` read the two files; `labels`, `chances`, `lists` and `metrics.numbers` the formulas.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from operator import not_
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from scoring_core.io.strict_models import Name, StrictModel
from scoring_core.io.text import fold_labels, suggest_nearest
from scoring_core.scorers.base import ScorerSpec

MAX_DEPTH_OF_LIST = 1000
"""The largest k of `ndcg@k` and the like."""


class Reads(StrEnum):
    """What a metric takes the cells of both columns for."""

    TEXTS = "texts"
    LABELS = "labels"
    NUMBERS = "numbers"
    CHANCES = "chances"
    """Probabilities of the positive class, or of each class; the truth has labels."""
    SCORES = "scores"
    """Any numbers that are higher for the positive class; the truth has labels."""
    LISTS = "lists"
    """Items with a space between them, the best first; the truth has the relevant ones."""


class MetricFacts(NamedTuple):
    """What is known of a metric.

    Args:
        reads: What it takes the cells for.
        is_mean: Whether it is a mean over rows, or the root of one, so that rows have marks.
        lower: Whether lower is better.
        least: The least value; None without a bound.
        most: The greatest value; None without a bound.
        many: Whether it needs a column of the result for each class.
        two: Whether it is of two classes, one of which is positive.
    """

    reads: Reads
    is_mean: bool = False
    lower: bool = False
    least: int | None = 0
    most: int | None = 1
    many: bool = False
    two: bool = False

    @property
    def compares_texts(self) -> bool:
        """Return whether the truth has labels or texts."""
        return self.reads not in {Reads.NUMBERS, Reads.LISTS}


_LABELS = MetricFacts(Reads.LABELS)
_ERROR = MetricFacts(Reads.NUMBERS, is_mean=True, lower=True, most=None)
_AGREEMENT = MetricFacts(Reads.LABELS, least=-1)
_CORRELATION = MetricFacts(Reads.NUMBERS, least=-1)
_LIST = MetricFacts(Reads.LISTS, is_mean=True)
_OF_CLASSES = MetricFacts(Reads.SCORES, many=True)
_EDITS = MetricFacts(Reads.TEXTS, lower=True, most=None)
_AVERAGES = ("micro", "macro", "weighted")

METRICS: Mapping[str, MetricFacts] = {
    "accuracy": MetricFacts(Reads.LABELS, is_mean=True),
    "balanced_accuracy": _LABELS,
    "exact_match": MetricFacts(Reads.TEXTS, is_mean=True),
    **{name: _LABELS._replace(two=True) for name in ("precision", "recall", "f1")},
    **{f"{name}_{average}": _LABELS for name in ("precision", "recall", "f1") for average in _AVERAGES},
    "mcc": _AGREEMENT,
    "kappa": _AGREEMENT,
    "quadratic_kappa": _AGREEMENT,
    **dict.fromkeys(("mae", "mse", "rmse", "rmsle", "mape"), _ERROR),
    "smape": _ERROR._replace(most=2),
    "median_absolute_error": _ERROR._replace(is_mean=False),
    "r2": MetricFacts(Reads.NUMBERS, least=None),
    "pearson": _CORRELATION,
    "spearman": _CORRELATION,
    "kendall": _CORRELATION,
    "log_loss": MetricFacts(Reads.CHANCES, is_mean=True, lower=True, most=None, two=True),
    "brier": MetricFacts(Reads.CHANCES, is_mean=True, lower=True, most=2, two=True),
    "roc_auc": MetricFacts(Reads.SCORES, two=True),
    "average_precision": MetricFacts(Reads.SCORES, two=True),
    **dict.fromkeys(("roc_auc_macro", "roc_auc_weighted"), _OF_CLASSES),
    "top_k_accuracy@k": _OF_CLASSES._replace(is_mean=True),
    **dict.fromkeys(("ndcg@k", "map@k", "recall@k", "f1_samples"), _LIST),
    "levenshtein": _EDITS._replace(is_mean=True),
    **dict.fromkeys(("wer", "cer"), _EDITS),
}
"""Every metric, by the name that `benchmark.yaml` gives; `@k` is `@` and a number there."""
FOREIGN_METRICS: Mapping[str, str] = {
    "ap": "average_precision",
    "auroc": "roc_auc",
    "categorization_accuracy": "accuracy",
    "char_error_rate": "cer",
    "character_error_rate": "cer",
    "cross_entropy": "log_loss",
    "edit_distance": "levenshtein",
    "kendall_rank_corrcoef": "kendall",
    "matthews_corrcoef": "mcc",
    "matthews_correlation_coefficient": "mcc",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_f1": "f1_samples",
    "mean_squared_error": "mse",
    "mean_squared_log_error": "rmsle",
    "medae": "median_absolute_error",
    "qwk": "quadratic_kappa",
    "root_mean_squared_error": "rmse",
    "root_mean_squared_log_error": "rmsle",
    "root_mean_squared_logarithmic_error": "rmsle",
    "symmetric_mean_absolute_percentage_error": "smape",
    "word_error_rate": "wer",
}
"""Name of scikit-learn, Kaggle or TorchMetrics → ours, where another one is nearer by its letters.

The names are in small letters, without `_score` and `_loss` at their end.
"""

UNWEIGHTED = frozenset({"spearman", "kendall", "median_absolute_error"})
"""The metrics for which no weight of a row is defined."""

_WITH_K = re.compile(r"([a-z_]+)@([1-9][0-9]{0,3})")


def _read_label(value: object) -> object:
    """Return a label as tables have it; YAML reads 1 as a number and true as a bool."""
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def split_metric(text: str) -> tuple[str, int]:
    """Return a metric's key in METRICS and its k, 0 without one. Raises ValueError.

    >>> split_metric("rmse"), split_metric("ndcg@10")
    (('rmse', 0), ('ndcg@k', 10))
    """
    match = _WITH_K.fullmatch(text)
    key, k = (f"{match[1]}@k", int(match[2])) if match else (text, 0)
    if key not in METRICS or k > MAX_DEPTH_OF_LIST or (not k and "@" in key):
        plain = re.sub(r"[ -]+", "_", text.strip()).lower().removesuffix("_score").removesuffix("_loss")
        own = FOREIGN_METRICS.get(plain, plain if plain in METRICS else None)
        hint = f"did you mean {own!r}?" if own else suggest_nearest(plain, [*METRICS])
        raise ValueError(f"expected a metric, found {text!r}; {hint} (k is 1 to 1000)")
    return key, k


def _check_metric(text: str) -> str:
    split_metric(text)
    return text


type _Label = Annotated[str, Field(min_length=1, max_length=200), BeforeValidator(_read_label)]


class TableMetric(StrictModel):
    """One metric; in `benchmark.yaml` its name alone, or an object.

    Args:
        metric: A name of METRICS, with a number for k.
        name: The name of its score; without one that of the metric.
        target: The column of the truth; without one that of the benchmark.
        prediction: The column of the result; without one that of the benchmark.
        columns: Columns of both files, in place of target and prediction: the score is the mean over them.
        classes: Of `log_loss`, `brier` and metrics of several classes' scores: class → the column of the result with
            its probability, or its score.
        gains: Of `ndcg@k`: the column of the truth with one number for each relevant item; without one each is 1.
    """

    metric: Annotated[str, Field(max_length=64), AfterValidator(_check_metric)]
    name: Name | None = None
    target: Name | None = None
    prediction: Name | None = None
    columns: tuple[Name, ...] | None = Field(default=None, min_length=1, max_length=100, exclude_if=not_)
    classes: dict[_Label, Name] | None = Field(default=None, min_length=2, max_length=1000)
    gains: Name | None = None

    @property
    def key(self) -> str:
        """Its key in METRICS."""
        return split_metric(self.metric)[0]

    @property
    def k(self) -> int:
        """How many items of a list count; 0 of other metrics."""
        return split_metric(self.metric)[1]

    @property
    def facts(self) -> MetricFacts:
        """What is known of it."""
        return METRICS[self.key]

    @property
    def score_name(self) -> str:
        """The name of its score."""
        return self.name or self.metric

    @model_validator(mode="before")
    @classmethod
    def _read_short(cls, value: object) -> object:
        return {"metric": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        has_classes = self.facts.many or self.facts.reads is Reads.CHANCES
        if self.classes is not None and (not has_classes or self.prediction is not None):
            expected = "log_loss, brier, roc_auc_macro, roc_auc_weighted and top_k_accuracy@k"
            raise ValueError(f"classes: only {expected} have them, and then no prediction; found {self.metric}")
        if self.columns is not None and any((self.target, self.prediction, self.classes, self.gains)):
            raise ValueError("columns: expected no target, prediction, classes or gains beside it")
        if self.gains is not None and self.key != "ndcg@k":
            raise ValueError(f"gains: only ndcg@k has them, found {self.metric}")
        return self


class RowSets(StrictModel):
    """Which rows of the truth are scored; those with another value never are.

    Args:
        column: The column of the truth that says it.
        now: Its value in rows that are scored from the first day; case does not matter.
        final: Its value in rows that are hidden until the final, and scored then; None: no rows are.
    """

    column: Name
    now: _Label
    final: _Label | None = None

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.final is not None and self.now.casefold() == self.final.casefold():
            raise ValueError(f"expected two values, found {self.now!r} as now and as final")
        return self


class TableParameters(StrictModel):
    """The `parameters:` of a benchmark with this scorer.

    Args:
        id: The column of both files by which rows are joined.
        target: The column of the truth that metrics read.
        one_hot: In its place, a column of the truth for each class, named as it is: 1 in rows of the class, else 0.
            The result has its probability or score there, too.
        prediction: The column of the result that metrics read; without one it has the name of the target.
        metrics: What is computed.
        weight: The column of the truth with the weight of each row; without one each is 1.
        rows: Which rows are hidden until the final; without it all are scored from the first day.
        by: The column of the truth whose values are the parts of the benchmark; without one there are none.
        labels: The classes, in their order; without them those that occur.
        positive: The positive class of metrics of two classes; without one 1, if the classes are 0 and 1, or -1 and 1.
        feedback: `items` shows players the marks of their rows. Of two classes that is the truth itself.
    """

    id: Name = "id"
    target: Name = "target"
    one_hot: tuple[Name, ...] | None = Field(default=None, min_length=2, max_length=1000, exclude_if=not_)
    prediction: Name | None = None
    metrics: tuple[TableMetric, ...] = Field(min_length=1, max_length=40)
    weight: Name | None = None
    rows: RowSets | None = Field(default=None, exclude_if=not_)
    by: Name | None = None
    labels: tuple[_Label, ...] | None = Field(default=None, min_length=2, max_length=1000)
    positive: _Label | None = None
    feedback: Literal["none", "items"] = "none"

    @property
    def score_names(self) -> tuple[str, ...]:
        """Every score that it yields."""
        return tuple(metric.score_name for metric in self.metrics)

    @cached_property
    def single_metrics(self) -> tuple[TableMetric, ...]:
        """The metrics of one column each, those of the same score one after the other."""
        return tuple(
            metric.model_copy(update={"target": name, "name": metric.score_name} if name else {})
            for metric in self.metrics
            for name in metric.columns or (None,)
        )

    @field_validator("metrics")
    @classmethod
    def _have_classes(cls, value: tuple[TableMetric, ...], info: ValidationInfo) -> tuple[TableMetric, ...]:
        names = info.data.get("one_hot") or ()
        shared = {"classes": {name: name for name in names}} if names else {}
        filled = tuple(
            metric.model_copy(update=shared)
            if metric.classes is None and (metric.facts.many or metric.facts.reads is Reads.CHANCES)
            else metric
            for metric in value
        )
        bare = next((metric.metric for metric in filled if metric.facts.many and metric.classes is None), None)
        if bare is not None:
            raise ValueError(f"{bare}: expected classes, the column of each class's score, or one_hot")
        return filled

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = self.score_names
        repeated = next((name for index, name in enumerate(names) if name in names[:index]), None)
        if repeated is not None:
            raise ValueError(f"metrics: the score {repeated!r} is there twice; give one a `name`")
        if self.labels is not None and len({*map(fold_labels(self.labels), self.labels)}) < len(self.labels):
            raise ValueError("labels: expected each once")
        if self.rows is not None and self.rows.column in {self.id, *map(self.target_of, self.metrics)}:
            raise ValueError(f"rows.column: {self.rows.column!r} is the id or a target; expected a column of its own")
        if self.rows is not None and self.feedback == "items":
            raise ValueError("feedback: items names the rows that are scored, and rows hides the others; leave it out")
        unweighted = next((metric.key for metric in self.metrics if metric.key in UNWEIGHTED), None)
        if self.weight is not None and unweighted is not None:
            raise ValueError(f"weight: {unweighted} has no weights; leave out one of them")
        return self

    def target_of(self, metric: TableMetric) -> str:
        """Return the column of the truth that a metric reads."""
        return metric.target or self.target

    def predictions_of(self, metric: TableMetric) -> tuple[str, ...]:
        """Return the columns of the result that a metric reads: one, or one a class."""
        if metric.classes is not None:
            return tuple(metric.classes.values())
        return (metric.prediction or self.prediction or self.target_of(metric),)


SPEC = ScorerSpec(
    "table",
    TableParameters,
    score_names=None,
    has_parts=True,
    hides_rows=True,
    reads=("csv", "tsv", "jsonl", "json"),
    revision=2,
)
