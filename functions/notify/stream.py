"""The doorway of the submissions table's stream, its second reader: records in, intents noted, the mail queue told."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from notify.planning import concerns_uploader, plan_mails
from scoring_core.outcome import Outcome
from storage.aws.clients import dynamodb_client, sqs_client
from storage.mail.models import DigestKey
from storage.mail.outbox import MailOutbox
from storage.mail.ses import MailQueue
from storage.settings import NotifySettings
from storage.submissions.models import SubmissionRecord, name_item, record_from_item
from storage.submissions.withdrawals import find_withdrawn

logger = Logger()


@cache
def desk() -> tuple[MailOutbox, MailQueue]:
    """Build, once, what notes intents: the environment is read here and nowhere else."""
    settings = NotifySettings.read(os.environ)
    mail = MailOutbox(dynamodb=dynamodb_client(), table=settings.mail_table)
    return mail, MailQueue(sqs=sqs_client(), url=settings.mail_queue_url)


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, list[dict[str, str]]]:  # noqa: ARG001  # Lambda's signature
    """Answer one batch of stream records with the first that failed; Lambda retries from it on."""
    _, queue = desk()  # a broken environment fails the invocation, loudly, before any record is touched
    threads: dict[DigestKey, str] = {}
    failed = []
    for one in event["Records"]:
        number = one["dynamodb"]["SequenceNumber"]
        try:
            for thread in note_record(one["dynamodb"]):
                threads.setdefault(thread, number)
        except Exception:
            logger.exception("a record could not be noted, will be retried", extra=name_item(one["dynamodb"]))
            failed.append(number)
            break
    for thread, number in threads.items():
        try:
            queue.announce(thread)
        except Exception:
            logger.exception("a mail could not be queued, will be retried", extra={"mail": str(thread)})
            failed.append(number)
    return {"batchItemFailures": [{"itemIdentifier": one} for one in sorted(failed, key=int)[:1]]}


def note_record(change: Mapping[str, Any]) -> list[DigestKey]:
    """Note what is to be mailed about one changed item; give the threads in which something waits for the queue."""
    if "NewImage" not in change or find_withdrawn(change["NewImage"]):
        return []
    try:
        record = record_from_item(change["NewImage"])
    except (KeyError, ValueError, TypeError):
        # No retry can mend it; given up in the end, it would take the rest of its batch with it.
        logger.exception("foreign item passed over", extra=name_item(change))
        return []
    mail, _ = desk()
    note_drop(record, mail)
    threads = [intent.thread for intent in plan_mails(record, now=now()) if mail.note(intent)]
    if threads:
        logger.info("noted", extra={**name_item(change), "mails": [str(thread) for thread in threads]})
    return threads


def note_drop(record: SubmissionRecord, mail: MailOutbox) -> None:
    """Note the drop of a record that failed; its one mail is for the schedule, when all of the drop is recorded."""
    submission = record.submission
    if submission.drop is not None and record.outcome is not Outcome.SCORED and concerns_uploader(record):
        mail.note_failed_drop(submission.benchmark, player=submission.player.id, drop=submission.drop, now=now())
