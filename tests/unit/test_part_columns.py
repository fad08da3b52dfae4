"""Columns of parts: so many that a row stays small, and names that no metric has."""

import pytest

from scoring_core.ranking.part_columns import PartColumns


@pytest.mark.parametrize(
    ("parts", "metrics", "shown"),
    [
        (0, ("a", "b"), None),
        (1, ("a", "b"), None),
        (12, ("a", "b"), ("a", "b")),
        (13, ("a", "b"), ("b",)),
        (24, ("a", "b"), ("b",)),
        (60, ("a", "b", "c"), ()),
        (2, ("#a",), None),
    ],
)
def test_rows_have_a_bounded_number_of_columns(
    parts: int, metrics: tuple[str, ...], shown: tuple[str, ...] | None
) -> None:
    """All metrics of each part, the primary one, or only how many are done."""
    columns = PartColumns.of([f"q{number}" for number in range(parts)], metrics, primary=metrics[-1])

    assert columns.total == (0 if shown is None else parts)
    assert columns.metrics == (shown or ())
    assert len(columns.names) == (0 if shown is None else 1 + parts * len(shown))
