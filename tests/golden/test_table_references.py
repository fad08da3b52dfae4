"""Every metric of `table` against scikit-learn or scipy, over made-up and hard input.

Both read the same numbers. A metric without a value there, NaN or an error, is absent here; `DIFFERENT` has the others.
"""

import json
import math
import random
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import jiwer
import numpy as np
import pytest
import rapidfuzz
from hypothesis import given, strategies

from scoring_core.scorers.base import ScorerInputs
from scoring_core.scorers.table import METRICS, UNWEIGHTED, Reads, TableParameters
from scoring_core.scorers.table.lists import count_edits
from scoring_core.scorers.table.scoring import prepare
from tests.golden import houses, rain
from tests.harness.imported import Imported

metrics, stats = Imported("sklearn.metrics"), Imported("scipy.stats")
CLOSE = 1e-12
CLOSE_IF_ILL_CONDITIONED = 1e-9

type Weights = list[float] | None
type Reference = Callable[[Any, Any, Weights], float]


class Case(NamedTuple):
    """Columns to compare, and weights of rows if there are any."""

    truth: Sequence[Any]
    given: Sequence[Any]
    weights: Weights = None


def made_up(seed: int, rows: int, truth: Callable[[random.Random], Any], given: Callable[[random.Random], Any]) -> Case:
    """Make a case from a seed."""
    source = random.Random(seed)  # noqa: S311  # no secret
    return Case([truth(source) for _ in range(rows)], [given(source) for _ in range(rows)])


def weigh(case: Case) -> Case:
    """Give the rows weights, some of them 0 and some far apart."""
    source = random.Random(7)  # noqa: S311  # no secret
    weights = [source.choice([0.0, 1.0, 0.3, 2.5, 1e-3, 40.0]) for _ in case.truth]
    return case._replace(weights=[*weights[:-1], 1.5])


