"""Answers that need no resolver; rejected requests are RFC 9457 problems: what is wrong, where, what was expected."""

import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple, Self

from aws_lambda_powertools import Logger

from handlers.http.paths import DRES
from scoring_core.errors import Rejected
from scoring_core.scorers.base import describe
from storage.gateway.errors import Busy
from storage.players.tokens import CODE_PREFIX, TOKEN_PREFIX

logger = Logger(child=True)
CONTENT_TYPE = "application/problem+json"
RECEIPT_PREFIX = "receipt_"
PLAYER_KEY_PREFIX = "player_"
TICKET_PREFIX = "run_"
_SHOULD = re.compile(r"[A-Z][a-z]+ should (?:be |have )?")
_SECRET = re.compile(
    rf"({TOKEN_PREFIX}|{RECEIPT_PREFIX}|{CODE_PREFIX})[\w-]{{20,}}|({PLAYER_KEY_PREFIX})[0-9a-fA-F]{{32}}|({TICKET_PREFIX})[\w-]{{40,}}"
)
JSON: Final = "application/json"
MAX_ANSWER_BYTES: Final = 6_000_000
"""Limit of a whole answer with its headers; Lambda's own limit is 6,291,556 bytes."""


class Answer(NamedTuple):
    """An HTTP answer whose body is JSON."""

    status: HTTPStatus
    body: str
    headers: Mapping[str, str]
    content_type: str = JSON

    def to_event(self) -> dict[str, Any]:
        """Return the answer as API Gateway expects it (payload format 2.0)."""
        return {
            "statusCode": self.status.value,
            "body": self.body,
            "isBase64Encoded": False,
            "headers": {**self.headers, "Content-Type": self.content_type},
            "cookies": [],
        }


def write_compact(value: object) -> str:
    """Return a value as JSON, as short as the resolver writes it."""
    return json.dumps(value, separators=(",", ":"))


def has_secret(text: str) -> bool:
    """Return whether a text may contain a secret, such as a token or a code.

    >>> has_secret("laurel_fan"), has_secret("Ada laurel_" + "x" * 43)
    (False, True)
    """
    return _SECRET.search(text) is not None


def hide_secrets(text: str) -> str:
    """Return a text without tokens, receipts, codes, keys and tickets.

    >>> hide_secrets("found laurel_" + "x" * 43)
    'found laurel_…'
    """
    return _SECRET.sub(r"\1\2\3…", text)


