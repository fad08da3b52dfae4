"""The doorway of the schedule: gathered mails whose time has come, drops, and what got stuck go to the mail queue."""

import os
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from storage.aws.clients import dynamodb_client, sqs_client
from storage.mail.outbox import MailOutbox
from storage.mail.ses import MailQueue
from storage.settings import FlushSettings

logger = Logger()


@cache
def desk() -> tuple[MailOutbox, MailQueue]:
    """Build, once, what finds mails: the environment is read here and nowhere else."""
    settings = FlushSettings.read(os.environ)
    mail = MailOutbox(dynamodb=dynamodb_client(), table=settings.mail_table, gather_seconds=settings.gather_seconds)
    return mail, MailQueue(sqs=sqs_client(), url=settings.mail_queue_url)


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> None:  # noqa: ARG001  # Lambda's signature
    """Queue every thread that is due; a run that fails is made good by the next."""
    mail, queue = desk()
    due = 0
    for thread in mail.find_due(now()):
        queue.announce(thread)
        due += 1
    if due:
        logger.info("mails queued", extra={"threads": due})
