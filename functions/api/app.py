"""The HTTP API: its routes, the check of the origin, and the answers to errors."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Route
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from api import accepted
from api.batches import routes as batches
from api.benchmarks import routes as benchmarks
from api.boards import routes as boards
from api.dependencies import services
from api.machines import protocol
from api.openapi import describe_api, list_routes
from api.operators import routes as operators
from api.players import routes as players
from api.players.invitations import routes as invitations
from api.submissions import routes as submissions
from handlers.http import paths
from handlers.http.problems import Problem, answer_problem, explain_fault, method_not_allowed, not_found, to_problem
from handlers.http.requests import check_query, read_headers

# An answer that does not fit its own model is our fault; the resolver's default, 422, would blame the caller.
app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR
)
for routes in (benchmarks, boards, accepted, submissions, batches, invitations, operators, players, protocol):
    app.include_router(routes.router)


def check_origin(resolver: APIGatewayHttpResolver, proceed: NextMiddleware) -> Response[Any]:
    """Reject a request that did not come through the site's host."""
    services().authenticator.check_origin(read_headers(resolver.current_event.raw_event))
    return proceed(resolver)


def check_parameters(resolver: APIGatewayHttpResolver, proceed: NextMiddleware) -> Response[Any]:
    """Reject a query that cannot be read, or a parameter that the route lacks."""
    event = resolver.current_event
    route: Route = resolver.context["_route"]
    if route in list_routes(app):  # of no other one: its answer is 404 or 405
        check_query(event.raw_event, [parameter.alias for parameter in route.dependant.query_params])
    return proceed(resolver)


app.use(middlewares=[check_origin, check_parameters])


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
