"""The AWS clients, each made once and all from one session: a second session costs a cold start 100 ms.

They are botocore's, which are boto3's without its resources and transfers: those cost a cold start 30 ms more.
"""

import logging
from functools import cache
from typing import TYPE_CHECKING, cast

from botocore.config import Config
from botocore.session import Session

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient

_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    max_pool_connections=20,
)


# A script may run for 120 s; whoever asks again while it does would run it twice.
_PATIENT = Config(connect_timeout=3, read_timeout=175, retries={"total_max_attempts": 1})


@cache
def _session() -> Session:
    # Lambda puts a function's level on all that logs; at DEBUG these two log headers, credentials included, and items.
    for name in ("botocore", "urllib3"):
        logging.getLogger(name).setLevel(logging.INFO)
    return Session()


# What is presigned names the bucket's own regional host, which is what the site's pages may send to.
_S3 = _CONFIG.merge(Config(signature_version="s3v4", s3={"us_east_1_regional_endpoint": "regional"}))


@cache
def s3_client() -> "S3Client":
    """Give the S3 client."""
    return cast("S3Client", _session().create_client("s3", config=_S3))


@cache
def dynamodb_client() -> "DynamoDBClient":
    """Give the DynamoDB client."""
    return cast("DynamoDBClient", _session().create_client("dynamodb", config=_CONFIG))


@cache
def sqs_client() -> "SQSClient":
    """Give the SQS client."""
    return cast("SQSClient", _session().create_client("sqs", config=_CONFIG))


@cache
def ses_client() -> "SESV2Client":
    """Give the SES client."""
    return cast("SESV2Client", _session().create_client("sesv2", config=_CONFIG))


@cache
def lambda_client() -> "LambdaClient":
    """Give the Lambda client, which waits for as long as the sandbox may take and asks once."""
    return cast("LambdaClient", _session().create_client("lambda", config=_PATIENT))
