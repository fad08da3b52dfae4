# run in the emulator's environment, on parts of it that the lock pins
"""Rejects what AWS rejects and ministack accepts, in a new account and every day.

Each wall answers as AWS's documents, or people whom AWS rejected, report it. When a stack is deployed: one whose
creation failed cannot be updated; CloudFront is closed to an account until AWS has verified it; Lambda does not serve
one of the zones, and keeps executions from being reserved; protected tables and buckets with objects cannot be deleted;
tables keep their encryption.
While it runs: a function is not invoked for the 17th time in a chain of requests; one in a hundred conditional writes
meets another one; an API accepts no more than its rate; tenants have 2.5 environments for each execution.

Two more need no wall, because ministack has them: a FIFO group waits until the message of a dead process is visible,
and a batch of a stream is discarded when it is as old as its mapping says.
"""

import contextvars
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from chains import Chains, RecursionStopped, list_causes
from limits import Every, Rate, Tenants, find_dropped_encryption
from ministack import app
from ministack.services import apigateway, dynamodb, ec2, lambda_svc, s3, sqs
from ministack.services.cloudformation import _stacks, handlers, provisioners

REGION: Final = os.environ["AWS_DEFAULT_REGION"]
UNSERVED_ZONE: Final = f"{REGION}a"
"""The first zone, which a template without SandboxZone takes."""
UNVERIFIED: Final = Path(os.environ["REHEARSAL_UNVERIFIED"])
"""While this file exists, AWS has not verified the account."""
MINIMUM_UNRESERVED: Final = 100
CONDITIONAL: Final = ("if-match", "if-none-match")

type Action = Callable[..., Any]

_create_change_set = handlers._ACTION_HANDLERS["CreateChangeSet"]
_describe_endpoint_services = ec2._ACTION_MAP["DescribeVpcEndpointServices"]
_deliver_event_to_sqs = s3._deliver_event_to_sqs
_execute_function = lambda_svc._execute_function
_handle_execute = apigateway.handle_execute
_invoke = lambda_svc._invoke
_put_object = s3._put_object
_send_message = sqs._act_send_message
_answer = app.app

_chains = Chains()
_meeting = Every(100)
_rates: dict[str, Rate] = {}
_tenants = Tenants(lambda_svc._ACCOUNT_CONCURRENCY_CAP)
_loops: set[str] = set()
"""Functions whose RecursiveLoop is Allow."""
_sender: contextvars.ContextVar[str] = contextvars.ContextVar("sender", default="")
"""The invocation that makes the request."""
_running: contextvars.ContextVar[str] = contextvars.ContextVar("running", default="")
"""The invocation that is being started."""


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
    created = create(logical_id, properties, *rest)
    _allow_loop(str(created[0]), properties)
    return created


def update_function(update: Action, name: str, before: dict[str, Any], after: dict[str, Any], *rest: Any) -> Any:
    """Update a function, and whether it may go round."""
    updated = update(name, before, after, *rest)
    _allow_loop(name, after)
    return updated


def update_table(update: Action, name: str, before: dict[str, Any], after: dict[str, Any], *rest: Any) -> Any:
    """Update a table that keeps its encryption."""
    if reason := find_dropped_encryption(before, after):
        raise ValueError(reason)
    return update(name, before, after, *rest)


def put_object(bucket: str, key: str, body: bytes, headers: dict[str, str]) -> Any:
    """Write an object; one in a hundred conditional writes meets another one."""
    if any(name in headers for name in CONDITIONAL) and _meeting.strikes():
        return s3._error(
            "ConditionalRequestConflict",
            "The conditional request cannot succeed due to a conflicting operation against this resource.",
            409,
            f"/{bucket}/{key}",
        )
    return _put_object(bucket, key, body, headers)


def deliver_event_to_sqs(arn: str, event: dict[str, Any], *rest: Any, **options: Any) -> None:
    """Send a notice, which continues the chain of the writer of the object."""
    for record in event.get("Records", ()):  # S3 tests a queue with an event that has none
        _chains.carry(_sender.get(), record["s3"]["object"]["key"])
    _deliver_event_to_sqs(arn, event, *rest, **options)


