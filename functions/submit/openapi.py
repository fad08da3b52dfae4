"""The OpenAPI description: what Powertools generates, and the request body that our own strict reader takes."""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from scoring_core import __version__
from submit import paths
from submit.services.batches import UploadRequest

_PROBLEM = {
    "type": "object",
    "description": "A problem (RFC 9457).",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "pointer": {"type": "string"},
                    "parameter": {"type": "string"},
                    "detail": {"type": "string"},
                },
            },
        },
    },
}
_BODY = {
    "required": True,
    "description": "The result, in the shape that the benchmark asks for.",
    "content": {"application/json": {"schema": {"anyOf": [{"type": "object"}, {"type": "array"}]}}},
}
_REASON = {
    "required": True,
    "description": "Why, for all to read: one line of 1-300 characters.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["reason"],
                "properties": {"reason": {"type": "string", "minLength": 1, "maxLength": 300}},
                "additionalProperties": False,
            }
        }
    },
}
_UPLOAD = {
    "required": True,
    "description": "The file that is to be uploaded.",
    "content": {"application/json": {"schema": UploadRequest.model_json_schema()}},
}
_WHEN_REFUSED = {
    400: "Not strict JSON, or a header or cursor that cannot be read.",
    401: "A token is needed, or is not known, or holds no longer.",
    403: "Not allowed: the benchmark is not open, or the token does not cover this.",
    404: "There is no such thing, or you may not see it.",
    409: "The name is a verified player's, or looks like one; or there is nothing to rescore.",
    413: "The result is too large.",
    415: "Not application/json in UTF-8.",
    422: "Well-formed, but not acceptable.",
    429: "The quota of the day is used up; `Retry-After` tells when the next one begins.",
    500: "Internal error, try again later.",
    503: "Busy; nothing was accepted, try again.",
}
_ALWAYS = (403, 500, 503)
_REFUSALS: Mapping[str, tuple[int, ...]] = {
    paths.HEALTH: (),
    paths.BENCHMARKS: (),
    paths.BENCHMARK: (404,),
    paths.SUBMISSIONS: (400, 401, 404, 409, 413, 415, 422, 429),
    paths.SUBMISSION: (401, 404, 422),
    paths.RESULT: (401, 404),
    paths.WITHDRAWAL: (400, 401, 404, 413, 415, 422),
    paths.UPLOADS: (400, 401, 404, 413, 415, 422, 429),
    paths.UPLOAD: (400, 401, 404, 422),
    paths.PLAYER: (400, 404, 422),
    paths.ERRORS: (400, 401, 404, 422),
    paths.RESCORE: (401, 404, 409),
}
"""Path → the statuses with which it may refuse, beside those with which all may."""

_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "`laurel_…`, a token; for what concerns one submission also `receipt_…`, its receipt.",
}
type _Credentials = list[dict[str, list[str]]]
_NEEDED: _Credentials = [{"token": []}]
_TAKEN: _Credentials = [{}, {"token": []}]
_CREDENTIALS: Mapping[str, _Credentials] = {
    paths.SUBMISSIONS: _TAKEN,
    paths.SUBMISSION: _TAKEN,
    paths.RESULT: _NEEDED,
    paths.WITHDRAWAL: _NEEDED,
    paths.UPLOADS: _NEEDED,
    paths.UPLOAD: _NEEDED,
    paths.ERRORS: _NEEDED,
    paths.RESCORE: _NEEDED,
}
"""Path → the credentials that it needs, or makes use of; the others look at none."""

_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Makes a repeat of the same request give the same submission.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_PREFER = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": "`wait=N` waits up to N seconds, at most 10, and answers 200 with the outcome if it comes in time, "
    "and with the rank if the board shows it in what is left of them; a repeat with the same Idempotency-Key is "
    "answered at once.",
    "schema": {"type": "string"},
}
_OF_THE_RESOLVER = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def describe_api(app: APIGatewayHttpResolver) -> dict[str, Any]:
    """Give the OpenAPI 3.1 document of the API, its paths in the order of the table of paths."""
    schema = app.get_openapi_schema(
        title="Laurel", version=__version__, description="Hand in results, follow them, read what leads."
    )
    document: dict[str, Any] = schema.model_dump(by_alias=True, exclude_none=True, mode="json")
    schemas = document["components"]["schemas"]
    schemas["Problem"] = _PROBLEM
    document["components"]["securitySchemes"] = {"token": _TOKEN}
    for name in _OF_THE_RESOLVER:
        schemas.pop(name, None)
    handlers = {(route.openapi_path, route.method.lower()): route.func for route in _routes(app)}
    described = {}
    for path in filter(_REFUSALS.__contains__, paths.METHODS):
        shown = path.replace("<", "{").replace(">", "}")
        described[shown] = document["paths"][shown]
        for method, operation in described[shown].items():
            _complete(operation, path, summary=str(handlers[shown, method].__doc__), schemas=schemas)
    document["paths"] = described
    return document


def _answer(model: str) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}}}


def _routes(app: APIGatewayHttpResolver) -> list[Any]:
    return [*app._static_routes, *app._dynamic_routes]  # noqa: SLF001  # the resolver tells nowhere else what answers


def _complete(operation: dict[str, Any], path: str, *, summary: str, schemas: Mapping[str, Any]) -> None:
    """Add what the resolver does not know.

    Args:
        operation: Changed in place.
        path: Of the table of paths.
        summary: What the operation does.
        schemas: Tell what an answer is.
    """
    operation["security"] = _CREDENTIALS.get(path, [])
    operation["summary"] = summary.strip().splitlines()[0]
    if path == paths.SUBMISSIONS:
        operation["requestBody"] = _BODY
        operation["parameters"] += [_IDEMPOTENCY_KEY, _PREFER]
    if path == paths.WITHDRAWAL:
        operation["requestBody"] = _REASON
    if path == paths.UPLOADS:
        operation["requestBody"] = _UPLOAD
    # The resolver says that everything may answer 422, in a shape that we never answer.
    responses = {status: answer for status, answer in operation["responses"].items() if status < "400"}
    if path == paths.SUBMISSIONS:
        responses = {"200": _answer("SubmissionView"), "202": _answer("Accepted")}
    for answer in responses.values():
        name = answer["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
        answer["description"] = schemas.get(name, {}).get("description", "What became of it.")
    for status in sorted({*_REFUSALS[path], *_ALWAYS}):
        responses[str(status)] = {
            "description": _WHEN_REFUSED[status],
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    operation["responses"] = responses
