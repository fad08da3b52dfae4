"""What moto, the engine and AWS's documents answer differently, and the limits in which both engines follow AWS."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

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

KB: Final = 1024
GUIDE, API = "DynamoDB Developer Guide", "DynamoDB API Reference"
S3_GUIDE, S3_API, SQS_API = "S3 User Guide", "S3 API Reference", "SQS API Reference"
INVALID, BAD_VALUE = "ValidationException", "InvalidParameterValue"


class Row(NamedTuple):
    """One behaviour: the operation, AWS's document and what it says, what shows it, and what each engine does then."""

    operation: str
    document: str
    aws: str
    show: Callable[[Clients], str]
    moto: str = ACCEPTED
    engine: str = INVALID


def _refused(operation: str, document: str, aws: str, show: Callable[[Clients], str], code: str = INVALID) -> Row:
    """Return a row of what both engines refuse with a code."""
    return Row(operation, document, aws, show, code, code)


def _accepted(operation: str, document: str, aws: str, show: Callable[[Clients], str]) -> Row:
    """Return a row of what both engines accept."""
    return Row(operation, document, aws, show, ACCEPTED, ACCEPTED)


def _put(side: Clients, item: Any = None, **request: Any) -> str:
    key = {"board": {"S": "a@1"}, "item": {"S": "b"}}
    return answer(side.dynamodb.put_item, TableName=BOARDS, Item={**key, **(item or {})}, **request)


def _update(side: Clients, expression: str, **request: Any) -> str:
    key = {"board": {"S": "a@1"}, "item": {"S": "b"}}
    return answer(side.dynamodb.update_item, TableName=BOARDS, Key=key, UpdateExpression=expression, **request)


def _query(side: Clients, condition: str = "board = :a", **request: Any) -> str:
    values = {":a": {"S": "a@1"}, **request.pop("ExpressionAttributeValues", {})}
    return answer(
        side.dynamodb.query,
        TableName=BOARDS,
        KeyConditionExpression=condition,
        ExpressionAttributeValues=values,
        **request,
    )


def _transact(side: Clients, *actions: Any) -> str:
    return answer(side.dynamodb.transact_write_items, TransactItems=list(actions))


def _large(number: int, size: int, table: str = BOARDS) -> Any:
    item = {"board": {"S": "a@1"}, "item": {"S": str(number)}, "text": {"S": "x" * size}}
    return {"Put": {"TableName": table, "Item": item}}


def _send(side: Clients, body: str = "a", queue: str = EVALUATE, **request: Any) -> str:
    return answer(side.sqs.send_message, QueueUrl=side.url(queue), MessageBody=body, **request)


def _batch(side: Clients, *entries: Any) -> str:
    return answer(side.sqs.send_message_batch, QueueUrl=side.url(EVALUATE), Entries=list(entries))


def _failed(side: Clients, body: str) -> str:
    """Return how a batch of one message that is fine and one that is not ends."""
    entries = [{"Id": "good", "MessageBody": "a"}, {"Id": "bad", "MessageBody": body}]
    try:
        sent = side.sqs.send_message_batch(QueueUrl=side.url(EVALUATE), Entries=entries)
    except Exception as error:  # noqa: BLE001
        return type(error).__name__
    return " ".join(f"{entry['Id']} {entry['Code']}" for entry in sent.get("Failed", ())) or ACCEPTED


def _store(side: Clients, key: str = "a", **request: Any) -> str:
    return answer(side.s3.put_object, Bucket=RESULTS, Key=key, Body=b"a", **request)


def _missing_etag(side: Clients) -> str:
    return _store(side, IfMatch='"0cc175b9c0f1b6a831c399e269772661"')


def _marker(side: Clients) -> str:
    """Return the answer to a read of a delete marker by its version."""
    _store(side)
    side.s3.delete_object(Bucket=RESULTS, Key="a")
    (marker,) = side.s3.list_object_versions(Bucket=RESULTS)["DeleteMarkers"]
    return answer(side.s3.get_object, Bucket=RESULTS, Key="a", VersionId=marker["VersionId"])


def _marker_over_nothing(side: Clients) -> str:
    side.s3.delete_object(Bucket=RESULTS, Key="never")
    return f"{len(side.s3.list_object_versions(Bucket=RESULTS).get('DeleteMarkers', ()))} markers"


