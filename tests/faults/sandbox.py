"""Replaces the sandbox function: answers with the scores that a result names, without running a script."""

import base64
import gzip
import io
import json
from collections.abc import Mapping
from typing import Any


def answer_invocation(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an invocation as the runner would.

    Args:
        request: Its body is the runner's event, which contains the result. `{"prints": …, "code": …}` names the
            script's output and exit code, `{"failure": …}` a failure of the sandbox, `spent` the runner's state.
    """
    event = json.loads(request["body"])
    if "result" not in event:  # what the API starts is lost, and its schedule is soon enough
        return {"StatusCode": 202}
    result = json.loads(gzip.decompress(base64.b64decode(event["result"]["content"])))
    if "failure" in result:
        return _make_response({"failure": result["failure"]})
    answer = {
        "ended": "exited",
        "code": result.get("code", 0),
        "signal": None,
        "stdout": _pack(json.dumps(result.get("prints", {})).encode()),
        "stderr": _pack(b""),
        "stderr_dropped_bytes": 0,
        "seconds": 0.1,
        "peak_memory_bytes": 1_000,
        "spent": result.get("spent", False),
    }
    return _make_response(answer)


def _make_response(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"StatusCode": 200, "Payload": io.BytesIO(json.dumps(answer).encode())}


def _pack(data: bytes) -> str:
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()
