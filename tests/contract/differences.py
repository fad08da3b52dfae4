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
    """One behaviour: the operation, AWS's document and what it says, and what each engine does, which `show` shows."""

    operation: str
    document: str
    aws: str
    moto: str
    engine: str
    show: Callable[[Clients], str]


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
    _update(side, "SET n = n + :a", ExpressionAttributeValues={":a": {"N": "0.5"}})
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


def _operand_of_another_type(side: Clients) -> str:
    """Return how a transaction ends whose update adds a number to a text."""
    _put(side, {"text": {"S": "a"}})
    update = {
        "TableName": BOARDS,
        "Key": {"board": {"S": "a@1"}, "item": {"S": "b"}},
        "UpdateExpression": "ADD #text :number",
        "ExpressionAttributeNames": {"#text": "text"},
        "ExpressionAttributeValues": {":number": {"N": "1"}},
    }
    return _transact(side, {"Update": update})


def _count(side: Clients, operators: int) -> str:
    expression = "SET " + ",".join(f"a{n}=:a+:a" for n in range(operators))
    return _update(side, expression, ExpressionAttributeValues={":a": {"N": "1"}})


def _members(side: Clients, count: int, size: int = 1) -> str:
    names = [f":{number}" for number in range(count)]
    values = {name: {"S": name * size} for name in names}
    condition = f"NOT a IN ({', '.join(names)})"
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
        INVALID,
        ACCEPTED,
        lambda side: _put(side, {"a": {"S": "x" * (400 * KB - 14)}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "2 MB of names and values (Expression parameters)",
        ACCEPTED,
        INVALID,
        lambda side: _members(side, 6, 175 * KB),
    ),
    Row("UpdateItem", GUIDE, "300 operators (Operators and operands)", "500", ACCEPTED, lambda side: _count(side, 300)),
    Row(
        "UpdateItem", GUIDE, "no 301 operators (Operators and operands)", "500", INVALID, lambda side: _count(side, 301)
    ),
    Row(
        "PutItem",
        GUIDE,
        "38 digits at most (Data types)",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, {"n": {"N": "1" * 39}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "numbers below 1E126 (Data types)",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, {"n": {"N": "1E126"}}),
    ),
    Row(
        "PutItem",
        API,
        "no member twice in a set (AttributeValue)",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, {"s": {"SS": ["a", "a"]}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "binary values are stored (Data types)",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, {"b": {"B": b"a"}}),
    ),
    Row(
        "PutItem",
        API,
        "values that no expression uses are refused",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, ConditionExpression="attribute_not_exists(a)", ExpressionAttributeValues=ONE),
    ),
    Row(
        "PutItem",
        API,
        "a value must be defined",
        "500",
        INVALID,
        lambda side: _put(
            side, {"a": {"N": "1"}}, ConditionExpression="a = :a", ExpressionAttributeValues={":b": {"N": "1"}}
        ),
    ),
    Row(
        "PutItem",
        API,
        "a name must be defined",
        "500",
        INVALID,
        lambda side: _put(side, ConditionExpression="attribute_exists(#a)", ExpressionAttributeNames={"#b": "b"}),
    ),
    Row(
        "PutItem",
        API,
        "an expression must be well formed",
        "500",
        INVALID,
        lambda side: _put(side, ConditionExpression="a = ", ExpressionAttributeValues=ONE),
    ),
    Row(
        "PutItem",
        GUIDE,
        "4 KB of expression (Expression parameters)",
        ACCEPTED,
        INVALID,
        lambda side: _put(side, ConditionExpression=f"attribute_not_exists({'a' * 4 * KB})"),
    ),
    Row(
        "PutItem",
        GUIDE,
        "255 bytes of a placeholder (Expression parameters)",
        ACCEPTED,
        INVALID,
        lambda side: _put(
            side,
            ConditionExpression=f"attribute_not_exists(#{'a' * 255})",
            ExpressionAttributeNames={f"#{'a' * 255}": "a"},
        ),
    ),
    Row(
        "PutItem",
        GUIDE,
        "100 operands of IN (Operators and operands)",
        ACCEPTED,
        INVALID,
        lambda side: _members(side, 101),
    ),
    Row(
        "Query",
        API,
        "one condition of the sort key at most",
        ACCEPTED,
        INVALID,
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
        ACCEPTED,
        INVALID,
        lambda side: _transact(side, *(_large(number, 390 * KB) for number in range(11))),
    ),
    Row(
        "TransactWriteItems",
        API,
        "an operand of another type cancels it: ValidationError",
        INVALID,
        "TransactionCanceledException",
        _operand_of_another_type,
    ),
    Row("BatchWriteItem", API, "25 writes", ACCEPTED, INVALID, lambda side: _write_batch(side, 26)),
    Row(
        "PutItem",
        GUIDE,
        "no stream record of a write that changes nothing (Streams)",
        "2 records",
        "1 records",
        _count_records,
    ),
    Row(
        "UpdateItem",
        GUIDE,
        "one stream record of an update that makes an item (Streams)",
        "2 records",
        "1 records",
        _update_nothing,
    ),
    Row(
        "UpdateItem",
        API,
        "UPDATED_NEW has the attributes that were updated, and no others",
        "item n thread",
        "n",
        lambda side: " ".join(sorted(_update_mail(side)["Attributes"])),
    ),
    Row(
        "UpdateItem",
        API,
        "UPDATED_NEW has what an update set to what it was before",
        "",
        "n",
        _update_twice,
    ),
    Row(
        "PutItem",
        GUIDE,
        "a comparison with an attribute that is missing does not hold (Comparison operator and function reference)",
        "500",
        "ConditionalCheckFailedException",
        lambda side: _put(side, ConditionExpression="size(a) < :a", ExpressionAttributeValues=ONE),
    ),
    Row("UpdateItem", GUIDE, "sums of 38 digits (Data types)", "rounded", "exact", _add_exactly),
    Row(
        "Query",
        API,
        "no attribute of the key in a filter",
        ACCEPTED,
        INVALID,
        lambda side: _query(
            side,
            FilterExpression="#item = :b",
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues={":b": {"S": "b"}},
        ),
    ),
    Row("PutItem", GUIDE, "no zeros at the end of a number (Data types)", "5.0", "5", _keep_zeros),
    Row("ListObjectsV2", S3_API, "no folder of deleted objects", "1 folders", "0 folders", _list_deleted),
    Row("Query", API, "a full page has a position, even if no item follows", "end", "position", _last_page),
    Row("GetRecords", "DynamoDB Streams API Reference", "1 MB of records", "6 records", "3 records", _page_of_records),
    Row(
        "PutObject",
        S3_API,
        "If-None-Match is * or 501 Not Implemented",
        ACCEPTED,
        "NotImplemented",
        lambda side: _store(side, IfNoneMatch='"a"'),
    ),
    Row(
        "PutObject",
        S3_GUIDE,
        "2 KB of metadata (Working with object metadata)",
        ACCEPTED,
        "MetadataTooLarge",
        lambda side: _store(side, Metadata={"a": "x" * 2 * KB}),
    ),
    Row(
        "PutObject",
        S3_GUIDE,
        "the key of a notice is URL-encoded, with version (Event message structure)",
        "results%2Fa+b%2F%C3%A4%2B.json",
        "results/a+b/%C3%A4%2B.json versionId sequencer",
        _notice,
    ),
    Row(
        "GetObject",
        S3_GUIDE,
        "a delete marker by its version: 405 (Working with delete markers)",
        "NoSuchVersion",
        "MethodNotAllowed",
        _marker,
    ),
    Row("DeleteObjects", S3_API, "1,000 keys", ACCEPTED, "MalformedXML", lambda side: _delete_many(side, 1001)),
    Row("SendMessage", SQS_API, "a body is not empty", ACCEPTED, BAD_VALUE, lambda side: _send(side, "")),
    Row(
        "SendMessage",
        SQS_API,
        "characters of XML",
        ACCEPTED,
        "InvalidMessageContents",
        lambda side: _send(side, "\x01"),
    ),
    Row(
        "SendMessage",
        SQS_API,
        "128 characters of a message group id",
        ACCEPTED,
        BAD_VALUE,
        lambda side: _send(side, queue=SHARE, MessageGroupId="g" * 129, MessageDeduplicationId="1"),
    ),
    Row(
        "SendMessage",
        SQS_API,
        "128 characters of a deduplication id",
        ACCEPTED,
        BAD_VALUE,
        lambda side: _send(side, queue=SHARE, MessageGroupId="g", MessageDeduplicationId="1" * 129),
    ),
    Row("SendMessage", SQS_API, "DeduplicationScope messageGroup", "1 messages", "2 messages", _same_in_two_groups),
    Row(
        "SendMessageBatch",
        SQS_API,
        "each message is refused by itself",
        ACCEPTED,
        "bad InvalidMessageContents",
        lambda side: _failed(side, "\x01"),
    ),
    Row(
        "ReceiveMessage",
        SQS_API,
        "all messages of a group come again after their timeout",
        "1 messages",
        "2 messages",
        _redelivered,
    ),
    Row(
        "ChangeMessageVisibility",
        SQS_API,
        "a message that is visible again is not in flight",
        ACCEPTED,
        "MessageNotInflight",
        lambda side: _use_visible(side, EVALUATE, "change_message_visibility", VisibilityTimeout=5),
    ),
    Row(
        "DeleteMessage",
        SQS_API,
        "on FIFO a receipt ends with its timeout",
        ACCEPTED,
        BAD_VALUE,
        lambda side: _use_visible(side, SHARE, "delete_message"),
    ),
    Row(
        "DeleteMessage",
        SQS_API,
        "a receipt that is none: ReceiptHandleIsInvalid",
        "ReceiptHandleIsInvalid",
        ACCEPTED,
        _unknown_receipt,
    ),
)
"""Where moto is laxer, AWS's document is the judge; the last column tells what the engine has not got."""

