"""Scores a result that one of the FIFO queues delivered."""

from typing import NamedTuple

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from evaluate.evaluator import Evaluator, score_result
from evaluate.sharing import Retries
from handlers import count_receives, logger
from storage.aws.errors import NotStarted
from storage.aws.s3_events import Notice
from storage.keys import ResultKey
from storage.submissions.queues import ShareQueue


class ShareDependencies(NamedTuple):
    """What the handler of a FIFO queue works with; versions that `evaluator` does not score go to `other_queue`."""

    evaluator: Evaluator
    retries: Retries
    other_queue: ShareQueue


def handle_share(dependencies: ShareDependencies, key: ResultKey, notice: Notice, message: SQSRecord) -> None:
    """Score a result once; hand it back if that fails or had no answer."""
    evaluator, retries, other_queue = dependencies
    tries, throttles = notice.tries, notice.throttles
    if count_receives(message) > 1:
        logger.warning("a receive had no answer, will be tried later", extra={"unanswered": notice.unanswered + 1})
        retries.postpone_unanswered(key, tries=tries, throttles=throttles, unanswered=notice.unanswered)
        return
    try:
        published = evaluator.read_published(key)
        if score_result(evaluator, key, published, sent_at=message.attributes.sent_timestamp, tries=tries):
            other_queue.send(key, tries=tries, cause=message.message_id)
    except NotStarted as error:
        logger.warning("no room for the script, will be tried later", extra={"reason": str(error)})
        retries.postpone(key, tries=tries, throttles=throttles)
    except Exception:
        logger.exception("scoring failed, will be retried", extra={"receives": tries + 1})
        retries.hand_back(key, tries=tries)
