"""Gives a stream's reader again, on a schedule, the batches that Lambda discarded for it."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.loops import Handler, StreamAnswer, logger
from storage.discarded import DiscardedBatches
from storage.gateway.errors import NotFound, UnknownObject

RESERVE_SECONDS = 60
"""No batch is begun with less time left: it has as long as a batch of the stream nearly ever needs."""


def redelivering(handler: Handler[StreamAnswer], *, build: Callable[[], DiscardedBatches]) -> Handler[StreamAnswer]:
    """Return the handler of a stream that also redelivers, on a schedule.

    A reader accepts every record late, twice and in any order, so a discarded batch needs nothing else.
    """

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> StreamAnswer:
        if "Records" in event:
            return handler(event, context)
        redeliver_batches(build(), handler, context)
        return {"batchItemFailures": []}

    return lambda_handler


def redeliver_batches(batches: DiscardedBatches, handler: Handler[StreamAnswer], context: LambdaContext) -> None:
    """Handle this function's batches; delete those that succeed, keep the others.

    What there is no time for stays for the next call.
    """
    for key in batches.list_shuffled():
        if context.get_remaining_time_in_millis() < RESERVE_SECONDS * 1000:
            return
        try:
            batch = batches.read(key)
        except NotFound:  # another run was faster
            continue
        except UnknownObject:
            logger.exception("object is no discarded batch", extra={"batch": key})
            continue
        if batch.function != context.function_name:
            continue
        try:
            failures = handler(batch.event, context)["batchItemFailures"]
        except Exception:  # a record that has not the shape of one must not keep the other batches back
            logger.exception("discarded batch failed again", extra={"batch": key})
            continue
        if failures:
            logger.error("discarded batch failed again", extra={"batch": key})
            continue
        batches.delete(key)
        logger.info("discarded batch redelivered", extra={"batch": key, "records": len(batch.event["Records"])})
