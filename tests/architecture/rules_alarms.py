"""Rules of monitoring: nothing fails, waits or lags without an alarm, and every alarm is mailed."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from local.intrinsics import TemplateError
from local.template import Properties, Template
from tests.architecture.expectations import list_violations, listed
from tests.architecture.rules_flow import DRAINED, WAKING

GUIDE: Final = "docs/operations.md"
_OUTER_METRICS: Final = {
    ("AWS/SES", "Reputation.BounceRate"),
    ("AWS/SES", "Reputation.ComplaintRate"),
    ("AWS/ApiGateway", "5xx"),
    ("AWS/CloudFront", "5xxErrorRate"),
}


class _Watched(NamedTuple):
    """A metric of one resource, by its logical id."""

    namespace: str
    metric: str
    resource: str


def check_function_alarms(template: Template) -> list[str]:
    """Each function has an alarm on errors; one covers the throttles, one the stopped loops of all."""
    functions = template.resources_of("AWS::Lambda::Function")
    counted = [
        (alarm["MetricName"], alarm["Statistic"], alarm["ComparisonOperator"], alarm["Threshold"])
        for alarm in _alarms(template).values()
        if alarm["Namespace"] == "AWS/Lambda" and "Dimensions" not in alarm
    ]
    expectations = {
        f"one alarm counts the {name} of all functions": [entry for entry in counted if entry[0] == metric]
        == [(metric, "Sum", "GreaterThanOrEqualToThreshold", 1)]
        for name, metric in (("throttles", "Throttles"), ("stopped loops", "RecursiveInvocationsDropped"))
    }
    return [
        *_list_missing(template, [_Watched("AWS/Lambda", "Errors", function) for function in functions]),
        *list_violations("AWS/Lambda", expectations),
    ]


def check_queue_alarms(template: Template) -> list[str]:
    """A dead-letter queue has an alarm on its depth, one with a poller on its age."""
    queues = template.resources_of("AWS::SQS::Queue")
    dead = {
        template.logical_id_of(queue["RedrivePolicy"]["deadLetterTargetArn"])
        for queue in queues.values()
        if "RedrivePolicy" in queue
    }
    depth, age = "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"
    # What a schedule empties becomes a dead letter, or its function fails, long before it is old.
    watched = [name for name in queues if name in dead or name not in DRAINED]
    return _list_missing(template, [_Watched("AWS/SQS", depth if name in dead else age, name) for name in watched])


def check_stream_alarms(template: Template) -> list[str]:
    """Every stream reader has an alarm on its lag, and SNS reports what it gives up.

    What only wakes its reader has neither: the reader's schedule does the same.
    """
    mappings = [
        mapping
        for mapping in template.resources_of("AWS::Lambda::EventSourceMapping").values()
        if template.logical_id_of(mapping["EventSourceArn"]) not in WAKING
    ]
    readers = {
        template.logical_id_of(mapping["FunctionName"]): mapping["DestinationConfig"]["OnFailure"]["Destination"]
        for mapping in mappings
        if ":dynamodb:" in mapping["EventSourceArn"]
    }
    violations = _list_missing(template, [_Watched("AWS/Lambda", "IteratorAge", reader) for reader in readers])
    topic = template.resources["AlarmTopic"].ref
    for bucket in sorted({template.logical_id_of(destination) for destination in readers.values()}):
        resource = template.resources[bucket]
        filters = [
            notice["Filter"]["S3Key"]["Rules"]
            for notice in resource.properties.get("NotificationConfiguration", {}).get("TopicConfigurations", [])
            if notice["Topic"] == topic and notice["Event"] == "s3:ObjectCreated:*"
        ]
        expectations = {
            "AlarmTopic reports what is given up": [{"Name": "prefix", "Value": "aws/lambda/"}] in filters,
            "it depends on AlarmTopicPolicy, because S3 tests the topic": "AlarmTopicPolicy"
            in listed(template.document["Resources"][bucket].get("DependsOn")),
        }
        violations += list_violations(bucket, expectations)
    return violations


def check_outer_alarms(template: Template) -> list[str]:
    """There are alarms on bounces, complaints, and 5xx of the API and of the site."""
    watched = {(alarm["Namespace"], alarm["MetricName"]) for alarm in _alarms(template).values()}
    return [
        f"{namespace}: no alarm on {metric}"
        for namespace, metric in _OUTER_METRICS
        if (namespace, metric) not in watched
    ]


def check_alarms(template: Template) -> list[str]:
    """Every alarm is mailed, names the guide, and ignores missing data."""
    topic = template.resources["AlarmTopic"]
    violations = []
    for name, alarm in _alarms(template).items():
        expectations = {
            "it notifies AlarmTopic": alarm.get("AlarmActions") == [topic.ref],
            f"its description names {GUIDE}": GUIDE in alarm.get("AlarmDescription", ""),
            "TreatMissingData is notBreaching": alarm.get("TreatMissingData") == "notBreaching",
        }
        violations += list_violations(name, expectations)
    protocols = [subscription["Protocol"] for subscription in topic.properties.get("Subscription", [])]
    return violations + list_violations("AlarmTopic", {"it is mailed": protocols == ["email"]})


def check_alarm_topic(template: Template) -> list[str]:
    """Only CloudWatch and the results bucket publish, from this account, over TLS."""
    (policy,) = template.resources_of("AWS::SNS::TopicPolicy").values()
    statements = policy["PolicyDocument"]["Statement"]
    allowed: dict[str, Any] = {
        statement["Principal"]["Service"]: statement.get("Condition")
        for statement in statements
        if statement["Effect"] == "Allow"
    }
    account = {"StringEquals": {"aws:SourceAccount": "123456789012"}}
    bucket = {"ArnEquals": {"aws:SourceArn": template.resources["ResultsBucket"].arn}}
    expectations = {
        "CloudWatch and S3 publish, from this account": allowed
        == {"cloudwatch.amazonaws.com": account, "s3.amazonaws.com": account | bucket},
        "nobody publishes without TLS": any(
            statement["Effect"] == "Deny" and statement.get("Condition") == {"Bool": {"aws:SecureTransport": False}}
            for statement in statements
        ),
    }
    return list_violations("AlarmTopicPolicy", expectations)


def _list_missing(template: Template, needed: list[_Watched]) -> list[str]:
    watched = set(_list_watched(template))
    return [f"{metric.resource}: no alarm on {metric.metric}" for metric in needed if metric not in watched]


def _list_watched(template: Template) -> Iterator[_Watched]:
    for alarm in _alarms(template).values():
        for dimension in alarm.get("Dimensions", []):
            try:
                resource = template.logical_id_of(dimension["Value"])
            except TemplateError:  # a value that names no resource, such as CloudFront's region
                continue
            yield _Watched(alarm["Namespace"], alarm["MetricName"], resource)


def _alarms(template: Template) -> dict[str, Properties]:
    return template.resources_of("AWS::CloudWatch::Alarm")
