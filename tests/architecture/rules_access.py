"""Rules of access: who may change what, who may send, and that nothing is reached without TLS."""

import json
import re
from fnmatch import fnmatchcase
from typing import Any, Final

from local.intrinsics import ACCOUNT
from local.template import Template
from storage.keys import AUDIT_PREFIX, RESULTS_PREFIX
from storage.submissions import decisions
from tests.architecture.expectations import list_statements, list_violations, listed
from tests.architecture.rules_sandbox import INTERFACE_ACTIONS

WRITERS: Final = {
    ("s3:PutObject", "ResultsBucket/results/*"): {"SubmitRole", "DropRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/drops/*"): {"SubmitRole"},
    ("s3:PutObject", "ResultsBucket/downloads/*"): {"ApiRole"},
    ("s3:PutObject", "ResultsBucket/reports/*"): {"DropRole", "DropDeadLetterRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/large/*"): {"SubmitRole", "PublishRole"},
    ("s3:DeleteObject", "ResultsBucket/large/*"): {"SweepRole"},
    ("s3:PutObject", "ResultsBucket/incoming/*"): {"ApiRole", "PublishRole"},
    ("s3:DeleteObject", "ResultsBucket/incoming/*.json"): {"ApiRole"},
    ("s3:DeleteObjectVersion", "ResultsBucket/incoming/*"): {"PublishRole"},
    ("s3:PutObject", "ResultsBucket/publications/*"): {"PublishRole"},
    ("s3:PutObject", "ResultsBucket/operations/*"): {"ApiRole", "RescoreRole", "SweepRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/benchmarks/*"): {"PublishRole"},
    ("s3:PutObject", "ResultsBucket/audit/*"): {"ApiRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/records/*"): {"EvaluateRole", "ScriptRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/outcomes/*"): {"ApiRole", "PublishRole"},
    ("s3:PutObject", "ResultsBucket/aws/lambda/*"): {"AggregateRole", "NotifyRole"},
    ("s3:DeleteObject", "ResultsBucket/aws/lambda/*"): {"AggregateRole", "NotifyRole"},
    ("s3:PutObject", "ResultsBucket/benchmarks/*/current.json"): {"RescoreRole"},
    ("s3:DeleteObject", "ResultsBucket/benchmarks/*"): {"RescoreRole"},
    ("s3:PutObject", "SiteBucket/data/*"): {"AggregateRole", "RescoreRole", "PublishRole", "UpkeepRole"},
    ("s3:DeleteObject", "SiteBucket/data/*"): {"AggregateRole", "RescoreRole", "PublishRole", "UpkeepRole"},
    ("dynamodb:DeleteItem", "AccessTable"): {"RescoreRole", "SubmitRole", "ApiRole", "PublishRole"},
    ("dynamodb:PutItem", "AccessTable"): {
        "DropRole",
        "SubmitRole",
        "ApiRole",
        "ScriptRole",
        "SweepRole",
        "RescoreRole",
        "PublishRole",
    },
    ("dynamodb:UpdateItem", "AccessTable"): {"SubmitRole", "ApiRole", "AggregateRole", "DropRole", "PublishRole"},
    ("dynamodb:UpdateItem", "SubmissionsTable"): {"ApiRole", "RescoreRole"},
    # PublishRole: what moves in from another stack.
    ("dynamodb:PutItem", "SubmissionsTable"): {"EvaluateRole", "ScriptRole", "DeadLetterRole", "PublishRole"},
    # The last ones: what waits for runners of owners, and its leases.
    ("dynamodb:PutItem", "BoardsTable"): {"AggregateRole", "RescoreRole", "PublishRole", "EvaluateRole", "ApiRole"},
    ("dynamodb:DeleteItem", "BoardsTable"): {
        *("AggregateRole", "RescoreRole", "PublishRole"),
        *("EvaluateRole", "ApiRole", "SweepRole"),
    },
    ("dynamodb:PutItem", "MailTable"): {
        *("NotifyRole", "SendRole", "DropRole", "DropDeadLetterRole"),
        "RescoreRole",  # mail to the administrator about boards that are set aside
        "ApiRole",  # an owner's invitations
    },
    ("sqs:SendMessage", "EvaluateQueue"): {"EvaluateRole", "ScriptRole", "SweepRole", "RescoreRole"},
    ("sqs:SendMessage", "EvaluateDeadLetterQueue"): {"EvaluateRole", "ScriptRole"},
    ("sqs:SendMessage", "ShareQueue"): {"EvaluateRole", "ScriptRole"},
    ("sqs:SendMessage", "ScriptQueue"): {"EvaluateRole"},
    ("sqs:SendMessage", "MailQueue"): {"NotifyRole", "SendRole"},
}
"""Which roles may change what: the data flows in one direction."""

