"""Rules of mail and schedules: who sends as whom, what SES reports, how often a schedule runs."""

from typing import Any, Final

from local.schedules import list_schedules
from local.template import Template
from tests.architecture.expectations import list_statements, list_violations, listed

LEAST_SECONDS: Final = 60
REPORTED: Final = {"bounce", "complaint"}


def check_sender(template: Template) -> list[str]:
    """Only SendFunction sends mail, from the sender's address and over TLS."""
    senders = {
        role: statement
        for role, properties in template.resources_of("AWS::IAM::Role").items()
        for statement in list_statements(properties, "Allow")
        if any(action.startswith("ses:") for action in listed(statement.get("Action")))
    }
    sender = template.resources["SendFunction"].properties["Environment"]["Variables"]["SENDER_ADDRESS"]
    condition = {"StringEquals": {"ses:FromAddress": sender}}
    configuration = template.resources["MailConfiguration"].properties
    expectations = {
        f"SendRole alone sends, found {sorted(senders)}": set(senders) == {"SendRole"},
        f"the condition is {condition}": all(statement.get("Condition") == condition for statement in senders.values()),
        "TlsPolicy is REQUIRE": configuration.get("DeliveryOptions") == {"TlsPolicy": "REQUIRE"},
    }
    return list_violations("SendRole", expectations)


def check_reports(template: Template) -> list[str]:
    """Bounces and complaints about mail reach the mail queue."""
    destination = template.resources["MailReports"].properties["EventDestination"]
    rule = template.resources["MailReportRule"].properties
    name = template.resources["MailConfiguration"].name
    used = template.resources["SendFunction"].properties["Environment"]["Variables"].get("CONFIGURATION_SET")
    tags: dict[str, Any] = {"ses:configuration-set": [name]}
    expectations = {
        "SES reports bounces and complaints": set(destination.get("MatchingEventTypes", [])) == REPORTED,
        "the reports are on": destination.get("Enabled") is True,
        "they go to the default bus": destination["EventBridgeDestination"]["EventBusArn"].endswith(
            "event-bus/default"
        ),
        "mails are sent with this configuration": used == name,
        "the rule takes those of this configuration": rule["EventPattern"].get("detail") == {"mail": {"tags": tags}},
        "the rule takes bounces and complaints": set(rule["EventPattern"].get("detail-type", []))
        == {"Email Bounced", "Email Complaint Received"},
        "the rule feeds the mail queue": [template.logical_id_of(target["Arn"]) for target in rule["Targets"]]
        == ["MailQueue"],
    }
    return list_violations("MailReports", expectations)


def check_schedules(template: Template) -> list[str]:
    """A schedule runs at most once a minute, and may call its function."""
    permitted = {
        (template.logical_id_of(permission["FunctionName"]), permission.get("SourceArn"))
        for permission in template.resources_of("AWS::Lambda::Permission").values()
        if permission["Principal"] == "events.amazonaws.com"
    }
    violations = []
    for schedule in list_schedules(template):
        expectations = {
            f"it runs once in {LEAST_SECONDS} s or less often": schedule.seconds >= LEAST_SECONDS,
            "it may call its function": (schedule.function, template.resources[schedule.rule].arn) in permitted,
        }
        violations += list_violations(schedule.rule, expectations)
    return violations


def check_stream_readers(template: Template) -> list[str]:
    """A stream has at most two readers; more are throttled."""
    mappings = template.resources_of("AWS::Lambda::EventSourceMapping").values()
    readers = [mapping["EventSourceArn"] for mapping in mappings]
    return [
        f"{stream}: {readers.count(stream)} readers"
        for stream in set(readers)
        if ":dynamodb:" in stream and readers.count(stream) > 2
    ]
