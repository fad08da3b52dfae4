"""The sample events of `events/` are what the event sources of the template's functions send."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.intrinsics import STACK
from local.template import Template, load_template

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def template() -> Template:
    """Return the template as the local stack uses it."""
    return load_template({"Stage": "dev"})


def test_every_function_has_an_event(template: Template) -> None:
    """Each function has one event, named as its log group."""
    functions = {_service(properties) for properties in template.resources_of("AWS::Lambda::Function").values()}

    assert {path.stem for path in (ROOT / "events").glob("*.json")} - {"env"} == functions


@pytest.mark.parametrize("name", ["drop", "evaluate", "script", "aggregate", "notify"])
def test_event_comes_from_an_event_source_of_its_function(template: Template, name: str) -> None:
    """The ARN of each record is the source of a mapping to the function."""
    origins = {
        template.logical_id_of(mapping["EventSourceArn"])
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
        if _service(template.resources[template.logical_id_of(mapping["FunctionName"])].properties) == name
    }

    records = json.loads((ROOT / "events" / f"{name}.json").read_text(encoding="utf-8"))["Records"]

    sources = {template.logical_id_of(record["eventSourceARN"]) for record in records}
    assert sources
    assert sources <= origins


def _service(function: Mapping[str, Any]) -> str:
    group = str(function["LoggingConfig"]["LogGroup"])
    return group.removeprefix(f"/aws/lambda/{STACK}-").replace("-", "_")
