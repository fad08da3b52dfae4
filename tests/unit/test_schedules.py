"""Schedules on one machine: rates as seconds, and a function that is called when it is time."""

from typing import Any, cast

import pytest

from local.functions import Function, FunctionError
from local.intrinsics import TemplateError
from local.schedules import Schedule, SchedulePoller, read_rate

FLUSH = Schedule("Rule", "FlushFunction", 300)


class Called:
    """A function that counts its events."""

    logical_id = "FlushFunction"

    def __init__(self, *, fails: bool = False) -> None:
        self.events: list[Any] = []
        self.fails = fails

    def invoke(self, event: Any) -> None:
        """Take an event."""
        self.events.append(event)
        if self.fails:
            raise FunctionError("oh")


@pytest.mark.parametrize(
    ("expression", "seconds"),
    [("rate(1 minute)", 60), ("rate(5 minutes)", 300), ("rate(2 seconds)", 2), ("rate(1 day)", 86400)],
)
def test_rate_is_read_in_seconds(expression: str, seconds: int) -> None:
    """A rate is a number of seconds."""
    assert read_rate(expression) == seconds


@pytest.mark.parametrize("expression", ["cron(0 3 * * ? *)", "rate(x minutes)", ""])
def test_other_schedule_expression_is_rejected(expression: str) -> None:
    """The error names the expression."""
    with pytest.raises(TemplateError, match="expected rate"):
        read_rate(expression)


def test_schedule_invokes_once_an_interval() -> None:
    """Missed intervals are not repeated."""
    moment = [0.0]
    function = Called()
    poller = SchedulePoller(FLUSH, cast("Function", function), print, clock=lambda: moment[0])

    counts = []
    for now in (0, 299, 300, 301, 2000, 2001, 2300):
        moment[0] = now
        poller.poll()
        counts.append(len(function.events))

    assert counts == [0, 0, 1, 1, 2, 2, 3]


def test_failed_invocation_is_reported() -> None:
    """The next invocation comes at its time."""
    moment, told = [0.0], list[str]()
    function = Called(fails=True)
    poller = SchedulePoller(FLUSH, cast("Function", function), told.append, clock=lambda: moment[0])

    for now in (300, 600):
        moment[0] = now
        poller.poll()

    assert told == ["FlushFunction: oh"] * 2
