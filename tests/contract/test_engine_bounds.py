"""Bounds of AWS that only the engine keeps, and that are too large to reach by requests."""

from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from engine.cloud import EngineClients, make_clients
from engine.store import Store


@pytest.fixture
def clients() -> Iterator[EngineClients]:
    """An engine with a table."""
    made = make_clients(Store())
    table = {
        "KeySchema": [{"AttributeName": "key", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamViewType": "NEW_IMAGE"},
    }
    made.declare([("AWS::DynamoDB::Table", "items", table)], sender="")
    yield made
    made.store.close()


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
