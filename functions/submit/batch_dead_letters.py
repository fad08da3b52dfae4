"""Lambda handler of a schedule that empties the batch queue's dead letters: every batch gets a report."""

from handlers.draining import draining
from handlers.loops import logger, sqs_handler
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import parse_batch_key
from submit.batch_import.importer import OrphanBatch, record_failure
from submit.dependencies import batch_dead_letter_queue, batch_services


def handle(notice: Notice, message: ReceivedMessage) -> None:  # noqa: ARG001  # as every handler of a queue
    """Report that a batch could not be imported; on failure the message returns."""
    key = parse_batch_key(notice.key)
    with logger.append_context_keys(drop=notice.key, version_id=notice.version_id):
        try:
            report = record_failure(batch_services(), key, notice.version_id) if key and notice.version_id else None
        except OrphanBatch as error:
            logger.warning("batch rejected", extra={"reason": str(error)})
            return
        logger.error("all retries failed", extra={"state": report and report.state})


handle_messages = sqs_handler(build=batch_services, parse=read_notices, handle=handle)
lambda_handler = draining(handle_messages, build=lambda: (batch_dead_letter_queue(),))
