"""The function's process behind the wall: as Lambda's runtime, imports the handler and asks for events for ever."""

import importlib
import json
import os
import urllib.request


def main() -> None:
    """Handle one event after another."""
    os.environ.pop("_LAMBDA_TELEMETRY_LOG_FD")  # as Lambda's runtime does, which then writes its log there
    module, _, name = os.environ["_HANDLER"].rpartition(".")
    handler = getattr(importlib.import_module(module), name)
    address = f"http://{os.environ['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation"
    while True:
        with urllib.request.urlopen(f"{address}/next") as request:  # noqa: S310 — as above
            number, event = request.headers["Lambda-Runtime-Aws-Request-Id"], request.read()
        try:
            kind, answer = "response", handler(json.loads(event), None)
        except Exception as error:  # noqa: BLE001 — as Lambda reports it
            kind, answer = "error", {"errorType": type(error).__name__, "errorMessage": str(error)}
        body = json.dumps(answer).encode()
        with urllib.request.urlopen(f"{address}/{number}/{kind}", data=body):  # noqa: S310 — as above
            pass


if __name__ == "__main__":
    main()
