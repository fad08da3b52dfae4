"""The two engines, with the resources of the template."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import pytest
from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import ClientError
from moto import mock_aws

from engine.cloud import make_clients
from engine.store import Store
from local.aws import Cloud
from local.intrinsics import REGION
from local.template import Template
from tests.harness.moto.server import CREDENTIALS
from tests.harness.moto.snapshot import create_once
from tests.harness.moto.tables import MotoTables

ACCEPTED = "accepted"
STACK = "laurel-local"
ACCESS, BOARDS, SUBMISSIONS, MAIL = (f"{STACK}-{name}table" for name in ("access", "boards", "submissions", "mail"))
RESULTS = f"{STACK}-results-123456789012-{REGION}"
EVALUATE, DEAD, SHARE = (f"{STACK}-{name}" for name in ("evaluatequeue", "evaluatedeadletterqueue", "share.fifo"))


class Clients(NamedTuple):
    """Clients of one side."""

    s3: Any
    sqs: Any
    dynamodb: Any
    streams: Any

    def url(self, queue: str) -> str:
        """Return the address of a queue."""
        return str(self.sqs.get_queue_url(QueueName=queue)["QueueUrl"])


@contextmanager
def moto_clients() -> Iterator[Clients]:
    """Make clients of the moto in this process; they are slow to make, so tests share them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        session = Session(region_name=REGION)
        # moto does not know the host that an account has to itself.
        options: Any = {"config": Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1})}
        services = ("s3", "sqs", "dynamodb", "dynamodbstreams")
        yield Clients(*(session.client(cast("Any", service), **options) for service in services))


@contextmanager
def open_moto(clients: Clients, template: Template) -> Iterator[Cloud]:
    """Make an empty moto with the template's resources."""
    with mock_aws():
        cloud = Cloud(clients.s3, clients.sqs, MotoTables(clients.dynamodb), clients.streams)
        create_once(cloud, template)
        yield cloud


@contextmanager
def open_engine(template: Template, *, tables: Mapping[str, Any] | None = None) -> Iterator[Clients]:
    """Make an empty engine with the template's resources and other tables; its clients are called without hooks."""
    made = make_clients(Store())
    declared = [(resource.type, resource.name, resource.properties) for resource in template.resources.values()]
    more = [("AWS::DynamoDB::Table", name, properties) for name, properties in (tables or {}).items()]
    made.declare([*declared, *more], sender="")
    yield Clients(made.s3, made.sqs, made.dynamodb, made.streams)
    made.store.close()


def answer(call: Callable[..., Any], **request: Any) -> str:
    """Return how a call ends: accepted, AWS's name of the error, or 500 for an error of the program itself."""
    try:
        call(**request)
    except ClientError as error:
        return error.response["Error"]["Code"].rpartition(".")[2]
    except Exception:  # noqa: BLE001  # a server would answer 500
        return "500"
    return ACCEPTED


def read_stream(side: Clients, table: str) -> list[Any]:
    """Return the records at the beginning of a table's stream."""
    stream = side.streams.list_streams(TableName=table)["Streams"][0]["StreamArn"]
    (shard,) = side.streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    position = side.streams.get_shard_iterator(
        StreamArn=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )
    return list(side.streams.get_records(ShardIterator=position["ShardIterator"])["Records"])
