"""Score types: what fits a metric, what is rejected, and which scores are kept."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scoring_core.errors import EvaluatorError
from scoring_core.metrics.score_type import MAX_SAFE_INTEGER, Direction, MetricType, ScoreType

# Source: docs/sources.md, "Score pipeline": the score type of its example.
PUBLISHED = ScoreType.model_validate_json(
    '{"headers": [{"name": "Coins", "type": "int", "min": 0, "max": 100}, {"name": "Points", "type": "float"}]}'
)
WHOLE = MetricType(name="Coins", type="int")
REAL = MetricType(name="Points", type="float")


@pytest.mark.parametrize("value", [0, 1, 99, 100])
def test_bounds_are_inclusive(value: int) -> None:
    """Minimum and maximum fit."""
    assert PUBLISHED.metric("Coins").check(value) == value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-1, "score 'Coins': -1 is below the minimum 0"),
        (101, "score 'Coins': 101 is above the maximum 100"),
        (50.5, "score 'Coins': expected a whole number, found 50.5"),
        (True, "score 'Coins': expected a number, found the boolean true"),
        ("50", "score 'Coins': expected a number, found the string '50'"),
        (None, "score 'Coins': expected a number, found null"),
        (math.nan, "score 'Coins': expected a finite number, found nan"),
        (-math.inf, "score 'Coins': expected a finite number, found -inf"),
    ],
)
def test_score_that_does_not_fit_is_the_owners_error(value: object, message: str) -> None:
    """A score that does not fit is the owner's error; the message names metric and value."""
    with pytest.raises(EvaluatorError) as caught:
        PUBLISHED.metric("Coins").check(value)

    assert caught.value.message == message


@pytest.mark.parametrize("value", [MAX_SAFE_INTEGER + 1, -MAX_SAFE_INTEGER - 1])
def test_integer_too_large(value: int) -> None:
    """An integer beyond ±2^53 is refused by a metric of integers; one of doubles rounds it."""
    with pytest.raises(EvaluatorError, match="within ±2\\^53"):
        WHOLE.check(value)

    assert REAL.check(value) == float(value)


@pytest.mark.parametrize(
    ("header", "value", "text"),
    [
        (WHOLE, 50.0, "50"),
        (WHOLE, -0.0, "0"),
        (WHOLE, 7, "7"),
        (REAL, 50, "50.0"),
        (REAL, -0.0, "0.0"),
        (REAL, 0.1, "0.1"),
        (REAL, 1e300, "1e+300"),
    ],
)
def test_scores_are_stored_by_the_type_of_their_metric(header: MetricType, value: float, text: str) -> None:
    """An int column keeps ints, a float column doubles, and zero has no sign: so it is written in JSON."""
    assert json.dumps(header.check(value)) == text


def test_script_must_return_exactly_the_metrics() -> None:
    """A script must yield exactly the headers; the message names what is missing and what is unknown."""
    with pytest.raises(EvaluatorError) as caught:
        PUBLISHED.select({"Coins": 1, "Gems": 2, "Lives": 3}, exact=True)

    assert caught.value.message == "scores do not match the metrics: missing 'Points'; unknown 'Gems', 'Lives'"


def test_exact_names_shown() -> None:
    """Of many or long unknown names only the beginning is quoted."""
    with pytest.raises(EvaluatorError) as caught:
        PUBLISHED.select({"Coins": 1, "Points": 1} | {f"{index:02}{'x' * 90}": 1 for index in range(12)}, exact=True)

    assert caught.value.message.count("x" * 62) == 10
    assert "x" * 63 not in caught.value.message


def test_builtin_scorer_may_return_other_metrics() -> None:
    """A built-in scorer may yield more than the headers; what it omits is absent."""
    columns = PUBLISHED.select({"Gems": 2, "Coins": 1}, exact=False)

    assert columns == {"Coins": 1}


def test_order_of_columns() -> None:
    """Columns come in the order of the headers, whatever the scorer's order."""
    columns = PUBLISHED.select({"Points": 1.5, "Coins": 1}, exact=True)

    assert list(columns) == ["Coins", "Points"]


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ([], "at least 1 item"),
        ([{"name": "A", "type": "int"}] * 2, "metric 'A' is there twice"),
        ([{"name": "A", "type": "int", "min": 2, "max": 1}], "min 2 is above max 1"),
        ([{"name": "A", "type": "bool"}], "'int' or 'float'"),
        ([{"name": "", "type": "int"}], "at least 1 character"),
        ([{"name": "a\nb", "type": "int"}], "match pattern"),
        ([{"name": "A", "type": "int", "min": True}], "expected a finite number"),
        ([{"name": "A", "type": "int", "max": math.inf}], "expected a finite number"),
        ([{"name": "A", "type": "int", "direction": "up"}], "'higher' or 'lower'"),
        ([{"name": "A", "type": "int", "colour": "red"}], "Extra inputs"),
    ],
)
def test_wrong_metrics_are_refused(headers: list[dict[str, Any]], message: str) -> None:
    """Headers that say nothing, the same twice, or something else than a header may, are refused."""
    with pytest.raises(ValidationError, match=message):
        ScoreType.model_validate({"headers": headers})


def test_defaults_of_a_metric() -> None:
    """A metric without further keys has no bounds, and higher is better."""
    header = PUBLISHED.metric("Points")

    assert (header.min, header.max, header.direction) == (None, None, Direction.HIGHER)


@given(value=st.one_of(st.floats(), st.integers(), st.booleans(), st.text(max_size=3), st.none()))
def test_check_keeps_or_refuses(value: Any) -> None:
    """Whatever comes is kept as an equal, finite number within the bounds, or refused."""
    header = MetricType(name="A", type="float", min=-5, max=5)
    try:
        kept = header.check(value)
    except EvaluatorError:
        assert isinstance(value, bool) or not isinstance(value, int | float) or not -5 <= value <= 5
    else:
        assert isinstance(kept, float)
        assert kept == value
