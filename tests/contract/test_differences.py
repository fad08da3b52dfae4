"""Each difference between moto and the engine is the one that the table tells; all other limits are the same."""

import pytest

from tests.contract.differences import ALLOWED, DIFFERENCES, LIMITS, NEITHER, Row
from tests.contract.sides import Clients


@pytest.mark.parametrize(
    "row", [*DIFFERENCES, *LIMITS, *ALLOWED, *NEITHER], ids=lambda row: f"{row.operation}: {row.aws}"
)
def test_engine_answers_as_the_table_says(row: Row, side: Clients, engine_name: str) -> None:
    """Each engine does what the row says of it."""
    assert row.show(side) == getattr(row, engine_name)


def test_table_has_only_differences() -> None:
    """A row in which both engines do the same is no difference."""
    assert [row for row in DIFFERENCES if row.moto == row.engine] == []
    assert [row for row in (*LIMITS, *ALLOWED, *NEITHER) if row.moto != row.engine] == []
