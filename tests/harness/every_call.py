"""Makes every AWS call of Laurel's code once, and prints requests and answers: `python -m tests.harness.every_call`.

It runs in a process of its own, on the packages that PYTHONPATH puts first. BUCKET, TABLE and QUEUE name what exists.
"""

import json
import os
import sys
from typing import Any

import botocore
from botocore.exceptions import ClientError

from storage.gateway import aws

_PUT: dict[str, Any] = {
    "TableName": "TABLE",
    "Item": {"key": {"S": "k"}, "n": {"N": "1"}, "set": {"SS": ["a"]}},
    "ConditionExpression": "attribute_not_exists(#key)",
    "ExpressionAttributeNames": {"#key": "key"},
    "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
}
CALLS: dict[str, dict[str, dict[str, Any]]] = {
    "s3": {
        "put_object": {
            "Bucket": "BUCKET",
            "Key": "k/é 1",
            "Body": b"{}",
            "ContentType": "application/json",
            "IfNoneMatch": "*",
        },
        "get_object": {"Bucket": "BUCKET", "Key": "k/é 1", "Range": "bytes=0-1"},
        "head_object": {"Bucket": "BUCKET", "Key": "k/none"},
        "copy_object": {"Bucket": "BUCKET", "Key": "k/2", "CopySource": {"Bucket": "BUCKET", "Key": "k/é 1"}},
        "list_objects_v2": {"Bucket": "BUCKET", "Prefix": "k/", "MaxKeys": 1},
        "list_object_versions": {"Bucket": "BUCKET", "Prefix": "k/"},
        "delete_object": {"Bucket": "BUCKET", "Key": "k/2"},
        "delete_objects": {"Bucket": "BUCKET", "Delete": {"Objects": [{"Key": "k/3"}], "Quiet": True}},
        "head_bucket": {"Bucket": "BUCKET"},
        "create_bucket": {"Bucket": "another-bucket"},
        "create_session": {"Bucket": "BUCKET"},
    },
    "dynamodb": {
        "put_item": _PUT,
        "transact_write_items": {"TransactItems": [{"Put": _PUT}]},
        "get_item": {"TableName": "TABLE", "Key": {"key": {"S": "k"}}, "ConsistentRead": True},
        "batch_get_item": {"RequestItems": {"TABLE": {"Keys": [{"key": {"S": "k"}}], "ConsistentRead": True}}},
        "update_item": {
            "TableName": "TABLE",
            "Key": {"key": {"S": "k"}},
            "UpdateExpression": "SET #n = :n",
            "ConditionExpression": "#n = :n",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": {":n": {"N": "2"}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
        "query": {
            "TableName": "TABLE",
            "KeyConditionExpression": "#key = :key",
            "ExpressionAttributeNames": {"#key": "key"},
            "ExpressionAttributeValues": {":key": {"S": "k"}},
        },
        "delete_item": {"TableName": "TABLE", "Key": {"key": {"S": "k"}}},
        "describe_endpoints": {},
    },
    "sqs": {
        "send_message": {
            "QueueUrl": "QUEUE",
            "MessageBody": "{}",
            "MessageAttributes": {"a": {"DataType": "String", "StringValue": "é"}},
        },
        "send_message_batch": {"QueueUrl": "QUEUE", "Entries": [{"Id": "1", "MessageBody": "{}"}]},
        "receive_message": {
            "QueueUrl": "QUEUE",
            "MaxNumberOfMessages": 10,
            "WaitTimeSeconds": 0,
            "MessageSystemAttributeNames": ["All"],
        },
        "delete_message": {"QueueUrl": "QUEUE", "ReceiptHandle": "none"},
        "change_message_visibility": {"QueueUrl": "QUEUE", "ReceiptHandle": "none", "VisibilityTimeout": 1},
    },
    "sesv2": {
        "send_email": {
            "FromEmailAddress": "a@example.org",
            "Destination": {"ToAddresses": ["b@example.org"]},
            "Content": {"Raw": {"Data": b"Subject: a\r\n\r\nb"}},
        }
    },
    "lambda": {"invoke": {"FunctionName": "none", "TenantId": "t", "Payload": b"{}"}},
}
"""By service and method. The order matters: the put comes before the get."""

_CHANGING = {
    "requestid",
    "hostid",
    "date",
    "lastmodified",
    "messageid",
    "receipthandle",
    "senttimestamp",
    "approximatefirstreceivetimestamp",
    "httpheaders",
    "x-amz-request-id",
    "retryattempts",
}


def main() -> None:
    """Make the calls, and print what left and what came back as JSON."""
    names = {name: os.environ[name] for name in ("BUCKET", "TABLE", "QUEUE")}
    session = aws.make_session()
    made = {service: session.create_client(service) for service in CALLS}
    found: dict[str, Any] = {"botocore": botocore.__file__, "operations": {}, "calls": {}, "endpoints": {}}
    for service, client in made.items():
        found["operations"][service] = sorted(client.meta.method_to_api_mapping)
        for method, parameters in CALLS[service].items():
            found["calls"][f"{service}.{method}"] = _call(client, method, _fill(parameters, names))
    s3 = made["s3"]
    found["pages"] = [
        len(page.get("Contents", ())) for page in s3.get_paginator("list_objects_v2").paginate(Bucket=names["BUCKET"])
    ]
    pages = made["dynamodb"].get_paginator("query").paginate(**_fill(CALLS["dynamodb"]["query"], names))
    found["query"] = [page["Count"] for page in pages]
    signed = s3.generate_presigned_url("get_object", Params={"Bucket": "b", "Key": "k"}, ExpiresIn=9)
    form = s3.generate_presigned_post(Bucket="b", Key="k", Fields={"a": "b"}, Conditions=[{"a": "b"}], ExpiresIn=9)
    found["signed"] = [signed.partition("?")[0], form["url"], sorted(form["fields"])]
    found["endpoints"] = _endpoints(session)
    json.dump(found, sys.stdout, default=str)


def _call(client: Any, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    sent: list[Any] = []

    def note(request: Any, **_: Any) -> None:
        body = request.body.read() if hasattr(request.body, "read") else request.body
        sent.append([request.method, request.url, str(body), sorted({name.lower() for name in request.headers})])

    client.meta.events.register("before-sign", note)
    try:
        answer = getattr(client, method)(**parameters)
        if "Body" in answer:
            answer["Body"] = answer["Body"].read()
    except ClientError as error:
        answer = error.response
    finally:
        client.meta.events.unregister("before-sign", note)
    return {"sent": sent, "answer": _stable(answer)}


def _endpoints(session: Any) -> dict[str, str]:
    """Return the endpoints in every region of every partition, without those of the environment."""
    del os.environ["AWS_ENDPOINT_URL"]
    regions = [
        region
        for partition in session.get_available_partitions()
        for region in session.get_available_regions("s3", partition, allow_non_regional=False)
    ]
    return {
        f"{service} {region}": session.create_client(service, region_name=region).meta.endpoint_url
        for service in CALLS
        for region in [*regions, "eu-future-9"]
    }


def _fill(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(name, name): _fill(entry, names) for name, entry in value.items()}
    if isinstance(value, list):
        return [_fill(entry, names) for entry in value]
    return names.get(value, value) if isinstance(value, str) else value


def _stable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _stable(entry) for name, entry in value.items() if name.lower() not in _CHANGING}
    return [_stable(entry) for entry in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main()
