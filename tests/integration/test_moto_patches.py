"""The patched moto answers as the plain one does: every kind of attribute, and old messages."""

import time
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs.models import sqs_backends

from local.cloud import Cloud
from local.intrinsics import REGION
from local.template import Template

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
