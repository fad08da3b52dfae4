"""The template keeps the rules of the deployed stack, and a mutation makes each rule fail."""

from pathlib import Path
from typing import Final

import pytest

from local.template import Template
from scripts.deployment.concurrency import NEW_ACCOUNT, plan_concurrency
from scripts.translation import translate
from storage.submissions import reviews, withdrawals
from tests.architecture.mutations_alarms import ALARM_MUTATIONS
from tests.architecture.mutations_mail import MAIL_MUTATIONS
from tests.architecture.mutations_sandbox import SANDBOX_MUTATIONS
from tests.architecture.mutations_site import SITE_MUTATIONS
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
from tests.architecture.rules_recursion import check_recursion
from tests.architecture.rules_resources import (
    check_buckets,
    check_environments,
    check_functions,
    check_http,
    check_queues,
    check_tables,
)
from tests.architecture.rules_uploads import check_expiry, check_uploads
from tests.architecture.template_mutations import PARAMETERS, REMOVED, STATEMENTS, Mutation, mutate_template
from tests.architecture.template_rules import RULES, Rule

TEMPLATE_PATH: Final = Path(__file__).parents[2] / "template.yaml"
_LIFECYCLE: Final = ("Properties", "LifecycleConfiguration", "Rules")
_VARIABLES: Final = ("Properties", "Environment", "Variables")
_QUEUE: Final = {"Ref": "EvaluateQueue"}
_DROP_QUEUE: Final = {"Ref": "DropQueue"}
_EVERYTHING: Final = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
_ALL_TABLES: Final = "arn:aws:dynamodb:us-east-1:123456789012:table/*"

