"""The sandbox function on this machine: Lambda's Invoke call, answered by bubblewrap."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from werkzeug.wrappers import Request, Response

from sandbox.bubblewrap import Sandbox
from sandbox.runner_pool import RunnerDiedError
from scoring_core.errors import SandboxFailure

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_INVOKE = re.compile(r"/2015-03-31/functions/[^/]+/invocations")


@dataclass(frozen=True)
class SandboxEndpoint:
    """A WSGI application for `Invoke` with a tenant, as the function in the cloud requires it."""

    sandbox: Sandbox

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one call."""
        return self._answer(Request(environ))(environ, start_response)

    def _answer(self, request: Request) -> Response:
        if not _INVOKE.fullmatch(request.path) or "X-Amz-Tenant-Id" not in request.headers:
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


def _json(value: Any, status: HTTPStatus = HTTPStatus.OK, headers: dict[str, str] | None = None) -> Response:
    return Response(json.dumps(value), status, headers=headers, mimetype="application/json")
