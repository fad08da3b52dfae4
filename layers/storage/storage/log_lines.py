"""What a line of the log contains, and the metrics in it (CloudWatch's embedded metric format).

CloudWatch charges for each byte, and one line is written for each submission. Metrics are added to lines that are
logged anyway; lines of their own, as Powertools writes, would double the log. Each combination of a metric and its
dimensions costs as much as three alarms, and its description is longer than the number. So only what is counted is a
metric; benchmark, player and durations are in the line, and a query reads them.
"""

import logging
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

_REPEATED = frozenset({"function_memory_size", "function_arn"})
"""The template has the one, `function_name` is the end of the other."""
NAMESPACE: Final = "Laurel"


# No line names them, so no record gathers them (docs.python.org/3/howto/logging.html, "Optimization").
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False


class LineFormatter(LambdaPowertoolsFormatter):
    """Leaves out what every line repeats. Lambda reads only timestamps of RFC 3339, and adds another one otherwise."""

    def __init__(self) -> None:
        super().__init__(utc=True, use_rfc3339=True, json_deserializer=str)  # messages are no JSON

    def serialize(self, log: Any) -> str:
        """Return a line as JSON."""
        # The message of an INFO line names its place in the code, and `function_name` ends with the service; few lines
        # are those of a cold start.
        dull = _REPEATED | ({"location", "service"} if log["level"] == "INFO" else set())
        dull |= set() if log.get("cold_start") else {"cold_start"}
        return super().serialize({name: value for name, value in log.items() if name not in dull})


def make_logger() -> Logger:
    """Return the logger of a handler; those of other modules are its children."""
    return Logger(logger_formatter=LineFormatter())


class Measure(StrEnum):
    """What is counted."""

    SUBMISSIONS = "submissions"
    OUTCOMES = "outcomes"


# Every line names the function, and so the stack; the line must have the other dimensions.
_DIMENSIONS: Final = {Measure.SUBMISSIONS: ["function_name"], Measure.OUTCOMES: ["function_name", "outcome"]}


def measure(name: Measure, value: float, *, moment: datetime) -> dict[str, Any]:
    """Return the metric of a log line; one with OUTCOMES must have `outcome`, too."""
    directive = {
        "Namespace": NAMESPACE,
        "Dimensions": [_DIMENSIONS[name]],
        "Metrics": [{"Name": name.value, "Unit": "Count"}],
    }
    metadata = {"Timestamp": int(moment.timestamp() * 1000), "CloudWatchMetrics": [directive]}
    return {"_aws": metadata, name.value: value}
