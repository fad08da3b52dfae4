"""The metrics of probabilities and of scores that put rows in an order."""

import math
from collections.abc import Sequence
from itertools import accumulate, compress
from operator import add, mul, sub
from typing import NamedTuple

from scoring_core.metrics.numbers import sort

EPSILON = 2.0**-52
"""Probabilities nearer than this to 0 or 1 count as so far from it: one row alone would make a loss infinite."""


def measure_log_losses(truth: Sequence[int], given: Sequence[float], positive: int) -> list[float]:
    """Return −log of the probability that each row gave its class.

    Args:
        truth: The code of each row's class.
        given: The probability of the positive class, in [0, 1].
        positive: Its code.
    """
    return [
        -math.log(min(max(chance if code == positive else 1 - chance, EPSILON), 1 - EPSILON))
        for code, chance in zip(truth, given, strict=True)
    ]


def measure_class_log_losses(truth: Sequence[int], given: Sequence[Sequence[float]]) -> list[float]:
    """Return −log of the probability of each row's class, given those of all."""
    return [
        -math.log(min(max(chances[code] / math.fsum(chances), EPSILON), 1 - EPSILON))
        for code, chances in zip(truth, given, strict=True)
    ]


def measure_brier(truth: Sequence[int], given: Sequence[float], positive: int) -> list[float]:
    """Return the squared distance of each probability from 1 or 0, whichever is right."""
    return [((code == positive) - chance) ** 2 for code, chance in zip(truth, given, strict=True)]


def measure_class_brier(truth: Sequence[int], given: Sequence[Sequence[float]]) -> list[float]:
    """Return the sum over the classes of the squared distances, from 0 to 2."""
    losses = []
    for code, chances in zip(truth, given, strict=True):
        total = math.fsum(chances)
        losses.append(math.fsum(((code == place) - chance / total) ** 2 for place, chance in enumerate(chances)))
    return losses


def measure_roc_area(
    truth: Sequence[int], given: Sequence[float], weights: Sequence[float] | None, positive: int
) -> float | None:
    """Return the area under the ROC curve; None if a class is missing.

    Two rows with equal scores count as half in order.

    >>> measure_roc_area([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], None, 1)
    0.75
    """
    curve = _accumulate(truth, given, weights, positive)
    others: list[float] = [*map(sub, curve.all, curve.positive)]
    if not curve.positive[-1] or not others[-1]:
        return None
    means = map(add, curve.positive, [0, *curve.positive[:-1]])
    area = math.fsum(map(mul, map(sub, others, [0, *others[:-1]]), means))
    return area / 2 / curve.positive[-1] / others[-1]


def measure_roc_areas(
    truth: Sequence[int], given: Sequence[Sequence[float]], weights: Sequence[float] | None, *, by_weight: bool
) -> float | None:
    """Return the mean over the classes of the area of each against the rest.

    It is None if a class has no row, or all.

    Args:
        truth: The code of each row's class.
        given: The scores of all classes, in their order, for each row.
        weights: One for each row; None if each is 1.
        by_weight: Whether each class weighs what its rows do.

    Source: docs/sources.md, "Stock metrics".
    """
    each: Sequence[float] = [1.0] * len(truth) if weights is None else weights
    areas, shares = [], []
    for code, scores in enumerate(zip(*given, strict=True)):
        area = measure_roc_area(truth, scores, weights, code)
        if area is None:
            return None
        areas.append(area)
        shares.append(math.fsum(compress(each, (right == code for right in truth))) if by_weight else 1.0)
    return math.fsum(map(mul, areas, shares)) / math.fsum(shares)


def measure_best(truth: Sequence[int], given: Sequence[Sequence[float]], k: int) -> list[int]:
    """Return 1 for each row whose class has one of the k highest scores, else 0.

    Of equal scores that of the later class is higher, as in scikit-learn.

    >>> measure_best([0, 1], [[0.5, 0.5, 0.0], [0.2, 0.1, 0.7]], 1)
    [0, 0]
    """
    return [
        int(sum((score, place) > (scores[code], code) for place, score in enumerate(scores)) < k)
        for code, scores in zip(truth, given, strict=True)
    ]


def measure_average_precision(
    truth: Sequence[int], given: Sequence[float], weights: Sequence[float] | None, positive: int
) -> float | None:
    """Return the mean precision over the positive rows; None if there is none.

    >>> measure_average_precision([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], None, 1)
    0.8333333333333333
    """
    curve = _accumulate(truth, given, weights, positive)
    if not curve.positive[-1]:
        return None
    gains = map(sub, curve.positive, [0, *curve.positive[:-1]])
    products = (gain * (right / every) for gain, right, every in zip(gains, *curve, strict=True) if gain)
    return math.fsum(products) / curve.positive[-1]


class _Curve(NamedTuple):
    """The weight of positive rows, and of all, at each threshold: from the highest score to the lowest."""

    positive: list[float]
    all: list[float]


def _accumulate(truth: Sequence[int], given: Sequence[float], weights: Sequence[float] | None, positive: int) -> _Curve:
    places, ends = sort([-score for score in given])
    each: Sequence[float] = [1] * len(places) if weights is None else [weights[place] for place in places]
    hits = [truth[place] == positive for place in places]
    inside, every = [*accumulate(map(mul, hits, each))], [*accumulate(each)]
    return _Curve([inside[end - 1] for end in ends], [every[end - 1] for end in ends])
