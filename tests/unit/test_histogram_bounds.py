"""Histograms of values that no double can hold, and of values that come and go."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.boards.histograms import bin_values, change_bins, count_values, is_coarse
from storage.boards.models import Histogram


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_int_of_any_size_is_counted(value: int) -> None:
    """An int beyond every double is counted in the last bin of its side."""
    histogram = bin_values([value, 1])

    assert histogram is not None
    assert sum(histogram.counts) == 2


@given(st.lists(st.integers(0, 1_000), min_size=2, max_size=40, unique=True))
def test_value_far_away_leaves_a_coarse_histogram(values: list[int]) -> None:
    """Its bins were joined for a value that is gone; a count of what is left has narrower ones."""
    histogram = bin_values(values)
    with_far = change_bins(histogram, removed=(), added=[10**9])

    left = change_bins(with_far, removed=[10**9], added=())

    assert left is not None
    assert is_coarse(left)


EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e-323,
    2.2e-308,
    -2.2e-308,
    1.0,
    -1.0,
    1e300,
    sys.float_info.max,
    -sys.float_info.max,
]
SCORES = st.sampled_from(EXTREMES) | st.floats(allow_nan=False, allow_infinity=False) | st.integers()
CHANGES = st.lists(st.tuples(st.lists(st.integers(0, 30), max_size=4), st.lists(SCORES, max_size=4)), max_size=12)


@given(st.lists(SCORES, max_size=12), CHANGES)
def test_histogram_counts_every_row_after_any_changes(
    rows: list[float], changes: list[tuple[list[int], list[float]]]
) -> None:
    """Whatever comes and goes, in whatever order: nothing is raised, and the counts add up to the rows."""
    histogram = bin_values(rows)

    for leaving, added in changes:
        removed = [rows.pop(index % len(rows)) for index in leaving if rows]
        rows = [*rows, *added]
        histogram = change_bins(histogram, removed=removed, added=added)

        assert (sum(histogram.counts) if histogram else 0) == len(rows)
        assert histogram is None or (
            histogram.min <= min(map(_clamp, rows)) and max(map(_clamp, rows)) <= histogram.max
        )
        assert histogram is None or len(histogram.counts) <= 34
        assert histogram is None or isinstance(is_coarse(histogram), bool)


@given(st.lists(SCORES, min_size=1, max_size=40))
def test_count_of_extremes_is_complete_and_never_coarse(rows: list[float]) -> None:
    """A board of any numbers is counted whole, and is not counted again every ten minutes."""
    few, many = count_values(rows), bin_values(rows)

    assert few is not None
    assert many is not None
    assert sum(few.counts) == sum(many.counts) == len(rows)
    assert not is_coarse(many)


def test_subnormal_among_zeros_leaves_a_histogram_that_can_change() -> None:
    """The smallest doubles once made bins of no width, and every later change of that board failed."""
    histogram = bin_values([0.0] * 100 + [1e-323])

    changed = change_bins(histogram, removed=[1e-323], added=[0.0, 1e-323])

    assert histogram is not None
    assert (histogram.min, histogram.max, histogram.counts) == (0.0, 1.5e-323, (100, 0, 1))
    assert changed is not None
    assert changed.counts == (101, 0, 1)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(0, 9), min_size=1, max_size=40),
)
def test_stored_histogram_of_any_bounds_can_change(low: float, high: float, counts: list[int]) -> None:
    """Also bounds that no release should have stored are read, and no count is lost."""
    stored = Histogram(min=min(low, high), max=max(low, high), counts=tuple(counts))

    changed = change_bins(stored, removed=(), added=[low])

    assert changed is not None
    assert sum(changed.counts) == sum(counts) + 1


def _clamp(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max
