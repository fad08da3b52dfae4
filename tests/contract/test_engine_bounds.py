"""Bounds that only the engine keeps, too large to reach by requests; and its clock, which may be set back."""

from collections.abc import Iterator
from contextlib import closing

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


def test_stream_gives_a_thousand_records_at_once(clients: EngineClients) -> None:
    """More are refused."""
    position = clients.streams.get_shard_iterator(StreamArn="items", ShardId="", ShardIteratorType="TRIM_HORIZON")

    with pytest.raises(ClientError, match="ValidationException"):
        clients.streams.get_records(**position, Limit=1001)
    assert clients.streams.get_records(**position, Limit=1000)["Records"] == []


@pytest.mark.parametrize("notices", ["follow_clock", "release"])
@pytest.mark.parametrize(("delay", "receives"), [(0, 0), (900, 0), (0, 1)])
def test_what_waited_before_the_clock_was_set_back_does_not_wait_on(notices: str, delay: int, receives: int) -> None:
    """The running stack notices it, and the next start does; what is sent afterwards keeps its delay."""
    now = [1_000_000.0]
    with closing(Store(clock=lambda: now[0])) as store:
        sqs = make_clients(store).sqs
        store.define("queue", "q", {"DeduplicationScope": "messageGroup"})
        url = sqs.get_queue_url(QueueName="q")["QueueUrl"]
        sqs.enqueue("q", "before", delay=delay, dedup="1")
        for _ in range(receives):
            assert sqs.receive_message(QueueUrl=url)["Messages"]
        sqs.follow_clock()
        now[0] -= 3600
        sqs.send_message(QueueUrl=url, MessageBody="later", DelaySeconds=60)
        assert sqs.receive_message(QueueUrl=url) == {}

        if notices == "release":
            sqs = make_clients(store).sqs  # that of the next start
        getattr(sqs, notices)()

        assert [
            message["Body"] for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
        ] == ["before"]
        now[0] += 10
        sqs.follow_clock()
        assert sqs.receive_message(QueueUrl=url) == {}
        assert sqs.enqueue("q", "again", dedup="1") != sqs.enqueue("q", "other", dedup="2")
        assert len(sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]) == 2