NUMBERS = {
    "random": made_up(1, 200, lambda r: r.gauss(5, 2), lambda r: r.gauss(5, 2)),
    "ties": made_up(2, 200, lambda r: r.randrange(4), lambda r: r.randrange(4)),
    "two values": made_up(3, 50, lambda r: r.randrange(2), lambda r: r.randrange(2)),
    "equal": Case([1.5, 2.5, 4.0], [1.5, 2.5, 4.0]),
    "turned round": Case([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]),
    "constant truth": Case([2.0] * 5, [1.0, 2.0, 3.0, 4.0, 5.0]),
    "constant result": Case([1.0, 2.0, 3.0, 4.0, 5.0], [2.0] * 5),
    "both constant": Case([2.0] * 4, [2.0] * 4),
    "two rows": Case([1.0, 2.0], [1.0, 4.0]),
    "one row": Case([1.0], [4.0]),
    "large": made_up(4, 60, lambda r: r.gauss(0, 1) * 1e140, lambda r: r.gauss(0, 1) * 1e140),
    "small": made_up(5, 60, lambda r: r.random() * 1e-140, lambda r: r.random() * 1e-140),
    "of many sizes": made_up(6, 90, lambda r: 10 ** r.uniform(-8, 8), lambda r: 10 ** r.uniform(-8, 8)),
    "far from 0": made_up(7, 90, lambda r: 1e5 + r.random(), lambda r: 1e5 + r.random()),
}
ILL_CONDITIONED = {"far from 0"}
"""Of these numbers the first digits are the same: a difference, of logarithms too, keeps the others."""
LABELS = {
    "random": made_up(1, 300, lambda r: r.randrange(4), lambda r: r.randrange(4)),
    "many classes": made_up(2, 300, lambda r: r.randrange(40), lambda r: r.randrange(40)),
    "words": made_up(3, 99, lambda r: r.choice("abc"), lambda r: r.choice("abc")),
    "equal": Case([0, 1, 2, 1], [0, 1, 2, 1]),
    "all wrong": Case([0, 1, 2, 1], [1, 2, 0, 0]),
    "one class": Case([1] * 4, [1] * 4),
    "one class, another given": Case([1] * 4, [0] * 4),
    "one class given": Case([0, 1, 1, 2], [1] * 4),
    "a class that only the result has": Case([0, 2, 10, 2, 0], [0, 5, 10, 7, 2]),
    "a class that only the truth has": Case([0, 1, 2, 2], [0, 1, 1, 0]),
    "one row": Case([3], [3]),
    "skewed": made_up(4, 500, lambda r: int(r.random() < 0.01), lambda r: int(r.random() < 0.01)),
}
TWO_CLASSES = {
    "random": made_up(1, 300, lambda r: r.randrange(2), lambda r: r.randrange(2)),
    "skewed": LABELS["skewed"],
    "minus one": made_up(2, 60, lambda r: r.choice([-1, 1]), lambda r: r.choice([-1, 1])),
    "equal": Case([0, 1, 1], [0, 1, 1]),
    "all wrong": Case([0, 1, 1], [1, 0, 0]),
    "none given": Case([0, 1, 1], [0, 0, 0]),
    "none true": Case([0, 0, 0], [0, 1, 0]),
    "none at all": Case([0, 0, 0], [0, 0, 0]),
    "one row": Case([1], [1]),
}
CHANCES = {
    "random": made_up(1, 300, lambda r: r.randrange(2), lambda r: r.random()),
    "ties": made_up(2, 300, lambda r: r.randrange(2), lambda r: r.randrange(5) / 4),
    "sure and right": Case([0, 1, 1], [0.0, 1.0, 1.0]),
    "sure and wrong": Case([0, 1, 1], [1.0, 0.0, 0.0]),
    "all equal": Case([0, 1, 1, 0, 1], [0.5] * 5),
    "nearly sure": Case([0, 1, 0, 1], [1e-17, 1 - 1e-16, 1e-300, 1e-12]),
    "no positive": Case([0, 0, 0], [0.1, 0.2, 0.9]),
    "all positive": Case([1, 1, 1], [0.1, 0.2, 0.9]),
    "one row": Case([1], [0.3]),
    "skewed": made_up(3, 400, lambda r: int(r.random() < 0.02), lambda r: r.random() ** 4),
}
SCORES = {
    **CHANCES,
    "any numbers": made_up(4, 200, lambda r: r.randrange(2), lambda r: r.gauss(0, 1e6)),
    "negative": Case([0, 1, 0, 1], [-4.0, -1.0, -2.0, -3.0]),
    "huge": made_up(5, 50, lambda r: r.randrange(2), lambda r: r.choice([-1, 1]) * 10 ** r.uniform(-300, 300)),
}
CASES: Mapping[Reads, Mapping[str, Case]] = {
    Reads.NUMBERS: NUMBERS,
    Reads.LABELS: LABELS,
    Reads.TEXTS: LABELS,
    Reads.CHANCES: CHANCES,
    Reads.SCORES: SCORES,
}
DIFFERENT = {
    # scikit-learn says 0.0 and warns.
    ("average_precision", "no positive"): None,
}
"""(metric, case) → the value here, None for none, where scikit-learn has another."""


def by_average(name: str) -> Reference:
    """Return the reference of a metric that has an average in its name."""
    function, _, average = name.partition("_")
    return lambda t, g, w: getattr(metrics, f"{function}_score")(
        t, g, average=average or "binary", sample_weight=w, zero_division=0.0
    )


