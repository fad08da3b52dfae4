"""The messages of the mail queue: digests to send, and SES's reports of mails that failed."""

import json
from typing import Any, NamedTuple

from storage.gateway.s3_events import InvalidMessage
from storage.gateway.schema import Schema
from storage.mail.models import DigestKey, parse_digest_key


class DeliveryFailure(NamedTuple):
    """Addresses to suppress, and why."""

    addresses: tuple[str, ...]
    reason: str


def write_message(digest: DigestKey) -> str:
    """Return the message that has a digest sent; its pending mails are in the outbox."""
    return json.dumps({"schema": Schema.MAIL_MESSAGE.number, "thread": str(digest)})


def read_message(body: str) -> DigestKey | DeliveryFailure:
    """Read a message of the mail queue.

    Args:
        body: JSON: `{"schema": 1, "thread": …}`, or an event of SES as EventBridge delivers it.

    Raises:
        InvalidMessage: It has another shape.
        NewerSchema: It was written by newer code; events of SES have no schema number.
    """
    try:
        message = json.loads(body)
        Schema.MAIL_MESSAGE.check(message.get("schema", 0))
        return parse_digest_key(message["thread"]) if "thread" in message else _read_report(message["detail"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidMessage(f"neither a digest nor a report of SES: {body[:200]!r}") from error


def _read_report(detail: dict[str, Any]) -> DeliveryFailure:
    """Read a report of SES; a bounce that may pass suppresses no address."""
    match detail["eventType"]:
        case "Bounce":
            bounce = detail["bounce"]
            recipients = bounce["bouncedRecipients"] if bounce["bounceType"] == "Permanent" else []
            reason = f"bounce: {bounce['bounceType']}, {bounce['bounceSubType']}"
        case "Complaint":
            recipients = detail["complaint"]["complainedRecipients"]
            reason = f"complaint: {detail['complaint'].get('complaintFeedbackType', 'of no kind')}"
        case other:
            raise ValueError(f"eventType: expected Bounce or Complaint, found {other!r}")
    return DeliveryFailure(tuple(recipient["emailAddress"] for recipient in recipients), reason)
