"""Lambda handler of the HTTP API."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.http.answers import MAX_ANSWER_BYTES
from handlers.http.dependencies import prepare_post
from handlers.http.problems import Problem
from handlers.http.requests import drop_blank_names
from storage.log_lines import make_logger
from submit.post import answer_post, lengthen, read_parameters

logger = make_logger()
prepare_post()


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request of API Gateway (payload format 2.0).

    Nothing is cached unless its route says so.
    """
    event = lengthen(drop_blank_names(event))
    request = event["requestContext"]
    is_head = request["http"]["method"] == "HEAD"
    if is_head:
        event = event | {"requestContext": request | {"http": request["http"] | {"method": "GET"}}}
    parameters = read_parameters(event)
    answer = resolve(event, context) if parameters is None else answer_post(event, parameters).to_event()
    size_bytes = len(json.dumps(answer))
    if size_bytes > MAX_ANSWER_BYTES:
        logger.error("an answer is too large to be sent", extra={"size_bytes": size_bytes})
        answer = answer_too_large(event, size_bytes)
    answer["headers"].setdefault("Cache-Control", "no-store")
    # RFC 9110, 9.3.2: the answer to a GET without its content; its length may be left out, too.
    return answer | {"body": "", "isBase64Encoded": False} if is_head else answer


def resolve(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer any request; the resolver and its routes are imported by the first one."""
    from api.app import app  # noqa: PLC0415  # pydantic: a POST must not wait for it

    return app.resolve(event, context)


def answer_too_large(event: dict[str, Any], size_bytes: int) -> dict[str, Any]:
    """Return what replaces an answer that Lambda would not send."""
    from api.app import answer_problem  # noqa: PLC0415  # as above

    limit = f"an answer has at most {MAX_ANSWER_BYTES} bytes, this one would have {size_bytes}"
    hint = "request its parts: each submission by its id, lists page by page, raw results by `…/result`"
    problem = Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "answer-too-large", f"{limit}; {hint}")
    return answer_problem(problem, path=event["rawPath"]).to_event()
