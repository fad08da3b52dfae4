"""The deployer's policy allows what CloudFormation and the scripts call for the template, and is small enough."""

import json
import re
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from boto3.session import Session

from local.template import Template, load_template

ROOT: Final = Path(__file__).parents[2]
POLICY: Final = json.loads((ROOT / "scripts" / "deployment" / "deployer_policy.json").read_text(encoding="utf-8"))
MAXIMUM_CHARACTERS: Final = 6144
"""The longest customer managed policy, without white space. Source: AWS, IAM User Guide, IAM and STS quotas."""
ARN: Final = "arn:aws:{}"
VERBS: Final = ("DELETE", "GET", "PATCH", "POST", "PUT")

# Type of a resource → ARN and actions: creation, reading, changes, deletion and tags, as AWS's service authorisation
# reference names them; `*` stands for what the resource does not name itself.
CALLS: Final[dict[str, list[tuple[str, str]]]] = {
    "AWS::ApiGatewayV2::Api": [("apigateway:eu-central-1::/apis", f"apigateway: {' '.join(VERBS)}")],
    "AWS::ApiGatewayV2::Stage": [
        ("apigateway:eu-central-1::/apis/abc/stages", f"apigateway: {' '.join(VERBS)}"),
        ("apigateway:eu-central-1::/tags/arn", "apigateway: GET POST PUT DELETE"),
        ("*", "logs: CreateLogDelivery GetLogDelivery UpdateLogDelivery DeleteLogDelivery ListLogDeliveries"),
        ("*", "logs: PutResourcePolicy DescribeResourcePolicies DescribeLogGroups"),
        ("iam::1:role/aws-service-role/ops.apigateway.amazonaws.com/Any", "iam: CreateServiceLinkedRole"),
    ],
    "AWS::CloudFront::CachePolicy": [
        ("*", "cloudfront: CreateCachePolicy GetCachePolicy UpdateCachePolicy DeleteCachePolicy")
    ],
    "AWS::CloudFront::Distribution": [
        ("*", "cloudfront: CreateDistribution GetDistribution GetDistributionConfig UpdateDistribution"),
        ("*", "cloudfront: DeleteDistribution TagResource UntagResource ListTagsForResource"),
    ],
    "AWS::CloudFront::Function": [
        ("*", "cloudfront: CreateFunction DescribeFunction GetFunction UpdateFunction PublishFunction DeleteFunction")
    ],
    "AWS::CloudFront::OriginAccessControl": [
        ("*", "cloudfront: CreateOriginAccessControl GetOriginAccessControl UpdateOriginAccessControl"),
        ("*", "cloudfront: DeleteOriginAccessControl"),
    ],
    "AWS::CloudFront::ResponseHeadersPolicy": [
        ("*", "cloudfront: CreateResponseHeadersPolicy GetResponseHeadersPolicy UpdateResponseHeadersPolicy"),
        ("*", "cloudfront: DeleteResponseHeadersPolicy"),
    ],
    "AWS::CloudWatch::Alarm": [
        ("cloudwatch:r:1:alarm:laurel-dev-A", "cloudwatch: PutMetricAlarm DeleteAlarms TagResource UntagResource"),
        ("*", "cloudwatch: DescribeAlarms"),
    ],
    "AWS::DynamoDB::Table": [
        ("dynamodb:r:1:table/laurel-dev-T", "dynamodb: CreateTable DescribeTable UpdateTable DeleteTable TagResource"),
        ("dynamodb:r:1:table/laurel-dev-T", "dynamodb: UpdateContinuousBackups DescribeContinuousBackups"),
        ("dynamodb:r:1:table/laurel-dev-T", "dynamodb: UpdateTimeToLive DescribeTimeToLive ListTagsOfResource"),
    ],
    "AWS::EC2::RouteTable": [("*", "ec2: CreateRouteTable DescribeRouteTables DeleteRouteTable CreateTags DeleteTags")],
    "AWS::EC2::SecurityGroup": [
        ("*", "ec2: CreateSecurityGroup DescribeSecurityGroups DeleteSecurityGroup"),
        ("*", "ec2: AuthorizeSecurityGroupEgress RevokeSecurityGroupEgress"),
    ],
    "AWS::EC2::Subnet": [("*", "ec2: CreateSubnet DescribeSubnets ModifySubnetAttribute DeleteSubnet")],
    "AWS::EC2::SubnetRouteTableAssociation": [("*", "ec2: AssociateRouteTable DisassociateRouteTable")],
    "AWS::EC2::VPC": [
        ("*", "ec2: CreateVpc DescribeVpcs ModifyVpcAttribute DescribeVpcAttribute DeleteVpc DescribeAvailabilityZones")
    ],
    "AWS::Events::Rule": [
        ("events:r:1:rule/laurel-dev-R", "events: PutRule DescribeRule PutTargets RemoveTargets DeleteRule TagResource")
    ],
    "AWS::IAM::Role": [
        ("iam::1:role/laurel-dev-R", "iam: CreateRole GetRole UpdateRole UpdateAssumeRolePolicy DeleteRole TagRole"),
        ("iam::1:role/laurel-dev-R", "iam: PutRolePolicy GetRolePolicy DeleteRolePolicy ListRolePolicies UntagRole"),
        ("iam::1:role/laurel-dev-R", "iam: ListAttachedRolePolicies ListRoleTags"),
    ],
    "AWS::Lambda::EventInvokeConfig": [
        ("lambda:r:1:function:laurel-dev-f", "lambda: PutFunctionEventInvokeConfig GetFunctionEventInvokeConfig"),
        ("lambda:r:1:function:laurel-dev-f", "lambda: UpdateFunctionEventInvokeConfig DeleteFunctionEventInvokeConfig"),
    ],
    "AWS::Lambda::EventSourceMapping": [
        ("*", "lambda: CreateEventSourceMapping GetEventSourceMapping UpdateEventSourceMapping"),
        ("*", "lambda: DeleteEventSourceMapping ListTags TagResource UntagResource"),
    ],
    "AWS::Lambda::Function": [
        ("lambda:r:1:function:laurel-dev-f", "lambda: CreateFunction GetFunction DeleteFunction UpdateFunctionCode"),
        ("lambda:r:1:function:laurel-dev-f", "lambda: UpdateFunctionConfiguration GetFunctionConfiguration"),
        ("lambda:r:1:function:laurel-dev-f", "lambda: PutFunctionConcurrency DeleteFunctionConcurrency TagResource"),
        ("lambda:r:1:layer:LedgerLayer:1", "lambda: GetLayerVersion"),
        ("iam::1:role/laurel-dev-R", "iam: PassRole"),
        ("s3:::aws-sam-cli-managed-default-samclisourcebucket-x/laurel", "s3: GetObject PutObject"),
        ("*", "ec2: DescribeSecurityGroups DescribeSubnets DescribeVpcs GetSecurityGroupsForVpc"),
    ],
    "AWS::Lambda::LayerVersion": [
        ("lambda:r:1:layer:LedgerLayer", "lambda: PublishLayerVersion"),
        ("lambda:r:1:layer:LedgerLayer:1", "lambda: GetLayerVersion DeleteLayerVersion"),
    ],
    "AWS::Lambda::Permission": [
        ("lambda:r:1:function:laurel-dev-f", "lambda: AddPermission GetPolicy RemovePermission")
    ],
    "AWS::Logs::LogGroup": [
        ("logs:r:1:log-group:/aws/lambda/laurel-dev-f", "logs: CreateLogGroup DeleteLogGroup PutRetentionPolicy"),
        ("logs:r:1:log-group:/aws/vendedlogs/laurel-dev-http", "logs: CreateLogGroup DeleteLogGroup TagResource"),
        # Its schema's handlers also name these.
        (
            "logs:r:1:log-group:/aws/lambda/laurel-dev-f",
            "logs: GetDataProtectionPolicy ListTagsLogGroup TagLogGroup ListTagsForResource",
        ),
        ("*", "logs: DescribeLogGroups"),
    ],
    "AWS::S3::Bucket": [
        ("s3:::laurel-dev-b", "s3: CreateBucket DeleteBucket ListBucket PutBucketNotification PutBucketTagging"),
        ("s3:::laurel-dev-b", "s3: PutBucketVersioning PutLifecycleConfiguration PutEncryptionConfiguration"),
        ("s3:::laurel-dev-b", "s3: PutBucketCORS PutBucketPublicAccessBlock PutBucketOwnershipControls"),
    ],
    "AWS::S3::BucketPolicy": [("s3:::laurel-dev-b", "s3: PutBucketPolicy GetBucketPolicy DeleteBucketPolicy")],
    "AWS::SES::ConfigurationSet": [
        ("*", "ses: CreateConfigurationSet GetConfigurationSet DeleteConfigurationSet ListConfigurationSets"),
        ("*", "ses: PutConfigurationSetDeliveryOptions PutConfigurationSetReputationOptions"),
        ("*", "ses: PutConfigurationSetSuppressionOptions DescribeConfigurationSet TagResource"),
    ],
    "AWS::SES::ConfigurationSetEventDestination": [
        ("*", "ses: CreateConfigurationSetEventDestination UpdateConfigurationSetEventDestination"),
        ("*", "ses: DeleteConfigurationSetEventDestination GetConfigurationSetEventDestinations"),
    ],
    "AWS::SNS::Topic": [
        (
            "sns:r:1:laurel-dev-T",
            "sns: CreateTopic GetTopicAttributes SetTopicAttributes Subscribe DeleteTopic TagResource",
        ),
        ("sns:r:1:laurel-dev-T", "sns: ListSubscriptionsByTopic Unsubscribe TagResource"),
    ],
    "AWS::SNS::TopicPolicy": [("sns:r:1:laurel-dev-T", "sns: SetTopicAttributes")],
    "AWS::SQS::Queue": [
        ("sqs:r:1:laurel-dev-Q", "sqs: CreateQueue GetQueueAttributes SetQueueAttributes DeleteQueue TagQueue")
    ],
    "AWS::SQS::QueuePolicy": [("sqs:r:1:laurel-dev-Q", "sqs: SetQueueAttributes GetQueueAttributes")],
}
SCRIPTS: Final[list[tuple[str, str]]] = [
    ("cloudformation:r:1:stack/laurel-dev/1", "cloudformation: DescribeStacks CreateChangeSet ExecuteChangeSet"),
    ("cloudformation:r:1:stack/laurel-dev/1", "cloudformation: DescribeChangeSet DescribeStackEvents DeleteStack"),
    ("cloudformation:r:1:stack/laurel-dev/1", "cloudformation: DescribeStackResource"),
    ("cloudformation:r:1:stack/aws-sam-cli-managed-default/1", "cloudformation: CreateChangeSet DescribeStacks"),
    ("cloudformation:r:aws:transform/Serverless-2016-10-31", "cloudformation: CreateChangeSet"),
    ("*", "cloudformation: GetTemplateSummary"),
    ("s3:::aws-sam-cli-managed-default-samclisourcebucket-x", "s3: CreateBucket PutBucketPolicy ListBucket"),
    ("s3:::laurel-dev-site-1-r/index.html", "s3: GetObject PutObject DeleteObject DeleteObjectVersion"),
    ("s3:::laurel-dev-site-1-r", "s3: ListBucket ListBucketVersions DeleteBucket"),
    ("*", "s3: ListAllMyBuckets"),
    ("dynamodb:r:1:table/laurel-dev-T", "dynamodb: GetItem PutItem Query UpdateTable DeleteTable DescribeTable"),
    ("*", "dynamodb: ListTables"),
    ("*", "lambda: GetAccountSettings"),
    ("*", "cloudfront: CreateInvalidation"),
    ("*", "budgets: ModifyBudget ViewBudget"),
    ("apigateway:r::/apis/abc/stages/$default", "apigateway: GET"),
    ("*", "ec2: DescribeAvailabilityZones DescribeVpcEndpointServices"),
]
"""What deploy.py, SAM, and an operator who deletes a stage call."""


