"""Lambda handler of the script queue: has results scored in the sandbox, and waits for it."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from evaluate.dependencies import script_dependencies
from evaluate.shares import handle_share
from handlers import logger, sqs_handler
from storage.aws.s3_events import Notice, read_notices
from storage.keys import parse_result_key


def handle(notice: Notice, message: SQSRecord) -> None:
    """Have a result scored by the scripts of its benchmark."""
    key = parse_result_key(notice.key)
    if key is None:
        return
    with logger.append_context_keys(submission=key.submission, benchmark=key.benchmark):
        handle_share(script_dependencies(), key, tries=notice.tries, message=message)


lambda_handler = sqs_handler(
    build=script_dependencies,
    parse=read_notices,
    handle=handle,
    begin=lambda _: script_dependencies().evaluator.begin_batch(),
)
