"""The floor: the time of moto for the least that a result needs, a write to S3, SQS and DynamoDB each."""

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
    """Write to S3, SQS and DynamoDB with nothing around it, in a bucket, a queue and a table of their own.

    Args:
        stack: The stack whose moto is measured.
        count: Number of triples.
        concurrency: Triples under way at once.
    """
    s3, sqs, dynamodb = (stack.client(service) for service in ("s3", "sqs", "dynamodb"))
    s3.create_bucket(Bucket=NAME)
    queue = sqs.create_queue(QueueName=NAME)["QueueUrl"]
    dynamodb.create_table(
        TableName=NAME,
        AttributeDefinitions=[{"AttributeName": "key", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "key", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )

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
