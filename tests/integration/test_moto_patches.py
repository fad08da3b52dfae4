"""The patched moto answers as the plain one does: every kind of attribute, and old messages."""

import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.table import Table
from moto.sqs.models import sqs_backends

from local.aws import Cloud, create_resources
from local.intrinsics import REGION
from local.template import Template
from storage.aws import clients
from tests.harness.moto_snapshot import create_once

ITEM: dict[str, Any] = {
    "board": {"S": "a@1"},
    "item": {"S": "every kind"},
    "number": {"N": "3"},
    "bytes": {"B": b"\x00\xff"},
    "flag": {"BOOL": False},
    "nothing": {"NULL": True},
    "names": {"SS": ["Ada", "Bob"]},
    "list": {"L": [{"N": "1"}, {"L": []}, {"M": {"deep": {"S": ""}}}]},
    "map": {"M": {"a": {"B": b"b"}, "b": {"M": {}}}},
}


def test_items_come_back_as_they_were_put(cloud: Cloud, template: Template) -> None:
    """Whatever its kind, an attribute is the same in a read of one item, a query and a batch."""
    table = template.resources["BoardsTable"].name
    cloud.dynamodb.put_item(TableName=table, Item=ITEM)
    key = {name: ITEM[name] for name in ("board", "item")}

    one = cloud.dynamodb.get_item(TableName=table, Key=key)["Item"]
    (queried,) = cloud.dynamodb.query(
        TableName=table, KeyConditionExpression="board = :board", ExpressionAttributeValues={":board": ITEM["board"]}
    )["Items"]
    (batched,) = cloud.dynamodb.batch_get_item(RequestItems={table: {"Keys": [key]}})["Responses"][table]

    assert [one, queried, batched] == [ITEM] * 3


def test_query_finds_what_the_plain_one_finds(cloud: Cloud, template: Template) -> None:
    """A query of a partition or of an index, forwards, backwards and by page, looks only at what it may find."""
    name = template.resources["SubmissionsTable"].name
    index = template.resources["SubmissionsTable"].properties["GlobalSecondaryIndexes"][0]
    hash_key, range_key = (key["AttributeName"] for key in index["KeySchema"])
    for number in range(12):
        item: Any = {"benchmark": {"S": f"b{number % 2}"}, "submission_version": {"S": f"{number * 7 % 12:02}"}}
        indexed = {hash_key: {"S": f"h{number % 3}"}, range_key: {"S": f"{number * 5 % 12:02}"}} if number % 4 else {}
        cloud.dynamodb.put_item(TableName=name, Item={**indexed, **item})
    asked: list[dict[str, Any]] = [
        {"KeyConditionExpression": "benchmark = :key", "ExpressionAttributeValues": {":key": {"S": "b1"}}},
        {"KeyConditionExpression": "benchmark = :key", "ExpressionAttributeValues": {":key": {"S": "none"}}},
        {
            "IndexName": index["IndexName"],
            "KeyConditionExpression": "#hash = :key AND #range > :least",
            "ExpressionAttributeNames": {"#hash": hash_key, "#range": range_key},
            "ExpressionAttributeValues": {":key": {"S": "h1"}, ":least": {"S": "01"}},
        },
    ]

    def ask() -> list[Any]:
        pages = cloud.dynamodb.get_paginator("query")
        return [
            [page["Items"] for page in pages.paginate(TableName=name, ScanIndexForward=forward, Limit=2, **query)]
            for query in asked
            for forward in (True, False)
        ]

    patched = ask()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Table, "query", Table.query.__wrapped__.__wrapped__)  # type: ignore[attr-defined]
        plain = ask()

    assert patched == plain
    assert [sum(map(len, pages)) for pages in patched] == [6, 6, 0, 0, 2, 2]