@pytest.fixture(scope="module")
def template() -> Template:
    """The template with every resource that it can have."""
    return load_template({"AdminAddress": "admin@example.org"})


def test_every_resource_can_be_created_and_deleted(template: Template) -> None:
    """A new type of resource needs a row above, and its actions in the policy."""
    types = {resource.type for resource in template.resources.values()}

    assert types == CALLS.keys()
    assert [call for kind in sorted(types) for call in _list_denied(CALLS[kind])] == []


def test_scripts_may_do_what_they_do() -> None:
    """The checks, SAM, the publishing of benchmarks and site, and the deletion of a stage have their rights."""
    assert _list_denied(SCRIPTS) == []


def test_rights_end_at_the_names_of_the_stacks() -> None:
    """Functions, tables, buckets, queues and roles of somebody else in the account stay theirs."""
    others = [
        ("iam::1:role/admin", "iam: PutRolePolicy PassRole CreateRole"),
        ("lambda:r:1:function:payroll", "lambda: UpdateFunctionCode DeleteFunction"),
        ("dynamodb:r:1:table/payroll", "dynamodb: DeleteTable GetItem"),
        ("s3:::payroll", "s3: DeleteBucket ListBucket"),
        ("secretsmanager:r:1:secret:payroll", "secretsmanager: GetSecretValue"),
    ]

    assert len(_list_denied(others)) == sum(len(actions.split()) - 1 for _, actions in others)


