"""The sample events of `events/`."""

import base64
import gzip
import json
import time
from http import HTTPStatus
from typing import Any

from local.layout import ROOT
from local.template import Template

SERVICES = tuple(sorted(path.stem for path in (ROOT / "events").glob("*.json") if path.stem != "env"))
"""The services that have an event, each a function's."""


def read_event(service: str) -> Any:
    """Return the sample event of a service; messages of queues are dated now."""
    event = json.loads((ROOT / "events" / f"{service}.json").read_text(encoding="utf-8"))
    for record in event.get("Records", ()):
        if "SentTimestamp" in record.get("attributes", {}):
            record["attributes"]["SentTimestamp"] = str(time.time_ns() // 1_000_000)
    return event


def read_variables(function: str) -> dict[str, str]:
    """Return the variables of a function that only a deployed stack knows."""
    variables: dict[str, dict[str, str]] = json.loads((ROOT / "events" / "env.json").read_text(encoding="utf-8"))
    return variables.get(function, {})


def service_of(template: Template, function: str) -> str:
    """Return the service of a function, as in the name of its log group."""
    group = str(template.resources_of("AWS::Lambda::Function")[function]["LoggingConfig"]["LogGroup"])
    return group.rpartition("/")[2].removeprefix("laurel-local-").replace("-", "_")


def is_right(template: Template, function: str, answer: Any) -> bool:
    """Return whether an answer is right for a function's sample event."""
    mapped = [
        template.logical_id_of(mapping["FunctionName"])
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
    ]
    if function == "SubmitFunction":
        return bool(answer["statusCode"] == HTTPStatus.ACCEPTED)
    if function == "ApiFunction":
        return bool(answer["statusCode"] == HTTPStatus.OK)
    if function == "SandboxFunction":
        return bool(json.loads(gzip.decompress(base64.b64decode(answer["stdout"]))) == {"Coins": 2})
    if function in mapped:
        return bool(answer == {"batchItemFailures": []})
    return not isinstance(answer, dict) or "errorType" not in answer
