"""The floor: the time of the engine for the least that a result needs, an object, a message and an item."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from under_load.stack import Running

NAME = "bench-floor"
BODY = b'{"question": "7", "text": "TR-V030-1519"}'


class Floor(NamedTuple):
    """Triples of writes a second, and the median milliseconds of one."""

    per_second: float
    milliseconds: float


def measure_floor(stack: Running, *, count: int, concurrency: int) -> Floor:
    """Write to the stack's file with nothing around it, in a bucket, a queue and a table of their own.

    Args:
        stack: The stack whose file is measured.
        count: Number of triples.
        concurrency: Triples under way at once.
    """
    s3, sqs, dynamodb = (stack.client(service) for service in ("s3", "sqs", "dynamodb"))
    s3.store.define("bucket", NAME, {})
    sqs.store.define("queue", NAME, {})
    dynamodb.store.define("table", NAME, {"KeySchema": [{"AttributeName": "key", "KeyType": "HASH"}]})
    queue = sqs.get_queue_url(QueueName=NAME)["QueueUrl"]

    def write(number: int) -> float:
        started = time.perf_counter()
        s3.put_object(Bucket=NAME, Key=str(number), Body=BODY, IfNoneMatch="*")
        sqs.send_message(QueueUrl=queue, MessageBody=str(number))
        dynamodb.put_item(
            TableName=NAME, Item={"key": {"S": str(number)}}, ConditionExpression="attribute_not_exists(#k)",
            ExpressionAttributeNames={"#k": "key"},
        )  # fmt: skip
        return (time.perf_counter() - started) * 1000

    with ThreadPoolExecutor(concurrency) as pool:
        list(pool.map(write, range(concurrency)))  # connections are made
        started = time.perf_counter()
        spent = list(pool.map(write, range(concurrency, concurrency + count)))
        seconds = time.perf_counter() - started
    return Floor(count / seconds, statistics.median(spent))
