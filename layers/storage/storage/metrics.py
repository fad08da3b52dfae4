"""Measurements: numbers in a log line of which CloudWatch makes metrics (its embedded metric format).

They ride on lines that are written anyway: a line of their own, as Powertools writes, would double what is logged.
Each combination of a metric and its dimensions costs as much as three alarms, so neither benchmark nor player is one:
the line has both, and a query counts by them.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

NAMESPACE: Final = "Laurel"


class Measure(StrEnum):
    """What is measured."""

    SUBMISSIONS = "submissions"
    OUTCOMES = "outcomes"
    WAITING = "waiting_milliseconds"
    SCORING = "scoring_milliseconds"


_UNITS: Final = {
    Measure.SUBMISSIONS: "Count",
    Measure.OUTCOMES: "Count",
    Measure.WAITING: "Milliseconds",
    Measure.SCORING: "Milliseconds",
}
# Every line of a function's log names the function, and so the stack; the others must stand in the line.
_DIMENSIONS: Final = {Measure.OUTCOMES: ["function_name", "outcome"]}


def measure(values: Mapping[Measure, float], *, moment: datetime) -> dict[str, Any]:
    """Give what a log line needs beside its message to be counted.

    Args:
        values: Counts, or milliseconds, 0 or more.
        moment: The time of the measurement.

    Returns:
        Keys of the line; where outcomes are counted it must have `outcome`, too.
    """
    directives = [
        {
            "Namespace": NAMESPACE,
            "Dimensions": [_DIMENSIONS.get(one, ["function_name"])],
            "Metrics": [{"Name": one.value, "Unit": _UNITS[one]}],
        }
        for one in values
    ]
    metadata = {"Timestamp": int(moment.timestamp() * 1000), "CloudWatchMetrics": directives}
    return {"_aws": metadata, **{one.value: value for one, value in values.items()}}
