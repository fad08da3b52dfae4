"""The metrics of numbers: errors of each row, the determination and the correlations.

Sums are exact (`math.fsum`), so the order of rows changes nothing.
"""

import math
from bisect import bisect
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain, compress, islice, repeat
from operator import add, mul, ne, sub
from typing import NamedTuple

type Weights = Sequence[float] | None


def average(values: Sequence[float], weights: Weights = None) -> float:
    """Return the weighted mean of at least one value.

    >>> average([1.0, 4.0], [2.0, 1.0])
    2.0
    """
    if weights is None:
        return math.fsum(values) / len(values)
    return math.fsum(map(mul, weights, values)) / math.fsum(weights)


def measure_absolute(truth: Sequence[float], given: Sequence[float]) -> list[float]:
    """Return |t − g| of each row."""
    return [abs(right - guess) for right, guess in zip(truth, given, strict=True)]


def measure_shares(truth: Sequence[float], given: Sequence[float]) -> list[float]:
    """Return |t − g| / |t| of each row; 2^−52 in place of a smaller |t|."""
    return [abs(right - guess) / max(abs(right), 2.0**-52) for right, guess in zip(truth, given, strict=True)]


def measure_symmetric_shares(truth: Sequence[float], given: Sequence[float]) -> list[float]:
    """Return 2 |t − g| / (|t| + |g|) of each row, from 0 to 2; 0 if both are 0."""
    # Halves first: the sum of two numbers may be too large for a double.
    return [
        abs(right / 2 - guess / 2) / (abs(right) / 4 + abs(guess) / 4) if right or guess else 0.0
        for right, guess in zip(truth, given, strict=True)
    ]


def measure_squares(truth: Iterable[float], given: Iterable[float]) -> list[float]:
    """Return (t − g)² of each row."""
    return [(right - guess) * (right - guess) for right, guess in zip(truth, given, strict=True)]


def measure_logarithmic(truth: Sequence[float], given: Sequence[float]) -> list[float]:
    """Return (log(1 + t) − log(1 + g))² of each row; all numbers are above -1."""
    return measure_squares(map(math.log1p, truth), map(math.log1p, given))


def determine(truth: Sequence[float], given: Sequence[float], weights: Weights) -> float | None:
    """Return R²; 1 or 0 where the truth is constant, None with fewer than two rows.

    Source: docs/sources.md, "Stock metrics".

    >>> determine([1.0, 2.0, 3.0], [1.0, 2.0, 4.0], None)
    0.5
    """
    if len(truth) < 2:  # noqa: PLR2004
        return None
    left = math.fsum(map(mul, repeat(1.0) if weights is None else weights, measure_squares(truth, given)))
    if is_constant(truth):
        return 0.0 if left else 1.0
    middle = average(truth, weights)
    spread = math.fsum(
        map(mul, repeat(1.0) if weights is None else weights, measure_squares(truth, [middle] * len(truth)))
    )
    return 1 - left / spread


def correlate(truth: Sequence[float], given: Sequence[float], weights: Weights) -> float | None:
    """Return Pearson's correlation; None if either side has fewer than two values.

    >>> correlate([1.0, 2.0, 3.0], [10.0, 20.0, 30.0], None)
    1.0
    """
    if len(truth) < 2 or is_constant(truth) or is_constant(given):  # noqa: PLR2004
        return None
    left, right = _centre(truth, weights), _centre(given, weights)
    share: Iterable[float] = repeat(1.0) if weights is None else weights
    products = [math.fsum(map(mul, share, map(mul, *pair))) for pair in ((left, right), (left, left), (right, right))]
    norm = math.sqrt(products[1] * products[2])
    return products[0] / norm if norm else None


def correlate_ranks(truth: Sequence[int], given: Sequence[int]) -> float | None:
    """Return Spearman's correlation of what `rank` returned; None as `correlate`.

    >>> correlate_ranks(rank([1.0, 2.0, 3.0]), rank([1.0, 8.0, 27.0]))
    1.0
    """
    norm = math.sqrt(math.sumprod(truth, truth) * math.sumprod(given, given))
    return math.sumprod(truth, given) / norm if norm else None


def correlate_order(truth: Sequence[float], given: Sequence[float]) -> float | None:
    """Return Kendall's tau-b, in [-1, 1]; None as `correlate`.

    Counts are whole, so that it is exact but for one division.

    Source: docs/sources.md, "Stock metrics".

    >>> correlate_order([1.0, 2.0, 2.0, 4.0], [1.0, 3.0, 2.0, 4.0])
    0.9128709291752769
    """
    pairs = sorted(zip(truth, given, strict=True))
    left, right, both = (_count_ties(side) for side in (truth, given, pairs))
    discordant, _ = _sort_counting([second for _, second in pairs])
    every = math.comb(len(pairs), 2)
    norm = math.sqrt((every - left) * (every - right))
    return (every - left - right + both - 2 * discordant) / norm if norm else None


def _count_ties(values: Iterable[Hashable]) -> int:
    return sum(math.comb(count, 2) for count in Counter(values).values())


def _sort_counting(values: list[float]) -> tuple[int, list[float]]:
    """Return how many pairs of values fall, and the values in ascending order."""
    if len(values) < 2:  # noqa: PLR2004
        return 0, values
    middle = len(values) // 2
    (before, left), (after, right) = _sort_counting(values[:middle]), _sort_counting(values[middle:])
    across = len(left) * len(right) - sum(bisect(left, value) for value in right)
    return before + after + across, sorted(left + right)


def rank(values: Sequence[float]) -> list[int]:
    """Return twice the distance of each value's mean rank from the middle one.

    These are whole numbers, so that all sums of them are exact.

    >>> rank([0.5, 9.0, 0.5, 7.0])
    [-2, 3, -2, 1]
    """
    ordered = sort(values)
    starts = [0, *ordered.ends[:-1]]
    lengths = map(sub, ordered.ends, starts)
    ranks = [0] * len(values)
    for place, double in zip(
        ordered.places, chain.from_iterable(map(repeat, map(add, starts, ordered.ends), lengths)), strict=True
    ):
        ranks[place] = double - len(values)
    return ranks


class Ordered(NamedTuple):
    """Values in ascending order.

    Args:
        places: Where each was.
        ends: Where each run of equal values ends, and the next begins.
    """

    places: list[int]
    ends: list[int]


def sort(values: Sequence[float]) -> Ordered:
    """Return the order of at least one value."""
    places = sorted(range(len(values)), key=values.__getitem__)
    ordered = [values[place] for place in places]
    is_end = chain(map(ne, ordered, islice(ordered, 1, None)), (True,))
    return Ordered(places, [*compress(range(1, len(values) + 1), is_end)])


def _centre(values: Sequence[float], weights: Weights) -> list[float]:
    """Return the distances from the mean, scaled so that no square overflows."""
    exponent = math.frexp(max(map(abs, values)))[1]
    small = [math.ldexp(value, -exponent) for value in values]
    middle = average(small, weights)
    apart = [value - middle for value in small]
    widest = math.frexp(max(map(abs, apart)))[1]
    return [math.ldexp(value, -widest) for value in apart]


def is_constant(values: Sequence[float]) -> bool:
    """Return whether all of at least one value are equal."""
    return min(values) == max(values)
