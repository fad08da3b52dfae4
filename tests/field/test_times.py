"""Times: a metric in `h:mm:ss` takes `1:23.450`, keeps seconds, and is shown as a time."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from scoring_core.errors import InvalidResult
from scoring_core.metrics.score_type import MetricType
from scoring_core.metrics.spelling import TIME, read_time
from scoring_core.scorers.base import Scorer, ScorerInputs
from scoring_core.scorers.fields import FieldsParameters
from scoring_core.scorers.fields.scoring import prepare


def make_scorer(**field: Any) -> Scorer:
    """Make a scorer of laps."""
    lap = {"name": "Lap", "at": "/lap", "unit": TIME, **field}
    return prepare(ScorerInputs(FieldsParameters.model_validate({"fields": [lap]})))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1:23.450", 83.45), ("1:02:05.25", 3725.25), ("0:05", 5.0), ("00:00:00.001", 0.001), ("100:00:00", 360000.0),
        ("75:09.5", 4509.5), (" 1:23.4 ", 83.4), ("83.45", None), ("1:2:05", None), ("1:60", None), ("1:75:00", None),
        ("1:23,45", None), ("-1:23", None), ("1:23.", None), (":23", None), ("1:23:", None), ("", None), ("١:٢٣", None),
    ],
)  # fmt: skip
def test_time_in_text_is_its_seconds(text: str, seconds: float | None) -> None:
    """Minutes and seconds have two digits behind hours; whatever else comes is no time, and the result says so."""
    assert read_time(text) == seconds
    if seconds is not None:
        assert make_scorer()(json.dumps({"lap": text}).encode())[0].scores == {"Lap": seconds}
        return
    with pytest.raises(InvalidResult, match=r"Lap: expected a time such as 1:23\.450, or a number in seconds at /lap"):
        make_scorer()(json.dumps({"lap": text}).encode())


def test_bounds_of_a_time_are_seconds() -> None:
    """A number is seconds, too; a time out of bounds is quoted as it was sent."""
    scorer = make_scorer(min=10, max=60)

    assert scorer(b'{"lap": 59.5}')[0].scores == {"Lap": 59.5}
    with pytest.raises(InvalidResult) as caught:
        scorer(b'{"lap": "1:00.001"}')
    assert caught.value.message == (
        "Lap: expected a time such as 1:23.450, or a number from 10 to 60 seconds at /lap, found the string '1:00.001'"
    )


def test_field_of_another_unit_takes_no_time() -> None:
    """Only what is declared as a time is read as one."""
    with pytest.raises(InvalidResult, match="expected a number in s at /lap, found the string '1:23'"):
        make_scorer(unit="s")(b'{"lap": "1:23"}')


@pytest.mark.parametrize("unit", ["mm:ss", "hh:mm:ss", "H:MM:SS", "m:ss.SSS", "mm:ss,fff"])
def test_other_spellings_of_the_unit_are_told_the_right_one(unit: str) -> None:
    """They would be shown behind plain seconds."""
    with pytest.raises(ValidationError, match="expected h:mm:ss for seconds that are shown as a time"):
        MetricType(name="Lap", type="float", unit=unit)


@pytest.mark.parametrize("unit", ["s", "min", "m/s", "ms", "h", "h:mm:ss"])
def test_other_units_are_what_they_are(unit: str) -> None:
    """Nothing else is taken for a time."""
    assert MetricType(name="Lap", type="float", unit=unit).unit == unit
