# ruff: noqa: INP001, SLF001  # run in the emulator's environment, on parts of it that the lock pins
"""Rejects what AWS rejects in a new account and ministack accepts.

Each wall answers as AWS's documents, or people whom AWS rejected, report it: a stack whose creation failed cannot be
updated; CloudFront is closed to an account until AWS has verified it; Lambda does not serve one of the zones, and keeps
executions from being reserved; protected tables and buckets with objects cannot be deleted.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ministack.services import dynamodb, ec2, lambda_svc, s3
from ministack.services.cloudformation import _stacks, handlers, provisioners

REGION: Final = os.environ["AWS_DEFAULT_REGION"]
UNSERVED_ZONE: Final = f"{REGION}a"
"""The first zone, which a template without SandboxZone takes."""
UNVERIFIED: Final = Path(os.environ["REHEARSAL_UNVERIFIED"])
"""While this file exists, AWS has not verified the account."""
MINIMUM_UNRESERVED: Final = 100

type Action = Callable[..., Any]

_create_change_set = handlers._ACTION_HANDLERS["CreateChangeSet"]
_describe_endpoint_services = ec2._ACTION_MAP["DescribeVpcEndpointServices"]


def create_distribution(create: Action, *arguments: Any) -> Any:
    """Create a distribution in an account that AWS has verified.

    Source: https://github.com/aws-samples/aws-cdk-examples/issues/279.
    """
    if UNVERIFIED.exists():
        raise ValueError(
            "Access denied for operation 'AWS::CloudFront::Distribution: Your account must be verified before you can "
            "add new CloudFront resources. To verify your account, please contact AWS Support'."
        )
    return create(*arguments)


def create_function(create: Action, logical_id: str, properties: dict[str, Any], *rest: Any) -> Any:
    """Create a function in zones and with a reservation that Lambda accepts.

    Sources: https://github.com/keboola/developer-portal/issues/81;
    https://github.com/awslabs/fhir-works-on-aws-deployment/issues/691.
    """
    zones = {ec2._subnets[name]["AvailabilityZone"] for name in properties.get("VpcConfig", {}).get("SubnetIds", ())}
    if UNSERVED_ZONE in zones:
        raise ValueError("The provided subnets contain availability zone Lambda doesn't support.")
    minimum = min(MINIMUM_UNRESERVED, lambda_svc._ACCOUNT_CONCURRENCY_CAP)
    reserved = int(properties.get("ReservedConcurrentExecutions", 0))
    if reserved and lambda_svc._ACCOUNT_CONCURRENCY_CAP - reserved < minimum:
        raise ValueError(
            "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution "
            f"below its minimum value of [{minimum}]."
        )
    return create(logical_id, properties, *rest)


def delete_table(delete: Action, table: str, *rest: Any) -> Any:
    """Delete a table that is not protected.

    Source: https://github.com/aws/aws-cdk/pull/24581, whose test must lift the protection before it deletes its stack.
    """
    if dynamodb._tables.get(table, {}).get("DeletionProtectionEnabled"):
        raise ValueError("Resource cannot be deleted as it is currently protected against deletion.")
    return delete(table, *rest)


def delete_bucket(delete: Action, bucket: str, *rest: Any) -> Any:
    """Delete a bucket without objects."""
    if s3._buckets.get(bucket, {}).get("objects"):
        raise ValueError("The bucket you tried to delete is not empty. You must delete all versions in the bucket.")
    return delete(bucket, *rest)


def create_change_set(parameters: dict[str, Any]) -> Any:
    """Create a change set, unless the stack's creation failed.

    Source: https://github.com/aws/aws-sam-cli/issues/1865.
    """
    name = handlers._p(parameters, "StackName")
    stack = _stacks.get(name, {})
    updates = handlers._p(parameters, "ChangeSetType", "UPDATE") == "UPDATE"
    if updates and stack.get("StackStatus") in {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED"}:
        reason = f"Stack:{stack['StackId']} is in {stack['StackStatus']} state and can not be updated."
        return handlers._error("ValidationError", reason)
    return _create_change_set(parameters)


def describe_endpoint_services(parameters: dict[str, Any]) -> Any:
    """Return the endpoint services, without the zone that Lambda does not serve."""
    status, headers, body = _describe_endpoint_services(parameters)
    content = body if isinstance(body, str) else body.decode()
    return status, headers, content.replace(f"<item>{UNSERVED_ZONE}</item>", "").encode()


def build_walls() -> None:
    """Put every wall between CloudFormation and what it creates and deletes."""
    for resource_type, operation, wall in (
        ("AWS::CloudFront::Distribution", "create", create_distribution),
        ("AWS::Lambda::Function", "create", create_function),
        ("AWS::DynamoDB::Table", "delete", delete_table),
        ("AWS::S3::Bucket", "delete", delete_bucket),
    ):
        handler = provisioners._RESOURCE_HANDLERS[resource_type]
        handler[operation] = _wall_off(handler[operation], wall)
    handlers._ACTION_HANDLERS["CreateChangeSet"] = create_change_set
    ec2._ACTION_MAP["DescribeVpcEndpointServices"] = describe_endpoint_services


def _wall_off(operation: Action, wall: Action) -> Action:
    return lambda *arguments, **options: wall(lambda *inner: operation(*inner, **options), *arguments)