RATES = ("precision", "recall", "f1")
REFERENCES: Mapping[str, Reference] = {
    "accuracy": lambda t, g, w: metrics.accuracy_score(t, g, sample_weight=w),
    "exact_match": lambda t, g, w: metrics.accuracy_score(t, g, sample_weight=w),
    "balanced_accuracy": lambda t, g, w: metrics.balanced_accuracy_score(t, g, sample_weight=w),
    **{name: by_average(name) for name in METRICS if METRICS[name].reads is Reads.LABELS and name.startswith(RATES)},
    "mcc": lambda t, g, w: metrics.matthews_corrcoef(t, g, sample_weight=w),
    "kappa": lambda t, g, w: metrics.cohen_kappa_score(t, g, sample_weight=w),
    "quadratic_kappa": lambda t, g, w: metrics.cohen_kappa_score(t, g, sample_weight=w, weights="quadratic"),
    "mae": lambda t, g, w: metrics.mean_absolute_error(t, g, sample_weight=w),
    "mape": lambda t, g, w: metrics.mean_absolute_percentage_error(t, g, sample_weight=w),
    # Half of each number first: two of 1e308 add up to no double.
    "smape": lambda t, g, w: np.average(
        np.where((t == 0) & (g == 0), 0, np.abs(t / 2 - g / 2) / np.maximum(np.abs(t) / 4 + np.abs(g) / 4, 5e-324)),
        weights=w,
    ),
    "median_absolute_error": lambda t, g, _: metrics.median_absolute_error(t, g),
    "mse": lambda t, g, w: metrics.mean_squared_error(t, g, sample_weight=w),
    "rmse": lambda t, g, w: metrics.root_mean_squared_error(t, g, sample_weight=w),
    "rmsle": lambda t, g, w: metrics.root_mean_squared_log_error(t, g, sample_weight=w),
    "r2": lambda t, g, w: metrics.r2_score(t, g, sample_weight=w),
    "pearson": lambda t, g, w: stats.pearsonr(t, g).statistic if w is None else correlate_with_weights(t, g, w),
    "spearman": lambda t, g, _: stats.spearmanr(t, g).statistic,
    "kendall": lambda t, g, _: stats.kendalltau(t, g).statistic,
    "log_loss": lambda t, g, w: metrics.log_loss(t, g, sample_weight=w, labels=[0, 1]),
    "brier": lambda t, g, w: metrics.brier_score_loss(t, g, sample_weight=w, labels=[0, 1]),
    "roc_auc": lambda t, g, w: metrics.roc_auc_score(t, g, sample_weight=w),
    "average_precision": lambda t, g, w: metrics.average_precision_score(t, g, sample_weight=w),
}


def correlate_with_weights(truth: Any, given: Any, weights: Any) -> float:
    """Return the correlation of numpy's covariance with weights; scipy has none."""
    covariance = np.cov(truth, given, aweights=weights)
    return float(covariance[0, 1] / math.sqrt(covariance[0, 0]) / math.sqrt(covariance[1, 1]))


