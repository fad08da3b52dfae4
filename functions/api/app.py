"""The HTTP API: its routes, the check of the origin, and the answers to errors."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.middlewares.openapi_validation import OpenAPIRequestValidationMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from api import accepted, mcp
from api.batches import routes as batches
from api.benchmarks import archives, bans, operations, publications, rescores
from api.benchmarks import routes as benchmarks
from api.boards import routes as boards
from api.dependencies import services
from api.openapi import describe_api, list_routes
from api.players import own_data, tokens
from api.players.invitations import routes as invitations
from api.submissions import downloads, grades, listing, withdrawals, work
from api.submissions import routes as submissions
from handlers.http import paths
from handlers.http.auth import check_origin
from handlers.http.bodies import read_model
from handlers.http.problems import Problem, answer_problem, explain_fault, method_not_allowed, not_found, to_problem
from handlers.http.requests import check_query, read_headers, read_json


class _Requests(OpenAPIRequestValidationMiddleware):
    """Checks origin and query of a request, and reads the body that its route declares strictly, up to a size."""

    def handler(self, app: Any, next_middleware: NextMiddleware) -> Response[Any]:
        event, route = app.current_event.raw_event, app.context["_route"]
        check_origin(services(), read_headers(event))
        if route in list_routes(app):  # of no other one: its answer is 404 or 405
            check_query(event, [parameter.alias for parameter in route.dependant.query_params])
        return super().handler(app, next_middleware)

    def _get_body(self, app: Any) -> Any:
        event, declared = app.current_event.raw_event, app.context["_route"].dependant.body_params[0]
        is_left_out = not declared.required and not event.get("body")
        return None if is_left_out else read_model(read_json(event), declared.type_)


# An answer that does not fit its own model is our fault; the resolver's default, 422, would blame the caller.
app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR
)
app._request_validation_middleware = _Requests()  # type: ignore[no-untyped-call]  # noqa: SLF001
for routes in (
    *(benchmarks, rescores, bans, archives, publications, operations, boards, accepted, listing, submissions),
    *(withdrawals, downloads, grades, work, batches, invitations, tokens, own_data, mcp),
):
    app.include_router(routes.router)


@app.get(paths.OPENAPI, include_in_schema=False)
def get_openapi() -> Response[str]:
    """Describe this API."""
    return Response(HTTPStatus.OK, "application/json", json.dumps(describe_api(app)))


@app.not_found
def handle_unknown_path(_: Exception) -> Response[str]:
    """Answer a request for an unknown path or with a wrong method."""
    event = app.current_event
    taken = {route.method for route in list_routes(app) if route.rule.match(event.path)}
    if not taken:
        return _respond(not_found(f"no such endpoint; see GET {paths.OPENAPI}"))
    return _respond(method_not_allowed(", ".join(sorted({*taken, *({"HEAD"} if "GET" in taken else ())}))))


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]
def handle_error(error: Exception) -> Response[str]:
    """Answer a request that failed."""
    return _respond(_explain(error) if isinstance(error, RequestValidationError) else to_problem(error))


def _respond(problem: Problem) -> Response[str]:
    answer = answer_problem(problem, path=app.current_event.path)
    return Response(answer.status.value, answer.content_type, answer.body, headers=answer.headers)


def _explain(error: RequestValidationError) -> Problem:
    """Return the problem of a path, query or header value that the resolver rejects."""
    faults = []
    for fault in error.errors():
        source, *steps = fault["loc"]
        faults.append({"parameter": ".".join(map(str, steps)) or str(source), "detail": explain_fault(fault)})
    detail = "; ".join(f"{fault['parameter']}: {fault['detail']}" for fault in faults)
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid-parameter", detail, faults=faults)