UNBOUNDED: Final = {
    ("SandboxRole", INTERFACE_ACTIONS): "a function in a VPC needs them, EC2 accepts no resource; denied to its code"
}
"""(role, actions) → why it may perform them on everything."""

UNCHANGED: Final = (RESULTS_PREFIX, AUDIT_PREFIX)
"""Prefixes of the results bucket below which objects are added and never changed."""

SENDERS: Final = {"DropQueue": "ResultsBucket", "EvaluateQueue": "ResultsBucket", "MailQueue": "MailReportRule"}
"""Queue → the resource of a service that may send to it."""

_CLAIMS: Final[dict[str, dict[str, Any]]] = {
    "AWS::S3::Bucket": {"StringEquals": {"aws:SourceAccount": ACCOUNT}},
    "AWS::Events::Rule": {},
}
"""What a service names besides the ARN of its resource; a condition on anything else would block it."""
_CHANGES: Final = re.compile(r"(?<!^ses):(Put(?!LogEvents)|Update|Delete(?!Message)|BatchWrite|Restore|Send)")


def check_rights(template: Template) -> list[str]:
    """No role has an unbounded action or resource, or a managed policy."""
    violations = []
    for role, properties in template.resources_of("AWS::IAM::Role").items():
        if properties.get("ManagedPolicyArns"):
            violations.append(f"{role}: has managed policies, whose resources are '*'")
        for statement in list_statements(properties, "Allow"):
            actions, resources = listed(statement.get("Action")), listed(statement.get("Resource"))
            if {"NotAction", "NotResource"} & statement.keys():
                violations.append(f"{role}: allows all but something")
            violations += [f"{role}: allows the action {action!r}" for action in actions if "*" in action]
            if (role, frozenset(actions)) not in UNBOUNDED:
                violations += [f"{role}: allows {actions} on '*'" for arn in resources if not _is_bounded(arn)]
    return violations


def check_one_way(template: Template) -> list[str]:
    """Only the roles of WRITERS may change a table, a bucket or a queue."""
    roles: dict[tuple[str, str], set[str]] = {}
    for role, properties in template.resources_of("AWS::IAM::Role").items():
        for statement in list_statements(properties, "Allow"):
            if (role, frozenset(listed(statement.get("Action")))) in UNBOUNDED:
                continue
            for resource in listed(statement.get("Resource")):
                for action in filter(_CHANGES.search, listed(statement.get("Action"))):
                    roles.setdefault((action, _shorten(template, resource)), set()).add(role)
    return [
        f"{action} on {resource}: {sorted(roles.get((action, resource), set()))}, expected {sorted(expected)}"
        for action, resource in sorted(roles.keys() | WRITERS.keys())
        if roles.get((action, resource)) != (expected := WRITERS.get((action, resource), set()))
    ]


def check_ground_truth(template: Template) -> list[str]:
    """Only what scores or publishes can read a benchmark's bundle, which holds the ground truth."""
    bucket = template.resources["ResultsBucket"].arn
    readers = {
        f"{bucket}/benchmarks/coin-run/{'0' * 16}/{'0' * 64}.zip": {"EvaluateRole", "ScriptRole", "PublishRole"},
        f"{bucket}/incoming/coin-run/olga/{'0' * 36}.zip": {"PublishRole"},
    }
    return [
        f"{role}: can read {resource}, and so the bundles"
        for role, properties in template.resources_of("AWS::IAM::Role").items()
        for statement in list_statements(properties, "Allow")
        for resource in listed(statement.get("Resource"))
        for bundle, roles in readers.items()
        if role not in roles and fnmatchcase(bundle, resource) and "s3:GetObject" in listed(statement["Action"])
    ]


def check_access_keys(template: Template) -> list[str]:
    """A role reaches only some kinds of AccessTable items; sessions are for submit."""
    table = template.resources["AccessTable"].arn
    violations = []
    for role, properties in template.resources_of("AWS::IAM::Role").items():
        for statement in list_statements(properties, "Allow"):
            if table not in listed(statement.get("Resource")):
                continue
            condition = statement.get("Condition", {}).get("ForAllValues:StringLike", {})
            kinds = listed(condition.get("dynamodb:LeadingKeys"))
            if not kinds or not all(re.fullmatch(r"[a-z]+#\*(#all)?", kind) for kind in kinds):
                violations.append(f"{role}: reaches more of AccessTable than items of some kinds: {kinds}")
            if role != "SubmitRole" and "session#*" in kinds:
                violations.append(f"{role}: reaches the sessions")
    return violations


