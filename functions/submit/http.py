"""Lambda handler of the HTTP API."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from submit.api import answer_problem, app
from submit.problems import Problem
from submit.schemas.base import MAX_ANSWER_BYTES

logger = Logger()


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request of API Gateway (payload format 2.0); nothing is cached."""
    request = event["requestContext"]
    is_head = request["http"]["method"] == "HEAD"
    if is_head:
        event = event | {"requestContext": request | {"http": request["http"] | {"method": "GET"}}}
    answer = app.resolve(event, context)
    size_bytes = len(json.dumps(answer))
    if size_bytes > MAX_ANSWER_BYTES:
        logger.error("an answer is too large to be sent", extra={"size_bytes": size_bytes})
        answer = answer_too_large(size_bytes)
    answer["headers"]["Cache-Control"] = "no-store"
    # RFC 9110, 9.3.2: the answer to a GET without its content; its length may be left out, too.
    return answer | {"body": "", "isBase64Encoded": False} if is_head else answer


def answer_too_large(size_bytes: int) -> dict[str, Any]:
    """Return what replaces an answer that Lambda would not send."""
    limit = f"an answer has at most {MAX_ANSWER_BYTES} bytes, this one would have {size_bytes}"
    hint = "request its parts: each submission by its id, lists page by page, raw results by `…/result`"
    response = answer_problem(Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "answer-too-large", f"{limit}; {hint}"))
    return {
        "statusCode": response.status_code,
        "headers": {"Content-Type": response.content_type},
        "body": response.body,
        "isBase64Encoded": False,
    }
