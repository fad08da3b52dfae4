"""The doorway of API Gateway: admit, route, answer."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.middlewares import NextMiddleware
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from storage.aws.errors import Busy
from submit import paths
from submit.answer_size import MAX_ANSWER_BYTES
from submit.dependencies import services
from submit.dres import routes as dres
from submit.dres import schemas as dres_schemas
from submit.openapi import describe_api
from submit.problems import Problem, from_validation, method_not_allowed, not_found
from submit.requests import lower_case
from submit.routes import batches, benchmarks, owners, submissions

logger = Logger()
# An answer of ours that does not fit its own model is our fault: unless told so, the resolver blames the caller (422).
app = APIGatewayHttpResolver(
    enable_validation=True, response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR
)
for one in (benchmarks, submissions, batches, owners, dres):
    app.include_router(one.router)


def admit(here: APIGatewayHttpResolver, proceed: NextMiddleware) -> Response[Any]:
    """Let only those requests in that come through the site's host."""
    services().gate.admit(lower_case(here.current_event.headers))
    return proceed(here)


app.use(middlewares=[admit])


@app.get(paths.OPENAPI, include_in_schema=False)
def get_openapi() -> Response[str]:
    """Describe this API."""
    return Response(HTTPStatus.OK, "application/json", json.dumps(describe_api(app)))


@app.not_found
def handle_unknown_path(_: Exception) -> Response[str]:
    """Answer for a path that is not here, or that does not take this method."""
    event = app.current_event
    method = paths.find_method(event.path)
    if method is None or method == event.http_method:
        return _answer(not_found("there is nothing here; GET /api/openapi.json tells what there is"))
    return _answer(method_not_allowed("GET, HEAD" if method == "GET" else method))


@app.exception_handler(Problem)  # type: ignore[untyped-decorator]
def handle_problem(problem: Problem) -> Response[str]:
    """Answer a refusal."""
    return _answer(problem)


@app.exception_handler(RequestValidationError)  # type: ignore[untyped-decorator]
def refuse_parameters(error: RequestValidationError) -> Response[str]:
    """Answer for a path, query or header value of the wrong kind."""
    return _answer(from_validation(error))


@app.exception_handler(Busy)  # type: ignore[untyped-decorator]
def handle_busy(error: Busy) -> Response[str]:
    """Answer when a store is out of reach: nothing was accepted, the client may try again."""
    logger.error("store out of reach", exc_info=error)
    return _answer(
        Problem(
            HTTPStatus.SERVICE_UNAVAILABLE, "try-again", "busy; try again in a moment", headers={"Retry-After": "2"}
        )
    )


@app.exception_handler(Exception)  # type: ignore[untyped-decorator]
def handle_unexpected(error: Exception) -> Response[str]:
    """Answer for whatever is our fault: the log tells what it was, the caller learns only that it was not theirs."""
    logger.error("request failed", exc_info=error)
    return _answer(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", "internal error, try again later"))


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer one request of API Gateway (payload format 2.0); no answer is ever cached."""
    is_head = event["requestContext"]["http"]["method"] == "HEAD"
    answer = app.resolve(_ask_for_all(event) if is_head else event, context)
    size_bytes = len(json.dumps(answer))
    if size_bytes > MAX_ANSWER_BYTES:
        logger.error("an answer is too large to be sent", extra={"size_bytes": size_bytes})
        answer = refuse_size(size_bytes)
    answer["headers"]["Cache-Control"] = "no-store"
    # RFC 9110, 9.3.2: the answer to a GET without its content; its length may be left out, too.
    return answer | {"body": "", "isBase64Encoded": False} if is_head else answer


def _ask_for_all(event: dict[str, Any]) -> dict[str, Any]:
    """Return the event of a GET of what a HEAD asks for."""
    request = event["requestContext"]
    return event | {"requestContext": request | {"http": request["http"] | {"method": "GET"}}}


def refuse_size(size_bytes: int) -> dict[str, Any]:
    """Answer in the place of an answer that Lambda would not send."""
    expected = f"an answer has at most {MAX_ANSWER_BYTES} bytes, this one would have {size_bytes}"
    hint = "ask for what it is made of: each submission by its id, lists page by page, raw results by `…/result`"
    response = _answer(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "answer-too-large", f"{expected}; {hint}"))
    return {
        "statusCode": response.status_code,
        "headers": {"Content-Type": response.content_type},
        "body": response.body,
        "isBase64Encoded": False,
    }


def _answer(problem: Problem) -> Response[str]:
    """Give a refusal in the shape that whoever calls this path knows."""
    if app.current_event.path.startswith(paths.DRES):
        return dres_schemas.refuse(problem)
    return problem.to_response()
