"""Lambda handler of what takes results. A player who posts one waits neither for pydantic nor for other routes."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.http.auth import check_origin
from handlers.http.problems import Answer, answer_problem, finish, to_problem
from handlers.http.requests import prepare, read_headers
from storage.log_lines import make_logger
from submit.dependencies import prepare_post, services
from submit.post import PATH, lengthen, post_result

logger = make_logger()
prepare_post()


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001  # Lambda's signature
    """Answer a request of API Gateway (payload format 2.0)."""
    return finish(answer(lengthen(prepare(event))).to_event(), event)


def answer(event: Mapping[str, Any]) -> Answer:
    """Answer a request, whatever happens."""
    try:
        act = find_act(event["requestContext"]["http"]["method"], event["rawPath"])
        check_origin(services(), read_headers(event))
        return act(event)
    except Exception as error:  # noqa: BLE001  # it becomes the answer
        return answer_problem(to_problem(error), path=event["rawPath"])


def find_act(method: str, path: str) -> Callable[[Mapping[str, Any]], Answer]:
    """Return what answers a request. Raises Problem 404, 405."""
    if method == "POST" and (match := PATH.fullmatch(path)):
        return partial(post_result, match[1])
    from submit.routes import find_route  # noqa: PLC0415  # pydantic: a result must not wait for it

    return find_route(method, path)
