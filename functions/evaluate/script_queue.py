"""Lambda handler of the script queue: has results scored in the sandbox, and waits for it."""

from collections.abc import Sequence

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from evaluate.dependencies import script_dependencies
from evaluate.evaluator import handle_share
from handlers.loops import logger, sqs_handler
from storage.gateway.s3_events import Notice, read_notices
from storage.keys import parse_result_key
from storage.submissions.queues import read_slot


def begin(_: Sequence[SQSRecord]) -> None:
    """Prepare for a message."""
    script_dependencies().shares.evaluator.begin_batch()


def handle(notice: Notice, message: SQSRecord) -> None:
    """Have a result scored by scripts, in the slot of its message group."""
    key = parse_result_key(notice.key)
    if key is None:
        return
    sandbox, shares = script_dependencies()
    sandbox.slot = read_slot(message.attributes.message_group_id or "")
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        handle_share(shares, key, notice, message)


lambda_handler = sqs_handler(build=script_dependencies, parse=read_notices, handle=handle, begin=begin)
