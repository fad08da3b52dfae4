"""Lambda handler of the evaluate queue and of the share queue."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from evaluate.dependencies import evaluate_dependencies
from evaluate.evaluator import score_result
from evaluate.sharing import waited_since
from handlers import count_receives, deferred_on_failure, logger, sqs_handler
from storage.aws.s3_events import Notice, read_notices
from storage.keys import ResultKey, parse_result_key


def handle(notice: Notice, message: SQSRecord) -> None:
    """Score a result, or hand it on to the share of its benchmark."""
    key = parse_result_key(notice.key)
    if key is None:
        return
    handle_key = handle_share if message.attributes.message_group_id else handle_arrival
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        handle_key(key, notice.tries, message)


def handle_arrival(key: ResultKey, tries: int, message: SQSRecord) -> None:
    """Score or hand on a result; if that fails, defer the message."""
    evaluator, sharing, retries = evaluate_dependencies()
    waited = waited_since(message.attributes.sent_timestamp, now=evaluator.clock())
    tries += count_receives(message) - 1
    with deferred_on_failure(retries, message, "scoring failed, will be retried"):
        published = evaluator.read_published(key)
        if sharing.must_hand_on(published, tries=tries, waited=waited):
            sharing.hand_on(key, tries=tries, message=message.message_id)
            logger.info("handed on to the share queue")
        else:
            score_result(evaluator, key, published, sent_at=message.attributes.sent_timestamp, tries=tries)


def handle_share(key: ResultKey, tries: int, message: SQSRecord) -> None:
    """Score a result once; if that fails, or a process died over it, hand it back."""
    evaluator, sharing, _ = evaluate_dependencies()
    if count_receives(message) == 1:
        try:
            published = evaluator.read_published(key)
            score_result(evaluator, key, published, sent_at=message.attributes.sent_timestamp, tries=tries)
        except Exception:
            logger.exception("scoring failed, will be retried", extra={"receives": tries + 1})
        else:
            return
    sharing.hand_back(key, tries=tries)


lambda_handler = sqs_handler(build=evaluate_dependencies, parse=read_notices, handle=handle)
