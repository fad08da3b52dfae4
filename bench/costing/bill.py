"""From what a story used to dollars a million submissions."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from costing.meter import Usage
from costing.prices import read_prices
from costing.stories import Story

from local.template import Template

RECORDED = Path(__file__).with_name("recorded.json")


class Line(NamedTuple):
    """A line of a bill: who, what for each submission, and dollars a million submissions."""

    function: str
    what: str
    dollars: float


class Settings(NamedTuple):
    """What of the template a bill depends on.

    Args:
        memory: Function → megabytes.
        platform_logs: The functions of which Lambda logs starts and reports.
        access_log: The format of a line of API Gateway's log.
    """

    memory: Mapping[str, int]
    platform_logs: tuple[str, ...]
    access_log: str


def read_settings(template: Template) -> Settings:
    """Return the settings of a translated template."""
    functions = template.resources_of("AWS::Lambda::Function")
    for function in [name for name in functions if name.startswith("Sandbox") and name != "SandboxFunction"]:
        del functions[function]  # runtimes cost what the default one does
    (stage,) = template.resources_of("AWS::ApiGatewayV2::Stage").values()
    return Settings(
        {name: int(function["MemorySize"]) for name, function in functions.items()},
        tuple(
            name
            for name, function in functions.items()
            if function.get("LoggingConfig", {}).get("SystemLogLevel") != "WARN"
        ),
        stage["AccessLogSettings"]["Format"],
    )


class Rates:
    """Prices and assumptions, and the settings of the functions."""

    def __init__(self, settings: Settings) -> None:
        stated = read_prices()
        self.prices: Mapping[str, float] = stated["prices"]
        self.gigabytes: Mapping[str, float] = stated["gigabytes"]
        self.assumed: Mapping[str, Any] = stated["assumptions"]
        self.memory, self._platform_logs, self._access_log = settings

    def milliseconds_of(self, function: str, usage: Usage) -> float:
        """Return how long one invocation takes: its processor time at its share of a vCPU, and its waits."""
        if function == "SandboxFunction":
            return float(self.assumed["script_seconds"] * 1000)
        share = min(1.0, self.memory[function] / self.assumed["megabytes_per_vcpu"])
        calls = sum(usage.calls.values())
        processor = usage.processor_seconds * 1000 + calls * self.assumed["connection_milliseconds"]
        waits = sum(number * self.assumed["milliseconds"][operation] for operation, number in usage.waits.items())
        waits += usage.calls["Invoke"] * self.assumed["script_seconds"] * 1000
        return float((processor / share + waits) / usage.invocations)

    @cached_property
    def access_log_bytes(self) -> int:
        """The bytes of a line of the access log."""
        values = self.assumed["access_log"]
        return len(re.sub(r"\$context\.([\w.]+)", lambda match: str(values[match[1]]), self._access_log))

    def platform_bytes(self, function: str) -> int:
        """Return the bytes that Lambda itself logs of an invocation."""
        return sum(map(len, self.assumed["platform_log"])) if function in self._platform_logs else 0


def make_bill(story: Story, rates: Rates) -> list[Line]:
    """Return the lines of a story's bill."""
    lines: list[Line] = []
    for name, usage in story.usage.items():
        log_bytes = float(usage.log_bytes)
        if name in rates.memory:
            lines.append(_bill_function(name, usage, story.submissions, rates))
            log_bytes += usage.invocations * rates.platform_bytes(name)
        access_log_bytes = usage.units["HTTP API requests"] * rates.access_log_bytes
        lines += _bill_units(name, usage.units, story.submissions, rates)
        for log, size_bytes in (("log", log_bytes), ("access log", access_log_bytes)):
            if size_bytes:
                each = size_bytes / story.submissions
                lines.append(Line(name, f"{log} {each:,.0f} bytes", each / 1000 * rates.gigabytes[log]))
    return lines


def _bill_function(name: str, usage: Usage, submissions: int, rates: Rates) -> Line:
    milliseconds, each = rates.milliseconds_of(name, usage), usage.invocations / submissions
    gigabyte_seconds = rates.memory[name] / 1024 * milliseconds / 1000
    dollars = each * (rates.prices["Lambda requests"] + rates.prices["Lambda GB-seconds"] * gigabyte_seconds)
    return Line(name, f"Lambda {_number(each)} × {rates.memory[name]} MB × {milliseconds:,.0f} ms", dollars)


def _bill_units(name: str, units: Counter[str], submissions: int, rates: Rates) -> list[Line]:
    lines = []
    for service in ("CloudFront", "HTTP API", "S3", "SQS", "DynamoDB", "SES"):
        used = {unit: number / submissions for unit, number in units.items() if unit.startswith(service)}
        dollars = sum(number * rates.prices[unit] for unit, number in used.items())
        if service == "CloudFront" and units["answer bytes"]:
            sent = units["answer bytes"] / submissions + rates.assumed["answer_header_bytes"]
            used["CloudFront bytes"] = sent
            dollars += sent / 1000 * rates.gigabytes["internet"]
        if used:
            counts = ", ".join(f"{_number(used[unit])} {unit.removeprefix(service).strip()}" for unit in sorted(used))
            lines.append(Line(name, f"{service} {counts}", dollars))
    return lines


def total(lines: Iterable[Line], *, but: Collection[str] = ()) -> float:
    """Return the dollars of a bill, but for some functions."""
    return sum(line.dollars for line in lines if line.function not in but)


def _number(value: float) -> str:
    return f"{value:,.3f}".rstrip("0").rstrip(".")


def dump_story(story: Story) -> dict[str, Any]:
    """Return a story as JSON."""
    usage = {
        name: {**vars(used), "processor_seconds": round(used.processor_seconds, 4)}
        for name, used in story.usage.items()
    }
    return {"submissions": story.submissions, "usage": usage}


def load_story(stored: Mapping[str, Any]) -> Story:
    """Return a story from JSON."""
    counted = ("calls", "units", "waits")
    usage = {
        name: Usage(**{**used, **{what: Counter(used[what]) for what in counted}})
        for name, used in stored["usage"].items()
    }
    return Story(stored["submissions"], usage)


def write_recorded(stories: Mapping[str, Story], settings: Settings) -> None:
    """Record stories, beside those that are not among them."""
    stored = json.loads(RECORDED.read_text(encoding="utf-8"))["stories"] if RECORDED.exists() else {}
    stored |= {name: dump_story(story) for name, story in stories.items()}
    text = json.dumps({"settings": settings._asdict(), "stories": stored}, indent=1)
    RECORDED.write_text(text + "\n", encoding="utf-8")


def read_recorded() -> tuple[dict[str, Story], Settings]:
    """Return the recorded stories, and the settings that they were recorded with."""
    stored = json.loads(RECORDED.read_text(encoding="utf-8"))
    settings = {**stored["settings"], "platform_logs": tuple(stored["settings"]["platform_logs"])}
    return {name: load_story(story) for name, story in stored["stories"].items()}, Settings(**settings)
