"""The cloud of the meter: moto, because what botocore computes is part of what a function costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import moto.s3.models
import moto.sqs.models
import pytest
from boto3.session import Session
from moto import mock_aws
from moto.dynamodb.models import dynamodb_backends
from moto.ses.models import ses_backends
from moto.sqs.models import sqs_backends

from local.intrinsics import ACCOUNT, REGION
from local.template import Template
from storage.gateway.aws import AwsServices
from tests.harness.clock import Clock
from tests.harness.engine import Opened
from tests.harness.moto.server import CREDENTIALS, create_resources, verify_sender
from tests.harness.moto.tables import MotoTables
from tests.harness.raw_cloud import wrap

_SERVICES = ("s3", "sqs", "dynamodb", "sesv2")


@dataclass(frozen=True)
class MotoInside:
    """What moto holds in this process."""

    def list_mails(self) -> list[tuple[str, str]]:
        """Return address and raw text of the mails that were accepted, in order."""
        return [(mail.destinations[0], mail.raw_data) for mail in ses_backends[ACCOUNT][REGION].sent_messages]

    def count_messages(self, queue: str) -> int:
        """Count the messages of a queue, those that are hidden included."""
        return len(sqs_backends[ACCOUNT][REGION].queues[queue]._messages)  # noqa: SLF001  # no call shows them

    def list_records(self, table: str, *, skip: int) -> list[Any]:
        """Return the records of the stream of a table but for the first, as Lambda passes them on."""
        shard = dynamodb_backends[ACCOUNT][REGION].tables[table].stream_shard
        assert shard is not None
        return [_to_change(record.to_json()) for record in shard.items[skip:]]


@contextmanager
def open_moto(template: Template, sender: str, clock: Clock) -> Iterator[Opened]:
    """Open moto in this process, with the time of a simulation."""
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        # moto does not know the host that an account has to itself.
        for name, value in {**CREDENTIALS, "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled"}.items():
            patch.setenv(name, value)
        patch.setattr(moto.s3.models, "utcnow", lambda: clock().replace(tzinfo=None))
        patch.setattr(moto.sqs.models, "unix_time", lambda: clock().timestamp())
        patch.setattr(moto.sqs.models, "unix_time_millis", lambda: clock().timestamp() * 1000)
        own, functions = Session(region_name=REGION), Session(region_name=REGION)._session  # noqa: SLF001  # botocore's
        made: dict[str, Any] = {name: own.client(name) for name in _SERVICES}
        cloud = wrap(made["s3"], made["sqs"], MotoTables(made["dynamodb"]), None)
        create_resources(cloud, template)
        verify_sender(made["sesv2"], sender)
        yield Opened(cloud, AwsServices(functions), MotoInside())


def _to_change(record: Any) -> dict[str, Any]:
    """Return a stream record as Lambda passes it on."""
    change = {name: value for name, value in record["dynamodb"].items() if name != "ApproximateCreationDateTime"}
    return {
        "eventID": record["eventID"],
        "eventName": record["eventName"],
        "eventSource": "aws:dynamodb",
        "dynamodb": change,
    }
