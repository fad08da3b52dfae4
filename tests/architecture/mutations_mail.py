"""Mutations of mail in the template, and the violation that each must cause."""

from typing import Final

from tests.architecture.rules_access import check_one_way, check_senders
from tests.architecture.rules_flow import check_drains, check_partial_failures, check_redrive, check_streams
from tests.architecture.rules_mail import check_reports, check_schedules, check_sender, check_stream_readers
from tests.architecture.template_mutations import REMOVED, STATEMENTS, Mutation

_DESTINATION: Final = ("MailReports", "Properties", "EventDestination")
_ANY_MAIL: Final = {
    "Effect": "Allow",
    "Action": "ses:SendEmail",
    "Resource": {"Fn::Sub": "arn:aws:ses:${AWS::Region}:${AWS::AccountId}:identity/*"},
}

MAIL_MUTATIONS: Final[list[Mutation]] = [
    (check_drains, ("SendFunction", "Properties", "Timeout"), 720, "MailQueue: expected that a message stays hidden"),
    (check_streams, ("SendFunctionPending", "Properties", "MaximumRetryAttempts"), REMOVED, "is 5 or less"),
    (check_streams, ("SendFunctionSchedule", "Properties", "Targets"), [], "a schedule does the same"),
    (check_redrive, ("MailQueue", "Properties", "RedrivePolicy", "maxReceiveCount"), 4, "maxReceiveCount is 4"),
    (check_redrive, ("MailDeadLetterQueue", "Properties", "MessageRetentionPeriod"), 345600, "1209600 s"),
    *[
        (check_partial_failures, (mapping, "Properties", "FunctionResponseTypes"), REMOVED, mapping)
        for mapping in ("NotifyFunctionOutcomes", "SendFunctionPending")
    ],
    (check_one_way, ("SendRole", *STATEMENTS, 1), REMOVED, "sqs:SendMessage on MailQueue: ['NotifyRole']"),
    (
        check_senders,
        ("MailQueuePolicy", "Properties", "PolicyDocument", "Statement", 0, "Condition", "ArnEquals"),
        REMOVED,
        "the permissions to send are",
    ),
    (
        check_senders,
        ("MailQueuePolicy", "Properties", "PolicyDocument", "Statement", 0, "Condition", "StringEquals"),
        {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
        "the permissions to send are",
    ),
    (check_sender, ("NotifyRole", *STATEMENTS, 1), _ANY_MAIL, "found ['NotifyRole', 'SendRole']"),
    (check_sender, ("SendRole", *STATEMENTS, 10, "Condition"), REMOVED, "ses:FromAddress"),
    (check_sender, ("MailConfiguration", "Properties", "DeliveryOptions"), REMOVED, "TlsPolicy"),
    (check_reports, (*_DESTINATION, "MatchingEventTypes"), ["bounce"], "SES reports"),
    (check_reports, (*_DESTINATION, "Enabled"), False, "the reports are on"),
    (
        check_schedules,
        ("SendFunctionSchedule", "Properties", "ScheduleExpression"),
        "rate(59 seconds)",
        "once in 60 s",
    ),
    (check_schedules, ("SendFunctionSchedulePermission",), REMOVED, "may call its function"),
    (
        check_stream_readers,
        ("SendFunctionPending", "Properties", "EventSourceArn"),
        {"Fn::GetAtt": ["SubmissionsTable", "StreamArn"]},
        "3 readers",
    ),
]