MUTATIONS: Final[list[Mutation]] = [
    (check_visibility, ("EvaluateQueue", "Properties", "VisibilityTimeout"), 1079, "EvaluateQueue: VisibilityTimeout"),
    (check_visibility, ("EvaluateQueue", "Properties", "VisibilityTimeout"), REMOVED, "is 30 s"),
    (check_drains, ("DeadLetterFunction", "Properties", "Timeout"), 180, "hidden while it runs"),
    (check_drains, ("DeadLetterFunction", "Properties", "Timeout"), 119, "runs for 120 s"),
    (check_drains, ("DeadLetterFunctionSchedule", "Properties", "ScheduleExpression"), "rate(6 minutes)", "every 300"),
    (
        check_drains,
        ("DropDeadLetterFunctionSchedule", "Properties", "Targets"),
        [],
        "DropDeadLetterFunction comes",
    ),
    (
        check_drains,
        ("DeadLetterFunction", "Properties", "Environment", "Variables", "EVALUATE_DEAD_LETTER_QUEUE_URL"),
        REMOVED,
        "DeadLetterFunction names it",
    ),
    (check_drains, ("DeadLetterRole", *STATEMENTS, 1), REMOVED, "DeadLetterFunction may receive and delete"),
    (check_redrive, ("EvaluateQueue", "Properties", "RedrivePolicy", "maxReceiveCount"), 4, "maxReceiveCount is 4"),
    (check_redrive, ("EvaluateQueue", "Properties", "RedrivePolicy"), REMOVED, "maxReceiveCount is 0"),
    (check_redrive, ("ShareQueue", "Properties", "RedrivePolicy", "maxReceiveCount"), 26, "maxReceiveCount is 26"),
    (check_redrive, ("ScriptQueue", "Properties", "RedrivePolicy"), REMOVED, "ScriptQueue: maxReceiveCount is 0"),
    (check_redrive, ("ShareDeadLetterQueue", "Properties", "FifoQueue"), REMOVED, "ShareDeadLetterQueue: is no FIFO"),
    (check_redrive, ("EvaluateDeadLetterQueue", "Properties", "MessageRetentionPeriod"), 345600, "1209600 s"),
    *[
        (check_partial_failures, (mapping, "Properties", "FunctionResponseTypes"), REMOVED, mapping)
        for mapping in (
            "DropFunctionDrops",
            "EvaluateFunctionResults",
            "AggregateFunctionOutcomes",
        )
    ],
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "StartingPosition"), "LATEST", "TRIM_HORIZON"),
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "DestinationConfig"), REMOVED, "OnFailure"),
    (
        check_streams,
        ("AggregateFunctionOutcomes", "Properties", "DestinationConfig", "OnFailure", "Destination"),
        {"Fn::GetAtt": ["EvaluateDeadLetterQueue", "Arn"]},
        "OnFailure is a bucket",
    ),
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "BisectBatchOnFunctionError"), REMOVED, "Bisect"),
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "MaximumRetryAttempts"), REMOVED, "MaximumRetry"),
    (check_streams, ("NotifyFunctionOutcomes", "Properties", "MaximumRetryAttempts"), 10, "MaximumRetry"),
    (check_streams, ("AggregateFunctionDiscarded", "Properties", "Targets"), [], "a schedule redelivers"),
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "MaximumRecordAgeInSeconds"), 86400, "MaximumRecord"),
    (check_streams, ("AggregateFunctionOutcomes", "Properties", "MaximumBatchingWindowInSeconds"), 2, "1 or less"),
    (check_streams, ("AggregateFunction", "Properties", "Timeout"), 900, "its tries fit"),
    (check_streams, ("NotifyFunction", "Properties", "Timeout"), 900, "its tries fit"),
    (check_evaluate, ("EvaluateFunctionResults", "Properties", "BatchSize"), 11, "BatchSize is 10"),
    (check_concurrency, ("EvaluateFunctionResults", "Properties", "ScalingConfig"), REMOVED, "MaximumConcurrency is 0"),
    (check_evaluate, ("EvaluateFunctionShares", "Properties", "BatchSize"), 2, "BatchSize is 1"),
    (check_shares, ("EvaluateFunctionShares",), REMOVED, "their sources are"),
    (check_shares, ("ScriptFunctionScripts",), REMOVED, "their sources are"),
    (check_recursion, ("EvaluateFunction", "Properties", "RecursiveLoop"), REMOVED, "not ['ScriptFunction']"),
    (check_recursion, ("SubmitFunction", "Properties", "RecursiveLoop"), "Allow", "'SubmitFunction'"),
    (
        check_recursion,
        ("DropRole", *STATEMENTS, 5, "Resource"),
        {"Fn::Sub": "${ResultsBucket.Arn}/*"},
        "not ['DropFunction', 'EvaluateFunction', 'ScriptFunction']",
    ),
    (
        check_recursion,
        ("SandboxRole", *STATEMENTS, 0),
        {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": {"Fn::GetAtt": ["SandboxFunction", "Arn"]}},
        "'SandboxFunction'",
    ),
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
    (check_tls, ("EvaluateDeadLetterQueuePolicy", "Properties", "Queues"), [], "EvaluateDeadLetterQueue: no policy"),
    (
        check_tls,
        ("ShareQueuePolicy", "Properties", "PolicyDocument", "Statement", 0, "Resource"),
        {"Fn::GetAtt": ["MailQueue", "Arn"]},
        "ShareQueue: no policy",
    ),
    (
        check_queue_policies,
        ("EvaluateQueuePolicy", "Properties", "Queues"),
        [_QUEUE, _DROP_QUEUE],
        "EvaluateQueue: expected one",
    ),
    (check_queue_policies, ("EvaluateQueuePolicy", "Properties", "Queues"), [_DROP_QUEUE], "DropQueue: expected one"),
    (
        check_unchanged,
        ("ResultsBucketPolicy", "Properties", "PolicyDocument", "Statement", 1, "Condition"),
        REMOVED,
        "a write to results/ or audit/",
    ),
    *[
        (
            check_unchanged,
            ("ResultsBucketPolicy", "Properties", "PolicyDocument", "Statement", 1, "Resource", index),
            REMOVED,
            "a write to results/ or audit/",
        )
        for index in (0, 1)
    ],
    (check_unchanged, ("ResultsBucket", *_LIFECYCLE, 1, "Prefix"), "audit/", "no lifecycle rule expires"),
    (check_unchanged, ("ResultsBucket", *_LIFECYCLE, 1, "Prefix"), "results/coin-run/", "no lifecycle rule expires"),
    (check_unchanged, ("ResultsBucket", *_LIFECYCLE, 1, "Prefix"), REMOVED, "no lifecycle rule expires"),
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
    (check_senders, ("ResultsBucket", "Properties", "BucketName"), "elsewhere", "arn:aws:s3:::elsewhere"),
    (check_senders, ("EvaluateQueuePolicy", "Properties", "Queues", 0), {"Ref": "ShareQueue"}, "'ShareQueue'"),
    (
        check_senders,
        ("DropQueuePolicy", "Properties", "PolicyDocument", "Statement", 0, "Resource"),
        {"Fn::GetAtt": ["EvaluateQueue", "Arn"]},
        "the permissions to send are",
    ),
    (
        check_senders,
        ("EvaluateQueuePolicy", "Properties", "PolicyDocument", "Statement", 0, "Condition", "StringEquals"),
        REMOVED,
        "aws:SourceAccount",
    ),
    (check_functions, ("SubmitFunction", "Metadata", "BuildMethod"), "python3.13", "BuildMethod is makefile"),
    (
        check_uploads,
        ("ResultsBucket", "Properties", "CorsConfiguration", "CorsRules", 0, "AllowedMethods"),
        ["POST"],
        "may GET and POST",
    ),
    (
        check_uploads,
        ("ResultsBucket", "Properties", "NotificationConfiguration", "QueueConfigurations", 1),
        REMOVED,
        "the notified queues",
    ),
    (check_expiry, ("ResultsBucket", *_LIFECYCLE, 0, "ExpirationInDays"), 365, "days until objects expire"),
    (check_expiry, ("ResultsBucket", *_LIFECYCLE, 2), REMOVED, "days until objects expire"),
    (check_expiry, ("ResultsBucket", *_LIFECYCLE, 2, "Status"), "Disabled", "is enabled"),
    (check_expiry, ("ResultsBucket", *_LIFECYCLE, 0, "ExpiredObjectDeleteMarker"), REMOVED, "delete markers"),
    (check_functions, ("SubmitFunction", "Properties", "Runtime"), "python3.12", "Runtime is python3.13"),
    (check_environments, ("EvaluateFunction", *_VARIABLES, "EVALUATE_QUEUE_URL"), REMOVED, "lacks EVALUATE_QUEUE_URL"),
    (check_environments, ("SubmitFunction", *_VARIABLES, "STAGE"), REMOVED, "lacks STAGE"),
    (check_buckets, ("SiteBucket", "Properties", "PublicAccessBlockConfiguration"), REMOVED, "public access"),
    (check_buckets, ("SiteBucket", "Properties", "OwnershipControls"), REMOVED, "owns its objects"),
    (check_buckets, ("SiteBucket", "Properties", "VersioningConfiguration"), {"Status": "Suspended"}, "versioned"),
    (check_buckets, ("SiteBucket", "Properties", "BucketEncryption"), REMOVED, "encrypted"),
    (check_buckets, ("SiteBucket", *_LIFECYCLE, 0, "NoncurrentVersionExpiration"), REMOVED, "replaced versions"),
    (check_buckets, ("SiteBucket", *_LIFECYCLE, 0, "AbortIncompleteMultipartUpload"), REMOVED, "incomplete uploads"),
    (check_buckets, ("ResultsBucket", "DeletionPolicy"), "Delete", "outlives"),
    (check_tables, ("BoardsTable", "Properties", "BillingMode"), "PROVISIONED", "PAY_PER_REQUEST"),
    (check_tables, ("BoardsTable", "Properties", "PointInTimeRecoverySpecification"), REMOVED, "restored"),
    (check_tables, ("BoardsTable", "UpdateReplacePolicy"), REMOVED, "outlives"),
    (check_tables, ("BoardsTable", "Properties", "SSESpecification"), {"SSEEnabled": True}, "costs nothing"),
    (check_queues, ("EvaluateQueue", "Properties", "SqsManagedSseEnabled"), False, "EvaluateQueue"),
    *[
        (check_http, ("HttpApi", "Properties", "Body", "paths", "/api/{proxy+}", method), REMOVED, "routes are")
        for method in ("get", "head", "post")
    ],
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
    (check_http, ("HttpApiApiGatewayDefaultStage", "Properties", "AccessLogSettings"), REMOVED, "an access log"),
    *[
        (check_http, ("HttpApiApiGatewayDefaultStage", "Properties", *path), new, expected)
        for path, new, expected in (
            (("DefaultRouteSettings",), REMOVED, "results are throttled"),
            (("DefaultRouteSettings", "ThrottlingRateLimit"), 5000, "results are throttled"),
            (("DefaultRouteSettings", "ThrottlingBurstLimit"), 5000, "bursts of results"),
            (("RouteSettings",), REMOVED, "throttled apart"),
            (("RouteSettings", "GET /api/{proxy+}"), REMOVED, "throttled apart"),
            (("RouteSettings", "HEAD /api/{proxy+}", "ThrottlingRateLimit"), 5000, "throttled apart"),
            (("RouteSettings", "GET /api/{proxy+}", "ThrottlingBurstLimit"), 5000, "throttled apart"),
        )
    ],
    (
        check_http,
        ("HttpApiApiGatewayDefaultStage", "Properties", "RouteSettings", "DELETE /api/{proxy+}"),
        {"ThrottlingRateLimit": 1, "ThrottlingBurstLimit": 1},
        "each route with a limit",
    ),
    *SANDBOX_MUTATIONS,
    *SITE_MUTATIONS,
    *MAIL_MUTATIONS,
    *ALARM_MUTATIONS,
]


