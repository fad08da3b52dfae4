"""Mutations of the template: each must make a rule fail that notices no loss of a property, or forbids something."""

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
_QUEUE: Final = {"Ref": "EvaluateQueue"}
_DROP_QUEUE: Final = {"Ref": "DropQueue"}
_EVERYTHING: Final = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
_TO_THE_SANDBOX: Final = {
    "Effect": "Allow",
    "Action": "lambda:InvokeFunction",
    "Resource": {"Fn::GetAtt": ["SandboxFunction", "Arn"]},
}
_SITE: Final = ("SiteDistribution", "Properties", "DistributionConfig")
_ROWS: Final = (*_SITE, "CacheBehaviors", 1)
_API: Final = (*_SITE, "CacheBehaviors", 2)
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
    ("rights", ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:*", "the action 's3:*'"),
    ("rights", ("SubmitRole", *STATEMENTS, 1), _EVERYTHING, "on '*'"),
    ("rights", ("SubmitRole", *STATEMENTS, 1, "NotAction"), "s3:PutObject", "all but something"),
    ("rights", ("SubmitRole", "Properties", "ManagedPolicyArns"), ["arn:aws:iam::aws:policy/Any"], "managed"),
    ("one_way", ("SubmitRole", *STATEMENTS, 1, "Action"), "s3:DeleteObject", "s3:DeleteObject on ResultsBucket"),
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
    (
        "withdrawals",
        ("ApiRole", *STATEMENTS, 7, "Condition"),
        {"ForAllValues:StringEquals": {"dynamodb:Attributes": [*decisions.ATTRIBUTES, "outcome"]}},
        "under",
    ),
    ("senders", ("ResultsBucket", "DependsOn"), "EvaluateQueuePolicy", "ResultsBucket depends on them"),
    ("expiry", ("ResultsBucket", *_LIFECYCLE, 0, "ExpirationInDays"), 365, "days until objects expire"),
    (
        "http",
        ("HttpApiApiGatewayDefaultStage", "Properties", "AccessLogSettings", "Format"),
        "$context.requestId $context.identity.sourceIp $request.querystring.player",
        "no query string",
    ),
    ("callers", ("SubmitRole", *STATEMENTS, 0), _TO_THE_SANDBOX, "'SubmitRole'"),
    ("network", ("Out",), {"Type": "AWS::EC2::Route"}, "Out: AWS::EC2::Route may lead out"),
    ("network", ("Out",), {"Type": "AWS::EC2::InternetGateway"}, "Out: AWS::EC2::InternetGateway"),
    ("generations", ("ScriptRole", *STATEMENTS, 7, "Condition"), REMOVED, "sandbox#*"),
    ("site_bucket", (*_READING, "Condition"), REMOVED, "the one permission"),
    ("errors", (*_SITE, "CustomErrorResponses", 2), _TO_THE_PAGE, "answered with a page"),
    (
        "headers",
        (*_PAGES, "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"),
        "default-src *",
        "*: Content-Security-Policy is 'default-src *'",
    ),
    ("api", (*_API, "CachePolicyId"), {"Ref": "SiteCaching"}, "nothing is cached"),
    ("rows", (*_ROWS, "CachePolicyId"), {"Ref": "SiteCaching"}, "only another query string"),
    ("protocols", (*_DATA, "ViewerProtocolPolicy"), "allow-all", "/data/*: expected that it is served over TLS"),
    ("sender", ("NotifyRole", *STATEMENTS, 1), _ANY_MAIL, "found ['NotifyRole', 'SendRole']"),
    ("reports", (*_DESTINATION, "MatchingEventTypes"), ["bounce"], "SES reports"),
    (
        "stream_readers",
        ("SendFunctionPending", "Properties", "EventSourceArn"),
        {"Fn::GetAtt": ["SubmissionsTable", "StreamArn"]},
        "3 readers",
    ),
    ("outer_alarms", ("MailBounces",), REMOVED, "no alarm on Reputation.BounceRate"),
    ("alarm_topic", (*_ALARMS_POLICY, 1, "Condition", "ArnEquals"), REMOVED, "from this account"),
]
