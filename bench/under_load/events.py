"""The events of `events/`, changed for each request, message and stream record."""

import copy
import json
from collections.abc import Mapping
from typing import Any

from local.layout import ROOT
from tests.harness.lambda_emulator.events import read_event

BENCHMARK = "aic-2025"
RECORD = read_event("aggregate")["Records"][0]
RESULT = (ROOT / "benchmarks" / BENCHMARK / "examples" / "run-strong.json").read_text(encoding="utf-8")


def make_request(secret: str, key: str, origin_headers: Mapping[str, str]) -> dict[str, Any]:
    """Make the event of one POST, with a token and an idempotency key."""
    event: dict[str, Any] = read_event("submit")
    event["rawQueryString"] = ""
    del event["queryStringParameters"]
    event["body"] = RESULT
    event["headers"] |= {
        "authorization": f"Bearer {secret}",
        "content-length": str(len(RESULT)),
        "idempotency-key": key,
        **origin_headers,
    }
    return event


def make_message(key: str) -> dict[str, Any]:
    """Make the event in which the evaluate queue announces one raw result."""
    event: dict[str, Any] = read_event("evaluate")
    notice = json.loads(event["Records"][0]["body"])
    notice["Records"][0]["s3"]["object"]["key"] = key
    event["Records"][0]["body"] = json.dumps(notice)
    return event


def make_record(item: dict[str, Any]) -> dict[str, Any]:
    """Make the stream record of one item."""
    record: dict[str, Any] = copy.deepcopy(RECORD)
    keys = {name: item[name] for name in ("benchmark", "submission_version")}
    record["dynamodb"] |= {"Keys": keys, "NewImage": item}
    return record
