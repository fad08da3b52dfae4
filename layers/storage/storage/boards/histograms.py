"""Histograms that values are added to and taken from: bins of a power of two, at multiples of it. Pure."""

import math
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction

from storage.boards.models import Histogram

HISTOGRAM_BINS = 20
_SPREAD = 5
"""A histogram has about 2 ** 5 bins at most, and 2 ** 4 while its values are spread as when they were counted."""
_PRECISION = 50
"""A bin is at least this many binary digits below the largest value, so that its bounds are exact."""
_LEAST_EXPONENT = sys.float_info.min_exp - sys.float_info.mant_dig
"""No bin is narrower than the smallest double, so that its bounds are exact."""
_FEWEST_BINS = 2 ** (_SPREAD - 1) // 2
"""With fewer, a histogram says too little; a count of all values has at least twice as many."""


def count_values(values: Sequence[float]) -> Histogram | None:
    """Count values in equal bins, the last with its upper end; None without values.

    >>> count_values([1, 2, 3]).counts[0]
    1
    """
    if not values:
        return None
    values = [_to_float(value) for value in values]
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
    """Return the exponent of the bins' width, rounded up if it has none."""
    width = _width(histogram)
    exponent = _magnitude(width) - 1
    return max(exponent if width == _power(exponent) else exponent + 1, _LEAST_EXPONENT)


def _width(histogram: Histogram) -> Fraction:
    """Return the exact width of bins, as the stored bounds say."""
    return (_read_bound(histogram.max) - _read_bound(histogram.min)) / len(histogram.counts)


def _read(histogram: Histogram | None, values: Collection[float]) -> tuple[int, Counter[int]]:
    """Return the exponent of the width for more values, and the counts by index."""
    if histogram is None:
        return _choose_exponent(min(values, default=0.0), max(values, default=0.0)), Counter()
    low, high = histogram.min, histogram.max
    needed = _choose_exponent(min(low, *values, high), max(low, *values, high))
    if low == high:
        return needed, Counter({_index(low, needed): sum(histogram.counts)})
    exponent = max(_width_exponent(histogram), needed)
    start, width = _read_bound(low), _width(histogram)
    # In units of the width, so that whole numbers are counted with wherever bins are aligned.
    first: Fraction | int = start / width
    share: Fraction | int = _power(exponent) / width
    if first.denominator == share.denominator == 1:
        first, share = first.numerator, share.numerator
    counts: Counter[int] = Counter()
    for number, count in enumerate(histogram.counts):
        counts[math.floor((first + number) // share)] += count
    return exponent, counts


def _choose_exponent(low: float, high: float) -> int:
    spread = _magnitude(Fraction(high) - Fraction(low)) - _SPREAD if high > low else _LEAST_EXPONENT
    return max(spread, math.frexp(max(abs(low), abs(high)))[1] - _PRECISION, _LEAST_EXPONENT)


def _magnitude(value: Fraction) -> int:
    """Return the least exponent whose power of two is greater.

    >>> [_magnitude(Fraction(value)) for value in (0.5, 1, 3)]
    [0, 1, 2]
    """
    estimate = value.numerator.bit_length() - value.denominator.bit_length()
    return estimate + (value >= _power(estimate))


def _power(exponent: int) -> Fraction:
    return Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)


def _index(value: float, exponent: int) -> int:
    """Return the number of a value's bin.

    Nothing is rounded: the number must be the same when the value goes.
    """
    numerator, denominator = value.as_integer_ratio()
    shift = denominator.bit_length() - 1 + exponent
    return numerator >> shift if shift >= 0 else numerator << -shift


def _read_bound(bound: float) -> Fraction:
    """Return a bound as it was before `_bound` cut it.

    The largest double stands for the power of two above it.
    """
    if abs(bound) == sys.float_info.max:
        return Fraction(2**sys.float_info.max_exp) * (1 if bound > 0 else -1)
    return Fraction(bound)


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
