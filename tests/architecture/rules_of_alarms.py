"""Rules of what watches over the stack: nothing fails, waits or lags without an alarm, and every alarm is heard."""

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from local.intrinsics import TemplateError
from local.template import Properties, Template
from tests.architecture.wishes import listed, unmet

GUIDE: Final = "docs/operations.md"
_WATCHES_ALL: Final = (
    ("AWS/SES", "Reputation.BounceRate"),
    ("AWS/SES", "Reputation.ComplaintRate"),
    ("AWS/ApiGateway", "5xx"),
    ("AWS/CloudFront", "5xxErrorRate"),
)


class _Watched(NamedTuple):
    """A metric of one resource, by its logical id."""

    namespace: str
    metric: str
    resource: str


def check_function_alarms(template: Template) -> list[str]:
    """Every function has an alarm on its errors, and one alarm rings at the first throttle of any function."""
    functions = template.resources_of("AWS::Lambda::Function")
    throttles = [
        (alarm["Statistic"], alarm["ComparisonOperator"], alarm["Threshold"])
        for alarm in _alarms(template).values()
        if (alarm["Namespace"], alarm["MetricName"]) == ("AWS/Lambda", "Throttles") and "Dimensions" not in alarm
    ]
    expectations = {
        "one alarm counts the throttles of all functions": throttles == [("Sum", "GreaterThanOrEqualToThreshold", 1)]
    }
    return [
        *_tell_missing(template, [_Watched("AWS/Lambda", "Errors", function) for function in functions]),
        *unmet("AWS/Lambda", expectations),
    ]


def check_queue_alarms(template: Template) -> list[str]:
    """Every dead-letter queue has an alarm on its depth, every other queue one on its oldest message."""
    queues = template.resources_of("AWS::SQS::Queue")
    dead = {
        template.logical_id_of(one["RedrivePolicy"]["deadLetterTargetArn"])
        for one in queues.values()
        if "RedrivePolicy" in one
    }
    depth, age = "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"
    return _tell_missing(template, [_Watched("AWS/SQS", depth if one in dead else age, one) for one in queues])


def check_stream_alarms(template: Template) -> list[str]:
    """Every reader of a stream has an alarm on how far it is behind, and what it gives up is told."""
    mappings = template.resources_of("AWS::Lambda::EventSourceMapping").values()
    readers = {
        template.logical_id_of(one["FunctionName"]): one["DestinationConfig"]["OnFailure"]["Destination"]
        for one in mappings
        if ":dynamodb:" in one["EventSourceArn"]
    }
    violations = _tell_missing(template, [_Watched("AWS/Lambda", "IteratorAge", one) for one in readers])
    topic = template.resources["AlarmTopic"].ref
    for bucket in sorted({template.logical_id_of(one) for one in readers.values()}):
        resource = template.resources[bucket]
        told = [
            one["Filter"]["S3Key"]["Rules"]
            for one in resource.properties.get("NotificationConfiguration", {}).get("TopicConfigurations", [])
            if one["Topic"] == topic and one["Event"] == "s3:ObjectCreated:*"
        ]
        wishes = {
            "what is given up is told to AlarmTopic": [{"Name": "prefix", "Value": "aws/lambda/"}] in told,
            "it depends on AlarmTopicPolicy, because S3 tries the topic": "AlarmTopicPolicy"
            in listed(resource.attributes.get("DependsOn")),
        }
        violations += unmet(bucket, wishes)
    return violations


def check_outer_alarms(template: Template) -> list[str]:
    """There are alarms on bounces, complaints, and 5xx of the API and of the site."""
    found = {(one["Namespace"], one["MetricName"]) for one in _alarms(template).values()}
    return [
        f"{namespace}: no alarm on {metric}" for namespace, metric in _WATCHES_ALL if (namespace, metric) not in found
    ]


def check_alarms(template: Template) -> list[str]:
    """Every alarm reaches the administrator, says where to read on, and takes silence for health."""
    topic = template.resources["AlarmTopic"]
    violations = []
    for name, alarm in _alarms(template).items():
        wishes = {
            "it tells AlarmTopic": alarm.get("AlarmActions") == [topic.ref],
            f"its description names {GUIDE}": GUIDE in alarm.get("AlarmDescription", ""),
            "TreatMissingData is notBreaching": alarm.get("TreatMissingData") == "notBreaching",
        }
        violations += unmet(name, wishes)
    protocols = [one["Protocol"] for one in topic.properties.get("Subscription", [])]
    return violations + unmet("AlarmTopic", {"it is mailed": protocols == ["email"]})


def check_alarm_topic(template: Template) -> list[str]:
    """Only CloudWatch and the results bucket, both of this account, publish alarms, and nobody without TLS."""
    (policy,) = template.resources_of("AWS::SNS::TopicPolicy").values()
    statements = policy["PolicyDocument"]["Statement"]
    allowed: dict[str, Any] = {
        one["Principal"]["Service"]: one.get("Condition") for one in statements if one["Effect"] == "Allow"
    }
    here = {"StringEquals": {"aws:SourceAccount": "123456789012"}}
    bucket = {"ArnEquals": {"aws:SourceArn": template.resources["ResultsBucket"].arn}}
    wishes = {
        "CloudWatch and S3 publish, from this account": allowed
        == {"cloudwatch.amazonaws.com": here, "s3.amazonaws.com": here | bucket},
        "nobody publishes without TLS": any(
            one["Effect"] == "Deny" and one.get("Condition") == {"Bool": {"aws:SecureTransport": False}}
            for one in statements
        ),
    }
    return unmet("AlarmTopicPolicy", wishes)


def check_dashboard(template: Template) -> list[str]:
    """The dashboard shows the errors of every function and what waits in every queue; the query reads every log."""
    (dashboard,) = template.resources_of("AWS::CloudWatch::Dashboard").values()
    shown = {
        (metric[1], metric[3])
        for widget in json.loads(dashboard["DashboardBody"])["widgets"]
        for metric in widget["properties"]["metrics"]
        if len(metric) > 3
    }
    needed = [("Errors", one) for one in template.resources_of("AWS::Lambda::Function")]
    needed += [("ApproximateNumberOfMessagesVisible", one) for one in template.resources_of("AWS::SQS::Queue")]
    violations = [
        f"Dashboard: lacks {metric} of {one}"
        for metric, one in needed
        if (metric, template.resources[one].name) not in shown
    ]
    (query,) = template.resources_of("AWS::Logs::QueryDefinition").values()
    groups = {one["LoggingConfig"]["LogGroup"] for one in template.resources_of("AWS::Lambda::Function").values()}
    return violations + [f"FollowSubmission: lacks {one}" for one in sorted(groups - set(query["LogGroupNames"]))]


def _tell_missing(template: Template, needed: list[_Watched]) -> list[str]:
    found = set(_list_watched(template))
    return [f"{one.resource}: no alarm on {one.metric}" for one in needed if one not in found]


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
