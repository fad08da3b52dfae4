"""An execution environment: a process that runs a handler, one event after another, as Lambda's runtime does.

Requests are JSON lines on standard input. Standard output has a line once the handler is imported, then the answers.
What the handler prints goes to standard error, which the pool collects as the log.
"""

import importlib
import json
import os
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any, Final

import orjson

from engine.cloud import SYNC_VARIABLE, UNSYNCED

_NICENESS: Final = 3
"""Of a function whose events wait in a queue or stream: somebody waits for the others."""


@dataclass(frozen=True)
class Context:
    """The context that Lambda passes to a handler."""

    function_name: str
    memory_limit_in_mb: int
    invoked_function_arn: str
    aws_request_id: str
    deadline: float

    def get_remaining_time_in_millis(self) -> int:
        """Return the time until the timeout."""
        return max(0, int((self.deadline - time.monotonic()) * 1000))


def main() -> None:
    """Serve invocations until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if os.environ.get(SYNC_VARIABLE) == "never":
        os.nice(_NICENESS)
    module, _, name = sys.argv[1].rpartition(".")
    handler = getattr(importlib.import_module(module), name)
    answers.write(b"ready\n")
    answers.flush()
    for line in sys.stdin.buffer:
        answer = _invoke(handler, orjson.loads(line))
        for store in UNSYNCED:
            store.sync()
        answers.write(answer + b"\n")
        answers.flush()


def _invoke(handler: Any, request: dict[str, Any]) -> bytes:
    context = Context(**request["context"], deadline=time.monotonic() + request["timeout_seconds"])
    try:
        return json.dumps({"answer": handler(request["event"], context)}).encode()
    except Exception as error:  # noqa: BLE001  # as Lambda's runtime does, answer with any error
        shown = {"errorType": type(error).__name__, "errorMessage": str(error), "stackTrace": traceback.format_exc()}
        return json.dumps({"error": shown}).encode()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # Ctrl-C reaches the whole process group; the pool ends this process
        sys.exit(130)
