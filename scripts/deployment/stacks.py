"""Reads the state of a CloudFormation stack, why it failed, and deletes it."""  # noqa: INP001 — scripts are no package

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from botocore.exceptions import ClientError

FAILED_CREATION: Final = frozenset({"CREATE_FAILED", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"})
"""States of a stack whose first deployment failed. CloudFormation can only delete it."""
NEVER_CREATED: Final = "REVIEW_IN_PROGRESS"
"""The state of a stack of which only a change set exists; SAM creates it."""


class StackState(NamedTuple):
    """A stack as CloudFormation describes it; `outputs` is empty until it was deployed once."""

    name: str
    status: str
    outputs: dict[str, str]
    parameters: dict[str, str]


class FailedResource(NamedTuple):
    """The first resource on which a deployment failed."""

    resource: str
    reason: str


def read_stack(cloudformation: Any, name: str) -> StackState | None:
    """Return the state of a stack, or None if it does not exist."""
    try:
        (description,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    return StackState(
        name=name,
        status=description["StackStatus"],
        outputs={output["OutputKey"]: output["OutputValue"] for output in description.get("Outputs", ())},
        parameters={item["ParameterKey"]: item["ParameterValue"] for item in description.get("Parameters", ())},
    )


def find_newest_event(cloudformation: Any, name: str) -> str | None:
    """Return the id of the newest event of a stack, or None without any."""
    try:
        return next((event["EventId"] for event in _list_events(cloudformation, name)), None)
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise


def find_failure(cloudformation: Any, name: str, *, after: str | None = None) -> FailedResource | None:
    """Return what the newest deployment of a stack failed on, or None.

    Args:
        cloudformation: The client.
        name: The name of the stack.
        after: The id of the last event to ignore, with all before it.
    """
    failed = None
    for event in _list_events(cloudformation, name):
        if event["EventId"] == after:
            break
        status, reason = event["ResourceStatus"], event.get("ResourceStatusReason", "")
        if event.get("PhysicalResourceId") == event["StackId"]:
            if reason == "User Initiated" and status in {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"}:
                break
        elif status in {"CREATE_FAILED", "UPDATE_FAILED"}:
            # The oldest is the cause: CloudFormation gives up the others after it.
            failed = FailedResource(f"{event['LogicalResourceId']} ({event['ResourceType']})", reason)
    return failed


def delete_stack(cloudformation: Any, name: str) -> None:
    """Delete a stack and wait for the end, for at most an hour. Raises WaiterError."""
    # A deleted stack answers to its id only.
    stack_id = cloudformation.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
    cloudformation.delete_stack(StackName=stack_id)
    cloudformation.get_waiter("stack_delete_complete").wait(StackName=stack_id)


def _list_events(cloudformation: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a stack, newest first."""
    for page in cloudformation.get_paginator("describe_stack_events").paginate(StackName=name):
        yield from page["StackEvents"]
