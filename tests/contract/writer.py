"""A process that writes to a file of the engine, for `test_processes.py`; prints each write that was acknowledged."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

from botocore.exceptions import ClientError

sys.path.insert(0, str(Path(__file__).parents[2]))

from engine.cloud import EngineClients, make_clients
from engine.store import Store

ACCESS, MAIL = "laurel-local-accesstable", "laurel-local-mailtable"
RESULTS = "laurel-local-results-123456789012-us-east-1"
DEAD = "https://engine/laurel-local-evaluatedeadletterqueue"


def acknowledge(text: str) -> None:
    """Tell the test what was done."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write(clients: EngineClients, name: str) -> None:
    """Write objects, pairs of items and messages until somebody ends it."""
    for number in count():
        text = f"{name}.{number}"
        key = f"results/{text}.json"
        clients.s3.put_object(Bucket=RESULTS, Key=key, Body=b"{}", IfNoneMatch="*")
        acknowledge(f"object {key}")
        puts = [
            {"Put": {"TableName": MAIL, "Item": {"thread": {"S": "t"}, "item": {"S": f"{text}-{half}"}}}}
            for half in "ab"
        ]
        clients.dynamodb.transact_write_items(TransactItems=puts)
        acknowledge(f"items {text}")
        clients.sqs.send_message(QueueUrl=DEAD, MessageBody=text)
        acknowledge(f"message {text}")


def raise_counter(clients: EngineClients, _: int) -> int:
    """Raise a counter twenty times by reading it and writing it on a condition; return how often that was done."""
    key, raised = {"key": {"S": "counter"}}, 0
    while raised < 20:
        item = clients.dynamodb.get_item(TableName=ACCESS, Key=key, ConsistentRead=True).get("Item")
        before = {":n": item["n"]} if item else None
        values = {"ExpressionAttributeValues": before} if before else {}
        try:
            clients.dynamodb.put_item(
                TableName=ACCESS,
                Item={**key, "n": {"N": str(int(item["n"]["N"]) + 1 if item else 1)}},
                ConditionExpression="n = :n" if before else "attribute_not_exists(n)",
                **values,
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ConditionalCheckFailedException":
                raise
        else:
            raised += 1
    return raised


def main() -> None:
    """Do what the arguments say: the file, `write` or `raise`, and a name."""
    path, task, name = sys.argv[1:]
    clients = make_clients(Store(Path(path)))
    if task == "write":
        write(clients, name)
    with ThreadPoolExecutor(3) as pool:
        acknowledge(str(sum(pool.map(lambda number: raise_counter(clients, number), range(3)))))


if __name__ == "__main__":
    main()
