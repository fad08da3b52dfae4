"""Mutations of the template: each must make a rule fail."""

import copy
from typing import Any, Final

from local.template import Template, resolve
from scripts.deployment.concurrency import plan_concurrency
from storage.submissions import reviews, withdrawals
from tests.architecture.rules_access import (
    check_access_keys,
    check_ground_truth,
    check_one_way,
    check_queue_policies,
    check_rights,
    check_senders,
    check_tls,
    check_unchanged,
    check_withdrawals,
)
from tests.architecture.rules_alarms import (
    check_alarm_topic,
    check_alarms,
    check_dashboard,
    check_function_alarms,
    check_outer_alarms,
    check_queue_alarms,
    check_stream_alarms,
)
from tests.architecture.rules_flow import (
    check_concurrency,
    check_drains,
    check_evaluate,
    check_partial_failures,
    check_redrive,
    check_shares,
    check_streams,
    check_visibility,
)
from tests.architecture.rules_mail import check_reports, check_schedules, check_sender, check_stream_readers
from tests.architecture.rules_recursion import check_recursion
from tests.architecture.rules_resources import (
    check_buckets,
    check_environments,
    check_functions,
    check_http,
    check_queues,
    check_tables,
)
from tests.architecture.rules_sandbox import (
    check_attempts,
    check_callers,
    check_generations,
    check_network,
    check_room,
    check_sandbox_role,
    check_security_group,
    check_tenants,
)
from tests.architecture.rules_site import (
    check_api,
    check_caching,
    check_errors,
    check_headers,
    check_protocols,
    check_rows,
    check_site_bucket,
    check_viewer,
)
from tests.architecture.rules_uploads import check_expiry, check_uploads
from tests.architecture.template_rules import Rule

REMOVED: Final = object()
PARAMETERS: Final = {"AdminAddress": "admin@example.org", **plan_concurrency(1000)}
"""Without an administrator there are no alarms, and a small account reserves no sandbox."""
STATEMENTS: Final = ("Properties", "Policies", 0, "PolicyDocument", "Statement")
"""The path to the statements of a role."""

# rule, path below Resources, the value that is put there, and a part of the expected violation
type Mutation = tuple[Rule, tuple[str | int, ...], Any, str]


