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

from engine.cloud import SYNC_VARIABLE, UNSYNCED

MAX_ANSWER_BYTES: Final = 6_291_556
"""The longest answer to a synchronous invocation. Source: the message of Lambda's own error."""
_NICENESS: Final = 3
"""Of a function whose events wait in a queue or stream: somebody waits for the others."""


class AnswerTooLarge(Exception):
    """Lambda would answer with Function.ResponseSizeTooLarge."""


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
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if os.environ.get(SYNC_VARIABLE) == "never":
        os.nice(_NICENESS)
    module, _, name = sys.argv[1].rpartition(".")
    handler = getattr(importlib.import_module(module), name)
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        answer = _invoke(handler, json.loads(line))
        for store in UNSYNCED:
            store.sync()
        answers.write(answer + "\n")
        answers.flush()


def pack_answer(answer: Any) -> str:
    """Return an answer as JSON. Raises AnswerTooLarge if Lambda would reject it."""
    text = json.dumps(answer)
    if len(text) > MAX_ANSWER_BYTES:  # JSON with escapes is the longer one; Lambda's runtime sends it without
        size_bytes = len(json.dumps(answer, ensure_ascii=False).encode(errors="surrogatepass"))
        if size_bytes > MAX_ANSWER_BYTES:
            limit = f"exceeded maximum allowed payload size ({MAX_ANSWER_BYTES} bytes)"
            raise AnswerTooLarge(f"Response payload size {limit}: found {size_bytes}.")
    return text


def _invoke(handler: Any, request: dict[str, Any]) -> str:
    context = Context(**request["context"], deadline=time.monotonic() + request["timeout_seconds"])
    try:
        return f'{{"answer": {pack_answer(handler(request["event"], context))}}}'
    except AnswerTooLarge as error:
        return _pack_error("Function.ResponseSizeTooLarge", error)
    except Exception as error:  # noqa: BLE001  # as Lambda's runtime does, answer with any error
        return _pack_error(type(error).__name__, error)


def _pack_error(kind: str, error: Exception) -> str:
    return json.dumps({"error": {"errorType": kind, "errorMessage": str(error), "stackTrace": traceback.format_exc()}})


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:  # Ctrl-C reaches the whole process group; the pool ends this process
        sys.exit(130)