def check_tls(template: Template) -> list[str]:
    """Every bucket and every queue rejects requests without TLS."""
    guarded = {
        template.logical_id_of(target)
        for resource_type, key in (("AWS::S3::BucketPolicy", "Bucket"), ("AWS::SQS::QueuePolicy", "Queues"))
        for policy in template.resources_of(resource_type).values()
        for target in listed(policy[key])
        for statement in policy["PolicyDocument"]["Statement"]
        if _denies_plain_text(statement) and _covers(template, statement, target)
    }
    return [
        f"{name}: no policy denies access without TLS"
        for name in [*template.resources_of("AWS::S3::Bucket"), *template.resources_of("AWS::SQS::Queue")]
        if name not in guarded
    ]


def check_queue_policies(template: Template) -> list[str]:
    """Every queue has one policy of its own.

    Deleting a queue policy empties the policy of its queue, whatever another resource has set there.
    """
    targets = [
        [template.logical_id_of(queue) for queue in policy["Queues"]]
        for policy in template.resources_of("AWS::SQS::QueuePolicy").values()
    ]
    return [
        f"{queue}: expected one policy of its own, found {[queues for queues in targets if queue in queues]}"
        for queue in template.resources_of("AWS::SQS::Queue")
        if [queues for queues in targets if queue in queues] != [[queue]]
    ]


def check_unchanged(template: Template) -> list[str]:
    """No raw result and no audit entry can be overwritten, and none expires."""
    bucket = template.resources["ResultsBucket"]
    denied = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:PutObject",
        "Resource": [f"{bucket.arn}/{prefix}*" for prefix in UNCHANGED],
        "Condition": {"Null": {"s3:if-none-match": True}},
    }
    policy = template.resources["ResultsBucketPolicy"].properties["PolicyDocument"]
    expiring = [
        rule["Id"]
        for rule in bucket.properties["LifecycleConfiguration"]["Rules"]
        if "ExpirationInDays" in rule
        and any(prefix.startswith(rule.get("Prefix", "")[: len(prefix)]) for prefix in UNCHANGED)
    ]
    expectations = {
        f"a write to {' or '.join(UNCHANGED)} must be conditional on a free key": denied in policy["Statement"],
        f"no lifecycle rule expires them, found {expiring}": not expiring,
    }
    return list_violations("ResultsBucket", expectations)


def check_withdrawals(template: Template) -> list[str]:
    """The API writes withdrawals and releases, and no attribute of a record except its keys."""
    attributes = list(decisions.ATTRIBUTES)
    wanted = {"ForAllValues:StringEquals": {"dynamodb:Attributes": attributes}}
    table = template.resources["SubmissionsTable"].arn
    conditions = [
        statement.get("Condition")
        for statement in list_statements(template.resources["ApiRole"].properties, "Allow")
        if "dynamodb:UpdateItem" in listed(statement["Action"]) and table in listed(statement["Resource"])
    ]
    return list_violations(
        "ApiRole", {f"it updates items of the submissions table under {wanted}": conditions == [wanted]}
    )


def check_senders(template: Template) -> list[str]:
    """Only SENDERS may send to a queue; the bucket is created after that."""
    bucket = template.document["Resources"]["ResultsBucket"]
    allowed = {
        (template.logical_id_of(queue), json.dumps(statement.get("Condition"), sort_keys=True))
        for policy in template.resources_of("AWS::SQS::QueuePolicy").values()
        for queue in policy["Queues"]
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow" and _covers(template, statement, queue)
    }
    expected = {
        (queue, json.dumps({"ArnEquals": {"aws:SourceArn": source.arn}, **_CLAIMS[source.type]}))
        for queue, sender in SENDERS.items()
        for source in [template.resources[sender]]
    }
    expectations = {
        f"the permissions to send are {sorted(expected)}, found {sorted(allowed)}": allowed == expected,
        "ResultsBucket depends on them, because S3 tests the queues": {"DropQueuePolicy", "EvaluateQueuePolicy"}
        <= set(listed(bucket.get("DependsOn"))),
    }
    return list_violations("EvaluateQueuePolicy", expectations)


def _is_bounded(resource: str) -> bool:
    """Return whether an ARN names its service and a resource of it."""
    fields = resource.split(":", 5)
    return len(fields) == 6 and "*" not in fields[2] and not fields[5].startswith(("*", "table/*", "function:*"))


def _shorten(template: Template, arn: str) -> str:
    """Return an ARN with the logical id of its resource in place of the name."""
    owner = template.logical_id_of(arn)
    return owner + arn.removeprefix(template.resources[owner].arn or "")


def _covers(template: Template, statement: dict[str, Any], target: str) -> bool:
    """Return whether a statement of a target's policy covers it; "*" is the target."""
    own = {"*", template.resources[template.logical_id_of(target)].arn}
    return not own.isdisjoint(listed(statement["Resource"]))


def _denies_plain_text(statement: dict[str, Any]) -> bool:
    return (
        statement["Effect"] == "Deny"
        and statement["Principal"] == "*"
        and statement["Action"] in {"s3:*", "sqs:*"}
        and statement.get("Condition") == {"Bool": {"aws:SecureTransport": False}}
    )