def _notice(side: Clients) -> str:
    """Return the key in the notice of an object, and which members it has."""
    _store(side, "results/a b/ä+.json")
    received = side.sqs.receive_message(QueueUrl=side.url(EVALUATE), MaxNumberOfMessages=10)["Messages"]
    bodies = [json.loads(message["Body"]) for message in received]  # the first one of a bucket is a test
    (stored,) = [body["Records"][0]["s3"]["object"] for body in bodies if "Records" in body]
    return f"{stored['key']}{' versionId' * ('versionId' in stored)}{' sequencer' * ('sequencer' in stored)}"


def _count_records(side: Clients) -> str:
    """Return how many stream records two equal puts leave."""
    item = {"thread": {"S": "a"}, "item": {"S": "b"}}
    for _ in range(2):
        side.dynamodb.put_item(TableName=MAIL, Item=item)
    return f"{len(read_stream(side, MAIL))} records"


def _add_exactly(side: Clients) -> str:
    """Return whether an update adds a half to a number of 35 digits."""
    _put(side, {"n": {"N": f"{10**34}"}})
    _update(side, "ADD n :a", ExpressionAttributeValues={":a": {"N": "0.5"}})
    return "exact" if side.dynamodb.scan(TableName=BOARDS)["Items"][0]["n"]["N"] == f"{10**34}.5" else "rounded"


def _keep_zeros(side: Clients) -> str:
    """Return a number as it is read."""
    _put(side, {"n": {"N": "5.0"}})
    return str(side.dynamodb.scan(TableName=BOARDS)["Items"][0]["n"]["N"])


def _list_deleted(side: Clients) -> str:
    """Return how many folders there are after a key, of which all objects were deleted."""
    _store(side, "z/a")
    side.s3.delete_object(Bucket=RESULTS, Key="z/a")
    listed = side.s3.list_objects_v2(Bucket=RESULTS, Delimiter="/", StartAfter="b")
    return f"{len(listed.get('CommonPrefixes', ()))} folders"


def _update_nothing(side: Clients) -> str:
    """Return how many stream records an update leaves that makes an item."""
    _update_mail(side)
    return f"{len(read_stream(side, MAIL))} records"


def _update_mail(side: Clients) -> Any:
    return side.dynamodb.update_item(
        TableName=MAIL,
        Key={"thread": {"S": "a"}, "item": {"S": "b"}},
        UpdateExpression="SET n = :n",
        ExpressionAttributeValues={":n": {"N": "1"}},
        ReturnValues="UPDATED_NEW",
    )


def _update_twice(side: Clients) -> str:
    """Return the attributes in the answer to an update that changes nothing."""
    _update_mail(side)
    return " ".join(sorted(_update_mail(side).get("Attributes", {})))


def _last_page(side: Clients) -> str:
    """Return whether a page says that more may follow, if it ends with the last item."""
    _put(side)
    values = {":a": {"S": "a@1"}}
    request = {"KeyConditionExpression": "board = :a", "ExpressionAttributeValues": values, "Limit": 1}
    return "position" if "LastEvaluatedKey" in side.dynamodb.query(TableName=BOARDS, **request) else "end"


def _page_of_records(side: Clients) -> str:
    """Return how many of six records of 300 KB are in one answer."""
    for number in range(6):
        item = {"thread": {"S": "a"}, "item": {"S": str(number)}, "text": {"S": "x" * 300 * KB}}
        side.dynamodb.put_item(TableName=MAIL, Item=item)
    return f"{len(read_stream(side, MAIL))} records"


def _unknown_receipt(side: Clients) -> str:
    return answer(side.sqs.delete_message, QueueUrl=side.url(EVALUATE), ReceiptHandle="AQEB")


def _same_in_two_groups(side: Clients) -> str:
    """Return how many messages come of one deduplication id in two groups of a queue whose scope is the group."""
    for group in ("a", "b"):
        _send(side, queue=SHARE, MessageGroupId=group, MessageDeduplicationId="1")
    received = side.sqs.receive_message(QueueUrl=side.url(SHARE), MaxNumberOfMessages=10)
    return f"{len(received.get('Messages', ()))} messages"


