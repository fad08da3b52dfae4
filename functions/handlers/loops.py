"""The loops that the Lambda handlers of queues and of streams share, and batches that a stream gave up, once more."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

from storage.discarded import DiscardedBatches
from storage.gateway.errors import NotFound, UnknownObject
from storage.gateway.queue import Queue, ReceivedMessage
from storage.gateway.s3_events import InvalidMessage
from storage.log_lines import make_logger
from storage.submissions.models import MOVED, SubmissionRecord, name_item, record_from_item

type Handler[Answer] = Callable[[dict[str, Any], LambdaContext], Answer]
type BatchAnswer = dict[str, list[dict[str, str]]]
"""To Lambda: `batchItemFailures` names what it delivers again."""

logger = make_logger()
RESERVE_SECONDS = 60
"""No batch is begun with less time left: it has as long as a batch of the stream nearly ever needs."""


def sqs_handler[Item](
    *,
    build: Callable[[], object],
    parse: Callable[[str], Iterable[Item]],
    handle: Callable[[Item, ReceivedMessage], None],
    begin: Callable[[Sequence[ReceivedMessage]], None] = lambda _: None,
) -> Handler[BatchAnswer]:
    """Return the Lambda handler of a queue; it reports the messages that failed.

    Args:
        build: Builds the dependencies, once.
        begin: Takes the messages of a batch, before the first one is handled.
        parse: Reads the body of a message. InvalidMessage means that no retry can help; it is discarded.
        handle: Handles one item of a message. Whatever it raises makes SQS deliver the message again.
    """

    def handle_message(message: ReceivedMessage) -> None:
        try:
            items = parse(message.body)
        except InvalidMessage as error:
            logger.warning("invalid message discarded", extra={"reason": str(error)})
            return
        for item in items:
            handle(item, message)

    @logger.inject_lambda_context(clear_state=True)
    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> BatchAnswer:  # noqa: ARG001  # Lambda's signature
        build()  # a broken environment fails the whole invocation, before any message is touched
        messages = [_read_message(record) for record in event["Records"]]
        begin(messages)
        failed: list[str] = []
        for message in messages:
            try:
                handle_message(message)
            except Exception:
                logger.debug("message failed, will be retried", exc_info=True)
                failed.append(message.id)
        return {"batchItemFailures": [{"itemIdentifier": identity} for identity in failed]}

    return lambda_handler


def _read_message(record: Mapping[str, Any]) -> ReceivedMessage:
    """Return a message as Lambda passes it on."""
    return ReceivedMessage(record["messageId"], record["receiptHandle"], record["body"], record["attributes"])


@contextmanager
def deferred_on_failure(queue: Queue, message: ReceivedMessage, failure: str) -> Iterator[None]:
    """Defer a message whose handling fails, and log the failure."""
    try:
        yield
    except Exception:
        receives = count_receives(message)
        logger.exception(failure, extra={"receives": receives})
        queue.defer(message.receipt_handle, receives=receives)
        raise


def count_receives(message: ReceivedMessage) -> int:
    """Return how often a message was received, this time included."""
    return int(message.attributes["ApproximateReceiveCount"])


def stream_handler[Key](
    *,
    build: Callable[[], object],
    collect: Callable[[Mapping[str, Any]], Iterable[tuple[Key, SubmissionRecord]]],
    finish: Callable[[Key, list[SubmissionRecord]], None],
    key_name: str,
) -> Handler[BatchAnswer]:
    """Return the Lambda handler of a stream; it reports the first failed record.

    Args:
        build: Builds the dependencies, once.
        collect: Handles one change with a `NewImage` and yields the keys, such as boards, that it concerns.
        finish: Handles one key, once for all changes that concern it, with their submission records.
        key_name: What a key is, in the log.
    """
    failure = f"{key_name} failed, will be retried"

    @logger.inject_lambda_context(clear_state=True)
    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> BatchAnswer:  # noqa: ARG001  # Lambda's signature
        build()  # a broken environment fails the whole invocation, before any record is touched
        groups: dict[Key, tuple[str, list[SubmissionRecord]]] = {}
        failed: list[str] = []
        for stream_record in event["Records"]:
            change = stream_record["dynamodb"]
            try:
                for key, record in collect(change) if "NewImage" in change else ():
                    groups.setdefault(key, (change["SequenceNumber"], []))[1].append(record)
            except Exception:
                # The others of the batch go on: they are delivered again with this one, which changes nothing.
                logger.exception("stream record failed, will be retried", extra=name_item(change))
                failed.append(change["SequenceNumber"])
        for key, (sequence_number, records) in groups.items():
            try:
                finish(key, records)
            except Exception:
                submissions = sorted({record.submission.id for record in records})
                logger.exception(failure, extra={key_name: str(key), "submissions": submissions})
                failed.append(sequence_number)
        # Lambda retries all records from the first one that is named.
        return {"batchItemFailures": [{"itemIdentifier": number} for number in sorted(failed, key=int)[:1]]}

    return lambda_handler


def read_record(change: Mapping[str, Any], *, detailed: bool = True) -> SubmissionRecord | None:
    """Return the changed submission record; None, and a log entry, if invalid.

    None too of one that moved in: a rebuild follows. It has its short output if it is `detailed`.
    """
    if MOVED in change["NewImage"]:
        return None
    try:
        return record_from_item(change["NewImage"], detailed=detailed)
    except (KeyError, ValueError, TypeError):
        # A retry cannot fix the item, and it would block the other records of its batch.
        logger.exception("invalid item skipped", extra=name_item(change))
        return None


def redelivering(handler: Handler[BatchAnswer], *, build: Callable[[], DiscardedBatches]) -> Handler[BatchAnswer]:
    """Return the handler of a stream that also redelivers, on a schedule.

    A reader accepts every record late, twice and in any order, so a discarded batch needs nothing else.
    """

    def lambda_handler(event: dict[str, Any], context: LambdaContext) -> BatchAnswer:
        if "Records" in event:
            return handler(event, context)
        redeliver_batches(build(), handler, context)
        return {"batchItemFailures": []}

    return lambda_handler


def redeliver_batches(batches: DiscardedBatches, handler: Handler[BatchAnswer], context: LambdaContext) -> None:
    """Handle this function's batches; delete those that succeed, keep the others.

    What there is no time for stays for the next call.
    """
    for key in batches.list_shuffled():
        if context.get_remaining_time_in_millis() < RESERVE_SECONDS * 1000:
            return
        try:
            batch = batches.read(key)
        except NotFound:  # another run was faster
            continue
        except UnknownObject:
            logger.exception("object is no discarded batch", extra={"batch": key})
            continue
        if batch.function != context.function_name:
            continue
        try:
            failures = handler(batch.event, context)["batchItemFailures"]
        except Exception:  # a record that has not the shape of one must not keep the other batches back
            logger.exception("discarded batch failed again", extra={"batch": key})
            continue
        if failures:
            logger.error("discarded batch failed again", extra={"batch": key})
            continue
        batches.delete(key)
        logger.info("discarded batch redelivered", extra={"batch": key, "records": len(batch.event["Records"])})
