"""The OpenAPI description: what Powertools generates, and the request body that our own strict reader takes."""

from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from scoring_core import __version__

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
_REFUSALS = {
    "400": "Not strict JSON, or a header that cannot be read.",
    "401": "A token is needed, or is not known.",
    "403": "The benchmark is not open.",
    "404": "There is no such thing, or you may not see it.",
    "413": "The result is too large.",
    "415": "Not application/json in UTF-8.",
    "422": "Well-formed, but not acceptable.",
    "503": "Busy; nothing was accepted, try again.",
}


def describe_api(app: APIGatewayHttpResolver) -> dict[str, Any]:
    """Give the OpenAPI 3.1 document of the API."""
    schema = app.get_openapi_schema(
        title="Laurel", version=__version__, description="Hand in results, follow them, read what leads."
    )
    document: dict[str, Any] = schema.model_dump(by_alias=True, exclude_none=True, mode="json")
    document["components"]["schemas"]["Problem"] = _PROBLEM
    document["components"]["schemas"].pop("HTTPValidationError", None)
    document["components"]["schemas"].pop("ValidationError", None)
    for path in document["paths"].values():
        for method, operation in path.items():
            _complete(operation, posts=method == "post")
    return document


def _complete(operation: dict[str, Any], *, posts: bool) -> None:
    if posts:
        operation["requestBody"] = _BODY
        operation["parameters"].append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "Makes a repeat of the same request give the same submission.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255},
            }
        )
    for status, description in _REFUSALS.items():
        if posts or status in {"404", "422", "503"}:
            operation["responses"][status] = {
                "description": description,
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }
