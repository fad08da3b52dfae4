"""The writes that change state: one conditional write of one item (whole, or its sets) or of one object."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from storage.aws.attributes import Plain, marshal
from storage.aws.errors import Conflict, NotFound, aws_errors
from storage.aws.schema import Schema

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

_NAME = re.compile(r"#(\w+)")
NOT_NEWER = "(attribute_not_exists(#schema) OR #schema <= :newest)"
"""What every condition is joined with: nothing is written over that newer code wrote."""


def put_item(
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    form: Schema,
    item: Mapping[str, Plain | None],
    condition: str,
    values: Mapping[str, Plain] | None = None,
) -> None:
    """Write an item on a condition, and never over one that newer code wrote.

    Args:
        dynamodb: The client.
        table: The table's name.
        form: What it is.
        item: In plain form; None is left out.
        condition: A condition expression that writes attributes as `#name` (some names are reserved words).
        values: What the condition's `:name`s stand for.

    Raises:
        Conflict: The condition did not hold; nothing was written.
        Newer: The item that is there was written by newer code; nothing was written.
        StoreError: Any other failure.
    """
    guarded = f"({condition}) AND {NOT_NEWER}"
    with _never_over_newer(form), aws_errors(f"write to {table}"):
        dynamodb.put_item(
            TableName=table,
            Item=marshal(item),
            ConditionExpression=guarded,
            ExpressionAttributeNames={f"#{name}": name for name in _NAME.findall(guarded)},
            ExpressionAttributeValues={
                f":{name}": value for name, value in marshal({**(values or {}), "newest": form.newest}).items()
            },
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )


def update_item(
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    form: Schema | None,
    key: Mapping[str, Any],
    change: str,
    condition: str,
    values: Mapping[str, Any],
) -> None:
    """Change the attributes of an item on a condition, but none of newer code; an item that is not there is made.

    Args:
        dynamodb: The client.
        table: The table's name.
        form: What it is; None where the condition alone lets nothing be changed that is there.
        key: In DynamoDB's form.
        change: An update expression that writes attributes as `#name`.
        condition: A condition expression, likewise.
        values: What the `:name`s of both stand for, in DynamoDB's form.

    Raises:
        Conflict: The condition did not hold; nothing was changed.
        Newer: The item that is there was written by newer code; nothing was changed.
        StoreError: Any other failure.
    """
    request: dict[str, Any] = {"ConditionExpression": condition, "ExpressionAttributeValues": values}
    if form is not None:
        request = {
            "ConditionExpression": f"({condition}) AND {NOT_NEWER}",
            "ExpressionAttributeValues": {**values, ":newest": {"N": str(form.newest)}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    names = _NAME.findall(f"{change} {request['ConditionExpression']}")
    with _never_over_newer(form), aws_errors(f"change an item of {table}"):
        dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression=change,
            ExpressionAttributeNames={f"#{name}": name for name in names},
            **request,
        )


@contextmanager
def _never_over_newer(form: Schema | None) -> Iterator[None]:
    """Tell a condition that did not hold from an item that newer code wrote, which the failure carries along."""
    try:
        yield
    except Conflict as error:
        found: Any = error.__cause__.response if isinstance(error.__cause__, ClientError) else {}
        if form is not None:
            form.check(int(found.get("Item", {}).get("schema", {}).get("N", 0)))
        raise


def put_object(
    s3: "S3Client",
    *,
    bucket: str,
    key: str,
    body: bytes,
    replacing: str | None,
    content_type: str = "application/json",
    **headers: Any,
) -> str:
    """Write an object where there is none, or in the place of the one that was read.

    Args:
        s3: The client.
        bucket: The bucket's name.
        key: The object's key.
        body: The object's bytes.
        replacing: ETag of the object that was read; None: there must be none.
        content_type: The object's media type.
        headers: More of `PutObject`, such as CacheControl or Metadata.

    Returns:
        The new ETag.

    Raises:
        Conflict: There is another object, or none any more where one was to be replaced; nothing was written.
        StoreError: Any other failure.
    """
    condition: dict[str, Any] = {"IfMatch": replacing} if replacing else {"IfNoneMatch": "*"}
    try:
        with aws_errors(f"write {key}"):
            answer = s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=content_type, **condition, **headers)
    except NotFound as error:  # what If-Match gets where the object is gone
        raise Conflict(str(error)) from error
    return answer["ETag"]
