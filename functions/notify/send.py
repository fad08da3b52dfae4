"""The doorway of the mail queue: threads are mailed through SES, and addresses that SES reports are suppressed."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from notify.messages import DeliveryFailure, InvalidMailMessage, read_message
from notify.recipients import RecipientResolver
from notify.sender import Sender
from storage.access.players import PlayerStore
from storage.aws.clients import dynamodb_client, s3_client, ses_client, sqs_client
from storage.aws.retry_queue import RetryQueue
from storage.batches.reports import BatchReportStore
from storage.benchmarks.store import BenchmarkStore
from storage.mail.models import DigestKey
from storage.mail.outbox import MailOutbox
from storage.mail.ses import SesMailer
from storage.mail.suppressions import SuppressionStore
from storage.settings import SendSettings
from storage.submissions.store import SubmissionStore

logger = Logger()
processor = BatchProcessor(EventType.SQS, raise_on_entire_batch_failure=False)


class Desk(NamedTuple):
    """What sends, what suppresses, and what puts a message off."""

    sender: Sender
    suppressions: SuppressionStore
    queue: RetryQueue


@cache
def desk() -> Desk:
    """Build, once, what sends: the environment is read here and nowhere else."""
    settings = SendSettings.read(os.environ)
    players = PlayerStore(dynamodb=dynamodb_client(), table=settings.access_table)
    suppressions = SuppressionStore(dynamodb=dynamodb_client(), table=settings.mail_table)

    def find_player_address(player: str) -> str | None:
        account = players.find(player)
        return account.email if account else None

    sender = Sender(
        mail=MailOutbox(dynamodb=dynamodb_client(), table=settings.mail_table, gather_seconds=settings.gather_seconds),
        submissions=SubmissionStore(
            s3=s3_client(), dynamodb=dynamodb_client(), bucket=settings.results_bucket, table=settings.submissions_table
        ),
        directory=RecipientResolver(
            benchmarks=BenchmarkStore(s3=s3_client(), bucket=settings.results_bucket, clock=now),
            suppressions=suppressions,
            find_player_address=find_player_address,
            admin_address=settings.admin_address,
        ),
        post_office=SesMailer(ses=ses_client(), configuration_set=settings.configuration_set),
        reports=BatchReportStore(s3=s3_client(), bucket=settings.results_bucket),
        sender_address=settings.sender_address,
        site=settings.site_url.rstrip("/"),
        clock=now,
    )
    queue = RetryQueue(sqs=sqs_client(), url=settings.mail_queue_url, base_seconds=settings.retry_base_seconds)
    return Desk(sender, suppressions, queue)


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


def handle_message(record: SQSRecord) -> None:
    """Do what one message asks for; what fails is put off, and raised to be retried."""
    try:
        message = read_message(record.body)
    except InvalidMailMessage as error:
        logger.warning("foreign message acknowledged", extra={"reason": str(error)})
        return
    try:
        match message:
            case DeliveryFailure():
                suppress(message)
            case DigestKey():
                send(message)
    except Exception:
        receives = int(record.attributes.approximate_receive_count or 1)
        logger.exception("mail failed, will be retried", extra={"receives": receives})
        desk().queue.put_off(record.receipt_handle, receives=receives)
        raise


def send(thread: DigestKey) -> None:
    """Send what waits in a thread; the log names no address."""
    handled = desk().sender.send(thread)
    log = logger.warning if handled.result.startswith("refused") else logger.info
    log("mail handled", extra={"mail": str(thread), **handled._asdict()})


def suppress(complaint: DeliveryFailure) -> None:
    """Never write to these addresses again."""
    for address in complaint.addresses:
        desk().suppressions.suppress(address, reason=complaint.reason, now=now())
    logger.warning("addresses suppressed", extra={"addresses": len(complaint.addresses), "reason": complaint.reason})


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Answer one batch of the mail queue with the messages that failed."""
    desk()  # a broken environment fails the invocation, loudly, before any message is touched
    return process_partial_response(event, record_handler=handle_message, processor=processor, context=context)
