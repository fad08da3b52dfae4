"""Lambda's Invoke call on this machine: who waits for an answer gets it at a socket, others run from a queue."""

import json
import socketserver
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine.mails import INVOCATIONS, reachable
from engine.messages import Messages
from local.functions import FunctionError, Interrupted, Invokable
from local.work.dispatcher import Step, Work
from sandbox.bubblewrap import Sandbox
from sandbox.runner_pool import RunnerDiedError
from scoring_core.errors import SandboxFailure
from storage.gateway.queue import ReceivedMessage

SOCKET: Final = "functions.sock"
_TRIES: Final = 2
"""Of an asynchronous invocation; the template allows one retry."""


@contextmanager
def serve_functions(sandbox: Sandbox, functions: Mapping[str, Invokable], folder: Path) -> Iterator[Path]:
    """Run scripts and functions while the context lasts; yield a socket's path.

    Only who may open the folder reaches it.
    """
    path = folder / SOCKET

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            line = self.rfile.readline()
            if line:
                name, tenant = json.loads(line)
                event = json.loads(self.rfile.read())
                function = functions.get(name)
                error, body = _answer(function, event) if function else answer_sandbox(sandbox, tenant, event)
                self.wfile.write(json.dumps({"error": error}).encode() + b"\n" + body)

    path.unlink(missing_ok=True)
    with reachable(str(path)) as address:
        server = _Server(address, Handler)
        path.chmod(0o600)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield path
        finally:
            server.shutdown()
            server.server_close()
            path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def _answer(function: Invokable, event: Mapping[str, Any]) -> tuple[str | None, bytes]:
    try:
        return None, _dump(function.invoke(event))
    except FunctionError as error:
        return "Unhandled", _dump({"errorType": "Runtime.ExitError", "errorMessage": str(error)})


def answer_sandbox(sandbox: Sandbox, tenant: str, event: Mapping[str, Any]) -> tuple[str | None, bytes]:
    """Return how an invocation failed, as Lambda says it, or None, and the answer."""
    if not tenant:
        return "Unhandled", _dump({"errorType": "InvalidRequest", "errorMessage": "expected a tenant"})
    try:
        return None, _dump(sandbox.invoke(tenant, event, keep=not event.get("fresh", False)))
    except RunnerDiedError as error:
        return "Unhandled", _dump({"errorType": "Runtime.ExitError", "errorMessage": str(error)})
    except SandboxFailure as error:
        return None, _dump({"failure": str(error)})


@dataclass
class InvocationPoller:
    """Runs functions that were invoked asynchronously, each in a thread; what a killed stack began is run again.

    Args:
        queues: Have the invocations.
        functions: Name → function.
        on_error: Takes a line about an invocation that failed.
    """

    queues: Messages
    functions: Mapping[str, Invokable]
    on_error: Callable[[str], None]
    name: str = INVOCATIONS

    def take(self, work: Work) -> Step | None:
        """Return the next invocation; None if there is none."""
        if INVOCATIONS not in work.queues:
            return None
        for message in self.queues.receive(INVOCATIONS, most=1):
            return lambda: self._run(message)
        return None

    def _run(self, message: ReceivedMessage) -> bool:
        requested = json.loads(message.body)
        function = self.functions.get(requested["function"])
        for _ in range(_TRIES):
            if function is None:
                self.on_error(f"{requested['function']}: no such function")
                break
            try:
                function.invoke(requested["event"])
            except Interrupted:  # the next stack runs it
                return False
            except FunctionError as error:
                self.on_error(f"{function.logical_id}: {error}")
            else:
                break
        self.queues.delete(INVOCATIONS, message.receipt_handle)
        return True


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()