def test_a_queue_drops_what_it_has_kept_too_long(cloud: Cloud, template: Template) -> None:
    """A message older than the retention period of its queue is not handed out; a younger one is."""
    name = template.resources["EvaluateQueue"].name
    url = cloud.sqs.get_queue_url(QueueName=name)["QueueUrl"]
    cloud.sqs.set_queue_attributes(QueueUrl=url, Attributes={"MessageRetentionPeriod": "60"})
    cloud.sqs.purge_queue(QueueUrl=url)  # of S3's own test event
    cloud.sqs.send_message(QueueUrl=url, MessageBody="old")
    (message,) = sqs_backends[DEFAULT_ACCOUNT_ID][REGION].get_queue(name)._messages
    held: Any = message

    held.sent_timestamp = (time.time() - 61) * 1000
    old = cloud.sqs.receive_message(QueueUrl=url, VisibilityTimeout=0).get("Messages", [])
    held.sent_timestamp = (time.time() - 30) * 1000
    young = cloud.sqs.receive_message(QueueUrl=url).get("Messages", [])

    assert (old, [one["Body"] for one in young]) == ([], ["old"])


def test_a_reader_never_sees_half_a_change(cloud: Cloud, template: Template) -> None:
    """While an item is written again and again, reads and answers of writes have all of a change or nothing of it."""
    table, key = template.resources["BoardsTable"].name, {"board": {"S": "a@1"}, "item": {"S": "i"}}
    names = [f"n{number}" for number in range(6)]

    def write(number: int) -> list[Any]:
        if number % 5 == 0:
            cloud.dynamodb.delete_item(TableName=table, Key=key)
        answer = cloud.dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression="SET " + ", ".join(f"{name} = :value" for name in names),
            ExpressionAttributeValues={":value": {"N": f"{number}"}},
            ReturnValues="ALL_NEW",
        )
        return [answer["Attributes"]]

    def read(_number: int) -> list[Any]:
        one = cloud.dynamodb.get_item(TableName=table, Key=key).get("Item")
        condition = {":board": key["board"]}
        queried = cloud.dynamodb.query(
            TableName=table, KeyConditionExpression="board = :board", ExpressionAttributeValues=condition
        )
        return ([one] if one else []) + queried["Items"]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            tasks = [pool.submit(read if number % 2 else write, number) for number in range(160)]
            seen = [item for task in tasks for item in task.result()]
    finally:
        sys.setswitchinterval(interval)

    assert len(seen) > 80
    assert {len({repr(item.get(name)) for name in names}) for item in seen} == {1}
    assert not [item for item in seen if names[0] not in item]


def test_what_is_handed_out_stays_as_it_was(cloud: Cloud, template: Template) -> None:
    """A later write changes no item that a read or a write has returned, which may still be on its way to a reader."""
    table, key = template.resources["BoardsTable"].name, {"board": {"S": "a@1"}, "item": {"S": "i"}}
    backend: Any = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION]

    def write(name: str) -> Any:
        expression = f"SET {name} = :one"
        return backend.update_item(table, key, expression, {}, {":one": {"N": "1"}})

    put = backend.put_item(table, key)
    written, read = write("earlier"), backend.get_item(table, key)
    (queried,), *_ = backend.query(
        table, key["board"], None, [], 10, None, scan_index_forward=True, projection_expressions=None
    )
    write("later")

    assert list(put.attrs) == ["board", "item"]
    assert [list(item.attrs) for item in (written, read, queried)] == [["board", "item", "earlier"]] * 3


