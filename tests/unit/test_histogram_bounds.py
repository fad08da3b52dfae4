"""Histograms of values that no double can hold, and of values that come and go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.boards.histograms import bin_values, change_bins, is_coarse

VALUES = st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), min_size=1, max_size=40)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_int_of_any_size_is_counted(value: int) -> None:
    """An int beyond every double is counted in the last bin of its side."""
    histogram = bin_values([value, 1])

    assert histogram is not None
    assert sum(histogram.counts) == 2


@given(VALUES)
def test_count_of_all_values_is_never_coarse(values: list[float]) -> None:
    """Else the schedule would count them again every ten minutes."""
    histogram = bin_values(values)

    assert histogram is not None
    assert not is_coarse(histogram)


@given(st.lists(st.integers(0, 1_000), min_size=2, max_size=40, unique=True))
def test_value_far_away_leaves_a_coarse_histogram(values: list[int]) -> None:
    """Its bins were joined for a value that is gone; a count of what is left has narrower ones."""
    histogram = bin_values(values)
    with_far = change_bins(histogram, removed=(), added=[10**9])

    left = change_bins(with_far, removed=[10**9], added=())

    assert left is not None
    assert is_coarse(left)
