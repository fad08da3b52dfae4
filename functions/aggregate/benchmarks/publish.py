"""Lambda handler that checks and publishes a bundle.

The API invokes it once the bundle is uploaded, and a schedule for publications whose function died.
"""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate.dependencies import bundle_publisher, moves
from handlers.loops import logger
from storage.benchmarks.publications import TWO_TRIES, PublicationRequest


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> str:  # noqa: ARG001  # Lambda's signature
    """Publish the bundle that the event names, and return how that ended.

    An operation is a page of a benchmark that moves.

    Without one publish every bundle that was requested, and that nobody works on any more.
    """
    if "operation" in event:
        moves().run(event["operation"])
        return ""
    if event.get("benchmark"):
        return publish(PublicationRequest.model_validate(event))
    ended, failures = [], []
    for request in bundle_publisher().list_unfinished(TWO_TRIES):
        try:
            ended.append(publish(request))
        except Exception as error:
            logger.exception("a publication failed, will be retried")
            failures.append(error)
    if failures:
        raise ExceptionGroup("not every publication ended", failures)
    return " ".join(ended)


def publish(request: PublicationRequest) -> str:
    """Publish a bundle, and return how that ended."""
    with logger.append_context_keys(benchmark=request.publication.benchmark, publication=request.publication.id):
        report = bundle_publisher().publish(request)
        logger.info("publication ended", extra={"status": report.status, "version": report.version})
    return report.status