def send_message(data: dict[str, Any], url: str) -> Any:
    """Send a message, which continues the chain of its sender."""
    answer = _send_message(data, url)
    _chains.carry(_sender.get(), answer["MessageId"])
    return answer


async def invoke(name: str, event: Any, headers: dict[str, str], *rest: Any, **options: Any) -> Any:
    """Invoke a function for a tenant that has an environment, or room for one."""
    tenant = headers.get("x-amz-tenant-id")
    if tenant and not _tenants.admit(name, tenant):
        return lambda_svc.error_response_json(
            "TooManyRequestsException", "Rate Exceeded: no more execution environments of tenants.", 429
        )
    return await _invoke(name, event, headers, *rest, **options)


def execute_function(function: dict[str, Any], event: Any) -> Any:
    """Run a function that its chain of requests has not invoked too often."""
    if _running.get():  # ministack calls it again in the function's own account
        return _execute_function(function, event)
    name = (function.get("config") or function)["FunctionName"]
    causes = {_sender.get(), *(list_causes(event) if isinstance(event, dict) else ())}
    try:
        invocation = _chains.invoke(name, causes, may_recur=name in _loops)
    except RecursionStopped as error:
        body = {"errorType": "RecursiveInvocationException", "errorMessage": str(error)}
        return {"error": True, "body": body, "log": str(error)}
    token = _running.set(invocation)
    try:
        return _execute_function(function, event)
    finally:
        _running.reset(token)


def make_trace_header(*_: Any, **__: Any) -> str:
    """Return the trace header that the SDK adds to the requests of an invocation."""
    return f"Root=1-5759e988-bd862e3fe1be46a994272793;Lineage={_running.get()}"


async def answer(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer a request, and note which invocation makes it."""
    header = dict(scope.get("headers", ())).get(b"x-amzn-trace-id", b"").decode()
    token = _sender.set(header.partition("Lineage=")[2])
    try:
        await _answer(scope, receive, send)
    finally:
        _sender.reset(token)


async def handle_execute(api: str, stage: str, *rest: Any, **options: Any) -> Any:
    """Answer a request to an API that is within its rate."""
    settings = apigateway._stages.get(api, {}).get(stage, {}).get("defaultRouteSettings", {})
    limits = settings.get("ThrottlingRateLimit"), settings.get("ThrottlingBurstLimit")
    if all(limits):
        rate = _rates.setdefault(api, Rate(*map(float, limits)))
        if not rate.accept():
            return 429, {"Content-Type": "application/json"}, b'{"message":"Too Many Requests"}'
    return await _handle_execute(api, stage, *rest, **options)


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
        ("AWS::Lambda::Function", "update", update_function),
        ("AWS::DynamoDB::Table", "update", update_table),
        ("AWS::DynamoDB::Table", "delete", delete_table),
        ("AWS::S3::Bucket", "delete", delete_bucket),
    ):
        handler = provisioners._RESOURCE_HANDLERS[resource_type]
        handler[operation] = _wall_off(handler[operation], wall)
    handlers._ACTION_HANDLERS["CreateChangeSet"] = create_change_set
    ec2._ACTION_MAP["DescribeVpcEndpointServices"] = describe_endpoint_services
    s3._put_object = put_object
    s3._deliver_event_to_sqs = deliver_event_to_sqs
    sqs._act_send_message = sqs._HANDLERS["SendMessage"] = send_message
    lambda_svc._invoke = invoke
    lambda_svc._execute_function = execute_function
    lambda_svc._xray_trace_id_for_invocation = make_trace_header
    apigateway.handle_execute = handle_execute
    app.app = answer


def _allow_loop(function: str, properties: dict[str, Any]) -> None:
    """Note whether a function may go round; ministack ignores the property."""
    (_loops.add if properties.get("RecursiveLoop") == "Allow" else _loops.discard)(function)


def _wall_off(operation: Action, wall: Action) -> Action:
    return lambda *arguments, **options: wall(lambda *inner: operation(*inner, **options), *arguments)