def test_policy_fits_into_one_managed_policy() -> None:
    """IAM accepts no longer one."""
    assert len(re.sub(r"\s", "", json.dumps(POLICY))) <= MAXIMUM_CHARACTERS


def test_every_action_exists() -> None:
    """A misspelt action would allow nothing; of those with `*` at least one call of the service begins so."""
    session = Session(region_name="eu-central-1")
    services = {"ses": ("ses", "sesv2")}
    # Rights that are no calls of the API of the same name. Source: AWS, Service Authorization Reference.
    rights = {"iam:PassRole", "logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery"}
    rights |= {"logs:DeleteLogDelivery", "logs:ListLogDeliveries", "s3:ListAllMyBuckets"}
    rights |= {"budgets:ModifyBudget", "budgets:ViewBudget"}
    actions = {action for statement in POLICY["Statement"] for action in _as_list(statement["Action"])}

    @cache
    def list_calls(service: str) -> list[str]:
        models = [session.client(client).meta.service_model for client in services.get(service, (service,))]  # type: ignore[call-overload]
        return [f"{service}:{call}" for model in models for call in model.operation_names]

    for action in actions - rights - {f"apigateway:{verb}" for verb in VERBS}:
        assert any(fnmatchcase(call, action) for call in list_calls(action.partition(":")[0])), action


def _list_denied(calls: list[tuple[str, str]]) -> list[str]:
    denied = []
    for resource, listed in calls:
        service, _, names = listed.partition(": ")
        arn = resource if resource == "*" else ARN.format(resource)
        denied += [f"{service}:{name} on {arn}" for name in names.split() if not _is_allowed(f"{service}:{name}", arn)]
    return denied


def _is_allowed(action: str, arn: str) -> bool:
    return any(
        any(fnmatchcase(action, pattern) for pattern in _as_list(statement["Action"]))
        and any(fnmatchcase(arn, pattern) for pattern in _as_list(statement["Resource"]))
        for statement in POLICY["Statement"]
        if statement["Effect"] == "Allow"
    )


def _as_list(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
