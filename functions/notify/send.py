"""Lambda handler of the mail queue: sends digests through SES and suppresses the addresses that SES reports."""

from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from handlers import deferred_on_failure, logger, sqs_handler
from notify.dependencies import send_dependencies
from notify.messages import DeliveryFailure, read_message
from storage.mail.models import DigestKey


def handle(item: DigestKey | DeliveryFailure, message: SQSRecord) -> None:
    """Do what a message asks for; if that fails, defer the message."""
    with deferred_on_failure(send_dependencies().retries, message, "mail failed, will be retried"):
        match item:
            case DeliveryFailure():
                suppress(item)
            case DigestKey():
                send(item)


def send(digest: DigestKey) -> None:
    """Send what waits for a digest; the log has no address."""
    sent = send_dependencies().sender.send(digest)
    log = logger.warning if sent.result.startswith("refused") else logger.info
    log("mail handled", extra={"mail": str(digest), **sent._asdict()})


def suppress(failure: DeliveryFailure) -> None:
    """Suppress all further mail to the addresses that SES reported."""
    dependencies = send_dependencies()
    for address in failure.addresses:
        dependencies.suppressions.suppress(address, reason=failure.reason, now=dependencies.clock())
    logger.warning("addresses suppressed", extra={"addresses": len(failure.addresses), "reason": failure.reason})


lambda_handler = sqs_handler(build=send_dependencies, parse=lambda body: [read_message(body)], handle=handle)
