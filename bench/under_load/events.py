"""What reaches the handlers: the events of `events/` with what changes between two of them, and the peer's own form."""

import copy
import json
from typing import Any

from local.lambda_emulator.events import read_event
from local.stack import ROOT

BENCHMARK = "aic-2025"
PATH = f"/api/benchmarks/{BENCHMARK}/submissions"
ORIGIN_SECRET = "bench"  # noqa: S105  # of nothing
RECORD = read_event("aggregate")["Records"][0]
RESULT = (ROOT / "benchmarks" / BENCHMARK / "examples" / "run-strong.json").read_text(encoding="utf-8")


def make_request(secret: str, key: str) -> dict[str, Any]:
    """Make the event of one POST, with a token and an idempotency key."""
    event: dict[str, Any] = read_event("submit")
    event["rawQueryString"] = ""
    del event["queryStringParameters"]
    event["body"] = RESULT
    event["headers"] |= {
        "authorization": f"Bearer {secret}",
        "content-length": str(len(RESULT)),
        "idempotency-key": key,
        "x-origin-secret": ORIGIN_SECRET,
    }
    return event


def make_scope(event: dict[str, Any]) -> dict[str, Any]:
    """Make what a server hands to an ASGI application for the same POST."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": PATH,
        "raw_path": PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in event["headers"].items()],
        "server": ("127.0.0.1", 80),
        "client": ("192.0.2.7", 50000),
    }


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
