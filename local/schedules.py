"""Schedules of the template, whose events say no more than their input; and finals, which wait for none."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

from engine.store import Store
from handlers.http.benchmarks import list_published
from local.functions import FunctionError, Invokable
from local.intrinsics import TemplateError
from local.template import Template
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.functions import LambdaFunction

_RATE: Final = re.compile(r"rate\((\d+) (second|minute|hour|day)s?\)")
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}  # EventBridge has no rate in seconds


class Schedule(NamedTuple):
    """A rule that invokes a function at a rate."""

    rule: str
    function: str
    seconds: int
    input: str = "{}"


def list_schedules(template: Template) -> Iterator[Schedule]:
    """Yield a schedule for each target of a scheduled rule. Raises TemplateError."""
    for logical_id, rule in template.resources_of("AWS::Events::Rule").items():
        if "ScheduleExpression" not in rule:
            continue
        seconds = read_rate(rule["ScheduleExpression"])
        for target in rule["Targets"]:
            yield Schedule(logical_id, template.logical_id_of(target["Arn"]), seconds, target.get("Input", "{}"))


def read_rate(expression: str) -> int:
    """Return the seconds of a rate, `rate(5 minutes)`. Raises TemplateError."""
    match = _RATE.fullmatch(expression)
    if match is None:
        raise TemplateError(f"{expression!r}: expected rate(N seconds|minutes|hours|days)")
    return int(match[1]) * _SECONDS[match[2]]


@dataclass
class SchedulePoller:
    """Invokes a function at a rate, first after one interval; `clock` counts seconds.

    With a store the time of the last call outlasts the stack: one that was due while it did not run is made at its
    start, or a machine that is switched off each night would never see what happens once a day.
    """

    schedule: Schedule
    function: Invokable
    on_error: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    store: Store | None = None
    _due: float = field(init=False)

    @property
    def name(self) -> str:
        """Return the rule and the function."""
        return f"{self.schedule.rule} → {self.schedule.function}"

    def is_due(self, _: object = None) -> bool:
        """Return whether a call is due."""
        return self.clock() >= self._due

    def __post_init__(self) -> None:
        """Start the first interval, or continue it."""
        last = self.store.find_note(f"schedule {self.name}") if self.store else None
        passed = max(0.0, (self.now() - datetime.fromisoformat(last)).total_seconds()) if last else 0.0
        self._due = self.clock() + max(0.0, self.schedule.seconds - passed)
        if last is None:
            self._note()

    def poll(self) -> bool:
        """Invoke the function if it is due; missed intervals are not repeated."""
        if not self.is_due():
            return False
        self._due = self.clock() + self.schedule.seconds
        self._note()
        try:
            self.function.invoke(json.loads(self.schedule.input))
        except FunctionError as error:
            self.on_error(f"{self.function.logical_id}: {error}")
        return False

    def _note(self) -> None:
        if self.store:
            self.store.put_note(f"schedule {self.name}", self.now().isoformat())


def begin_finals(benchmarks: BenchmarkStore, rescoring: LambdaFunction) -> None:
    """Invoke the function that begins finals for each that is due.

    So none waits for the schedule. One that has begun is not due any more, and a second invocation does nothing.
    """
    for published in list_published(benchmarks, unlisted=True):
        if published.final_at is not None and published.final_at <= benchmarks.clock():
            rescoring.start({"benchmark": published.id})
