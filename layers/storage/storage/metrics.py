"""Metrics: numbers in a log line that CloudWatch reads (its embedded metric format).

They are added to lines that are logged anyway; lines of their own, as Powertools writes, would double the log.
Each combination of a metric and its dimensions costs as much as three alarms, so benchmark and player are no
dimensions: they are in the line, and a query counts by them.
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
# Every line names the function, and so the stack; the line must have the other dimensions.
_DIMENSIONS: Final = {Measure.OUTCOMES: ["function_name", "outcome"]}


def measure(values: Mapping[Measure, float], *, moment: datetime) -> dict[str, Any]:
    """Return the metrics of a log line; one with OUTCOMES must have `outcome`, too."""
    directives = [
        {
            "Namespace": NAMESPACE,
            "Dimensions": [_DIMENSIONS.get(name, ["function_name"])],
            "Metrics": [{"Name": name.value, "Unit": _UNITS[name]}],
        }
        for name in values
    ]
    metadata = {"Timestamp": int(moment.timestamp() * 1000), "CloudWatchMetrics": directives}
    return {"_aws": metadata, **{name.value: value for name, value in values.items()}}
