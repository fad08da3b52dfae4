"""Lambda handler that sends mail: woken by the mail table's stream, and by a schedule that also queues what is due."""

from itertools import islice
from typing import Any, Final

from aws_lambda_powertools.utilities.typing import LambdaContext

from handlers import draining
from handlers.loops import BatchAnswer, deferred_on_failure, logger, sqs_handler
from notify.dependencies import send_dependencies
from notify.messages import DeliveryFailure, read_message, write_message
from storage.gateway.queue import ReceivedMessage
from storage.mail.models import DigestKey

MAX_DUE: Final = 500
"""Digests that a run of the schedule queues: about what it sends."""


def handle(item: DigestKey | DeliveryFailure, message: ReceivedMessage) -> None:
    """Do what a message asks for; if that fails, defer the message."""
    with deferred_on_failure(send_dependencies().queue, message, "mail failed, will be retried"):
        if isinstance(item, DeliveryFailure):
            suppress(item)
        else:
            send(item)


def send(digest: DigestKey) -> None:
    """Send what waits for a digest; the log has no address."""
    sent = send_dependencies().sender.send(digest)
    log = logger.warning if sent.result.startswith(("deferred", "refused")) else logger.info
    log("mail handled", extra={"mail": str(digest), **sent._asdict()})


def suppress(failure: DeliveryFailure) -> None:
    """Suppress all further mail to the addresses that SES reported."""
    dependencies = send_dependencies()
    for address in failure.addresses:
        dependencies.suppressions.suppress(address, reason=failure.reason, now=dependencies.clock())
    logger.warning("addresses suppressed", extra={"addresses": len(failure.addresses), "reason": failure.reason})


handle_messages = sqs_handler(build=send_dependencies, parse=lambda body: [read_message(body)], handle=handle)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> BatchAnswer:
    """Empty the mail queue.

    A record of the stream only says that there is new mail; the queue has the digests. The schedule queues what is due.
    """
    records = event.get("Records", ())
    dependencies = send_dependencies()
    due = () if records else tuple(islice(dependencies.outbox.find_due(dependencies.clock()), MAX_DUE))
    for digest in due:
        dependencies.queue.send(write_message(digest))
    wait_seconds = draining.LONG_POLL_SECONDS if records or due else 0
    draining.drain([dependencies.queue], handle_messages, context, wait_seconds=wait_seconds)
    return {"batchItemFailures": []}
