"""The AWS clients, each built once, all from one session: a second session costs a cold start 100 ms.

They are botocore's, not boto3's, whose resources and transfers cost a cold start another 30 ms.
"""

import logging
import os
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

from botocore.client import BaseClient
from botocore.config import Config
from botocore.session import Session

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient

ENGINE_VARIABLE = "LAUREL_ENGINE"
"""Names the file of the engine that answers in place of AWS."""
_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    max_pool_connections=20,
)
# Presigned URLs must name the bucket's own regional host: the site's pages may send to no other. botocore names it only
# if both are asked for: the style in every other region, the endpoint in us-east-1.
_S3 = _CONFIG.merge(
    Config(signature_version="s3v4", s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"})
)
# A mail whose answer is lost may have been sent: the next copy must say so, and one that botocore sends does not.
_SES = _CONFIG.merge(Config(retries={"total_max_attempts": 1}))
# A script may run for 120 s; a retry in that time would run it twice.
_LAMBDA = Config(connect_timeout=3, read_timeout=175, retries={"total_max_attempts": 1})


class _SqsOnFirstUse:
    """The SQS client, made when it is first used: most results are scored without it."""

    @cached_property
    def _client(self) -> BaseClient:
        return _session().create_client("sqs", config=_CONFIG)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@cache
def _session() -> Session:
    if path := os.environ.get(ENGINE_VARIABLE):
        from engine.cloud import EngineSession  # noqa: PLC0415  # a Lambda function has no engine

        return cast("Session", EngineSession(path))
    return _make_session()


def _make_session() -> Session:
    # Lambda sets a function's log level on every logger. At DEBUG these two log items, and headers with credentials.
    for name in ("botocore", "urllib3"):
        logging.getLogger(name).setLevel(logging.INFO)
    return Session()


@cache
def s3_client() -> "S3Client":
    """Return the S3 client."""
    return cast("S3Client", _session().create_client("s3", config=_S3))


@cache
def dynamodb_client() -> "DynamoDBClient":
    """Return the DynamoDB client."""
    return cast("DynamoDBClient", _session().create_client("dynamodb", config=_CONFIG))


@cache
def sqs_client() -> "SQSClient":
    """Return the SQS client."""
    return cast("SQSClient", _SqsOnFirstUse())


@cache
def ses_client() -> "SESV2Client":
    """Return the SES client, which never retries."""
    return cast("SESV2Client", _session().create_client("sesv2", config=_SES))


@cache
def lambda_client() -> "LambdaClient":
    """Return the Lambda client, which waits for the longest run and never retries."""
    return cast("LambdaClient", _session().create_client("lambda", config=_LAMBDA))
