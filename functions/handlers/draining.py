"""Empties a queue on a schedule: Lambda's own pollers ask an empty queue 15 times a minute, and each question costs."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers.loops import BatchAnswer, Handler, logger
from storage.gateway.queue import Queue, ReceivedMessage

DRAIN_SECONDS = 60.0
"""After this no further batch is begun: half of the timeout of a function that drains."""
LONG_POLL_SECONDS = 1
"""A request that does not wait asks only some of a queue's servers, and may miss a message that was just sent. Waiting
is billed, so a run waits only if it knows of a message; another one finds what it missed."""


class NotDrained(Exception):
    """Messages of a queue failed; they stay in it, and the next run retries them."""


def draining(handler: Handler[BatchAnswer], *, build: Callable[[], Iterable[Queue]]) -> Handler[None]:
    """Return the handler of queues that empties them when a schedule calls.

    It raises NotDrained if a message failed, so that the function's alarm on errors reports it.
    """

    def lambda_handler(_: dict[str, Any], context: LambdaContext) -> None:
        if failed := drain(build(), handler, context, wait_seconds=0)[1]:
            raise NotDrained(f"{failed} messages failed, will be retried")

    return lambda_handler


def drain(
    queues: Iterable[Queue],
    handler: Handler[BatchAnswer],
    context: LambdaContext,
    *,
    wait_seconds: int,
) -> tuple[int, int]:
    """Handle the messages of queues in batches, and delete those that succeed.

    A failed message stays hidden for the queue's visibility timeout, so this run does not receive it again.

    Args:
        queues: The queues, one after another.
        handler: Handles an event of a queue.
        context: Of the invocation.
        wait_seconds: How long to wait for a message.

    Returns:
        How many were handled, and how many failed.
    """
    began, handled, failed = time.monotonic(), 0, 0
    for queue in queues:
        while time.monotonic() - began < DRAIN_SECONDS and (messages := queue.receive(wait_seconds=wait_seconds)):
            answer = handler({"Records": [_make_record(message) for message in messages]}, context)
            kept = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
            queue.delete(message for message in messages if message.id not in kept)
            handled, failed = handled + len(messages) - len(kept), failed + len(kept)
    if handled or failed:
        logger.info("queue drained", extra={"handled": handled, "failed": failed})
    return handled, failed


def _make_record(message: ReceivedMessage) -> dict[str, Any]:
    """Return a message as Lambda passes it on."""
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt_handle,
        "body": message.body,
        "attributes": message.attributes,
        "messageAttributes": {},
        "eventSource": "aws:sqs",
    }
