"""Schedules of the template: a rule's expression as seconds, and the event that EventBridge sends when it is time."""

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from local.functions import Function, FunctionError
from local.intrinsics import ACCOUNT, REGION, TemplateError
from local.template import Template

_RATE: Final = re.compile(r"rate\((\d+) (second|minute|hour|day)s?\)")
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}  # EventBridge itself knows no seconds


class Schedule(NamedTuple):
    """A function that is called again and again."""

    rule: str
    rule_arn: str
    function: str
    seconds: int
    input: str | None = None


def list_schedules(template: Template) -> Iterator[Schedule]:
    """Give every schedule of the template: each target of each rule that has a schedule expression.

    Raises:
        TemplateError: An expression is not a rate.
    """
    for logical_id, rule in template.resources_of("AWS::Events::Rule").items():
        if "ScheduleExpression" not in rule:
            continue
        seconds = read_rate(rule["ScheduleExpression"])
        for target in rule["Targets"]:
            arn = template.resources[logical_id].arn or ""
            yield Schedule(logical_id, arn, template.logical_id_of(target["Arn"]), seconds, target.get("Input"))


def read_rate(expression: str) -> int:
    """Give the seconds of a rate, such as `rate(5 minutes)`. Raises TemplateError on anything else."""
    match = _RATE.fullmatch(expression)
    if match is None:
        raise TemplateError(f"{expression!r}: expected rate(N seconds|minutes|hours|days)")
    return int(match[1]) * _SECONDS[match[2]]


@dataclass
class SchedulePoller:
    """Calls a function whenever it is time; the first time one interval after the start."""

    schedule: Schedule
    function: Function
    on_error: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    _due: float = field(init=False)

    def __post_init__(self) -> None:
        """Start the first interval."""
        self._due = self.clock() + self.schedule.seconds

    def poll(self) -> bool:
        """Call the function if it is time; what was missed meanwhile is not made up for."""
        if self.clock() < self._due:
            return False
        self._due = self.clock() + self.schedule.seconds
        try:
            scheduled = make_scheduled_event(self.schedule.rule_arn, now=datetime.now(UTC))
            self.function.invoke(scheduled if self.schedule.input is None else json.loads(self.schedule.input))
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error}")
        return False


def make_scheduled_event(rule_arn: str, *, now: datetime) -> dict[str, Any]:
    """Make the event of a schedule, in the shape of events/flush.json."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "region": REGION,
        "resources": [rule_arn],
        "detail": {},
    }