def _redelivered(side: Clients) -> str:
    """Return how many messages of a group come again once they are visible."""
    for body in "ab":
        _send(side, body, SHARE, MessageGroupId="g", MessageDeduplicationId=body)
    request = {"QueueUrl": side.url(SHARE), "MaxNumberOfMessages": 10, "VisibilityTimeout": 0}
    side.sqs.receive_message(**request)
    return f"{len(side.sqs.receive_message(**request)['Messages'])} messages"


def _use_visible(side: Clients, queue: str, operation: str, **more: Any) -> str:
    """Return how a call ends with the receipt of a message that is visible again."""
    group = {"MessageGroupId": "g", "MessageDeduplicationId": "1"} if queue == SHARE else {}
    side.sqs.purge_queue(QueueUrl=side.url(queue))
    _send(side, queue=queue, **group)
    (message,) = side.sqs.receive_message(QueueUrl=side.url(queue), VisibilityTimeout=0)["Messages"]
    call = getattr(side.sqs, operation)
    return answer(call, QueueUrl=side.url(queue), ReceiptHandle=message["ReceiptHandle"], **more)


def _many_values(side: Clients) -> str:
    """Return how a put with 2 MB of values ends."""
    values = {f":{number}": {"S": f"{number}" * 350 * KB} for number in range(6)}
    condition = " AND ".join(f"a <> {name}" for name in values)
    return _put(side, ConditionExpression=condition, ExpressionAttributeValues=values)


def _write_batch(side: Clients, count: int) -> str:
    puts = [{"PutRequest": {"Item": {"board": {"S": "a"}, "item": {"S": str(n)}}}} for n in range(count)]
    return answer(side.dynamodb.batch_write_item, RequestItems={BOARDS: puts})


def _read_batch(side: Clients, count: int) -> str:
    keys = [{"board": {"S": "a"}, "item": {"S": str(number)}} for number in range(count)]
    return answer(side.dynamodb.batch_get_item, RequestItems={BOARDS: {"Keys": keys}})


def _delete_many(side: Clients, count: int) -> str:
    keys = [{"Key": str(number)} for number in range(count)]
    return answer(side.s3.delete_objects, Bucket=RESULTS, Delete={"Objects": keys, "Quiet": True})


def _receive(side: Clients, **request: Any) -> str:
    return answer(side.sqs.receive_message, QueueUrl=side.url(EVALUATE), **request)


def _large_index_key(side: Clients) -> str:
    item = {
        "benchmark": {"S": "a"},
        "submission_version": {"S": "1"},
        "benchmark_player": {"S": "x" * (2 * KB + 1)},
    }
    return answer(side.dynamodb.put_item, TableName=SUBMISSIONS, Item=item)


