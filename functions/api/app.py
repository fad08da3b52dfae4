"""The HTTP API: its routes, the check of the origin, and the answers to errors."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.api_gateway import Route
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from api.batches import routes as batches
from api.benchmarks import routes as benchmarks
from api.boards import routes as boards
from api.machines import protocol
from api.openapi import describe_api
from api.operators import routes as operators
from api.players import routes as me
from api.players.invitations import routes as joining
from api.submissions import routes as submissions
from handlers.http import paths
from handlers.http.answers import Answer
from handlers.http.dependencies import services
from handlers.http.problems import Problem, explain_fault, method_not_allowed, not_found, to_problem
from handlers.http.requests import check_query, read_headers
from submit.dres import routes as dres
from submit.dres.schemas import to_dres_error

# An answer that does not fit its own model is our fault; the resolver's default, 422, would blame the caller.
app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR
)
for routes in (
    benchmarks, boards, submissions, batches, joining, operators, me, protocol, dres
):  # fmt: skip
    app.include_router(routes.router)


def check_origin(resolver: APIGatewayHttpResolver, proceed: NextMiddleware) -> Response[Any]:
    """Reject a request that did not come through the site's host."""
    services().authenticator.check_origin(read_headers(resolver.current_event.raw_event))
    return proceed(resolver)


def check_parameters(resolver: APIGatewayHttpResolver, proceed: NextMiddleware) -> Response[Any]:
    """Reject a query that cannot be read, or a parameter that the route lacks."""
    event = resolver.current_event
    is_route = event.http_method == paths.find_method(event.path)  # of another one the answer says so: 404 or 405
    if is_route and not event.path.startswith(paths.DRES):  # as DRES, which ignores what it does not know
        route: Route = resolver.context["_route"]
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
    method = paths.find_method(event.path)
    if method is None or method == event.http_method:
        return _respond(not_found(f"no such endpoint; see GET {paths.OPENAPI}"))
    return _respond(method_not_allowed("GET, HEAD" if method == "GET" else method))


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]
def handle_error(error: Exception) -> Response[str]:
    """Answer a request that failed."""
    return _respond(_explain(error) if isinstance(error, RequestValidationError) else to_problem(error))


def answer_problem(problem: Problem, *, path: str) -> Answer:
    """Return a problem in the shape that clients of a path expect."""
    return to_dres_error(problem) if path.startswith(paths.DRES) else problem.to_answer()


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
