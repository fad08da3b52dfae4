"""Bounds of AWS that only the engine keeps, and that are too large to reach by requests."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from engine.cloud import EngineClients, make_clients
from engine.store import Store

IN_FLIGHT = 120_000


@pytest.fixture
def clients() -> Iterator[EngineClients]:
    """An engine with two queues and a table."""
    made = make_clients(Store())
    table = {
        "KeySchema": [{"AttributeName": "key", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamViewType": "NEW_IMAGE"},
    }
    declared: list[tuple[str, str, dict[str, Any]]] = [
        ("AWS::SQS::Queue", "small", {"MaximumMessageSize": 1024}),
        ("AWS::SQS::Queue", "ordered.fifo", {"FifoQueue": True}),
        ("AWS::DynamoDB::Table", "items", table),
    ]
    made.declare(declared, sender="")
    yield made
    made.store.close()


def fly(clients: EngineClients, queue: str) -> None:
    """Let as many messages of a queue be in flight as may be, and one more wait."""
    with clients.store.writing() as connection:
        connection.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) "
            "INSERT INTO messages (queue, grp, visible, id, body, sent, receives) "
            "SELECT ?, n, ?, n, 'a', 0, 1 FROM numbers",
            (IN_FLIGHT, queue, clients.store.clock() + 1000),
        )
    clients.sqs.enqueue(queue, "waits", group="g")


def test_standard_queue_says_that_too_much_is_in_flight(clients: EngineClients) -> None:
    """A client that does not wait is told so, and one that waits gets nothing."""
    fly(clients, "small")

    with pytest.raises(ClientError, match="OverLimit"):
        clients.sqs.receive_message(QueueUrl="small")
    assert clients.sqs.receive_message(QueueUrl="small", WaitTimeSeconds=1) == {}


def test_fifo_queue_delivers_nothing_while_too_much_is_in_flight(clients: EngineClients) -> None:
    """A FIFO queue does not say so."""
    fly(clients, "ordered.fifo")

    assert clients.sqs.receive_message(QueueUrl="ordered.fifo") == {}


@pytest.mark.parametrize(("size", "is_sent"), [(1024, True), (1025, False)])
def test_queue_bounds_its_messages(clients: EngineClients, size: int, is_sent: bool) -> None:  # noqa: FBT001
    """A message is as long as its queue allows."""
    answer = clients.sqs.send_message_batch(QueueUrl="small", Entries=[{"Id": "a", "MessageBody": "x" * size}])

    assert ("Successful" in answer) is is_sent


def test_batch_of_reads_ends_after_16_mb(clients: EngineClients) -> None:
    """The keys of what has no room are in the answer."""
    keys = [{"key": {"S": str(number)}} for number in range(45)]
    for key in keys:
        clients.dynamodb.put_item(TableName="items", Item={**key, "text": {"S": "x" * 400_000}})

    answer = clients.dynamodb.batch_get_item(RequestItems={"items": {"Keys": keys, "ConsistentRead": True}})

    assert answer["UnprocessedKeys"] == {"items": {"Keys": keys[41:], "ConsistentRead": True}}
    assert len(answer["Responses"]["items"]) == 41


def test_stream_gives_a_thousand_records_at_once(clients: EngineClients) -> None:
    """More are refused."""
    position = clients.streams.get_shard_iterator(StreamArn="items", ShardId="", ShardIteratorType="TRIM_HORIZON")

    with pytest.raises(ClientError, match="ValidationException"):
        clients.streams.get_records(**position, Limit=1001)
    assert clients.streams.get_records(**position, Limit=1000)["Records"] == []