ONE = {":a": {"N": "1"}}
DIFFERENCES: Final = (
    Row(
        "PutItem",
        GUIDE,
        "exactly 400 KB of item (Constraints)",
        lambda side: _put(side, {"a": {"S": "x" * (400 * KB - 14)}}),
        moto=INVALID,
        engine=ACCEPTED,
    ),
    Row("PutItem", GUIDE, "2 MB of names and values (Expression parameters)", _many_values),
    Row("PutItem", GUIDE, "38 digits at most (Data types)", lambda side: _put(side, {"n": {"N": "1" * 39}})),
    Row("PutItem", GUIDE, "numbers below 1E126 (Data types)", lambda side: _put(side, {"n": {"N": "1E126"}})),
    Row(
        "PutItem", API, "no member twice in a set (AttributeValue)", lambda side: _put(side, {"s": {"SS": ["a", "a"]}})
    ),
    Row("PutItem", GUIDE, "binary values are stored (Data types)", lambda side: _put(side, {"b": {"B": b"a"}})),
    Row(
        "PutItem",
        API,
        "values that no expression uses are refused",
        lambda side: _put(side, ConditionExpression="attribute_not_exists(a)", ExpressionAttributeValues=ONE),
    ),
    Row(
        "PutItem",
        API,
        "a value must be defined",
        lambda side: _put(
            side, {"a": {"N": "1"}}, ConditionExpression="a = :a", ExpressionAttributeValues={":b": {"N": "1"}}
        ),
        moto="500",
    ),
    Row(
        "PutItem",
        API,
        "a name must be defined",
        lambda side: _put(side, ConditionExpression="attribute_exists(#a)", ExpressionAttributeNames={"#b": "b"}),
        moto="500",
    ),
    Row(
        "PutItem",
        API,
        "an expression must be well formed",
        lambda side: _put(side, ConditionExpression="a = ", ExpressionAttributeValues=ONE),
        moto="500",
    ),
    Row(
        "PutItem",
        GUIDE,
        "4 KB of expression (Expression parameters)",
        lambda side: _put(side, ConditionExpression=f"attribute_not_exists({'a' * 4 * KB})"),
    ),
    Row(
        "PutItem",
        GUIDE,
        "255 bytes of a placeholder (Expression parameters)",
        lambda side: _put(
            side,
            ConditionExpression=f"attribute_not_exists(#{'a' * 255})",
            ExpressionAttributeNames={f"#{'a' * 255}": "a"},
        ),
    ),
    Row(
        "Query",
        API,
        "one condition of the sort key at most",
        lambda side: _query(
            side,
            "board = :a AND #item > :b AND #item < :c",
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues={":b": {"S": "b"}, ":c": {"S": "c"}},
        ),
    ),
    Row(
        "TransactWriteItems",
        API,
        "4 MB of items",
        lambda side: _transact(side, *(_large(number, 390 * KB) for number in range(11))),
    ),
    Row("BatchWriteItem", API, "25 writes", lambda side: _write_batch(side, 26)),
    Row(
        "PutItem",
        GUIDE,
        "no stream record of a write that changes nothing (Streams)",
        _count_records,
        moto="2 records",
        engine="1 records",
    ),
    Row(
        "UpdateItem",
        GUIDE,
        "one stream record of an update that makes an item (Streams)",
        _update_nothing,
        moto="2 records",
        engine="1 records",
    ),
    Row(
        "UpdateItem",
        API,
        "UPDATED_NEW has the attributes that were updated, and no others",
        lambda side: " ".join(sorted(_update_mail(side)["Attributes"])),
        moto="item n thread",
        engine="n",
    ),
    Row(
        "UpdateItem",
        API,
        "UPDATED_NEW has what an update set to what it was before",
        _update_twice,
        moto="",
        engine="n",
    ),
    Row(
        "PutItem",
        GUIDE,
        "a comparison with an attribute that is missing does not hold (Comparison operator and function reference)",
        lambda side: _put(side, ConditionExpression="size(a) < :a", ExpressionAttributeValues=ONE),
        moto="500",
        engine="ConditionalCheckFailedException",
    ),
    Row("UpdateItem", GUIDE, "sums of 38 digits (Data types)", _add_exactly, moto="rounded", engine="exact"),
    Row(
        "Query",
        API,
        "no attribute of the key in a filter",
        lambda side: _query(
            side,
            FilterExpression="#item = :b",
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues={":b": {"S": "b"}},
        ),
    ),
    Row("PutItem", GUIDE, "no zeros at the end of a number (Data types)", _keep_zeros, moto="5.0", engine="5"),
    Row("ListObjectsV2", S3_API, "no folder of deleted objects", _list_deleted, moto="1 folders", engine="0 folders"),
    Row("Query", API, "a full page has a position, even if no item follows", _last_page, moto="end", engine="position"),
    Row(
        "GetRecords",
        "DynamoDB Streams API Reference",
        "1 MB of records",
        _page_of_records,
        moto="6 records",
        engine="3 records",
    ),
    Row(
        "PutObject",
        S3_API,
        "If-None-Match is * or 501 Not Implemented",
        lambda side: _store(side, IfNoneMatch='"a"'),
        engine="NotImplemented",
    ),
    Row(
        "PutObject",
        S3_GUIDE,
        "2 KB of metadata (Working with object metadata)",
        lambda side: _store(side, Metadata={"a": "x" * 2 * KB}),
        engine="MetadataTooLarge",
    ),
    Row(
        "PutObject",
        S3_GUIDE,
        "the key of a notice is URL-encoded, with version (Event message structure)",
        _notice,
        moto="results%2Fa+b%2F%C3%A4%2B.json",
        engine="results/a+b/%C3%A4%2B.json versionId sequencer",
    ),
    Row(
        "GetObject",
        S3_GUIDE,
        "a delete marker by its version: 405 (Working with delete markers)",
        _marker,
        moto="NoSuchVersion",
        engine="MethodNotAllowed",
    ),
    Row("DeleteObjects", S3_API, "1,000 keys", lambda side: _delete_many(side, 1001), engine="MalformedXML"),
    Row("SendMessage", SQS_API, "a body is not empty", lambda side: _send(side, ""), engine=BAD_VALUE),
    Row("SendMessage", SQS_API, "characters of XML", lambda side: _send(side, "\x01"), engine="InvalidMessageContents"),
    Row(
        "SendMessage",
        SQS_API,
        "128 characters of a message group id",
        lambda side: _send(side, queue=SHARE, MessageGroupId="g" * 129, MessageDeduplicationId="1"),
        engine=BAD_VALUE,
    ),
    Row(
        "SendMessage",
        SQS_API,
        "128 characters of a deduplication id",
        lambda side: _send(side, queue=SHARE, MessageGroupId="g", MessageDeduplicationId="1" * 129),
        engine=BAD_VALUE,
    ),
    Row(
        "SendMessage",
        SQS_API,
        "DeduplicationScope messageGroup",
        _same_in_two_groups,
        moto="1 messages",
        engine="2 messages",
    ),
    Row(
        "SendMessageBatch",
        SQS_API,
        "each message is refused by itself",
        lambda side: _failed(side, "\x01"),
        engine="bad InvalidMessageContents",
    ),
    Row(
        "ReceiveMessage",
        SQS_API,
        "all messages of a group come again after their timeout",
        _redelivered,
        moto="1 messages",
        engine="2 messages",
    ),
    Row(
        "ChangeMessageVisibility",
        SQS_API,
        "a message that is visible again is not in flight",
        lambda side: _use_visible(side, EVALUATE, "change_message_visibility", VisibilityTimeout=5),
        engine="MessageNotInflight",
    ),
    Row(
        "DeleteMessage",
        SQS_API,
        "on FIFO a receipt ends with its timeout",
        lambda side: _use_visible(side, SHARE, "delete_message"),
        engine=BAD_VALUE,
    ),
    Row(
        "DeleteMessage",
        SQS_API,
        "a receipt that is none: ReceiptHandleIsInvalid",
        _unknown_receipt,
        moto="ReceiptHandleIsInvalid",
        engine=ACCEPTED,
    ),
)
"""Where moto is laxer, AWS's document is the judge; the last column tells what the engine has not got."""

