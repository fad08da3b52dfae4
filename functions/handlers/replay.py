"""Gives a stream's reader again, on a schedule, the batches that Lambda discarded for it."""

import time
from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import Handler, StreamAnswer, logger
from storage.aws.discarded import DiscardedBatches
from storage.aws.errors import NotFound, UnknownObject

REPLAY_SECONDS = 30.0
"""After this no further batch is begun: half of the reader's timeout, so that each has as long as when it was new."""


def replaying(handler: Handler[StreamAnswer], *, build: Callable[[], DiscardedBatches]) -> Handler[StreamAnswer]:
    """Return the handler of a stream that also replays, on a schedule.

    A reader accepts every record late, twice and in any order, so a discarded batch needs nothing else.
    """

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> StreamAnswer:
        if "Records" in event:
            return handler(event, context)
        replay_batches(build(), handler, context)
        return {"batchItemFailures": []}

    return lambda_handler


def replay_batches(batches: DiscardedBatches, handler: Handler[StreamAnswer], context: LambdaContext) -> None:
    """Handle this function's batches; delete those that succeed, keep the others."""
    began = time.monotonic()
    for key in batches.list_shuffled():
        if time.monotonic() - began > REPLAY_SECONDS:
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
        logger.info("discarded batch replayed", extra={"batch": key, "records": len(batch.event["Records"])})
