"""The AWS clients, each built once, all from one session: a second session costs a cold start 100 ms.

They are botocore's, not boto3's, whose resources and transfers cost a cold start another 30 ms; or those of an engine.
"""

import os
from collections.abc import Callable
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient

    from storage.aws.table import Tables

ENGINE_VARIABLE = "LAUREL_ENGINE"
"""Names the file of the engine that answers in place of AWS."""


class _OnFirstUse:
    """A client that is made when it is first used: most results need none of these, nor do most requests."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _client(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@cache
def _session() -> Any:
    if path := os.environ.get(ENGINE_VARIABLE):
        from engine.cloud import EngineSession  # noqa: PLC0415  # a Lambda function has no engine

        return EngineSession(path)
    return _make_session()


def _make_session() -> Any:
    from storage.aws.session import make_session  # noqa: PLC0415  # a server of its own has no botocore

    return make_session()


@cache
def s3_client() -> "S3Client":
    """Return the S3 client."""
    return cast("S3Client", _session().create_client("s3"))


@cache
def dynamodb_client() -> "Tables":
    """Return the tables of DynamoDB."""
    return cast("Tables", _session().make_tables())


@cache
def sqs_client() -> "SQSClient":
    """Return the SQS client."""
    return cast("SQSClient", _OnFirstUse(lambda: _session().create_client("sqs")))


@cache
def ses_client() -> "SESV2Client":
    """Return the SES client, which never retries."""
    return cast("SESV2Client", _session().create_client("sesv2"))


@cache
def lambda_client() -> "LambdaClient":
    """Return the Lambda client, which waits for the longest run and never retries."""
    return cast("LambdaClient", _OnFirstUse(lambda: _session().create_client("lambda")))