LIMITS: Final = (
    _refused(
        "SendMessage",
        SQS_API,
        "a group id on FIFO",
        lambda side: _send(side, queue=SHARE, MessageDeduplicationId="1"),
        "MissingParameter",
    ),
    _refused("PutItem", GUIDE, "2,048 bytes of an index's partition key (Constraints)", _large_index_key),
    _refused(
        "SendMessageBatch",
        SQS_API,
        "ids of 80 characters",
        lambda side: _batch(side, {"Id": "a" * 81, "MessageBody": "a"}),
        "InvalidBatchEntryId",
    ),
    _refused("ReceiveMessage", SQS_API, "a wait of 20 s", lambda side: _receive(side, WaitTimeSeconds=21), BAD_VALUE),
    _refused("PutObject", S3_API, "If-Match of no object: 404 NoSuchKey", _missing_etag, "NoSuchKey"),
    _refused(
        "Query",
        API,
        "only attributes of the key in a key condition",
        lambda side: _query(side, "board = :a AND others = :b", ExpressionAttributeValues={":b": {"S": "b"}}),
    ),
    _refused("PutItem", GUIDE, "400 KB of item (Constraints)", lambda side: _put(side, {"a": {"S": "x" * 400 * KB}})),
    _refused("PutItem", GUIDE, "a set is not empty (Data types)", lambda side: _put(side, {"s": {"SS": []}})),
    _refused("PutItem", GUIDE, "a key is not empty (Constraints)", lambda side: _put(side, {"item": {"S": ""}})),
    _refused(
        "PutItem",
        GUIDE,
        "1,024 bytes of a sort key (Constraints)",
        lambda side: _put(side, {"item": {"S": "x" * (KB + 1)}}),
    ),
    _refused(
        "PutItem",
        GUIDE,
        "2,048 bytes of a partition key (Constraints)",
        lambda side: _put(side, {"board": {"S": "x" * (2 * KB + 1)}}),
    ),
    _refused(
        "UpdateItem",
        GUIDE,
        "reserved words (Reserved words in DynamoDB)",
        lambda side: _update(side, "SET status = :a", ExpressionAttributeValues=ONE),
    ),
    _refused(
        "UpdateItem",
        API,
        "no attribute of the key is changed",
        lambda side: _update(
            side,
            "SET #item = :a",
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues={":a": {"S": "c"}},
        ),
    ),
    _refused(
        "UpdateItem",
        API,
        "an attribute is changed once",
        lambda side: _update(side, "SET a = :a, a = :b", ExpressionAttributeValues={**ONE, ":b": {"N": "2"}}),
    ),
    _refused(
        "TransactWriteItems",
        API,
        "100 items",
        lambda side: _transact(side, *(_large(number, 1) for number in range(101))),
    ),
    _refused("TransactWriteItems", API, "no item twice", lambda side: _transact(side, _large(1, 1), _large(1, 2))),
    _refused("BatchGetItem", API, "100 keys", lambda side: _read_batch(side, 101)),
    _refused(
        "PutObject",
        S3_GUIDE,
        "1,024 bytes of key (Naming Amazon S3 objects)",
        lambda side: _store(side, "ä" * 513),
        "KeyTooLongError",
    ),
    _refused("SendMessage", SQS_API, "1,048,576 bytes", lambda side: _send(side, "x" * (KB * KB + 1)), BAD_VALUE),
    _refused("SendMessage", SQS_API, "a delay of 900 s", lambda side: _send(side, DelaySeconds=901), BAD_VALUE),
    _refused(
        "SendMessageBatch",
        SQS_API,
        "10 messages",
        lambda side: _batch(side, *({"Id": str(n), "MessageBody": "a"} for n in range(11))),
        "TooManyEntriesInBatchRequest",
    ),
    _refused(
        "SendMessageBatch",
        SQS_API,
        "distinct ids",
        lambda side: _batch(side, *[{"Id": "a", "MessageBody": "a"}] * 2),
        "BatchEntryIdsNotDistinct",
    ),
    _refused(
        "SendMessageBatch",
        SQS_API,
        "1,048,576 bytes together",
        lambda side: _batch(side, *({"Id": str(n), "MessageBody": "x" * 600 * KB} for n in range(2))),
        "BatchRequestTooLong",
    ),
    _refused("ReceiveMessage", SQS_API, "10 messages", lambda side: _receive(side, MaxNumberOfMessages=11), BAD_VALUE),
)
"""What is refused on both."""

