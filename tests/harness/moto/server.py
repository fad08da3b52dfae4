"""AWS for tests: a moto server, and in it the buckets, queues and tables of a template."""

import json
import logging
import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from boto3.session import Session
from botocore.config import Config
from moto.core.base_backend import BackendDict
from werkzeug.serving import BaseWSGIServer, make_server

from local.intrinsics import REGION
from local.site.listening import LOCALHOST
from local.template import Properties, Template
from storage.gateway.aws import AwsMessages, AwsObjects
from tests.harness.moto.patches import patch_moto
from tests.harness.moto.tables import MotoTables
from tests.harness.raw_cloud import RawCloud

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": REGION}
_TABLE_KEYS = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode", "StreamSpecification")


@dataclass(frozen=True)
class MotoCloud(RawCloud):
    """A moto server with the template's resources, and its clients."""

    endpoint: str
    _server: BaseWSGIServer = field(repr=False)

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which any AWS client uses this cloud."""
        return {
            **CREDENTIALS,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCOUNT_ID_ENDPOINT_MODE": "disabled",  # moto has no host names of accounts
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def stop(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


def start_cloud(template: Template, *, sender: str, host: str = LOCALHOST) -> MotoCloud:
    """Start moto on a free port with the template's resources.

    Args:
        template: Its queues, tables and buckets are made.
        sender: The address that may send mail.
        host: The address on which moto listens.
    """
    # The imports take a second, and most tests need no server.
    from moto.moto_server import werkzeug_app  # noqa: PLC0415

    for name in ("werkzeug", "moto"):
        logging.getLogger(name).setLevel(logging.ERROR)
    # moto makes clients of its own to send notifications; they must not use real credentials.
    os.environ.update(CREDENTIALS)
    BackendDict.reset()  # another cloud may have left data in this process
    moto: Any = werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app)
    server = make_server(host, 0, moto, threaded=True, request_handler=werkzeug_app.MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint = f"http://{host}:{server.port}"
    session = Session(region_name=REGION)
    options: dict[str, Any] = {
        "endpoint_url": endpoint,
        "aws_access_key_id": CREDENTIALS["AWS_ACCESS_KEY_ID"],
        "aws_secret_access_key": CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        "config": Config(account_id_endpoint_mode="disabled", max_pool_connections=50),
    }
    s3, sqs = session.client("s3", **options), session.client("sqs", **options)
    cloud = MotoCloud(
        objects=AwsObjects(s3),
        messages=AwsMessages(sqs),
        tables=MotoTables(session.client("dynamodb", **options)),
        streams=cast("Any", None),
        s3=s3,
        sqs=sqs,
        endpoint=endpoint,
        _server=server,
    )
    create_resources(cloud, template)
    verify_sender(session.client("sesv2", **options), sender)
    return cloud


def verify_sender(ses: "SESV2Client", address: str) -> None:
    """Verify an address as a sender of mail, as an operator does once."""
    ses.create_email_identity(EmailIdentity=address)


def create_resources(cloud: RawCloud, template: Template) -> None:
    """Create the queues, tables and buckets of a template."""
    patch_moto()
    queues = template.resources_of("AWS::SQS::Queue")
    # Dead-letter queues come before the queues that use them, and queues before the buckets that notify them.
    for logical_id in sorted(queues, key=lambda name: "RedrivePolicy" in queues[name]):
        _create_queue(cloud, template.resources[logical_id].name, queues[logical_id])
    for logical_id, properties in template.resources_of("AWS::DynamoDB::Table").items():
        _create_table(cloud, template.resources[logical_id].name, properties)
    for logical_id, properties in template.resources_of("AWS::S3::Bucket").items():
        _create_bucket(cloud, template.resources[logical_id].name, properties)


def _create_queue(cloud: RawCloud, name: str, properties: Properties) -> None:
    attributes: dict[Any, str] = {"VisibilityTimeout": str(properties["VisibilityTimeout"])}
    if "RedrivePolicy" in properties:
        attributes["RedrivePolicy"] = json.dumps(properties["RedrivePolicy"])
    if properties.get("FifoQueue"):
        attributes["FifoQueue"] = "true"
    cloud.sqs.create_queue(QueueName=name, Attributes=attributes)


def _create_table(cloud: RawCloud, name: str, properties: Properties) -> None:
    request: dict[str, Any] = {key: properties[key] for key in _TABLE_KEYS if key in properties}
    if "StreamSpecification" in request:
        request["StreamSpecification"] = {**request["StreamSpecification"], "StreamEnabled": True}
    cloud.dynamodb.create_table(TableName=name, **request)


def _create_bucket(cloud: RawCloud, name: str, properties: Properties) -> None:
    cloud.s3.create_bucket(Bucket=name)
    cloud.s3.put_bucket_versioning(Bucket=name, VersioningConfiguration=properties["VersioningConfiguration"])
    declared = properties.get("NotificationConfiguration", {}).get("QueueConfigurations", [])
    notifications: list[Any] = [
        {
            "QueueArn": configuration["Queue"],
            "Events": [configuration["Event"]],
            "Filter": {"Key": {"FilterRules": configuration["Filter"]["S3Key"]["Rules"]}},
        }
        for configuration in declared
    ]
    if notifications:
        cloud.s3.put_bucket_notification_configuration(
            Bucket=name, NotificationConfiguration={"QueueConfigurations": notifications}
        )
