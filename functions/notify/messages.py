"""Reads the messages of the mail queue: threads to be mailed, and what SES reports of mails it has sent."""

import json
from typing import Any, NamedTuple

from storage.aws.s3_events import InvalidMessage
from storage.aws.schema import Schema
from storage.mail.models import DigestKey, parse_digest_key


class DeliveryFailure(NamedTuple):
    """Addresses that are not to be written to again, and why."""

    addresses: tuple[str, ...]
    reason: str


def read_message(body: str) -> DigestKey | DeliveryFailure:
    """Give what a message of the mail queue says.

    Args:
        body: JSON: `{"schema": 1, "thread": …}`, or an event of SES as EventBridge delivers it.

    Raises:
        InvalidMessage: It has another shape.
        Newer: Newer code has put it there; events of SES carry no schema number.
    """
    try:
        message = json.loads(body)
        Schema.MAIL_MESSAGE.check(message.get("schema", 0))
        return parse_digest_key(message["thread"]) if "thread" in message else _read_report(message["detail"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidMessage(f"neither a digest nor a report of SES: {body[:200]!r}") from error


def _read_report(detail: dict[str, Any]) -> DeliveryFailure:
    """Read a report; a bounce that may pass (a full mailbox) names nobody."""
    match detail["eventType"]:
        case "Bounce":
            bounce = detail["bounce"]
            lasting = bounce["bounceType"] == "Permanent"
            found = [one["emailAddress"] for one in bounce["bouncedRecipients"]] if lasting else []
            return DeliveryFailure(tuple(found), f"bounce: {bounce['bounceType']}, {bounce['bounceSubType']}")
        case "Complaint":
            complaint = detail["complaint"]
            found = [one["emailAddress"] for one in complaint["complainedRecipients"]]
            return DeliveryFailure(tuple(found), f"complaint: {complaint.get('complaintFeedbackType', 'of no kind')}")
        case other:
            raise ValueError(f"eventType: expected Bounce or Complaint, found {other!r}")
