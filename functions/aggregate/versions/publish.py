"""Lambda handler that checks and publishes a bundle; the API invokes it once the bundle is uploaded."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate.dependencies import bundle_publisher
from handlers import logger
from storage.benchmarks.publications import PublicationRequest


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> str:  # noqa: ARG001  # Lambda's signature
    """Publish the bundle that the event names, and return how that ended."""
    request = PublicationRequest.read(event)
    with logger.append_context_keys(benchmark=request.publication.benchmark, publication=request.publication.id):
        report = bundle_publisher().publish(request)
        logger.info("publication ended", extra={"status": report.status, "version": report.version})
    return report.status