ALLOWED: Final = (
    _accepted("PutItem", GUIDE, "38 digits (Data types)", lambda side: _put(side, {"n": {"N": "1" * 38}})),
    _accepted(
        "TransactWriteItems",
        API,
        "100 items",
        lambda side: _transact(side, *(_large(number, 1) for number in range(100))),
    ),
    _accepted(
        "TransactWriteItems",
        API,
        "4 MB of items",
        lambda side: _transact(side, *(_large(number, 390 * KB) for number in range(10))),
    ),
    _accepted("BatchWriteItem", API, "25 writes", lambda side: _write_batch(side, 25)),
    _accepted("BatchGetItem", API, "100 keys", lambda side: _read_batch(side, 100)),
    _accepted(
        "PutObject", S3_GUIDE, "1,024 bytes of key (Naming Amazon S3 objects)", lambda side: _store(side, "ä" * 512)
    ),
    _accepted(
        "PutObject",
        S3_GUIDE,
        "2 KB of metadata (Working with object metadata)",
        lambda side: _store(side, Metadata={"a": "x" * (2 * KB - 1)}),
    ),
    _accepted("DeleteObjects", S3_API, "1,000 keys", lambda side: _delete_many(side, 1000)),
    _accepted("SendMessage", SQS_API, "1,048,576 bytes", lambda side: _send(side, "x" * KB * KB)),
    _accepted(
        "SendMessageBatch",
        SQS_API,
        "ids of 80 characters",
        lambda side: _batch(side, {"Id": "a" * 80, "MessageBody": "a"}),
    ),
)
"""What just fits on both."""

NEITHER: Final = (
    Row(
        "DeleteObject",
        S3_GUIDE,
        "a delete marker even of a key that never was (Deleting object versions)",
        _marker_over_nothing,
        moto="0 markers",
        engine="0 markers",
    ),
)
"""Where both engines differ from AWS; Laurel depends on none of it."""
