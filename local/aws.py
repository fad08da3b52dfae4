"""What AWS does, on this machine: clients of the engine's file, in which the template's resources are declared."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from engine.cloud import EngineClients, make_clients
from engine.mails import INVOCATIONS
from engine.store import Store
from local.template import Template
from storage.gateway.table import Tables

if TYPE_CHECKING:
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

LOCALHOST: Final = "127.0.0.1"
_INVOCATION_SECONDS: Final = 900
"""The longest invocation of a function."""


@dataclass(frozen=True)
class Cloud:
    """The clients with which the stack and its pollers read and write, of the engine or of AWS."""

    s3: "S3Client"
    sqs: "SQSClient"
    dynamodb: Tables
    streams: "DynamoDBStreamsClient"


def declare_resources(store: Store, template: Template, *, sender: str) -> EngineClients:
    """Declare what the template has, and the queue of asynchronous invocations.

    Args:
        store: Where they are declared.
        template: Its queues, tables and buckets.
        sender: The address that may send mail.

    Returns:
        The clients of the store.
    """
    clients = make_clients(store)
    declared = [(resource.type, resource.name, resource.properties) for resource in template.resources.values()]
    invocations = ("AWS::SQS::Queue", INVOCATIONS, {"VisibilityTimeout": _INVOCATION_SECONDS})
    clients.declare([*declared, invocations], sender=sender)
    return clients


def as_cloud(clients: Any) -> Cloud:
    """Return the clients that pollers need."""
    return Cloud(
        s3=cast("S3Client", clients.s3),
        sqs=cast("SQSClient", clients.sqs),
        dynamodb=clients.dynamodb,
        streams=cast("DynamoDBStreamsClient", clients.streams),
    )
