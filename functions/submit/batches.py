"""Lambda handler of the batch queue."""

from handlers.loops import deferred_on_failure, logger, sqs_handler
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import parse_batch_key
from storage.log_lines import Measure, measure
from submit.batch_import.importer import OrphanBatch, import_batch, report_stray
from submit.dependencies import batch_queue, batch_services


def handle(notice: Notice, message: ReceivedMessage) -> None:
    """Import the batch that a message announces; if that fails, defer the message."""
    services = batch_services()
    key = parse_batch_key(notice.key)
    with logger.append_context_keys(drop=notice.key, version_id=notice.version_id):
        if notice.version_id is None or notice.key.endswith("/"):  # S3's console makes folders as empty objects
            logger.warning("batch rejected", extra={"reason": "a folder, or an object without a version"})
            return
        with deferred_on_failure(batch_queue(), message, "batch import failed, will be retried"):
            if key is None:
                report_stray(services, notice.key, notice.version_id)
                logger.warning("batch rejected", extra={"reason": "the key names no benchmark, player and file"})
                return
            try:
                report = import_batch(services, key, notice.version_id)
            except OrphanBatch as error:
                logger.warning("batch rejected", extra={"reason": str(error)})
                return
        counts = {"entries": len(report.entries), "refused": len(report.refusals)}
        is_repeat = report.version_id != notice.version_id
        accepted = 0 if is_repeat else len(report.entries) - len(report.refusals)
        counts |= measure(Measure.SUBMISSIONS, accepted, moment=services.clock())
        logger.info(
            "repeated" if is_repeat else report.state.value,
            extra={"benchmark": key.benchmark, "player": key.player, **counts},
        )


lambda_handler = sqs_handler(build=lambda: (batch_services(), batch_queue()), parse=read_notices, handle=handle)
