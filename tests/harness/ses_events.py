"""Reports of SES as it publishes them to EventBridge.

Source: Amazon SES Developer Guide, "Examples of event data that Amazon SES publishes to Amazon SNS", whose JSON is the
`detail` on EventBridge, and "Monitoring SES events using Amazon EventBridge".
"""

from typing import Any, Final

from local.intrinsics import ACCOUNT, REGION

_TIME: Final = "2026-01-15T09:20:11.000Z"
_MESSAGE: Final = "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000"
_BOUNCE: Final = {
    "feedbackId": "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    "timestamp": _TIME,
}
_COMPLAINT: Final = {
    "timestamp": _TIME,
    "feedbackId": "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
    "userAgent": "Amazon SES Mailbox Simulator",
    "complaintFeedbackType": "abuse",
    "arrivalDate": _TIME,
}


def make_bounce(to: str, *, configuration_set: str, kind: str = "Permanent", part: str = "General") -> dict[str, Any]:
    """Return the report of a bounce, as an entry of PutEvents."""
    recipient = {
        "emailAddress": to,
        "action": "failed",
        "status": "5.1.1",
        "diagnosticCode": "smtp; 550 5.1.1 user unknown",
    }
    bounce = _BOUNCE | {"bounceType": kind, "bounceSubType": part, "bouncedRecipients": [recipient]}
    return _make_entry("Email Bounced", to, configuration_set, {"eventType": "Bounce", "bounce": bounce})


def make_complaint(to: str, *, configuration_set: str) -> dict[str, Any]:
    """Return the report of a complaint, as an entry of PutEvents."""
    complaint = _COMPLAINT | {"complainedRecipients": [{"emailAddress": to}]}
    return _make_entry(
        "Email Complaint Received", to, configuration_set, {"eventType": "Complaint", "complaint": complaint}
    )


def _make_entry(kind: str, to: str, configuration_set: str, report: dict[str, Any]) -> dict[str, Any]:
    mail = {
        "timestamp": _TIME,
        "source": "Laurel <laurel@example.com>",
        "messageId": _MESSAGE,
        "destination": [to],
        "tags": {
            "ses:configuration-set": [configuration_set],
            "ses:source-ip": ["192.0.2.0"],
        },
    }
    return {
        "Source": "aws.ses",
        "DetailType": kind,
        "Resources": [f"arn:aws:ses:{REGION}:{ACCOUNT}:configuration-set/{configuration_set}"],
        "Detail": {**report, "mail": mail},
    }