def ask_reference(metric: str, case: Case) -> float | None:
    """Return what the reference says; None if it has no value."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = REFERENCES[metric](np.array(case.truth), np.array(case.given), case.weights)
        except ValueError:  # scipy, of one row
            return None
    return None if math.isnan(value) else float(value)


def score(metric: str, case: Case) -> float | None:
    """Return the score of two CSV files; None if it is absent."""
    weights = case.weights or [1.0] * len(case.truth)
    truth = "".join(
        f"{row},{value},{weight!r}\n" for row, (value, weight) in enumerate(zip(case.truth, weights, strict=True))
    )
    result = "".join(f"{row},{value!r}\n" for row, value in reversed([*enumerate(case.given)]))
    if isinstance(case.given[0], str):
        result = result.replace("'", "")
    parameters = {"metrics": [metric], **({"weight": "weight"} if case.weights else {})}
    inputs = ScorerInputs(TableParameters.model_validate(parameters), f"id,target,weight\n{truth}".encode())
    return prepare(inputs)(f"id,target\n{result}".encode())[0].scores.get(metric)


def list_cases() -> list[Any]:
    """Return every metric with every case that it takes, without and with weights."""
    listed = []
    for metric in REFERENCES:
        facts = METRICS[metric]
        cases = TWO_CLASSES if facts.two and facts.reads is Reads.LABELS else CASES[facts.reads]
        for name, case in cases.items():
            if metric == "rmsle" and (min(case.truth) <= -1 or min(case.given) <= -1):
                continue
            listed.append(pytest.param(metric, name, case, id=f"{metric}: {name}"))
            if metric not in UNWEIGHTED:
                listed.append(pytest.param(metric, name, weigh(case), id=f"{metric}: {name}, with weights"))
    return listed


@pytest.mark.parametrize(("metric", "name", "case"), list_cases())
def test_metric_equals_its_reference(metric: str, name: str, case: Case) -> None:
    """A metric is what scikit-learn or scipy compute, or absent where they have no value."""
    expected = DIFFERENT[metric, name] if (metric, name) in DIFFERENT else ask_reference(metric, case)

    value = score(metric, case)

    assert (value is None) == (expected is None), (value, expected)
    if value is not None and expected is not None:
        close = CLOSE_IF_ILL_CONDITIONED if name in ILL_CONDITIONED else CLOSE
        bounded = METRICS[metric].most is not None  # near 0, a share or a correlation is what two numbers leave over
        assert value == pytest.approx(expected, rel=close, abs=close if bounded else 0.0)


CLASSES = ["cat", "dog", "eel"]


def distribute(source: random.Random) -> list[float]:
    """Return probabilities of three classes."""
    parts = [source.random() ** 3 for _ in CLASSES]
    return [part / sum(parts) for part in parts]


def measure_area(average: str) -> Reference:
    """Return the area of several classes, each against the rest."""
    return lambda t, g, w: metrics.roc_auc_score(
        t, g, sample_weight=w, multi_class="ovr", average=average, labels=CLASSES
    )


OF_CLASSES: Mapping[str, Reference] = {
    "log_loss": lambda t, g, w: metrics.log_loss(t, g, sample_weight=w, labels=CLASSES),
    "brier": lambda t, g, w: metrics.brier_score_loss(t, g, sample_weight=w, labels=CLASSES),
    "roc_auc_macro": measure_area("macro"),
    "roc_auc_weighted": measure_area("weighted"),
    **{
        f"top_k_accuracy@{k}": lambda t, g, w, k=k: metrics.top_k_accuracy_score(
            t, g, k=k, sample_weight=w, labels=CLASSES
        )
        for k in (1, 2)
    },
}


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", OF_CLASSES)
def test_metric_of_class_probabilities_equals_its_reference(metric: str, *, weighted: bool, ties: bool) -> None:
    """With a column for each class, the loss is that of all classes, and equal scores are as in scikit-learn."""
    tied = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]
    case = made_up(1, 90, lambda r: r.choice(CLASSES), (lambda r: r.choice(tied)) if ties else distribute)
    case = weigh(case) if weighted else case
    rows = "".join(f"{row},{','.join(map(repr, given))}\n" for row, given in enumerate(case.given))
    weights = case.weights or [1.0] * 90
    truth = "".join(
        f"{row},{name},{weight}\n" for row, (name, weight) in enumerate(zip(case.truth, weights, strict=True))
    )
    parameters = {"metrics": [{"metric": metric, "classes": {name: f"p_{name}" for name in CLASSES}}], "weight": "w"}
    scorer = prepare(ScorerInputs(TableParameters.model_validate(parameters), f"id,target,w\n{truth}".encode()))

    value = scorer(f"id,p_cat,p_dog,p_eel\n{rows}".encode())[0].scores[metric]

    expected = OF_CLASSES[metric](case.truth, np.array(case.given), case.weights)
    assert value == pytest.approx(expected, rel=CLOSE)


def test_area_of_classes_is_absent_without_a_row_of_each() -> None:
    """A class that no row of the truth is of has no area."""
    parameters = {"one_hot": CLASSES, "metrics": ["roc_auc_macro"]}
    scorer = prepare(ScorerInputs(TableParameters.model_validate(parameters), b"id,cat,dog,eel\n1,1,0,0\n2,0,1,0\n"))

    (evaluation,) = scorer(b"id,cat,dog,eel\n1,3,2,1\n2,1,5,1\n")

    assert (evaluation.scores, evaluation.detail["absent"]) == ({}, {"roc_auc_macro": "it needs a row of each class"})


TEXTS = ["the cat sat", "a", "", "é à la carte", "x  y   z", "same words", "longer " * 30, "日本語 テスト"]


@pytest.mark.parametrize("metric", ["wer", "cer", "levenshtein"])
def test_edits_of_texts_equal_their_reference(metric: str) -> None:
    """Error rates are those of jiwer, and distances those of rapidfuzz, over all pairs of texts."""
    pairs = [(truth, given) for truth in TEXTS if truth for given in TEXTS]
    rows = [[{"id": row, "target": pair[side].strip()} for row, pair in enumerate(pairs)] for side in (0, 1)]
    scorer = prepare(ScorerInputs(TableParameters.model_validate({"metrics": [metric]}), json.dumps(rows[0]).encode()))

    value = scorer(json.dumps(rows[1]).encode())[0].scores[metric]

    truth, given = ([row["target"] for row in side] for side in rows)
    distances = [rapidfuzz.distance.Levenshtein.distance(*pair) for pair in zip(truth, given, strict=True)]
    expected = sum(distances) / len(distances) if metric == "levenshtein" else getattr(jiwer, metric)(truth, given)
    assert value == pytest.approx(expected, rel=CLOSE)


@given(strategies.lists(strategies.sampled_from("ab c"), max_size=80), strategies.text("abc", max_size=80))
def test_edits_of_any_two_sequences_equal_their_reference(truth: list[str], result: str) -> None:
    """The distance is that of rapidfuzz, also past the width of a machine's word."""
    assert count_edits(truth, result) == rapidfuzz.distance.Levenshtein.distance(truth, [*result])