def mutate_template(template: Template, path: tuple[str | int, ...], value: object) -> Template:
    """Return the template with a value below Resources replaced, or deleted."""
    document = copy.deepcopy(dict(template.document))
    inner = document["Resources"]
    for key in path[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return resolve(document, PARAMETERS)


_LIFECYCLE: Final = ("Properties", "LifecycleConfiguration", "Rules")
_VARIABLES: Final = ("Properties", "Environment", "Variables")
_QUEUE: Final = {"Ref": "EvaluateQueue"}
_DROP_QUEUE: Final = {"Ref": "DropQueue"}
_EVERYTHING: Final = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
_ALL_TABLES: Final = "arn:aws:dynamodb:us-east-1:123456789012:table/*"
_FUNCTION: Final = ("SandboxFunction", "Properties")
_LEARNING: Final = ("SandboxLearningFunction", "Properties")
_ROLE: Final = ("SandboxRole", *STATEMENTS)
_TO_THE_SANDBOX: Final = {
    "Effect": "Allow",
    "Action": "lambda:InvokeFunction",
    "Resource": {"Fn::GetAtt": ["SandboxFunction", "Arn"]},
}
_SITE: Final = ("SiteDistribution", "Properties", "DistributionConfig")
_ROWS: Final = (*_SITE, "CacheBehaviors", 1)
_API: Final = (*_SITE, "CacheBehaviors", 2)
_BOARDS: Final = (*_SITE, "CacheBehaviors", 3)
_DATA: Final = (*_SITE, "CacheBehaviors", 4)
_READING: Final = ("SiteBucketPolicy", "Properties", "PolicyDocument", "Statement", 1)
_PAGES: Final = ("PageHeaders", "Properties", "ResponseHeadersPolicyConfig")
_TO_THE_PAGE: Final = {"ErrorCode": 404, "ResponseCode": 200, "ResponsePagePath": "/index.html"}
_DESTINATION: Final = ("MailReports", "Properties", "EventDestination")
_ANY_MAIL: Final = {
    "Effect": "Allow",
    "Action": "ses:SendEmail",
    "Resource": {"Fn::Sub": "arn:aws:ses:${AWS::Region}:${AWS::AccountId}:identity/*"},
}
_ALARMS_POLICY: Final = ("AlarmTopicPolicy", "Properties", "PolicyDocument", "Statement")
_EMPTY_DASHBOARD: Final = '{"widgets": []}'

MUTATIONS: Final[list[Mutation]] = [
    (check_visibility, ("EvaluateQueue", "Properties", "VisibilityTimeout"), 1079, "EvaluateQueue: VisibilityTimeout"),
    (check_drains, ("DeadLetterFunction", "Properties", "Timeout"), 180, "hidden while it runs"),
    (check_redrive, ("EvaluateQueue", "Properties", "RedrivePolicy", "maxReceiveCount"), 4, "maxReceiveCount is 4"),
    *[
        (check_partial_failures, (mapping, "Properties", "FunctionResponseTypes"), REMOVED, mapping)
        for mapping in (
            "DropFunctionDrops",
            "EvaluateFunctionResults",
            "AggregateFunctionOutcomes",
        )
    ],
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "StartingPosition"), "LATEST", "TRIM_HORIZON"),
    (check_evaluate, ("EvaluateFunctionResults", "Properties", "BatchSize"), 11, "BatchSize is 10"),
    (check_concurrency, ("EvaluateFunctionResults", "Properties", "ScalingConfig"), REMOVED, "MaximumConcurrency is 0"),
    (check_shares, ("EvaluateFunctionShares",), REMOVED, "their sources are"),
    (check_recursion, ("EvaluateFunction", "Properties", "RecursiveLoop"), REMOVED, "not ['ScriptFunction']"),
    (check_rights, ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:*", "the action 's3:*'"),
    (check_rights, ("SubmitRole", *STATEMENTS, 1), _EVERYTHING, "on '*'"),
    (check_rights, ("ApiRole", *STATEMENTS, 6, "Resource"), _ALL_TABLES, "on '*'"),
    (check_rights, ("SubmitRole", *STATEMENTS, 1, "NotAction"), "s3:PutObject", "all but something"),
    (check_rights, ("SubmitRole", "Properties", "ManagedPolicyArns"), ["arn:aws:iam::aws:policy/Any"], "managed"),
    (check_one_way, ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:DeleteObject", "s3:DeleteObject on ResultsBucket"),
    (check_one_way, ("EvaluateRole", *STATEMENTS, 5), REMOVED, "dynamodb:PutItem on SubmissionsTable"),
    (check_one_way, ("AggregateRole", *STATEMENTS, 3), REMOVED, "s3:PutObject on ResultsBucket/aws/lambda/*"),
    (
        check_one_way,
        ("AggregateRole", *STATEMENTS, 5, "Resource"),
        {"Fn::GetAtt": ["SubmissionsTable", "Arn"]},
        "dynamodb:PutItem on SubmissionsTable: ['AggregateRole'",
    ),
    (
        check_ground_truth,
        ("SubmitRole", *STATEMENTS, 2, "Resource"),
        {"Fn::Sub": "${ResultsBucket.Arn}/benchmarks/*"},
        "SubmitRole: can read",
    ),
    (check_access_keys, ("SubmitRole", *STATEMENTS, 6, "Condition"), REMOVED, "SubmitRole: reaches more"),
    (
        check_access_keys,
        ("ScriptRole", *STATEMENTS, 7, "Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"),
        ["sandbox#*", "session#*"],
        "ScriptRole: reaches the sessions",
    ),
    (check_tls, ("ResultsBucketPolicy",), REMOVED, "ResultsBucket: no policy"),
    (check_tls, ("SiteBucketPolicy", "Properties", "PolicyDocument", "Statement", 0, "Condition"), {}, "SiteBucket"),
    (
        check_queue_policies,
        ("EvaluateQueuePolicy", "Properties", "Queues"),
        [_QUEUE, _DROP_QUEUE],
        "EvaluateQueue: expected one",
    ),
    (
        check_unchanged,
        ("ResultsBucketPolicy", "Properties", "PolicyDocument", "Statement", 1, "Condition"),
        REMOVED,
        "a write to results/ or audit/",
    ),
    (check_unchanged, ("ResultsBucket", *_LIFECYCLE, 1, "Prefix"), "audit/", "no lifecycle rule expires"),
    (check_withdrawals, ("ApiRole", *STATEMENTS, 7, "Condition"), REMOVED, "under"),
    (
        check_withdrawals,
        ("ApiRole", *STATEMENTS, 7, "Condition"),
        {
            "ForAllValues:StringEquals": {
                "dynamodb:Attributes": [*withdrawals.ATTRIBUTES, *reviews.ATTRIBUTES, "outcome"]
            }
        },
        "under",
    ),
    (check_senders, ("ResultsBucket", "DependsOn"), "EvaluateQueuePolicy", "ResultsBucket depends on them"),
    (check_functions, ("SubmitFunction", "Metadata", "BuildMethod"), "python3.13", "BuildMethod is makefile"),
    (
        check_uploads,
        ("ResultsBucket", "Properties", "CorsConfiguration", "CorsRules", 0, "AllowedMethods"),
        ["POST"],
        "may GET and POST",
    ),
    (check_expiry, ("ResultsBucket", *_LIFECYCLE, 0, "ExpirationInDays"), 365, "days until objects expire"),
    (check_environments, ("EvaluateFunction", *_VARIABLES, "EVALUATE_QUEUE_URL"), REMOVED, "lacks EVALUATE_QUEUE_URL"),
    (check_buckets, ("SiteBucket", "Properties", "PublicAccessBlockConfiguration"), REMOVED, "public access"),
    (check_tables, ("BoardsTable", "Properties", "BillingMode"), "PROVISIONED", "PAY_PER_REQUEST"),
    (check_queues, ("EvaluateQueue", "Properties", "SqsManagedSseEnabled"), False, "EvaluateQueue"),
    (
        check_http,
        ("HttpApi", "Properties", "Body", "x-amazon-apigateway-cors", "allowHeaders"),
        ["Authorization"],
        "pages may send",
    ),
    (
        check_http,
        ("HttpApiApiGatewayDefaultStage", "Properties", "AccessLogSettings", "Format"),
        "$context.requestId $context.identity.sourceIp $request.querystring.player",
        "no query string",
    ),
    (check_tenants, (*_FUNCTION, "TenancyConfig"), REMOVED, "tenants are isolated"),
    (
        check_attempts,
        ("SandboxLearningFunctionEventInvokeConfig",),
        REMOVED,
        "SandboxLearningFunction: expected that Max",
    ),
    (check_callers, (*_LEARNING, "FunctionName"), "elsewhere", "begin with its own"),
    (check_network, (*_LEARNING, "VpcConfig"), REMOVED, "SandboxLearningFunction: expected that it runs in one"),
    (check_security_group, (*_LEARNING, "VpcConfig", "SecurityGroupIds"), [], "in this security group alone"),
    (check_room, (*_LEARNING, "ReservedConcurrentExecutions"), 20, "only the default runtime"),
    (check_callers, ("SubmitRole", *STATEMENTS, 0), _TO_THE_SANDBOX, "'SubmitRole'"),
    (check_sandbox_role, (*_ROLE, 0, "Resource"), {"Fn::GetAtt": ["EvaluateLogs", "Arn"]}, "its own logs"),
    (check_sandbox_role, (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "the interface actions alone"),
    (check_sandbox_role, (*_ROLE, 2), REMOVED, "denied to the code"),
    (check_rights, (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "SandboxRole: allows"),
    (check_network, ("Out",), {"Type": "AWS::EC2::Route"}, "Out: AWS::EC2::Route may lead out"),
    (check_network, ("Out",), {"Type": "AWS::EC2::InternetGateway"}, "Out: AWS::EC2::InternetGateway"),
    (check_security_group, (*_FUNCTION, "VpcConfig", "SecurityGroupIds"), ["sg-default"], "this security group alone"),
    (check_generations, ("ScriptRole", *STATEMENTS, 7, "Condition"), REMOVED, "sandbox#*"),
    (check_site_bucket, (*_READING, "Condition"), REMOVED, "the one permission"),
    (check_site_bucket, (*_READING, "Principal"), "*", "the one permission"),
    (check_errors, (*_SITE, "CustomErrorResponses", 2), _TO_THE_PAGE, "answered with a page"),
    (
        check_headers,
        (*_PAGES, "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"),
        "default-src *",
        "*: Content-Security-Policy is 'default-src *'",
    ),
    (check_api, (*_API, "CachePolicyId"), {"Ref": "SiteCaching"}, "nothing is cached"),
    (check_api, (*_API, "OriginRequestPolicyId"), "216adef6-5c7f-47e4-b989-5492eafa07d3", "all but Host is passed"),
    (check_caching, (*_BOARDS, "TargetOriginId"), "site", "/data/b/*/boards/*: expected that it leads to the bucket"),
    (check_rows, (*_ROWS, "CachePolicyId"), {"Ref": "SiteCaching"}, "only another query string"),
    (check_viewer, (*_ROWS, "FunctionAssociations"), REMOVED, "rows*: expected that ViewerFunction"),
    (check_protocols, (*_DATA, "ViewerProtocolPolicy"), "allow-all", "/data/*: expected that it is served over TLS"),
    (check_one_way, ("SendRole", *STATEMENTS, 1), REMOVED, "sqs:SendMessage on MailQueue: ['NotifyRole']"),
    (check_sender, ("NotifyRole", *STATEMENTS, 1), _ANY_MAIL, "found ['NotifyRole', 'SendRole']"),
    (check_sender, ("SendRole", *STATEMENTS, 10, "Condition"), REMOVED, "ses:FromAddress"),
    (check_reports, (*_DESTINATION, "MatchingEventTypes"), ["bounce"], "SES reports"),
    (
        check_schedules,
        ("SendFunctionSchedule", "Properties", "ScheduleExpression"),
        "rate(59 seconds)",
        "once in 60 s",
    ),
    (
        check_stream_readers,
        ("SendFunctionPending", "Properties", "EventSourceArn"),
        {"Fn::GetAtt": ["SubmissionsTable", "StreamArn"]},
        "3 readers",
    ),
    (check_function_alarms, ("EvaluateErrors",), REMOVED, "EvaluateFunction: no alarm on Errors"),
    (check_queue_alarms, ("EvaluateDeadLetters",), REMOVED, "EvaluateDeadLetterQueue: no alarm on ApproximateNumber"),
    (check_stream_alarms, ("AggregateLag",), REMOVED, "AggregateFunction: no alarm on IteratorAge"),
    (check_outer_alarms, ("MailBounces",), REMOVED, "no alarm on Reputation.BounceRate"),
    (check_alarms, ("SubmitErrors", "Properties", "AlarmActions"), [], "SubmitErrors: expected that it notifies"),
    (check_alarm_topic, (*_ALARMS_POLICY, 1, "Condition", "ArnEquals"), REMOVED, "from this account"),
    (check_dashboard, ("Dashboard", "Properties", "DashboardBody"), _EMPTY_DASHBOARD, "lacks Errors of SubmitFunction"),
]
