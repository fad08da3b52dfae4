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
    "400": "Not strict JSON, or a header or cursor that cannot be read.",
    "401": "A token is needed, or is not known.",
    "403": "The benchmark is not open.",
    "404": "There is no such thing, or you may not see it.",
    "413": "The result is too large.",
    "415": "Not application/json in UTF-8.",
    "422": "Well-formed, but not acceptable.",
    "500": "Internal error, try again later.",
    "503": "Busy; nothing was accepted, try again.",
}
_ALWAYS = frozenset({"500", "503"})
_OF_THE_RESOLVER = ("HTTPValidationError", "ValidationError", "ResponseValidationError")


def describe_api(app: APIGatewayHttpResolver) -> dict[str, Any]:
    """Give the OpenAPI 3.1 document of the API."""
    schema = app.get_openapi_schema(
        title="Laurel", version=__version__, description="Hand in results, follow them, read what leads."
    )
    document: dict[str, Any] = schema.model_dump(by_alias=True, exclude_none=True, mode="json")
    schemas = document["components"]["schemas"]
    schemas["Problem"] = _PROBLEM
    for name in _OF_THE_RESOLVER:
        schemas.pop(name, None)
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(operation, posts=method == "post", names="{" in path)
    return document


def _complete(operation: dict[str, Any], *, posts: bool, names: bool) -> None:
    """Add what the resolver does not know.

    Args:
        operation: Changed in place.
        posts: Whether it takes a result.
        names: Whether its path names something that may not be there.
    """
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
    pages = any(one["name"] == "cursor" for one in operation.get("parameters", ()))
    # The resolver says that everything may answer 422, in a shape that we never answer.
    operation["responses"].pop("422", None)
    for status, description in _REFUSALS.items():
        if posts or status in _ALWAYS or (names and status == "404") or (pages and status == "400"):
            operation["responses"][status] = {
                "description": description,
                "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
            }
