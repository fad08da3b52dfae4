"""Refusals as RFC 9457 problems: what is wrong, where, and what was expected."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from submit.credentials import hide_secrets

CONTENT_TYPE = "application/problem+json"


@dataclass
class Problem(Exception):
    """A request that is refused.

    Args:
        status: The HTTP status.
        name: The problem type's name, in kebab case.
        detail: What is wrong and what was expected.
        faults: Each place that is wrong: `detail`, with the `pointer` into the body or the `parameter` that is meant.
        headers: More headers, such as Retry-After.
    """

    status: HTTPStatus
    name: str
    detail: str
    faults: Sequence[Mapping[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take out what may be a token or a receipt: a value in the wrong place is not repeated."""
        self.detail = hide_secrets(self.detail)
        self.faults = [{name: hide_secrets(value) for name, value in fault.items()} for fault in self.faults]

    def to_response(self) -> Response[str]:
        """Give the answer to send."""
        body: dict[str, Any] = {
            "type": f"urn:laurel:problem:{self.name}",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": self.detail,
        }
        if self.faults:
            body["errors"] = [dict(fault) for fault in self.faults]
        return Response(
            status_code=self.status.value,
            content_type=CONTENT_TYPE,
            body=json.dumps(body),
            headers=self.headers,
        )


def not_found(detail: str) -> Problem:
    """Refuse what is not there, or what the caller may not see."""
    return Problem(HTTPStatus.NOT_FOUND, "not-found", detail)


def unauthorized(name: str, detail: str) -> Problem:
    """Refuse credentials, or the want of them."""
    return Problem(HTTPStatus.UNAUTHORIZED, name, detail, headers={"WWW-Authenticate": "Bearer"})


def forbidden(name: str, detail: str) -> Problem:
    """Refuse what the caller is known, but not allowed, to do."""
    return Problem(HTTPStatus.FORBIDDEN, name, detail)


def method_not_allowed(allowed: str) -> Problem:
    """Refuse a method, and name those that the path takes."""
    detail = f"expected method {allowed.replace(', ', ' or ')}"
    return Problem(HTTPStatus.METHOD_NOT_ALLOWED, "method-not-allowed", detail, headers={"Allow": allowed})


def unprocessable(name: str, detail: str, *, pointer: str | None = None, parameter: str | None = None) -> Problem:
    """Refuse what is well-formed but not acceptable, and say where."""
    fault = {"detail": detail}
    if pointer is not None:
        fault["pointer"] = pointer
    if parameter is not None:
        fault["parameter"] = parameter
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, name, detail, faults=[fault])


def from_validation(error: RequestValidationError) -> Problem:
    """Turn the resolver's own refusal of a path, query or header value into a problem."""
    faults = []
    for one in error.errors():
        where, *steps = one["loc"]
        name = ".".join(map(str, steps)) or str(where)
        faults.append({"parameter": name, "detail": one["msg"]})
    detail = "; ".join(f"{fault['parameter']}: {fault['detail']}" for fault in faults)
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-parameter", detail, faults=faults)
