"""Lambda handler of the evaluate queue and of the share queue: scores what is built in."""

from collections.abc import Sequence

from evaluate.dependencies import evaluate_dependencies
from evaluate.evaluator import handle_share, score_result
from evaluate.sharing import list_short_results, waited_since
from handlers.loops import count_receives, deferred_on_failure, logger, sqs_handler
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import ResultKey, parse_scorable_key


def begin(messages: Sequence[ReceivedMessage]) -> None:
    """Prepare for a batch of messages."""
    evaluator, sharing, _, _ = evaluate_dependencies()
    evaluator.begin_batch(list_short_results(messages))
    sharing.begin_batch(messages)


def handle(notice: Notice, message: ReceivedMessage) -> None:
    """Score a result, or hand it on to the share of its benchmark."""
    key = parse_scorable_key(notice.key)
    if key is None:
        return
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        if message.attributes.get("MessageGroupId"):
            handle_share(evaluate_dependencies().shares, key, notice, message)
        else:
            handle_arrival(key, notice, message)


def handle_arrival(key: ResultKey, notice: Notice, message: ReceivedMessage) -> None:
    """Score or hand on a result; if that fails, defer the message."""
    evaluator, sharing, queue, _ = evaluate_dependencies()
    waited = waited_since(message.attributes["SentTimestamp"], now=evaluator.clock())
    # Only its first receive may have scored it. More of them are no tries: Lambda had no room for this function.
    tries = notice.counts.tries + (count_receives(message) > 1)
    with deferred_on_failure(queue, message, "scoring failed, will be retried"):
        published = evaluator.read_published(key)
        next_queue = sharing.choose_queue(published, tries=tries, waited=waited)
        if next_queue is None and score_result(
            evaluator, key, published, sent_at=message.attributes["SentTimestamp"], tries=tries
        ):
            next_queue = sharing.script_queue
        if next_queue is not None:
            next_queue.send(key, notice.counts._replace(tries=tries), cause=message.id)
            logger.info("handed on")


lambda_handler = sqs_handler(build=evaluate_dependencies, parse=read_notices, handle=handle, begin=begin)