LIMITS: Final = (
    Row(
        "SendMessage",
        SQS_API,
        "a group id on FIFO",
        "MissingParameter",
        "MissingParameter",
        lambda side: _send(side, queue=SHARE, MessageDeduplicationId="1"),
    ),
    Row("PutItem", GUIDE, "2,048 bytes of an index's partition key (Constraints)", INVALID, INVALID, _large_index_key),
    Row(
        "SendMessageBatch",
        SQS_API,
        "ids of 80 characters",
        "InvalidBatchEntryId",
        "InvalidBatchEntryId",
        lambda side: _batch(side, {"Id": "a" * 81, "MessageBody": "a"}),
    ),
    Row(
        "ReceiveMessage",
        SQS_API,
        "a wait of 20 s",
        BAD_VALUE,
        BAD_VALUE,
        lambda side: _receive(side, WaitTimeSeconds=21),
    ),
    Row("PutObject", S3_API, "If-Match of no object: 404 NoSuchKey", "NoSuchKey", "NoSuchKey", _missing_etag),
    Row(
        "Query",
        API,
        "only attributes of the key in a key condition",
        INVALID,
        INVALID,
        lambda side: _query(side, "board = :a AND others = :b", ExpressionAttributeValues={":b": {"S": "b"}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "400 KB of item (Constraints)",
        INVALID,
        INVALID,
        lambda side: _put(side, {"a": {"S": "x" * 400 * KB}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "a set is not empty (Data types)",
        INVALID,
        INVALID,
        lambda side: _put(side, {"s": {"SS": []}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "a key is not empty (Constraints)",
        INVALID,
        INVALID,
        lambda side: _put(side, {"item": {"S": ""}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "1,024 bytes of a sort key (Constraints)",
        INVALID,
        INVALID,
        lambda side: _put(side, {"item": {"S": "x" * (KB + 1)}}),
    ),
    Row(
        "PutItem",
        GUIDE,
        "2,048 bytes of a partition key (Constraints)",
        INVALID,
        INVALID,
        lambda side: _put(side, {"board": {"S": "x" * (2 * KB + 1)}}),
    ),
    Row(
        "UpdateItem",
        GUIDE,
        "reserved words (Reserved words in DynamoDB)",
        INVALID,
        INVALID,
        lambda side: _update(side, "SET status = :a", ExpressionAttributeValues=ONE),
    ),
    Row(
        "UpdateItem",
        API,
        "no attribute of the key is changed",
        INVALID,
        INVALID,
        lambda side: _update(
            side,
            "SET #item = :a",
            ExpressionAttributeNames={"#item": "item"},
            ExpressionAttributeValues={":a": {"S": "c"}},
        ),
    ),
    Row(
        "UpdateItem",
        API,
        "an attribute is changed once",
        INVALID,
        INVALID,
        lambda side: _update(side, "SET a = :a, a = :b", ExpressionAttributeValues={**ONE, ":b": {"N": "2"}}),
    ),
    Row(
        "TransactWriteItems",
        API,
        "100 items",
        INVALID,
        INVALID,
        lambda side: _transact(side, *(_large(number, 1) for number in range(101))),
    ),
    Row(
        "TransactWriteItems",
        API,
        "no item twice",
        INVALID,
        INVALID,
        lambda side: _transact(side, _large(1, 1), _large(1, 2)),
    ),
    Row("BatchGetItem", API, "100 keys", INVALID, INVALID, lambda side: _read_batch(side, 101)),
    Row(
        "PutObject",
        S3_GUIDE,
        "1,024 bytes of key (Naming Amazon S3 objects)",
        "KeyTooLongError",
        "KeyTooLongError",
        lambda side: _store(side, "ä" * 513),
    ),
    Row("SendMessage", SQS_API, "1,048,576 bytes", BAD_VALUE, BAD_VALUE, lambda side: _send(side, "x" * (KB * KB + 1))),
    Row("SendMessage", SQS_API, "a delay of 900 s", BAD_VALUE, BAD_VALUE, lambda side: _send(side, DelaySeconds=901)),
    Row(
        "SendMessageBatch",
        SQS_API,
        "10 messages",
        "TooManyEntriesInBatchRequest",
        "TooManyEntriesInBatchRequest",
        lambda side: _batch(side, *({"Id": str(n), "MessageBody": "a"} for n in range(11))),
    ),
    Row(
        "SendMessageBatch",
        SQS_API,
        "distinct ids",
        "BatchEntryIdsNotDistinct",
        "BatchEntryIdsNotDistinct",
        lambda side: _batch(side, *[{"Id": "a", "MessageBody": "a"}] * 2),
    ),
    Row(
        "SendMessageBatch",
        SQS_API,
        "1,048,576 bytes together",
        "BatchRequestTooLong",
        "BatchRequestTooLong",
        lambda side: _batch(side, *({"Id": str(n), "MessageBody": "x" * 600 * KB} for n in range(2))),
    ),
    Row(
        "ReceiveMessage",
        SQS_API,
        "10 messages",
        BAD_VALUE,
        BAD_VALUE,
        lambda side: _receive(side, MaxNumberOfMessages=11),
    ),
)
"""What is refused on both."""

ALLOWED: Final = (
    Row(
        "PutItem", GUIDE, "38 digits (Data types)", ACCEPTED, ACCEPTED, lambda side: _put(side, {"n": {"N": "1" * 38}})
    ),
    Row(
        "PutItem",
        GUIDE,
        "100 operands of IN (Operators and operands)",
        ACCEPTED,
        ACCEPTED,
        lambda side: _members(side, 100),
    ),
    Row(
        "TransactWriteItems",
        API,
        "100 items",
        ACCEPTED,
        ACCEPTED,
        lambda side: _transact(side, *(_large(number, 1) for number in range(100))),
    ),
    Row(
        "TransactWriteItems",
        API,
        "4 MB of items",
        ACCEPTED,
        ACCEPTED,
        lambda side: _transact(side, *(_large(number, 390 * KB) for number in range(10))),
    ),
    Row("BatchWriteItem", API, "25 writes", ACCEPTED, ACCEPTED, lambda side: _write_batch(side, 25)),
    Row("BatchGetItem", API, "100 keys", ACCEPTED, ACCEPTED, lambda side: _read_batch(side, 100)),
    Row(
        "PutObject",
        S3_GUIDE,
        "1,024 bytes of key (Naming Amazon S3 objects)",
        ACCEPTED,
        ACCEPTED,
        lambda side: _store(side, "ä" * 512),
    ),
    Row(
        "PutObject",
        S3_GUIDE,
        "2 KB of metadata (Working with object metadata)",
        ACCEPTED,
        ACCEPTED,
        lambda side: _store(side, Metadata={"a": "x" * (2 * KB - 1)}),
    ),
    Row("DeleteObjects", S3_API, "1,000 keys", ACCEPTED, ACCEPTED, lambda side: _delete_many(side, 1000)),
    Row("SendMessage", SQS_API, "1,048,576 bytes", ACCEPTED, ACCEPTED, lambda side: _send(side, "x" * KB * KB)),
    Row(
        "SendMessageBatch",
        SQS_API,
        "ids of 80 characters",
        ACCEPTED,
        ACCEPTED,
        lambda side: _batch(side, {"Id": "a" * 80, "MessageBody": "a"}),
    ),
)
"""What just fits on both."""

NEITHER: Final = (
    Row(
        "DeleteObject",
        S3_GUIDE,
        "a delete marker even of a key that never was (Deleting object versions)",
        "0 markers",
        "0 markers",
        _marker_over_nothing,
    ),
)
"""Where both engines differ from AWS; Laurel depends on none of it."""