class Problem(Exception):
    """A rejected request.

    Args:
        status: The HTTP status.
        name: The problem type's name, in kebab case.
        detail: What is wrong and what was expected.
        faults: Each wrong place: `detail`, and the `pointer` into the body or the `parameter`.
        headers: More headers, such as Retry-After.
    """

    def __init__(
        self,
        status: HTTPStatus,
        name: str,
        detail: str,
        faults: Sequence[Mapping[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status, self.name, self.headers = status, name, headers or {}
        # Messages quote what was sent in the wrong place.
        self.detail = hide_secrets(detail)
        self.faults = [{name: hide_secrets(value) for name, value in fault.items()} for fault in faults]

    def __replace__(self, **changes: Any) -> Self:
        """Return it with changes, for `copy.replace`."""
        return type(self)(**{**vars(self), **changes})

    def to_answer(self) -> Answer:
        """Return the HTTP answer."""
        body: dict[str, Any] = {
            "type": f"urn:laurel:problem:{self.name}",
            "title": self.status.phrase,
            "status": self.status.value,
            "detail": self.detail,
        }
        if self.faults:
            body["errors"] = [dict(fault) for fault in self.faults]
        return Answer(self.status, json.dumps(body), self.headers, CONTENT_TYPE)


def explain_fault(fault: Mapping[str, Any]) -> str:
    """Return what pydantic found wrong with a value, in our words.

    >>> explain_fault({"type": "less_than_equal", "ctx": {"le": 100}, "input": "1000"})
    "expected at most 100, found the string '1000'"
    >>> explain_fault({"type": "string_type", "msg": "Input should be a valid string", "input": ["A", "B"]})
    'expected one value, found 2'
    """
    value = fault["input"]
    match fault["type"]:
        case "missing":
            return "expected a value, found none"
        case "extra_forbidden":
            return "expected nothing of this name"
        case "value_error":
            return str(fault["ctx"]["error"])
        case "string_type" | "int_type" | "enum" | "literal_error" if isinstance(value, list):
            return f"expected one value, found {len(value)}"
        case "string_type":
            expected = "a text"
        case "int_type" | "int_parsing" | "int_from_float":
            expected = "a whole number"
        case "model_type":
            expected = "an object"
        case "less_than_equal":
            expected = f"at most {fault['ctx']['le']}"
        case "greater_than_equal":
            expected = f"at least {fault['ctx']['ge']}"
        case _:
            expected = _SHOULD.sub("", fault["msg"], count=1)
    return f"expected {expected}, found {describe(value)}"


def not_found(detail: str) -> Problem:
    """Return a 404: it does not exist, or the caller may not see it."""
    return Problem(HTTPStatus.NOT_FOUND, "not-found", detail)


def unauthorized(name: str, detail: str) -> Problem:
    """Return a 401: credentials are missing or invalid."""
    return Problem(HTTPStatus.UNAUTHORIZED, name, detail, headers={"WWW-Authenticate": "Bearer"})


def forbidden(name: str, detail: str) -> Problem:
    """Return a 403: the credentials are valid, but do not allow this."""
    return Problem(HTTPStatus.FORBIDDEN, name, detail)


def method_not_allowed(allowed: str) -> Problem:
    """Return a 405 with the methods that the path takes."""
    detail = f"expected method {allowed.replace(', ', ' or ')}"
    return Problem(HTTPStatus.METHOD_NOT_ALLOWED, "method-not-allowed", detail, headers={"Allow": allowed})


def unprocessable(name: str, detail: str, *, pointer: str | None = None, parameter: str | None = None) -> Problem:
    """Return a 422 with its place: well-formed, but not acceptable."""
    fault = {"detail": detail}
    if pointer is not None:
        fault["pointer"] = pointer
    if parameter is not None:
        fault["parameter"] = parameter
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, name, detail, faults=[fault])


def invalid_parameter(name: str, fault: str) -> Problem:
    """Return a 422: the value of a parameter cannot be read."""
    faults = [{"parameter": name, "detail": fault}]
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-parameter", f"{name}: {fault}", faults=faults)


def answer_problem(problem: Problem, *, path: str) -> Answer:
    """Return a problem in the shape that clients of a path expect: DRES has its own."""
    if path.startswith(DRES):
        return Answer(problem.status, write_compact({"status": False, "description": problem.detail}), problem.headers)
    return problem.to_answer()


def finish(answer: dict[str, Any], event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to an event of API Gateway as Lambda sends it.

    One that is too large becomes a problem, nothing is cached unless its route says so, and HEAD has no content.
    """
    size_bytes = len(json.dumps(answer))
    if size_bytes > MAX_ANSWER_BYTES:
        logger.error("an answer is too large to be sent", extra={"size_bytes": size_bytes})
        limit = f"an answer has at most {MAX_ANSWER_BYTES} bytes, this one would have {size_bytes}"
        hint = "request its parts: each submission by its id, lists page by page, raw results by `…/result`"
        problem = Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "answer-too-large", f"{limit}; {hint}")
        answer = answer_problem(problem, path=event["rawPath"]).to_event()
    answer["headers"].setdefault("Cache-Control", "no-store")
    # RFC 9110, 9.3.2: the answer to a GET without its content; its length may be left out, too.
    is_head = event["requestContext"]["http"]["method"] == "HEAD"
    return answer | {"body": "", "isBase64Encoded": False} if is_head else answer


def to_problem(error: Exception) -> Problem:
    """Return the problem that answers an error; our own faults are only logged."""
    match error:
        case Problem():
            return error
        case Rejected():
            faults = [{"pointer": error.pointer, "detail": str(error)}] if error.pointer else []
            return Problem(HTTPStatus.CONFLICT, error.problem, str(error), faults)
        case Busy():
            logger.error("store out of reach", exc_info=error)
            headers = {"Retry-After": "2"}
            return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "try-again", "busy; try again in a moment", headers=headers)
    logger.error("request failed", exc_info=error)
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", "internal error, try again later")