@pytest.fixture(scope="module")
def production() -> Template:
    """The template as `sam deploy` translates it by default, with an administrator."""
    return translate(TEMPLATE_PATH, PARAMETERS)


@pytest.fixture(scope="module", params=["prod", "dev"])
def deployed(request: pytest.FixtureRequest) -> Template:
    """The template in each stage, translated once for all rules."""
    return translate(TEMPLATE_PATH, {"Stage": request.param, **PARAMETERS})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_template_keeps_every_rule_in_every_stage(deployed: Template, rule: Rule) -> None:
    """No rule has a violation in prod or dev."""
    assert rule(deployed) == []


@pytest.mark.parametrize("executions", [10, 50, 100, 119, 120, 3000])
def test_template_keeps_every_rule_in_every_account(executions: int) -> None:
    """No rule has a violation with the concurrency that is chosen for a small or a large account."""
    template = translate(TEMPLATE_PATH, {**PARAMETERS, **plan_concurrency(executions)})

    assert [violation for rule in RULES for violation in rule(template)] == []


def test_defaults_are_what_is_chosen_for_a_new_account(production: Template) -> None:
    """A stack that is deployed without the script works in an account of ten executions."""
    parameters = production.document["Parameters"]
    chosen = plan_concurrency(NEW_ACCOUNT)

    assert {name: str(parameters[name]["Default"]) for name in chosen} == chosen
    assert {name for name in parameters if name.endswith(("Concurrency", "Rate", "Burst"))} == chosen.keys()


@pytest.mark.parametrize(
    ("rule", "path", "value", "expected"),
    MUTATIONS,
    ids=[f"{rule.__name__}-{'.'.join(map(str, (path[0], path[-1])))}" for rule, path, _, _ in MUTATIONS],
)
def test_rule_names_what_a_mutation_breaks(
    production: Template, rule: Rule, path: tuple[str | int, ...], value: object, expected: str
) -> None:
    """A mutated template violates the rule of what was changed, and the rule names it."""
    mutated = mutate_template(production, path, value)

    violations = rule(mutated)

    assert [violation for violation in violations if expected in violation], violations


def test_template_without_an_administrator_has_no_alarms() -> None:
    """Alarms that are mailed to nobody would only cost."""
    template = translate(TEMPLATE_PATH, {"Stage": "dev"})

    assert template.resources_of("AWS::CloudWatch::Alarm") == {}
    assert "Subscription" not in template.resources["AlarmTopic"].properties


def test_every_rule_has_a_mutation() -> None:
    """Each rule is shown to fail at least once."""
    assert {rule for rule, *_ in MUTATIONS} == set(RULES)
