"""Lambda's Invoke call on this machine: the sandbox is bubblewrap, and other functions run after the answer."""

import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request, Response

from local.functions import Function, FunctionError, Invokable
from sandbox.bubblewrap import Sandbox
from sandbox.runner_pool import RunnerDiedError
from scoring_core.errors import SandboxFailure
from storage.benchmarks.publications import PublicationStore

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_INVOKE = re.compile(r"/2015-03-31/functions/([^/]+)/invocations")
_TRIES = 2
"""Of an asynchronous invocation; the template allows one retry."""


@dataclass(frozen=True)
class SandboxEndpoint:
    """A WSGI application for `Invoke`.

    Args:
        sandbox: Answers invocations with a tenant, as the function in the cloud requires it.
        functions: Name → function, invoked asynchronously; empty until the stack has made them.
        on_error: Takes a line about an invocation that failed.
    """

    sandbox: Sandbox
    functions: Mapping[str, Function] = field(default_factory=dict)
    on_error: Callable[[str], None] = print

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one call."""
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        match = _INVOKE.fullmatch(request.path)
        if match and request.headers.get("X-Amz-Invocation-Type") == "Event" and match[1] in self.functions:
            event = json.loads(request.get_data())
            threading.Thread(target=self._run, args=(self.functions[match[1]], event), daemon=True).start()
            return Response(status=HTTPStatus.ACCEPTED)
        if match is None or "X-Amz-Tenant-Id" not in request.headers:
            return _json({"Message": "expected an invocation with a tenant"}, HTTPStatus.BAD_REQUEST)
        try:
            event = json.loads(request.get_data())
            tenant, fresh = request.headers["X-Amz-Tenant-Id"], event.get("fresh", False)
            return _json(self.sandbox.invoke(tenant, event, keep=not fresh))
        except RunnerDiedError as error:
            died = {"errorType": "Runtime.ExitError", "errorMessage": str(error)}
            return _json(died, HTTPStatus.OK, {"X-Amz-Function-Error": "Unhandled"})
        except SandboxFailure as error:
            return _json({"failure": str(error)})

    def _run(self, function: Function, event: Mapping[str, Any]) -> None:
        _invoke_later(function, event, self.on_error)


def resume_publications(publications: PublicationStore, function: Invokable, on_error: Callable[[str], None]) -> None:
    """Publish what was requested before the stack was started.

    The calls for it ended with the last stack.
    """
    for request in publications.list_requests(until=datetime.now(UTC)):
        _invoke_later(function, request.to_event(), on_error)


def _invoke_later(function: Invokable, event: Mapping[str, Any], on_error: Callable[[str], None]) -> None:
    for _ in range(_TRIES):
        try:
            function.invoke(event)
        except FunctionError as error:
            on_error(f"{function.logical_id}: {error}")
        else:
            return


def _json(value: Any, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(value), status, headers=headers, mimetype="application/json")
