"""The AWS clients, each made once and all from one session: a second session costs a cold start 100 ms."""

from functools import cache
from typing import TYPE_CHECKING

from boto3.session import Session
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    max_pool_connections=20,
)


@cache
def _session() -> Session:
    return Session()


@cache
def s3_client() -> "S3Client":
    """Give the S3 client."""
    return _session().client("s3", config=_CONFIG)


@cache
def dynamodb_client() -> "DynamoDBClient":
    """Give the DynamoDB client."""
    return _session().client("dynamodb", config=_CONFIG)


@cache
def sqs_client() -> "SQSClient":
    """Give the SQS client."""
    return _session().client("sqs", config=_CONFIG)
