"""The two engines, with the resources of the template."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from boto3.session import Session
from botocore.config import Config
from moto import mock_aws

from engine.cloud import Engine
from engine.store import Store
from local.intrinsics import REGION
from local.template import Template
from tests.harness.hooked import HookedTables
from tests.harness.moto.server import CREDENTIALS, create_resources
from tests.harness.moto.tables import MotoTables
from tests.harness.raw_cloud import RawCloud, wrap
from tests.harness.shapes import S3Shape, SqsShape

STACK = "laurel-local"
ACCESS, BOARDS, SUBMISSIONS, MAIL = (f"{STACK}-{name}table" for name in ("access", "boards", "submissions", "mail"))
RESULTS = f"{STACK}-results-123456789012-{REGION}"
_URL = "https://sqs.us-east-1.amazonaws.com/123456789012"
EVALUATE, DEAD, SHARE = (
    f"{_URL}/{STACK}-{name}" for name in ("evaluatequeue", "evaluatedeadletterqueue", "share.fifo")
)


type Boto = tuple[Any, Any, Any]
"""Clients of S3, SQS and DynamoDB."""


@contextmanager
def moto_clients() -> Iterator[Boto]:
    """Make clients of the moto in this process; they are slow to make, so tests share them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in CREDENTIALS.items():
            patch.setenv(name, value)
        session = Session(region_name=REGION)
        # moto does not know the host that an account has to itself.
        options: Any = {"config": Config(account_id_endpoint_mode="disabled", retries={"total_max_attempts": 1})}
        s3, sqs, dynamodb = (session.client(cast("Any", name), **options) for name in ("s3", "sqs", "dynamodb"))
        yield s3, sqs, dynamodb


@contextmanager
def open_moto(clients: Boto, template: Template) -> Iterator[RawCloud]:
    """Make an empty moto with the template's resources."""
    s3, sqs, dynamodb = clients
    with mock_aws():
        cloud = wrap(s3, sqs, MotoTables(dynamodb), None)
        create_resources(cloud, template)
        yield cloud


@contextmanager
def open_engine(template: Template) -> Iterator[RawCloud]:
    """Make an empty engine with the template's resources, which nothing of AWS is between."""
    made = Engine(Store())
    declared = [(resource.type, resource.name, resource.properties) for resource in template.resources.values()]
    made.declare(declared, sender="")
    tables = HookedTables(made.tables, "dynamodb")
    shapes = (S3Shape(made.objects), SqsShape(made.messages))
    yield RawCloud(made.objects, made.messages, cast("Any", tables), made.streams, *shapes)
    made.store.close()
