"""Mutations of alarms in the template, and the violation that each must cause."""

from typing import Final

from tests.architecture.rules_alarms import (
    check_alarm_topic,
    check_alarms,
    check_dashboard,
    check_function_alarms,
    check_outer_alarms,
    check_queue_alarms,
    check_stream_alarms,
)
from tests.architecture.template_mutations import REMOVED, Mutation

_POLICY: Final = ("AlarmTopicPolicy", "Properties", "PolicyDocument", "Statement")
_EMPTY_DASHBOARD: Final = '{"widgets": []}'
ALARM_MUTATIONS: Final[list[Mutation]] = [
    (check_function_alarms, ("EvaluateErrors",), REMOVED, "EvaluateFunction: no alarm on Errors"),
    (check_function_alarms, ("Throttles",), REMOVED, "one alarm counts the throttles"),
    (check_queue_alarms, ("EvaluateDeadLetters",), REMOVED, "EvaluateDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_queue_alarms, ("ShareDeadLetters",), REMOVED, "ShareDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_stream_alarms, ("AggregateLag",), REMOVED, "AggregateFunction: no alarm on IteratorAge"),
    (
        check_stream_alarms,
        ("ResultsBucket", "Properties", "NotificationConfiguration", "TopicConfigurations"),
        REMOVED,
        "reports what is given up",
    ),
    (check_outer_alarms, ("MailBounces",), REMOVED, "no alarm on Reputation.BounceRate"),
    (check_outer_alarms, ("MailComplaints",), REMOVED, "no alarm on Reputation.ComplaintRate"),
    (check_alarms, ("SubmitErrors", "Properties", "AlarmActions"), [], "SubmitErrors: expected that it notifies"),
    (check_alarms, ("AlarmTopic", "Properties", "Subscription"), REMOVED, "it is mailed"),
    (check_alarms, ("SubmitErrors", "Properties", "AlarmDescription"), "anything", "names docs/operations.md"),
    (check_alarm_topic, (*_POLICY, 1, "Condition", "ArnEquals"), REMOVED, "from this account"),
    (check_alarm_topic, (*_POLICY, 2), REMOVED, "without TLS"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _EMPTY_DASHBOARD, "lacks Errors of SubmitFunction"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _EMPTY_DASHBOARD, "of EvaluateDeadLetterQueue"),
]
