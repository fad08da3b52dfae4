"""Histograms of values that no double can hold."""

import pytest

from storage.boards.histograms import bin_values


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_int_of_any_size_is_counted(value: int) -> None:
    """An int beyond every double is counted in the last bin of its side."""
    histogram = bin_values([value, 1])

    assert histogram is not None
    assert sum(histogram.counts) == 2
