"""Lambda handler of the script queue: has results scored in the sandbox, and waits for it."""

from collections.abc import Sequence

from evaluate.dependencies import script_dependencies
from evaluate.evaluator import handle_share
from handlers.loops import logger, sqs_handler
from storage.gateway.queue import ReceivedMessage
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import parse_result_key
from storage.submissions.queues import read_slot


def begin(_: Sequence[ReceivedMessage]) -> None:
    """Prepare for a message."""
    script_dependencies().shares.evaluator.begin_batch()


def handle(notice: Notice, message: ReceivedMessage) -> None:
    """Have a result scored by scripts, in the slot of its message group."""
    key = parse_result_key(notice.key)
    if key is None:
        return
    sandbox, shares = script_dependencies()
    sandbox.slot = read_slot(message.attributes.get("MessageGroupId", ""))
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        handle_share(shares, key, notice, message)


lambda_handler = sqs_handler(build=script_dependencies, parse=read_notices, handle=handle, begin=begin)