def test_overlap_of_sets_equals_its_reference() -> None:
    """F1 of sets of labels is the mean over rows of scikit-learn's `samples`."""
    source = random.Random(5)  # noqa: S311  # no secret
    items = [f"i{number}" for number in range(9)]
    sides = [[source.sample(items, source.randrange(least, 7)) for _ in range(50)] for least in (1, 0)]
    rows = ["".join(f"{row},{' '.join(own)}\n" for row, own in enumerate(side)) for side in sides]
    parameters = TableParameters.model_validate({"metrics": ["f1_samples"]})
    scorer = prepare(ScorerInputs(parameters, f"id,target\n{rows[0]}".encode()))

    value = scorer(f"id,target\n{rows[1]}".encode())[0].scores["f1_samples"]

    truth, given = (np.array([[item in own for item in items] for own in side]) for side in sides)
    assert value == pytest.approx(metrics.f1_score(truth, given, average="samples", zero_division=0.0), rel=CLOSE)


def test_declared_labels_have_their_order_and_count_where_they_are_absent() -> None:
    """Distances of quadratic kappa and the classes of macro F1 are those that `labels` declares."""
    labels = ["low", "middle", "high", "top"]
    case = made_up(1, 60, lambda r: r.choice(labels[:3]), lambda r: r.choice(labels[:3]))
    rows = ["".join(f"{row},{name}\n" for row, name in enumerate(side)) for side in (case.truth, case.given)]
    parameters = {"metrics": ["quadratic_kappa", "f1_macro"], "labels": labels}
    scorer = prepare(ScorerInputs(TableParameters.model_validate(parameters), f"id,target\n{rows[0]}".encode()))

    scores = scorer(f"id,target\n{rows[1]}".encode())[0].scores

    kappa = metrics.cohen_kappa_score(case.truth, case.given, labels=labels, weights="quadratic")
    f1 = metrics.f1_score(case.truth, case.given, labels=labels, average="macro", zero_division=0.0)
    assert scores == pytest.approx({"quadratic_kappa": kappa, "f1_macro": f1}, rel=CLOSE)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_gain_of_lists_equals_its_reference(k: int) -> None:
    """NDCG@k is that of scikit-learn where a list has k items."""
    source = random.Random(k)  # noqa: S311  # no secret
    items = [f"i{number}" for number in range(12)]
    gains = [[source.choice([0, 1, 2, 3.5]) for _ in items] for _ in range(40)]
    lists = [source.sample(items, 10) for _ in gains]
    truth = "".join(f"{row},{' '.join(items)},{' '.join(map(str, own))}\n" for row, own in enumerate(gains))
    result = "".join(f"{row},{' '.join(own)}\n" for row, own in enumerate(lists))
    parameters = {"metrics": [{"metric": f"ndcg@{k}", "gains": "gains"}]}
    scorer = prepare(ScorerInputs(TableParameters.model_validate(parameters), f"id,target,gains\n{truth}".encode()))

    value = scorer(f"id,target\n{result}".encode())[0].scores[f"ndcg@{k}"]

    scores = [[-own.index(item) if item in own else -99 - place for place, item in enumerate(items)] for own in lists]
    assert value == pytest.approx(metrics.ndcg_score(np.array(gains), np.array(scores), k=k), rel=CLOSE)


