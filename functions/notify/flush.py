"""Lambda handler of the schedule: queues the digests that are due."""

from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import logger
from notify.dependencies import flush_dependencies


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001  # Lambda's signature
    """Queue every digest that is due; if a run fails, the next one queues the rest."""
    outbox, queue, clock = flush_dependencies()
    due = 0
    for digest in outbox.find_due(clock()):
        queue.enqueue(digest)
        due += 1
    if due:
        logger.info("mails queued", extra={"digests": due})
