"""What AWS refuses, just accepts or answers, on moto and on the engine: where they differ, the table says how.

AWS's documents are the judge: the developer guide and API reference of DynamoDB, and the guides of S3 and SQS. What
moto lets pass, the engine refuses, so that nothing is written here that AWS would not take.
"""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from tests.contract.sides import (
    ACCEPTED,
    BOARDS,
    EVALUATE,
    MAIL,
    RESULTS,
    SHARE,
    SUBMISSIONS,
    Clients,
    answer,
    read_stream,
)

type Show = Callable[[Clients], str]

KB: Final = 1024
INVALID, BAD_VALUE = "ValidationException", "InvalidParameterValue"
ONE: Final = {":a": {"N": "1"}}
NAMED: Final = {"ExpressionAttributeNames": {"#item": "item"}}
KEY: Final = {"board": {"S": "a@1"}, "item": {"S": "b"}}
GROUP: Final = {"MessageGroupId": "g", "MessageDeduplicationId": "1"}


class Row(NamedTuple):
    """One behaviour: what AWS says, a call that shows it, and how it ends on each engine."""

    aws: str
    show: Show
    moto: str = ACCEPTED
    engine: str = INVALID


def put(*, condition: str = "", values: Any = None, names: Any = None, **attributes: Any) -> Show:
    """Return the put of an item on a condition."""
    given = {"ConditionExpression": condition, "ExpressionAttributeValues": values, "ExpressionAttributeNames": names}
    request = {name: value for name, value in given.items() if value}
    return lambda side: answer(side.dynamodb.put_item, TableName=BOARDS, Item={**KEY, **attributes}, **request)


def update(expression: str, values: Any, **request: Any) -> Show:
    """Return an update."""
    request |= {"TableName": BOARDS, "Key": KEY, "UpdateExpression": expression, "ExpressionAttributeValues": values}
    return lambda side: answer(side.dynamodb.update_item, **request)


def query(condition: str, *more: str, **request: Any) -> Show:
    """Return a query of a board with more values."""
    values = {":a": {"S": "a@1"}, **{name: {"S": name} for name in more}}
    request |= {"KeyConditionExpression": f"board = :a{condition}", "ExpressionAttributeValues": values}
    return lambda side: answer(side.dynamodb.query, TableName=BOARDS, **request)


def transact(count: int, size: int, *, same: bool = False) -> Show:
    """Return the put of some items of a size at once."""
    items = [
        {"board": {"S": "a@1"}, "item": {"S": str(number * (not same))}, "text": {"S": "x" * size}}
        for number in range(count)
    ]
    actions = [{"Put": {"TableName": BOARDS, "Item": item}} for item in items]
    return lambda side: answer(side.dynamodb.transact_write_items, TransactItems=actions)


def write_batch(count: int) -> Show:
    """Return the put of some items, each by itself."""
    puts = [{"PutRequest": {"Item": {"board": {"S": "a"}, "item": {"S": str(number)}}}} for number in range(count)]
    return lambda side: answer(side.dynamodb.batch_write_item, RequestItems={BOARDS: puts})


def read_batch(count: int) -> Show:
    """Return a read of some items."""
    keys = [{"board": {"S": "a"}, "item": {"S": str(number)}} for number in range(count)]
    return lambda side: answer(side.dynamodb.batch_get_item, RequestItems={BOARDS: {"Keys": keys}})


def store(key: str = "a", **request: Any) -> Show:
    """Return the put of an object."""
    return lambda side: answer(side.s3.put_object, Bucket=RESULTS, Key=key, Body=b"a", **request)


def delete_many(count: int) -> Show:
    """Return the deletion of some objects."""
    keys = [{"Key": str(number)} for number in range(count)]
    return lambda side: answer(side.s3.delete_objects, Bucket=RESULTS, Delete={"Objects": keys, "Quiet": True})


def send(body: str = "a", queue: str = EVALUATE, **request: Any) -> Show:
    """Return the sending of a message."""
    return lambda side: answer(side.sqs.send_message, QueueUrl=side.url(queue), MessageBody=body, **request)


def send_batch(*messages: tuple[str, str]) -> Show:
    """Return the sending of messages with ids."""
    entries = [{"Id": name, "MessageBody": body} for name, body in messages]
    return lambda side: answer(side.sqs.send_message_batch, QueueUrl=side.url(EVALUATE), Entries=entries)


def receive(**request: Any) -> Show:
    """Return the receiving of messages."""
    return lambda side: answer(side.sqs.receive_message, QueueUrl=side.url(EVALUATE), **request)


