"""Lambda handler of a schedule that empties the dead letters of results: every result gets an outcome."""

from evaluate.dependencies import dead_letter_queues, dead_letter_recorder
from handlers.draining import draining
from handlers.loops import logger, sqs_handler
from storage.gateway.errors import UnknownObject
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import ResultKey, parse_result_key
from storage.log_lines import Measure, measure


def handle(notice: Notice, message: ReceivedMessage) -> None:  # noqa: ARG001  # as every handler of a queue
    """Record that a result could not be scored, or let the message come back."""
    key = parse_result_key(notice.key)
    if key is None:
        return
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        try:
            record_failure(key)
        except UnknownObject as error:
            logger.warning("unknown object skipped", extra={"reason": str(error)})
        except Exception:
            logger.exception("a dead letter could not be recorded, will be retried")
            raise


def record_failure(key: ResultKey) -> None:
    """Record and log that one result could not be scored."""
    recorder = dead_letter_recorder()
    written = recorder.record_failure(key)
    for record in written:
        measured = {} if record.rescored else measure(Measure.OUTCOMES, 1, moment=recorder.clock())
        logger.error("all retries failed", extra={"recorded": True, "outcome": record.outcome, **measured})
    if not written:
        logger.error("all retries failed", extra={"recorded": False})


handle_messages = sqs_handler(build=dead_letter_recorder, parse=read_notices, handle=handle)
lambda_handler = draining(handle_messages, build=dead_letter_queues)
