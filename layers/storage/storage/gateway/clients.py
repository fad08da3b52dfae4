"""The AWS clients, each built once, all from one session: a second session costs a cold start 100 ms.

They are botocore's, not boto3's, whose resources and transfers cost a cold start another 30 ms; or those of an engine.
No other code calls DynamoDB.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from itertools import batched
from typing import TYPE_CHECKING, Any, cast

from storage.gateway.conditions import Equals, Item, ItemChange, ItemCondition, Placeholders, Put, Query, Update
from storage.gateway.errors import MAX_TRIES, Busy
from storage.gateway.schema import marshal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient

    from storage.gateway.table import Tables

ENGINE_VARIABLE = "LAUREL_ENGINE"
"""Names the file of the engine that answers in place of AWS."""
MAX_THREADS = 16
"""Of calls at the same time: most of a call is waiting. Clients may be shared by threads."""
READ_AT_ONCE = 100
DELETED_AT_ONCE = 25

type Request = dict[str, Any]
"""The parameters of a call."""


class _OnFirstUse:
    """A client that is made when it is first used: most results need none of these, nor do most requests."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _client(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@cache
def _session() -> Any:
    if path := os.environ.get(ENGINE_VARIABLE):
        return import_module("engine.cloud").EngineSession(path)  # which a Lambda function does not have
    return _make_session()


def _make_session() -> Any:
    from storage.gateway.session import make_session  # noqa: PLC0415  # a server of its own has no botocore

    return make_session()


@cache
def s3_client() -> "S3Client":
    """Return the S3 client."""
    return cast("S3Client", _session().create_client("s3"))


@cache
def dynamodb_client() -> "Tables":
    """Return the tables of DynamoDB, or of the engine, which needs no translation."""
    session = _session()
    if hasattr(session, "make_tables"):
        return cast("Tables", session.make_tables())
    return AwsTables(session.create_client("dynamodb"))


@cache
def sqs_client() -> "SQSClient":
    """Return the SQS client."""
    return cast("SQSClient", _OnFirstUse(lambda: _session().create_client("sqs")))


@cache
def ses_client() -> "SESV2Client":
    """Return the SES client, which never retries."""
    return cast("SESV2Client", _session().create_client("sesv2"))


@cache
def lambda_client() -> "LambdaClient":
    """Return the Lambda client, which waits for the longest run and never retries."""
    return cast("LambdaClient", _OnFirstUse(lambda: _session().create_client("lambda")))