def use_visible(queue: str, operation: str, **more: Any) -> Show:
    """Return a call with the receipt of a message that is visible again."""

    def show(side: Clients) -> str:
        side.sqs.purge_queue(QueueUrl=side.url(queue))
        send(queue=queue, **(GROUP if queue == SHARE else {}))(side)
        (message,) = side.sqs.receive_message(QueueUrl=side.url(queue), VisibilityTimeout=0)["Messages"]
        call = getattr(side.sqs, operation)
        return answer(call, QueueUrl=side.url(queue), ReceiptHandle=message["ReceiptHandle"], **more)

    return show


def send_nowhere(side: Clients) -> str:
    """Send a message to a queue that does not exist."""
    return answer(side.sqs.send_message, QueueUrl=f"{side.url(EVALUATE)}-none", MessageBody="a")


def count_refused(side: Clients) -> str:
    """Return how a batch of one message that is fine and one that is not ends."""
    entries = [{"Id": "good", "MessageBody": "a"}, {"Id": "bad", "MessageBody": "\x01"}]
    sent = side.sqs.send_message_batch(QueueUrl=side.url(EVALUATE), Entries=entries)
    return " ".join(f"{entry['Id']} {entry['Code']}" for entry in sent.get("Failed", ())) or ACCEPTED


def read_marker(side: Clients) -> str:
    """Read a delete marker by its version."""
    store()(side)
    side.s3.delete_object(Bucket=RESULTS, Key="a")
    (marker,) = side.s3.list_object_versions(Bucket=RESULTS)["DeleteMarkers"]
    return answer(side.s3.get_object, Bucket=RESULTS, Key="a", VersionId=marker["VersionId"])


def read_notice(side: Clients) -> str:
    """Return the key in the notice of an object, and which members it has."""
    store("results/a b/ä+.json")(side)
    received = side.sqs.receive_message(QueueUrl=side.url(EVALUATE), MaxNumberOfMessages=10)["Messages"]
    bodies = [json.loads(message["Body"]) for message in received]  # the first one of a bucket is a test
    (stored,) = [body["Records"][0]["s3"]["object"] for body in bodies if "Records" in body]
    return f"{stored['key']}{' versionId' * ('versionId' in stored)}{' sequencer' * ('sequencer' in stored)}"


def list_deleted(side: Clients) -> str:
    """Return how many folders there are after a key, of which all objects were deleted."""
    store("z/a")(side)
    side.s3.delete_object(Bucket=RESULTS, Key="z/a")
    listed = side.s3.list_objects_v2(Bucket=RESULTS, Delimiter="/", StartAfter="b")
    return f"{len(listed.get('CommonPrefixes', ()))} folders"


def put_mail(side: Clients, item: str = "b", text: str = "a") -> None:
    """Put an item of the table of mails, which has a stream."""
    item_ = {"thread": {"S": "a"}, "item": {"S": item}, "text": {"S": text}}
    side.dynamodb.put_item(TableName=MAIL, Item=item_)


def update_mail(side: Clients) -> str:
    """Update an item of the table of mails, and return which attributes the answer has."""
    updated = side.dynamodb.update_item(
        TableName=MAIL,
        Key={"thread": {"S": "a"}, "item": {"S": "b"}},
        UpdateExpression="SET n = :a",
        ExpressionAttributeValues=ONE,
        ReturnValues="UPDATED_NEW",
    )
    return " ".join(sorted(updated.get("Attributes", {})))


def count_records(*acts: Callable[[Clients], Any]) -> Show:
    """Return how many stream records the first page has after some writes."""

    def show(side: Clients) -> str:
        for act in acts:
            act(side)
        return f"{len(read_stream(side, MAIL))} records"

    return show


def add_exactly(side: Clients) -> str:
    """Return whether an update adds a half to a number of 35 digits."""
    put(n={"N": f"{10**34}"})(side)
    update("ADD n :a", {":a": {"N": "0.5"}})(side)
    return "exact" if side.dynamodb.scan(TableName=BOARDS)["Items"][0]["n"]["N"] == f"{10**34}.5" else "rounded"


def read_last_page(side: Clients) -> str:
    """Return whether a page says that more may follow, if it ends with the last item."""
    put()(side)
    values = {":a": {"S": "a@1"}}
    request = {"KeyConditionExpression": "board = :a", "ExpressionAttributeValues": values, "Limit": 1}
    return "position" if "LastEvaluatedKey" in side.dynamodb.query(TableName=BOARDS, **request) else "end"


def send_in_two_groups(side: Clients) -> str:
    """Return how many messages come of one deduplication id in two groups of a queue whose scope is the group."""
    for group in "ab":
        send(queue=SHARE, **{**GROUP, "MessageGroupId": group})(side)
    received = side.sqs.receive_message(QueueUrl=side.url(SHARE), MaxNumberOfMessages=10)
    return f"{len(received.get('Messages', ()))} messages"


