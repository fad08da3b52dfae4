"""Lambda handler of the HTTP API, but for what takes results."""

from typing import Any

from aws_lambda_powertools.logging import correlation_paths
from aws_lambda_powertools.utilities.typing import LambdaContext

from api.app import app
from handlers.http.problems import finish
from handlers.http.requests import prepare
from storage.log_lines import make_logger

logger = make_logger()


@logger.inject_lambda_context(correlation_id_path=correlation_paths.API_GATEWAY_HTTP, clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answer a request of API Gateway (payload format 2.0)."""
    return finish(app.resolve(prepare(event), context), event)
