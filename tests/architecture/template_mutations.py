"""Mutations of the template: each must make a rule fail."""

import copy
from typing import Any, Final

from local.template import Template, resolve
from scripts.deployment.concurrency import plan_concurrency
from storage.submissions import decisions

REMOVED: Final = object()
PARAMETERS: Final = {"AdminAddress": "admin@example.org", **plan_concurrency(1000)}
"""Without an administrator there are no alarms, and a small account reserves no sandbox."""
STATEMENTS: Final = ("Properties", "Policies", 0, "PolicyDocument", "Statement")
"""The path to the statements of a role."""

# name of the rule, path below Resources, the value that is put there, and a part of the expected violation
type Mutation = tuple[str, tuple[str | int, ...], Any, str]


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

MUTATIONS: Final[list[Mutation]] = [
    ("visibility", ("EvaluateQueue", "Properties", "VisibilityTimeout"), 1079, "EvaluateQueue: VisibilityTimeout"),
    ("drains", ("DeadLetterFunction", "Properties", "Timeout"), 180, "hidden while it runs"),
    ("redrive", ("EvaluateQueue", "Properties", "RedrivePolicy", "maxReceiveCount"), 4, "maxReceiveCount is 4"),
    *[
        ("partial_failures", (mapping, "Properties", "FunctionResponseTypes"), REMOVED, mapping)
        for mapping in ("DropFunctionDrops", "EvaluateFunctionResults", "AggregateFunctionOutcomes")
    ],
    ("streams", ("AggregateFunctionOutcomes", "Properties", "StartingPosition"), "LATEST", "TRIM_HORIZON"),
    ("evaluate", ("EvaluateFunctionResults", "Properties", "BatchSize"), 11, "BatchSize is 10"),
    ("concurrency", ("EvaluateFunctionResults", "Properties", "ScalingConfig"), REMOVED, "MaximumConcurrency is 0"),
    ("shares", ("EvaluateFunctionShares",), REMOVED, "their sources are"),
    ("recursion", ("EvaluateFunction", "Properties", "RecursiveLoop"), REMOVED, "not ['ScriptFunction']"),
    ("rights", ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:*", "the action 's3:*'"),
    ("rights", ("SubmitRole", *STATEMENTS, 1), _EVERYTHING, "on '*'"),
    ("rights", ("ApiRole", *STATEMENTS, 6, "Resource"), _ALL_TABLES, "on '*'"),
    ("rights", ("SubmitRole", *STATEMENTS, 1, "NotAction"), "s3:PutObject", "all but something"),
    ("rights", ("SubmitRole", "Properties", "ManagedPolicyArns"), ["arn:aws:iam::aws:policy/Any"], "managed"),
    ("one_way", ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:DeleteObject", "s3:DeleteObject on ResultsBucket"),
    ("one_way", ("EvaluateRole", *STATEMENTS, 5), REMOVED, "dynamodb:PutItem on SubmissionsTable"),
    ("one_way", ("AggregateRole", *STATEMENTS, 3), REMOVED, "s3:PutObject on ResultsBucket/aws/lambda/*"),
    (
        "one_way",
        ("AggregateRole", *STATEMENTS, 5, "Resource"),
        {"Fn::GetAtt": ["SubmissionsTable", "Arn"]},
        "dynamodb:PutItem on SubmissionsTable: ['AggregateRole'",
    ),
    (
        "ground_truth",
        ("SubmitRole", *STATEMENTS, 2, "Resource"),
        {"Fn::Sub": "${ResultsBucket.Arn}/benchmarks/*"},
        "SubmitRole: can read",
    ),
    ("access_keys", ("SubmitRole", *STATEMENTS, 6, "Condition"), REMOVED, "SubmitRole: reaches more"),
    (
        "access_keys",
        ("ScriptRole", *STATEMENTS, 7, "Condition", "ForAllValues:StringLike", "dynamodb:LeadingKeys"),
        ["sandbox#*", "session#*"],
        "ScriptRole: reaches the sessions",
    ),
    ("tls", ("ResultsBucketPolicy",), REMOVED, "ResultsBucket: no policy"),
    ("tls", ("SiteBucketPolicy", "Properties", "PolicyDocument", "Statement", 0, "Condition"), {}, "SiteBucket"),
    (
        "queue_policies",
        ("EvaluateQueuePolicy", "Properties", "Queues"),
        [_QUEUE, _DROP_QUEUE],
        "EvaluateQueue: expected one",
    ),
    (
        "unchanged",
        ("ResultsBucketPolicy", "Properties", "PolicyDocument", "Statement", 1, "Condition"),
        REMOVED,
        "a write to results/ or audit/",
    ),
    ("unchanged", ("ResultsBucket", *_LIFECYCLE, 1, "Prefix"), "audit/", "no lifecycle rule expires"),
    ("withdrawals", ("ApiRole", *STATEMENTS, 7, "Condition"), REMOVED, "under"),
    (
        "withdrawals",
        ("ApiRole", *STATEMENTS, 7, "Condition"),
        {"ForAllValues:StringEquals": {"dynamodb:Attributes": [*decisions.ATTRIBUTES, "outcome"]}},
        "under",
    ),
    ("senders", ("ResultsBucket", "DependsOn"), "EvaluateQueuePolicy", "ResultsBucket depends on them"),
    ("functions", ("SubmitFunction", "Metadata", "BuildMethod"), "python3.13", "BuildMethod is makefile"),
    (
        "uploads",
        ("ResultsBucket", "Properties", "CorsConfiguration", "CorsRules", 0, "AllowedMethods"),
        ["POST"],
        "may GET and POST",
    ),
    ("expiry", ("ResultsBucket", *_LIFECYCLE, 0, "ExpirationInDays"), 365, "days until objects expire"),
    ("environments", ("EvaluateFunction", *_VARIABLES, "EVALUATE_QUEUE_URL"), REMOVED, "lacks EVALUATE_QUEUE_URL"),
    ("buckets", ("SiteBucket", "Properties", "PublicAccessBlockConfiguration"), REMOVED, "public access"),
    ("tables", ("BoardsTable", "Properties", "BillingMode"), "PROVISIONED", "PAY_PER_REQUEST"),
    ("queues", ("EvaluateQueue", "Properties", "SqsManagedSseEnabled"), False, "EvaluateQueue"),
    (
        "http",
        ("HttpApi", "Properties", "Body", "x-amazon-apigateway-cors", "allowHeaders"),
        ["Authorization"],
        "pages may send",
    ),
    (
        "http",
        ("HttpApiApiGatewayDefaultStage", "Properties", "AccessLogSettings", "Format"),
        "$context.requestId $context.identity.sourceIp $request.querystring.player",
        "no query string",
    ),
    ("tenants", (*_FUNCTION, "TenancyConfig"), REMOVED, "tenants are isolated"),
    ("attempts", ("SandboxLearningFunctionEventInvokeConfig",), REMOVED, "SandboxLearningFunction: expected that Max"),
    ("callers", (*_LEARNING, "FunctionName"), "elsewhere", "begin with its own"),
    ("network", (*_LEARNING, "VpcConfig"), REMOVED, "SandboxLearningFunction: expected that it runs in one"),
    ("security_group", (*_LEARNING, "VpcConfig", "SecurityGroupIds"), [], "in this security group alone"),
    ("room", (*_LEARNING, "ReservedConcurrentExecutions"), 20, "only the default runtime"),
    ("callers", ("SubmitRole", *STATEMENTS, 0), _TO_THE_SANDBOX, "'SubmitRole'"),
    ("sandbox_role", (*_ROLE, 0, "Resource"), {"Fn::GetAtt": ["EvaluateLogs", "Arn"]}, "its own logs"),
    ("sandbox_role", (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "the interface actions alone"),
    ("sandbox_role", (*_ROLE, 2), REMOVED, "denied to the code"),
    ("rights", (*_ROLE, 1, "Action", 0), "ec2:RunInstances", "SandboxRole: allows"),
    ("network", ("Out",), {"Type": "AWS::EC2::Route"}, "Out: AWS::EC2::Route may lead out"),
    ("network", ("Out",), {"Type": "AWS::EC2::InternetGateway"}, "Out: AWS::EC2::InternetGateway"),
    ("security_group", (*_FUNCTION, "VpcConfig", "SecurityGroupIds"), ["sg-default"], "this security group alone"),
    ("generations", ("ScriptRole", *STATEMENTS, 7, "Condition"), REMOVED, "sandbox#*"),
    ("site_bucket", (*_READING, "Condition"), REMOVED, "the one permission"),
    ("site_bucket", (*_READING, "Principal"), "*", "the one permission"),
    ("errors", (*_SITE, "CustomErrorResponses", 2), _TO_THE_PAGE, "answered with a page"),
    (
        "headers",
        (*_PAGES, "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"),
        "default-src *",
        "*: Content-Security-Policy is 'default-src *'",
    ),
    ("api", (*_API, "CachePolicyId"), {"Ref": "SiteCaching"}, "nothing is cached"),
    ("api", (*_API, "OriginRequestPolicyId"), "216adef6-5c7f-47e4-b989-5492eafa07d3", "all but Host is passed"),
    ("caching", (*_BOARDS, "TargetOriginId"), "site", "/data/b/*/boards/*: expected that it leads to the bucket"),
    ("rows", (*_ROWS, "CachePolicyId"), {"Ref": "SiteCaching"}, "only another query string"),
    ("viewer", (*_ROWS, "FunctionAssociations"), REMOVED, "rows*: expected that ViewerFunction"),
    ("protocols", (*_DATA, "ViewerProtocolPolicy"), "allow-all", "/data/*: expected that it is served over TLS"),
    ("one_way", ("SendRole", *STATEMENTS, 1), REMOVED, "sqs:SendMessage on MailQueue: ['NotifyRole']"),
    ("sender", ("NotifyRole", *STATEMENTS, 1), _ANY_MAIL, "found ['NotifyRole', 'SendRole']"),
    ("sender", ("SendRole", *STATEMENTS, 10, "Condition"), REMOVED, "ses:FromAddress"),
    ("reports", (*_DESTINATION, "MatchingEventTypes"), ["bounce"], "SES reports"),
    ("schedules", ("SendFunctionSchedule", "Properties", "ScheduleExpression"), "rate(59 seconds)", "once in 60 s"),
    (
        "stream_readers",
        ("SendFunctionPending", "Properties", "EventSourceArn"),
        {"Fn::GetAtt": ["SubmissionsTable", "StreamArn"]},
        "3 readers",
    ),
    ("function_alarms", ("EvaluateErrors",), REMOVED, "EvaluateFunction: no alarm on Errors"),
    ("queue_alarms", ("EvaluateDeadLetters",), REMOVED, "EvaluateDeadLetterQueue: no alarm on ApproximateNumber"),
    ("stream_alarms", ("AggregateLag",), REMOVED, "AggregateFunction: no alarm on IteratorAge"),
    ("outer_alarms", ("MailBounces",), REMOVED, "no alarm on Reputation.BounceRate"),
    ("alarms", ("SubmitErrors", "Properties", "AlarmActions"), [], "SubmitErrors: expected that it notifies"),
    ("alarm_topic", (*_ALARMS_POLICY, 1, "Condition", "ArnEquals"), REMOVED, "from this account"),
]
