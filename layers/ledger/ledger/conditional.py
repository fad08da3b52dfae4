"""The writes that change state: one conditional write of one item (whole, or its sets) or of one object."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ledger.attributes import Plain, marshal
from ledger.errors import Conflict, NotFound, translated

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client

_NAME = re.compile(r"#(\w+)")


def put_item(
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    item: Mapping[str, Plain | None],
    condition: str,
    values: Mapping[str, Plain] | None = None,
) -> None:
    """Write an item on a condition.

    Args:
        dynamodb: The client.
        table: The table's name.
        item: In plain form; None is left out.
        condition: A condition expression that writes attributes as `#name` (some names are reserved words).
        values: What the condition's `:name`s stand for.

    Raises:
        Conflict: The condition did not hold; nothing was written.
        StoreError: Any other failure.
    """
    request: dict[str, Any] = {
        "TableName": table,
        "Item": marshal(item),
        "ConditionExpression": condition,
        "ExpressionAttributeNames": {f"#{name}": name for name in _NAME.findall(condition)},
    }
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": value for name, value in marshal(values).items()}
    with translated(f"write to {table}"):
        dynamodb.put_item(**request)


def update_item(
    dynamodb: "DynamoDBClient",
    *,
    table: str,
    key: Mapping[str, Any],
    change: str,
    condition: str,
    values: Mapping[str, Any],
) -> None:
    """Change the attributes of an item on a condition; an item that is not there is made.

    Args:
        dynamodb: The client.
        table: The table's name.
        key: In DynamoDB's form.
        change: An update expression that writes attributes as `#name`.
        condition: A condition expression, likewise.
        values: What the `:name`s of both stand for, in DynamoDB's form.

    Raises:
        Conflict: The condition did not hold; nothing was changed.
        StoreError: Any other failure.
    """
    with translated(f"change an item of {table}"):
        dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression=change,
            ConditionExpression=condition,
            ExpressionAttributeNames={f"#{name}": name for name in _NAME.findall(f"{change} {condition}")},
            ExpressionAttributeValues=values,
        )


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
        with translated(f"write {key}"):
            answer = s3.put_object(Bucket=bucket, Key=key, Body=body, ContentType=content_type, **condition, **headers)
    except NotFound as error:  # what If-Match gets where the object is gone
        raise Conflict(str(error)) from error
    return answer["ETag"]
