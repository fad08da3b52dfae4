"""A transaction writes all of its items or none, on both engines."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.sides import MAIL, Clients, read_stream

COUNT = 100


def make_put(number: int, **request: Any) -> Any:
    """Return the put of one of a hundred items."""
    item = {"thread": {"S": f"t{number % 3}"}, "item": {"S": f"{number:03}"}, "n": {"N": str(number)}}
    return {"Put": {"TableName": MAIL, "Item": item, **request}}


def count(side: Clients) -> int:
    """Return how many items there are."""
    return int(side.dynamodb.scan(TableName=MAIL)["Count"])


def test_hundred_items_are_written_with_one_stream_record_each(side: Clients) -> None:
    """A transaction of the largest size writes each item, and the stream has each once, in the given order."""
    side.dynamodb.transact_write_items(TransactItems=[make_put(number) for number in range(COUNT)])

    records = read_stream(side, MAIL)
    assert count(side) == COUNT
    assert [record["dynamodb"]["Keys"]["item"]["S"] for record in records] == [f"{n:03}" for n in range(COUNT)]
    assert {record["eventName"] for record in records} == {"INSERT"}


def test_failed_condition_undoes_all(side: Clients) -> None:
    """If the condition of the last item does not hold, nothing is written, and the reasons say which one it was."""
    side.dynamodb.put_item(**make_put(COUNT - 1)["Put"])
    condition = {
        "ConditionExpression": "attribute_not_exists(thread)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }

    with pytest.raises(ClientError) as caught:
        side.dynamodb.transact_write_items(TransactItems=[make_put(number, **condition) for number in range(COUNT)])

    answer: Any = caught.value.response
    assert answer["Error"]["Code"] == "TransactionCanceledException"
    assert [reason["Code"] for reason in answer["CancellationReasons"]] == [
        *["None"] * (COUNT - 1),
        "ConditionalCheckFailed",
    ]
    assert answer["CancellationReasons"][-1]["Item"] == make_put(COUNT - 1)["Put"]["Item"]
    assert count(side) == len(read_stream(side, MAIL)) == 1
