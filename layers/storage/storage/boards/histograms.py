"""Histograms that values are added to and taken from: bins of a power of two, at multiples of it. Pure."""

import math
import sys
from collections import Counter
from collections.abc import Collection, Sequence

from storage.boards.models import Histogram

HISTOGRAM_BINS = 20
_SPREAD = 5
"""A histogram has about 2 ** 5 bins at most, and 2 ** 4 while its values are spread as when they were counted."""
_PRECISION = 50
"""A bin is at least this many binary digits below the largest value, so that its bounds are exact."""
_FEWEST_BINS = 2 ** (_SPREAD - 1) // 2
"""With fewer, a histogram says too little; a count of all values has at least twice as many."""


def count_values(values: Sequence[float]) -> Histogram | None:
    """Count values in equal bins, the last with its upper end; None without values.

    >>> count_values([1, 2, 3]).counts[0]
    1
    """
    if not values:
        return None
    low, high = min(values), max(values)
    if low == high:
        return Histogram(min=low, max=high, counts=(len(values),))
    counts = [0] * HISTOGRAM_BINS
    scale = 1.0 if math.isfinite(high - low) else 0.5
    for value in values:
        share = (value * scale - low * scale) / (high * scale - low * scale)
        counts[min(int(share * HISTOGRAM_BINS), HISTOGRAM_BINS - 1)] += 1
    return Histogram(min=low, max=high, counts=tuple(counts))


def bin_values(values: Collection[float]) -> Histogram | None:
    """Count values in aligned bins; None without values.

    >>> bin_values([1, 2, 3.5])
    Histogram(min=1.0, max=3.625, counts=(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    """
    return change_bins(None, removed=(), added=values)


def change_bins(
    histogram: Histogram | None, *, removed: Collection[float], added: Collection[float]
) -> Histogram | None:
    """Return a histogram after values have come and gone; None if none is left.

    Bins are joined when the values spread, never split: that is for the next count of all values.
    """
    values = [_to_float(value) for value in added]
    exponent, bins = _read(histogram, values)
    for value in values:
        bins[_index(value, exponent)] += 1
    for value in removed:
        bins[_index(_to_float(value), exponent)] -= 1
    counts = {index: count for index, count in bins.items() if count > 0}
    if not counts:
        return None
    if histogram is None and len(set(values)) == 1:
        return Histogram(min=values[0], max=values[0], counts=(len(values),))
    low, high = min(counts), max(counts)
    return Histogram(
        min=_bound(low, exponent),
        max=_bound(high + 1, exponent),
        counts=tuple(counts.get(index, 0) for index in range(low, high + 1)),
    )


def is_coarse(histogram: Histogram) -> bool:
    """Return whether a count of all values would have narrower bins.

    Values that were far away are gone then.

    >>> is_coarse(Histogram(min=0, max=2, counts=(1, 1))), is_coarse(bin_values([1, 2]))
    (True, False)
    """
    low, high, bins = histogram.min, histogram.max, len(histogram.counts)
    return low < high and bins < _FEWEST_BINS and _width_exponent(histogram) > _choose_exponent(low, high)


def _width_exponent(histogram: Histogram) -> int:
    bins = len(histogram.counts)
    return round(math.log2(histogram.max / bins - histogram.min / bins))


def _read(histogram: Histogram | None, values: Collection[float]) -> tuple[int, Counter[int]]:
    """Return the exponent of the width for more values, and the counts by index."""
    if histogram is None:
        return _choose_exponent(min(values, default=0.0), max(values, default=0.0)), Counter()
    low, high = histogram.min, histogram.max
    needed = _choose_exponent(min(low, *values, high), max(low, *values, high))
    if low == high:
        return needed, Counter({_index(low, needed): histogram.counts[0]})
    before = _width_exponent(histogram)
    exponent = max(before, needed)
    start = round(math.ldexp(low, -before))
    counts: Counter[int] = Counter()
    for index, count in enumerate(histogram.counts, start):
        counts[index >> (exponent - before)] += count
    return exponent, counts


def _choose_exponent(low: float, high: float) -> int:
    spread = math.frexp(high / 2 - low / 2)[1] + 1 - _SPREAD if high > low else -sys.float_info.max_exp
    return max(spread, math.frexp(max(abs(low), abs(high)))[1] - _PRECISION)


def _index(value: float, exponent: int) -> int:
    return math.floor(math.ldexp(value, -exponent))


def _bound(index: int, exponent: int) -> float:
    try:
        return math.ldexp(index, exponent)
    except OverflowError:
        return math.copysign(sys.float_info.max, index)


def _to_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an int may have any number of digits
        return sys.float_info.max if value > 0 else -sys.float_info.max
