"""The events for `sam local invoke` are what the event sources send and what the functions read."""

import base64
import gzip
import json
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from local.intrinsics import STACK
from local.schedules import list_schedules, make_scheduled_event
from local.template import Template, find_route
from sandbox.bubblewrap import Sandbox
from scripts.translation import translate
from storage.gateway.s3_events import read_notices
from storage.gateway.schema import unmarshal
from storage.keys import parse_batch_key, parse_result_key

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def template() -> Template:
    """Return the template as the local stack uses it."""
    return translate(ROOT / "template.yaml", {"Stage": "dev"})


def test_every_function_has_an_event(template: Template) -> None:
    """Each function has one event, named as its log group."""
    functions = {_service(properties) for properties in template.resources_of("AWS::Lambda::Function").values()}

    assert {path.stem for path in (ROOT / "events").glob("*.json")} - {"env"} == functions


_WITH_SOURCE: Final = ("drop", "evaluate", "script", "aggregate", "notify")


@pytest.mark.parametrize("name", _WITH_SOURCE)
def test_event_comes_from_an_event_source_of_its_function(template: Template, name: str) -> None:
    """The ARN of each record is the source of a mapping to the function."""
    origins = {
        template.logical_id_of(mapping["EventSourceArn"])
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
        if _service(template.resources[template.logical_id_of(mapping["FunctionName"])].properties) == name
    }

    sources = {template.logical_id_of(record["eventSourceARN"]) for record in _read(name)["Records"]}

    assert sources
    assert sources <= origins


@pytest.mark.parametrize("name", ["evaluate", "script"])
def test_notice_names_a_raw_result(template: Template, name: str) -> None:
    """Each message is about a key below the prefix that notifies the queue."""
    messages = _read(name)["Records"]

    (key,) = [str(parse_result_key(notice.key)) for message in messages for notice in read_notices(message["body"])]

    notified = template.resources["ResultsBucket"].properties["NotificationConfiguration"]["QueueConfigurations"][0]
    assert key.startswith(notified["Filter"]["S3Key"]["Rules"][0]["Value"])
    assert template.resources["ResultsBucket"].name in messages[0]["body"]


def test_notice_names_a_batch(template: Template) -> None:
    """The message is about a version of a batch in the results bucket."""
    messages = _read("drop")["Records"]

    (notice,) = [notice for message in messages for notice in read_notices(message["body"])]

    assert parse_batch_key(notice.key) is not None
    assert notice.version_id is not None
    assert template.resources["ResultsBucket"].name in messages[0]["body"]


@pytest.mark.parametrize(("name", "function"), [("submit", "SubmitFunction"), ("api", "ApiFunction")])
def test_http_event_has_a_route_of_the_template(template: Template, name: str, function: str) -> None:
    """Its route key is that of the route that takes it."""
    event = _read(name)
    request = event["requestContext"]["http"]

    route = find_route(template.routes(), request["method"], event["rawPath"])

    assert route is not None
    assert (route.function, f"{route.method} {route.path}") == (function, event["routeKey"])


@pytest.mark.parametrize("name", ["aggregate", "notify"])
def test_stream_record_has_the_keys_of_its_table(template: Template, name: str) -> None:
    """It also has those of the indexes; that of failures only if it failed."""
    (record,) = _read(name)["Records"]
    table = template.resources["SubmissionsTable"].properties
    schemas = [table["KeySchema"], *(index["KeySchema"] for index in table["GlobalSecondaryIndexes"])]

    item = unmarshal(record["dynamodb"]["NewImage"])

    assert unmarshal(record["dynamodb"]["Keys"]).items() <= item.items()
    sparse = {"failed_benchmark"} if item["outcome"] == "scored" else set()
    assert {key["AttributeName"] for schema in schemas for key in schema} <= item.keys() | sparse


@pytest.mark.parametrize("name", ["rescore", "dead_letter", "drop_dead_letter", "send"])
def test_scheduled_event_is_what_the_local_stack_sends(template: Template, name: str) -> None:
    """It belongs to a rule of the template; only its id differs."""
    (schedule,) = [
        schedule
        for schedule in list_schedules(template)
        if _service(template.resources[schedule.function].properties) == name and schedule.input is None
    ]

    event = make_scheduled_event(schedule.rule_arn, now=datetime(2026, 1, 15, 10, 5, tzinfo=UTC))

    assert {**event, "id": ""} == {**_read(name), "id": ""}


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="NOTHING OF THE RUNNER IS TESTED: apt-get install bubblewrap")
def test_runner_scores_the_event_of_the_sandbox() -> None:
    """The script in the event prints scores."""
    with Sandbox() as sandbox:
        answer = sandbox.invoke("tenant", _read("sandbox"))

    assert (answer["ended"], answer["code"]) == ("exited", 0)
    assert json.loads(gzip.decompress(base64.b64decode(answer["stdout"]))) == {"Coins": 2}


def _read(name: str) -> dict[str, Any]:
    event: dict[str, Any] = json.loads((ROOT / "events" / f"{name}.json").read_text(encoding="utf-8"))
    return event


def _service(function: Mapping[str, Any]) -> str:
    group = str(function["LoggingConfig"]["LogGroup"])
    return group.removeprefix(f"/aws/lambda/{STACK}-").replace("-", "_")