@pytest.mark.parametrize(("board", "item", "is_taken"), [(2048, 1024, True), (2049, 1, False), (1, 1025, False)])
def test_keys_of_items_are_as_long_as_dynamodb_takes(
    cloud: Cloud, template: Template, *, board: int, item: int, is_taken: bool
) -> None:
    """A key that is too long is refused by whatever names it, not only where an item is put."""
    table, key = template.resources["BoardsTable"].name, {"board": {"S": "b" * board}, "item": {"S": "i" * item}}
    values = {":board": key["board"], ":item": key["item"]}
    condition = "board = :board AND begins_with(#item, :item)"
    asked: list[Callable[[], Any]] = [
        lambda: cloud.dynamodb.get_item(TableName=table, Key=key),
        lambda: cloud.dynamodb.batch_get_item(RequestItems={table: {"Keys": [key]}}),
        lambda: cloud.dynamodb.put_item(TableName=table, Item=key),
        lambda: cloud.dynamodb.update_item(
            TableName=table,
            Key=key,
            UpdateExpression="SET seen = :seen",
            ExpressionAttributeValues={":seen": {"BOOL": True}},
        ),
        lambda: cloud.dynamodb.query(
            TableName=table,
            KeyConditionExpression=condition,
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues=values,
        ),
        lambda: cloud.dynamodb.delete_item(TableName=table, Key=key),
    ]

    codes = [find_code(ask) for ask in asked]

    assert codes == [None if is_taken else "ValidationException"] * len(asked)


@pytest.mark.parametrize(("length", "code"), [(1024, None), (1025, "KeyTooLongError")])
def test_names_of_objects_are_as_long_as_s3_takes(
    cloud: Cloud, template: Template, length: int, code: str | None
) -> None:
    """An object with a longer name can neither be written nor read."""
    where: Any = {"Bucket": template.resources["ResultsBucket"].name, "Key": "o" * length}

    assert find_code(lambda: cloud.s3.put_object(**where, Body=b"")) == code
    assert find_code(lambda: cloud.s3.get_object(**where)) == code


def find_code(ask: Callable[[], Any]) -> str | None:
    """Return the code with which AWS refuses a call; None where it does not."""
    try:
        ask()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


def test_resources_that_are_put_back_are_as_created(streams: Any, template: Template) -> None:
    """What a test finds is what the code of the local stack creates, and nothing of another test."""
    cloud = Cloud("", clients.s3_client(), clients.sqs_client(), clients.dynamodb_client(), streams, Any, Any)
    with mock_aws():
        create_resources(cloud, template)
        created = describe(cloud, template)
    for _ in range(3):  # the first may be the one that creates them
        with mock_aws():
            create_once(cloud, template)
            assert describe(cloud, template) == created
            cloud.s3.put_object(Bucket=template.resources["ResultsBucket"].name, Key="results/a", Body=b"{}")
            cloud.dynamodb.put_item(TableName=template.resources["BoardsTable"].name, Item=ITEM)
            assert describe(cloud, template) != created


def describe(cloud: Cloud, template: Template) -> dict[str, Any]:
    """Describe all queues, tables and buckets with what is in them, but for the times of their creation."""
    tables = [template.resources[name].name for name in template.resources_of("AWS::DynamoDB::Table")]
    buckets = [template.resources[name].name for name in template.resources_of("AWS::S3::Bucket")]
    queues = cloud.sqs.list_queues()["QueueUrls"]
    unlike = ("CreatedTimestamp", "LastModifiedTimestamp")
    attributes = {
        url: cloud.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"] for url in queues
    }
    described = {name: cloud.dynamodb.describe_table(TableName=name)["Table"] for name in tables}
    return {
        "queues": {url: {k: v for k, v in named.items() if k not in unlike} for url, named in attributes.items()},
        "tables": {
            name: {key: table[key] for key in ("KeySchema", "AttributeDefinitions", "ItemCount")}
            | {"stream": table.get("StreamSpecification"), "indexes": len(table.get("GlobalSecondaryIndexes", []))}
            for name, table in described.items()
        },
        "buckets": {
            name: (
                cloud.s3.get_bucket_versioning(Bucket=name)["Status"],
                [
                    (each["QueueArn"], each["Events"])
                    for each in cloud.s3.get_bucket_notification_configuration(Bucket=name).get(
                        "QueueConfigurations", []
                    )
                ],
                cloud.s3.list_objects_v2(Bucket=name)["KeyCount"],
            )
            for name in buckets
        },
    }
