"""Mutations of alarms in the template, and the violation that each must cause."""

import json
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
_NEW_QUEUE: Final = {"Type": "AWS::SQS::Queue", "Properties": {}}
_NEW_FUNCTION: Final = {
    "Type": "AWS::Lambda::Function",
    "Properties": {"LoggingConfig": {"LogGroup": "/aws/lambda/new"}},
}
_OF_SUBMIT: Final = [{"Name": "FunctionName", "Value": {"Ref": "SubmitFunction"}}]
_EMPTY_DASHBOARD: Final = '{"widgets": []}'
_MANY: Final = [["Laurel", f"metric-{number}", {"label": "any"}] for number in range(51)]
_FULL_DASHBOARD: Final = json.dumps({"widgets": [{"properties": {"metrics": [*_MANY, *_MANY]}}]})

ALARM_MUTATIONS: Final[list[Mutation]] = [
    (check_function_alarms, ("EvaluateErrors",), REMOVED, "EvaluateFunction: no alarm on Errors"),
    (check_function_alarms, ("Throttles",), REMOVED, "one alarm counts the throttles"),
    (check_function_alarms, ("Throttles", "Properties", "Dimensions"), _OF_SUBMIT, "one alarm counts the throttles"),
    (check_function_alarms, ("Throttles", "Properties", "Threshold"), 20, "one alarm counts the throttles"),
    (check_function_alarms, ("Throttles", "Properties", "Statistic"), "Average", "one alarm counts the throttles"),
    (check_function_alarms, ("StoppedLoops",), REMOVED, "one alarm counts the stopped loops"),
    (check_function_alarms, ("StoppedLoops", "Properties", "Threshold"), 2, "one alarm counts the stopped loops"),
    (check_function_alarms, ("NewFunction",), _NEW_FUNCTION, "NewFunction: no alarm on Errors"),
    (check_queue_alarms, ("EvaluateDeadLetters",), REMOVED, "EvaluateDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_queue_alarms, ("ShareDeadLetters",), REMOVED, "ShareDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_queue_alarms, ("DropQueueAge",), REMOVED, "DropQueue: no alarm on ApproximateAge"),
    (check_queue_alarms, ("MailDeadLetters",), REMOVED, "MailDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_queue_alarms, ("NewQueue",), _NEW_QUEUE, "NewQueue: no alarm on ApproximateAge"),
    (check_stream_alarms, ("AggregateLag",), REMOVED, "AggregateFunction: no alarm on IteratorAge"),
    (
        check_stream_alarms,
        ("ResultsBucket", "Properties", "NotificationConfiguration", "TopicConfigurations"),
        REMOVED,
        "reports what is given up",
    ),
    (check_stream_alarms, ("ResultsBucket", "DependsOn"), "EvaluateQueuePolicy", "depends on AlarmTopicPolicy"),
    (check_outer_alarms, ("MailBounces",), REMOVED, "no alarm on Reputation.BounceRate"),
    (check_outer_alarms, ("MailComplaints",), REMOVED, "no alarm on Reputation.ComplaintRate"),
    (check_outer_alarms, ("HttpFaults",), REMOVED, "no alarm on 5xx"),
    (check_outer_alarms, ("SiteFaults",), REMOVED, "no alarm on 5xxErrorRate"),
    (check_alarms, ("SubmitErrors", "Properties", "AlarmActions"), [], "SubmitErrors: expected that it notifies"),
    (check_alarms, ("SubmitErrors", "Properties", "AlarmDescription"), "anything", "names docs/operations.md"),
    (check_alarms, ("SubmitErrors", "Properties", "TreatMissingData"), REMOVED, "TreatMissingData"),
    (check_alarms, ("AlarmTopic", "Properties", "Subscription"), REMOVED, "it is mailed"),
    (check_alarm_topic, (*_POLICY, 1, "Condition", "ArnEquals"), REMOVED, "from this account"),
    (check_alarm_topic, (*_POLICY, 2), REMOVED, "without TLS"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _EMPTY_DASHBOARD, "lacks Errors of SubmitFunction"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _EMPTY_DASHBOARD, "of EvaluateDeadLetterQueue"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _FULL_DASHBOARD, "has 51 metrics"),
    (check_dashboard, ("FollowSubmission", "Properties", "LogGroupNames"), [], "lacks /aws/lambda/"),
]