class _InTurn(Executor):
    """Acts at once in the thread that submits."""

    def submit(self, act: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Act, and return a future that is done."""
        future: Future[Any] = Future()
        try:
            future.set_result(act(*arguments, **named))
        except Exception as error:  # noqa: BLE001  # the future raises it
            future.set_exception(error)
        return future


def open_pool(threads: int) -> Executor:
    """Return a pool of threads, or with an engine one without.

    A file answers one call after another, and starting a thread takes longer than a call.
    """
    return _InTurn() if os.environ.get(ENGINE_VARIABLE) else ThreadPoolExecutor(threads)


def run_at_once[Item, Result](act: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Act on each item, up to 16 at a time, and return the results in order.

    All are finished when it returns or raises what one of them raised.
    """
    if len(items) <= 1:
        return [act(item) for item in items]
    with open_pool(min(MAX_THREADS, len(items))) as pool:
        # Not `map`: it cancels what has not begun as soon as one raises.
        futures = [pool.submit(act, item) for item in items]
    return [future.result() for future in futures]


@dataclass(frozen=True, slots=True)
class AwsTables:
    """The tables of a client."""

    client: "DynamoDBClient"

    def get(self, table: str, key: Mapping[str, str]) -> Item | None:
        """Read an item (consistent); None if it does not exist."""
        return self.client.get_item(**request_get(table, key)).get("Item")

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> Iterator[Item]:
        """Read those of some items that exist (consistent), in any order. Raises Busy."""
        for batch in batched(keys, READ_AT_ONCE, strict=False):
            request = request_get_many(table, batch)
            for _ in range(MAX_TRIES):
                answer = self.client.batch_get_item(**request)
                yield from answer["Responses"].get(table, ())
                if not (left := answer["UnprocessedKeys"]):
                    break
                request = {"RequestItems": left}
            else:
                raise Busy(f"read items of {table}: {len(left[table]['Keys'])} keys left after {MAX_TRIES} tries")

    def put(self, table: str, put: Put) -> None:
        """Write an item on a condition."""
        self.client.put_item(**request_put(table, put))

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write different items, each on its condition, or none of them."""
        self.client.transact_write_items(**request_transaction(table, puts))

    def update(self, table: str, update: Update) -> Item:
        """Change an item on a condition; return what was changed, if it may be read."""
        return self.client.update_item(**request_update(table, update)).get("Attributes", {})

    def delete(self, table: str, key: Mapping[str, str], condition: ItemCondition | None) -> None:
        """Delete an item, if it exists, on a condition."""
        self.client.delete_item(**request_delete(table, key, condition))

    def delete_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> None:
        """Delete the items of different keys that exist. Raises Busy."""
        for batch in batched(keys, DELETED_AT_ONCE, strict=False):
            request = request_delete_many(table, batch)
            for _ in range(MAX_TRIES):
                left: Any = self.client.batch_write_item(**request)["UnprocessedItems"]
                if not left:
                    break
                request = {"RequestItems": left}
            else:
                raise Busy(f"delete items of {table}: some are left after {MAX_TRIES} tries")

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, each when it is asked for."""
        # A page ends after 1 MB, however many items are asked for.
        for page in self.client.get_paginator("query").paginate(**request_query(table, query)):
            yield page["Items"]


def request_get(table: str, key: Mapping[str, str]) -> Request:
    """Return the request of a read."""
    return {"TableName": table, "Key": marshal(key), "ConsistentRead": True}


def request_get_many(table: str, keys: Sequence[Mapping[str, str]]) -> Request:
    """Return the request of a read of up to READ_AT_ONCE items."""
    return {"RequestItems": {table: {"Keys": [marshal(key) for key in keys], "ConsistentRead": True}}}


def request_put(table: str, put: Put) -> Request:
    """Return the request of a put."""
    return {
        "TableName": table,
        "Item": put.item,
        **_express(ConditionExpression=put.condition),
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def request_transaction(table: str, puts: Sequence[Put]) -> Request:
    """Return the request of puts of which all are made or none."""
    return {"TransactItems": [{"Put": request_put(table, put)} for put in puts]}


def request_update(table: str, update: Update) -> Request:
    """Return the request of an update."""
    shown = {"ReturnValues": "UPDATED_NEW", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    return {
        "TableName": table,
        "Key": marshal(update.key),
        **_express(UpdateExpression=update.change, ConditionExpression=update.condition),
        **(shown if update.may_read else {}),
    }


def request_delete(table: str, key: Mapping[str, str], condition: ItemCondition | None) -> Request:
    """Return the request of a deletion."""
    return {"TableName": table, "Key": marshal(key), **_express(ConditionExpression=condition)}


def request_delete_many(table: str, keys: Sequence[Mapping[str, str]]) -> Request:
    """Return the request of up to DELETED_AT_ONCE deletions."""
    return {"RequestItems": {table: [{"DeleteRequest": {"Key": marshal(key)}} for key in keys]}}


def request_query(table: str, query: Query) -> Request:
    """Return the request of a query, as its paginator takes it."""
    condition: ItemCondition = Equals(*query.key)
    if query.sort is not None:
        condition &= query.sort
    return {
        "TableName": table,
        **_express(query.attributes, KeyConditionExpression=condition, FilterExpression=query.keep),
        **({"ConsistentRead": True} if query.is_consistent else {}),
        **({"IndexName": query.index} if query.index else {}),
        **({"ScanIndexForward": False} if query.is_down else {}),
        **({"PaginationConfig": {"PageSize": query.length}} if query.length else {}),
    }


def _express(attributes: Collection[str] = (), **expressions: ItemCondition | ItemChange | None) -> Request:
    """Return the expressions of a request, and what their placeholders stand for."""
    placeholders = Placeholders()
    request: Request = {name: each.translate(placeholders) for name, each in expressions.items() if each is not None}
    if attributes:
        request["ProjectionExpression"] = ", ".join(map(placeholders.name, attributes))
    if placeholders.names:
        request["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        request["ExpressionAttributeValues"] = placeholders.values
    return request