def redeliver(side: Clients) -> str:
    """Return how many messages of a group come again once they are visible."""
    for body in "ab":
        send(body, SHARE, **{**GROUP, "MessageDeduplicationId": body})(side)
    request = {"QueueUrl": side.url(SHARE), "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}
    side.sqs.receive_message(**request)
    return f"{len(side.sqs.receive_message(**request)['Messages'])} messages"


def put_index_key(side: Clients) -> str:
    """Put an item with too long a key of an index."""
    key = {"benchmark": {"S": "a"}, "submission_version": {"S": "1"}, "benchmark_player": {"S": "x" * (2 * KB + 1)}}
    return answer(side.dynamodb.put_item, TableName=SUBMISSIONS, Item=key)


MANY_VALUES: Final = {f":{number}": {"S": f"{number}" * 350 * KB} for number in range(6)}
MANY_CONDITIONS: Final = " AND ".join(f"a <> {name}" for name in MANY_VALUES)
LONG_NAME: Final = f"#{'a' * 255}"
DIFFERENCES: Final = (
    Row("an item of exactly 400 KB", put(a={"S": "x" * (400 * KB - 14)}), INVALID, ACCEPTED),
    Row("2 MB of names and values", put(condition=MANY_CONDITIONS, values=MANY_VALUES)),
    Row("a number of 38 digits at most", put(n={"N": "1" * 39})),
    Row("a number below 1E126", put(n={"N": "1E126"})),
    Row("no member twice in a set", put(s={"SS": ["a", "a"]})),
    Row("binary values are stored", put(b={"B": b"a"})),
    Row("a value that no expression uses", put(condition="attribute_not_exists(a)", values=ONE)),
    Row("a value must be defined", put(a={"N": "1"}, condition="a = :a", values={":b": {"N": "1"}}), "500"),
    Row("a name must be defined", put(condition="attribute_exists(#a)", names={"#b": "b"}), "500"),
    Row("an expression must be well formed", put(condition="a = ", values=ONE), "500"),
    Row("4 KB of expression", put(condition=f"attribute_not_exists({'a' * 4 * KB})")),
    Row("255 bytes of a placeholder", put(condition=f"attribute_not_exists({LONG_NAME})", names={LONG_NAME: "a"})),
    Row("one condition of the sort key", query(" AND #item > :b AND #item < :c", ":b", ":c", **NAMED)),
    Row("no attribute of the key in a filter", query("", ":b", FilterExpression="#item = :b", **NAMED)),
    Row("4 MB of items in a transaction", transact(11, 390 * KB)),
    Row("25 writes in a batch", write_batch(26)),
    Row("no record of a write that changes nothing", count_records(put_mail, put_mail), "2 records", "1 records"),
    Row("one record of an update that makes an item", count_records(update_mail), "2 records", "1 records"),
    Row("UPDATED_NEW has what was updated", update_mail, "item n thread", "n"),
    Row("UPDATED_NEW has what was updated to the same", lambda side: update_mail(side) and update_mail(side), "", "n"),
    Row(
        "a comparison with what is missing does not hold",
        put(condition="size(a) < :a", values=ONE),
        "500",
        "ConditionalCheckFailedException",
    ),
    Row("sums of 38 digits", add_exactly, "rounded", "exact"),
    Row("no folder of deleted objects", list_deleted, "1 folders", "0 folders"),
    Row("a full page has a position, even if no item follows", read_last_page, "end", "position"),
    Row(
        "1 MB of stream records at once",
        count_records(*(lambda side, n=n: put_mail(side, str(n), "x" * 300 * KB) for n in range(6))),
        "6 records",
        "3 records",
    ),
    Row("the key of an object is not empty", store(""), "500", "InvalidRequest"),
    Row("metadata is ASCII", store(Metadata={"a": "ä"}), "500", "InvalidArgument"),
    Row("If-None-Match is *", store(IfNoneMatch='"a"'), engine="NotImplemented"),
    Row("2 KB of metadata", store(Metadata={"a": "x" * 2 * KB}), engine="MetadataTooLarge"),
    Row(
        "the key of a notice is URL-encoded, with version",
        read_notice,
        "results%2Fa+b%2F%C3%A4%2B.json",
        "results/a+b/%C3%A4%2B.json versionId sequencer",
    ),
    Row("a delete marker by its version: 405", read_marker, "NoSuchVersion", "MethodNotAllowed"),
    Row("1,000 keys to delete", delete_many(1001), engine="MalformedXML"),
    Row("a body is not empty", send(""), engine=BAD_VALUE),
    Row("characters of XML", send("\x01"), engine="InvalidMessageContents"),
    Row("128 characters of a group id", send(queue=SHARE, **{**GROUP, "MessageGroupId": "g" * 129}), engine=BAD_VALUE),
    Row(
        "128 characters of a deduplication id",
        send(queue=SHARE, **{**GROUP, "MessageDeduplicationId": "1" * 129}),
        engine=BAD_VALUE,
    ),
    Row("deduplication is of a group", send_in_two_groups, "1 messages", "2 messages"),
    Row("each message of a batch is refused by itself", count_refused, engine="bad InvalidMessageContents"),
    Row("all messages of a group come again after their timeout", redeliver, "1 messages", "2 messages"),
    Row(
        "a message that is visible again is not in flight",
        use_visible(EVALUATE, "change_message_visibility", VisibilityTimeout=5),
        engine="MessageNotInflight",
    ),
    Row("on FIFO a receipt ends with its timeout", use_visible(SHARE, "delete_message"), engine=BAD_VALUE),
)
REFUSED: Final = (
    ("a group id on FIFO", send(queue=SHARE, MessageDeduplicationId="1"), "MissingParameter"),
    ("2,048 bytes of an index's partition key", put_index_key, INVALID),
    ("ids of 80 characters", send_batch(("a" * 81, "a")), "InvalidBatchEntryId"),
    ("a wait of 20 s", receive(WaitTimeSeconds=21), BAD_VALUE),
    ("If-Match of no object: 404", store(IfMatch='"0cc175b9c0f1b6a831c399e269772661"'), "NoSuchKey"),
    ("only attributes of the key in a key condition", query(" AND others = :b", ":b"), INVALID),
    ("an item of 400 KB", put(a={"S": "x" * 400 * KB}), INVALID),
    ("a set is not empty", put(s={"SS": []}), INVALID),
    ("a key is not empty", put(item={"S": ""}), INVALID),
    ("1,024 bytes of a sort key", put(item={"S": "x" * (KB + 1)}), INVALID),
    ("2,048 bytes of a partition key", put(board={"S": "x" * (2 * KB + 1)}), INVALID),
    ("reserved words", update("SET status = :a", ONE), INVALID),
    ("no attribute of the key is changed", update("SET #item = :a", {":a": {"S": "c"}}, **NAMED), INVALID),
    ("an attribute is changed once", update("SET a = :a, a = :b", {**ONE, ":b": {"N": "2"}}), INVALID),
    ("100 items in a transaction", transact(101, 1), INVALID),
    ("no item twice in a transaction", transact(2, 1, same=True), INVALID),
    ("100 keys in a batch", read_batch(101), INVALID),
    ("1,024 bytes of an object's key", store("ä" * 513), "KeyTooLongError"),
    ("1,048,576 bytes of a message", send("x" * (KB * KB + 1)), BAD_VALUE),
    ("a delay of 900 s", send(DelaySeconds=901), BAD_VALUE),
    ("10 messages in a batch", send_batch(*((str(n), "a") for n in range(11))), "TooManyEntriesInBatchRequest"),
    ("a queue must exist", send_nowhere, "NonExistentQueue"),
    ("distinct ids in a batch", send_batch(("a", "a"), ("a", "a")), "BatchEntryIdsNotDistinct"),
    ("1,048,576 bytes in a batch", send_batch(("a", "x" * 600 * KB), ("b", "x" * 600 * KB)), "BatchRequestTooLong"),
    ("10 messages are received", receive(MaxNumberOfMessages=11), BAD_VALUE),
)
"""What both refuse, and as what."""
ALLOWED: Final = (
    ("38 digits", put(n={"N": "1" * 38})),
    ("100 items in a transaction", transact(100, 1)),
    ("4 MB of items in a transaction", transact(10, 390 * KB)),
    ("25 writes in a batch", write_batch(25)),
    ("100 keys in a batch", read_batch(100)),
    ("1,024 bytes of an object's key", store("ä" * 512)),
    ("2 KB of metadata", store(Metadata={"a": "x" * (2 * KB - 1)})),
    ("1,000 keys to delete", delete_many(1000)),
    ("1,048,576 bytes of a message", send("x" * KB * KB)),
    ("ids of 80 characters", send_batch(("a" * 80, "a"))),
)
"""What just fits on both."""
ROWS: Final = (
    *DIFFERENCES,
    *(Row(aws, show, code, code) for aws, show, code in REFUSED),
    *(Row(f"{aws} fit", show, ACCEPTED, ACCEPTED) for aws, show in ALLOWED),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.aws)
def test_engine_answers_as_the_table_says(row: Row, side: Clients, engine_name: str) -> None:
    """Each engine does what the row says of it."""
    assert row.show(side) == getattr(row, engine_name)
