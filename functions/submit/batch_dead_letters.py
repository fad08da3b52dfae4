"""The doorway of the drops' dead-letter queue: what was retried in vain gets a report that says so."""

import os
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from storage.aws.s3_events import InvalidMessage, read_notices
from storage.keys import parse_batch_key
from storage.settings import DropDeadLetterSettings
from submit.batch_import.importer import BatchImporter, OrphanBatch
from submit.batches import build_desk

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


@cache
def desk() -> BatchImporter:
    """Build, once, what reports: the environment is read here and nowhere else."""
    return build_desk(DropDeadLetterSettings.read(os.environ))


def handle_message(record: SQSRecord) -> None:
    """Report what one message was about; where even that fails, the message comes back."""
    try:
        notices = read_notices(record.body)
    except InvalidMessage as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    for notice in notices:
        key = parse_batch_key(notice.key)
        with logger.append_context_keys(drop=notice.key, version_id=notice.version_id):
            try:
                report = desk().bury(key, notice.version_id) if key and notice.version_id else None
            except OrphanBatch as error:
                logger.warning("quarantined", extra={"reason": str(error)})
                continue
            logger.error("a drop was retried in vain", extra={"state": report and report.state})


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the drops' dead-letter queue with the messages that failed."""
    desk()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