def test_precision_of_whole_lists_equals_its_reference() -> None:
    """With all items in the list, AP@k is the average precision of their order."""
    source = random.Random(3)  # noqa: S311  # no secret
    items = [f"i{number}" for number in range(12)]
    relevant = [source.sample(items, source.randrange(1, 12)) for _ in range(40)]
    lists = [source.sample(items, 12) for _ in relevant]
    rows = ["".join(f"{row},{' '.join(own)}\n" for row, own in enumerate(side)) for side in (relevant, lists)]
    scorer = prepare(
        ScorerInputs(TableParameters.model_validate({"metrics": ["map@12"]}), f"id,target\n{rows[0]}".encode())
    )

    value = scorer(f"id,target\n{rows[1]}".encode())[0].scores["map@12"]

    expected = [
        metrics.average_precision_score([item in own for item in items], [-given.index(item) for item in items])
        for own, given in zip(relevant, lists, strict=True)
    ]
    assert value == pytest.approx(sum(expected) / len(expected), rel=CLOSE)


def test_recall_of_one_relevant_item_equals_its_reference() -> None:
    """With one relevant item a row, recall@k is the accuracy of the first k."""
    source = random.Random(4)  # noqa: S311  # no secret
    items = [f"i{number:02}" for number in range(12)]
    relevant = [source.choice(items) for _ in range(60)]
    lists = [source.sample(items, 12) for _ in relevant]
    truth = "".join(f"{row},{own}\n" for row, own in enumerate(relevant))
    result = "".join(f"{row},{' '.join(own)}\n" for row, own in enumerate(lists))
    scorer = prepare(
        ScorerInputs(TableParameters.model_validate({"metrics": ["recall@3"]}), f"id,target\n{truth}".encode())
    )

    value = scorer(f"id,target\n{result}".encode())[0].scores["recall@3"]

    scores = np.array([[-given.index(item) for item in items] for given in lists])
    assert value == pytest.approx(metrics.top_k_accuracy_score(relevant, scores, k=3, labels=items), rel=CLOSE)


@pytest.mark.parametrize("made", [rain, houses])
def test_shipped_benchmark_is_what_its_script_makes(made: ModuleType) -> None:
    """The tables of `benchmarks` are made up, by a seed, so they are free to use."""
    assert {path: (made.FOLDER / path).read_text() for path in made.make_files()} == made.make_files()


def test_every_metric_has_a_reference() -> None:
    """Metrics of lists, edits and columns of classes are compared in tests of their own."""
    own = {"ndcg@k", "map@k", "recall@k", "f1_samples", "levenshtein", "wer", "cer"}
    own |= {name for name, facts in METRICS.items() if facts.many}
    assert {*METRICS} - {*REFERENCES} == own
