"""Rules of mail: who may send it and as whom, what SES reports, and what may become of a schedule."""

from typing import Any, Final

from local.schedules import list_schedules
from local.template import Template
from tests.architecture.wishes import list_statements, listed, unmet

LEAST_SECONDS: Final = 60
REPORTED: Final = {"bounce", "complaint"}


def check_sender(template: Template) -> list[str]:
    """Only SendFunction may send mail, only from the sender's address, and no mail goes without TLS."""
    senders = {
        role: statement
        for role, properties in template.resources_of("AWS::IAM::Role").items()
        for statement in list_statements(properties, "Allow")
        if any(action.startswith("ses:") for action in listed(statement.get("Action")))
    }
    sender = template.resources["SendFunction"].properties["Environment"]["Variables"]["SENDER_ADDRESS"]
    condition = {"StringEquals": {"ses:FromAddress": sender}}
    configuration = template.resources["MailConfiguration"].properties
    wishes = {
        f"SendRole alone sends, found {sorted(senders)}": set(senders) == {"SendRole"},
        f"the condition is {condition}": all(one.get("Condition") == condition for one in senders.values()),
        "TlsPolicy is REQUIRE": configuration.get("DeliveryOptions") == {"TlsPolicy": "REQUIRE"},
    }
    return unmet("SendRole", wishes)


def check_reports(template: Template) -> list[str]:
    """Bounces and complaints about our mails reach the mail queue."""
    destination = template.resources["MailReports"].properties["EventDestination"]
    rule = template.resources["MailReportRule"].properties
    name = template.resources["MailConfiguration"].name
    used = template.resources["SendFunction"].properties["Environment"]["Variables"].get("CONFIGURATION_SET")
    tags: dict[str, Any] = {"ses:configuration-set": [name]}
    wishes = {
        "SES reports bounces and complaints": set(destination.get("MatchingEventTypes", [])) == REPORTED,
        "the reports are on": destination.get("Enabled") is True,
        "they go to the default bus": destination["EventBridgeDestination"]["EventBusArn"].endswith(
            "event-bus/default"
        ),
        "mails are sent with this configuration": used == name,
        "the rule takes those of this configuration": rule["EventPattern"].get("detail") == {"mail": {"tags": tags}},
        "the rule takes bounces and complaints": set(rule["EventPattern"].get("detail-type", []))
        == {"Email Bounced", "Email Complaint Received"},
        "the rule feeds the mail queue": [template.logical_id_of(one["Arn"]) for one in rule["Targets"]]
        == ["MailQueue"],
    }
    return unmet("MailReports", wishes)


def check_schedules(template: Template) -> list[str]:
    """No schedule wakes a function more than once a minute, and each may call its function."""
    permitted = {
        (template.logical_id_of(one["FunctionName"]), one.get("SourceArn"))
        for one in template.resources_of("AWS::Lambda::Permission").values()
        if one["Principal"] == "events.amazonaws.com"
    }
    violations = []
    for schedule in list_schedules(template):
        wishes = {
            f"it runs once in {LEAST_SECONDS} s or less often": schedule.seconds >= LEAST_SECONDS,
            "it may call its function": (schedule.function, schedule.rule_arn) in permitted,
        }
        violations += unmet(schedule.rule, wishes)
    return violations


def check_stream_readers(template: Template) -> list[str]:
    """A stream has two readers at most; more are throttled."""
    readers = [one["EventSourceArn"] for one in template.resources_of("AWS::Lambda::EventSourceMapping").values()]
    return [
        f"{stream}: {readers.count(stream)} readers"
        for stream in set(readers)
        if ":dynamodb:" in stream
        if readers.count(stream) > 2
    ]
