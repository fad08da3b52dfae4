"""What a request to AWS asks the caller's role for."""

from collections.abc import Iterator, Mapping
from typing import Any

from local.template import Template
from tests.harness.roles import Call
from tests.rehearsal.ministack.keys import find_attributes, find_keys

_PREFIX = "s3:prefix"
_OF_OBJECTS = {"HeadObject": "GetObject"}
"""Operations that need the right to another one."""
_OF_QUEUES = {
    "SendMessageBatch": "SendMessage",
    "DeleteMessageBatch": "DeleteMessage",
}


class Requests:
    """Lists the rights that the requests of functions need, by the names of a template's resources."""

    def __init__(self, template: Template) -> None:
        self._arns = {
            name: resource.arn
            for resource in template.resources.values()
            for name in (resource.name, resource.ref)
            if resource.arn is not None
        }
        self._partitions: dict[tuple[str, str | None], str] = {}
        for logical_id, table in template.resources_of("AWS::DynamoDB::Table").items():
            name = template.resources[logical_id].name
            for index in (table, *table.get("GlobalSecondaryIndexes", ())):
                self._partitions[name, index.get("IndexName")] = index["KeySchema"][0]["AttributeName"]

    def list_calls(self, operation: str, request: Mapping[str, Any]) -> Iterator[Call]:
        """Yield what an operation needs, by AWS's name of it.

        A transaction is judged by its parts, those of one kind together: AWS does not say whether it looks at their
        keys one by one.
        """
        if "Bucket" in request:
            yield from self._list_of_bucket(operation, request)
            return
        match operation:
            case "TransactWriteItems":
                parts: dict[tuple[str, str], list[Any]] = {}
                for action in request["TransactItems"]:
                    ((kind, part),) = action.items()
                    parts.setdefault((f"{kind}Item", part["TableName"]), []).append(action)
                for (kind, table), actions in parts.items():
                    yield self._call_table(kind, table, {"TransactItems": actions})
            case "BatchGetItem":
                for table, batch in request["RequestItems"].items():
                    yield self._call_table(operation, table, {"RequestItems": {table: batch}})
            case _ if "TableName" in request:
                yield self._call_table(operation, request["TableName"], request)
            case "Invoke":
                yield Call("lambda:InvokeFunction", self._find(request["FunctionName"]))
            case "SendEmail":
                yield from self._list_of_mail(request)
            case _:
                yield Call(f"sqs:{_OF_QUEUES.get(operation, operation)}", self._find(request["QueueUrl"]))

    def list_missing(self, operation: str, request: Mapping[str, Any]) -> Iterator[Call]:
        """Yield what S3 asks for before it says that an object does not exist; otherwise access is denied."""
        if operation in {"GetObject", "HeadObject", "CopyObject"}:
            read = request.get("CopySource", request)
            yield Call("s3:ListBucket", self._find(read["Bucket"]), {_PREFIX: (read["Key"],)})

    def _find(self, name: str) -> str:
        """Return the ARN of a resource; one that the template does not have has its name."""
        return self._arns.get(name) or name

    def _call_table(self, operation: str, table: str, request: Mapping[str, Any]) -> Call:
        index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
        named = {
            "dynamodb:LeadingKeys": find_keys(request, lambda *index: self._partitions[index]),
            "dynamodb:Attributes": find_attributes(request),
        }
        values = {key: tuple(sorted(found)) for key, found in named.items() if found}
        return Call(f"dynamodb:{operation}", self._find(table) + index, values)

    def _list_of_bucket(self, operation: str, request: Mapping[str, Any]) -> Iterator[Call]:
        bucket = self._find(request["Bucket"])
        match operation:
            case "ListObjectsV2":
                yield Call("s3:ListBucket", bucket, {_PREFIX: (request.get("Prefix", ""),)})
            case "ListObjectVersions":
                yield Call("s3:ListBucketVersions", bucket, {_PREFIX: (request.get("Prefix", ""),)})
            case "DeleteObjects":
                for each in request["Delete"]["Objects"]:
                    yield _call_object("DeleteObject", bucket, each)
            case "CopyObject":
                source = request["CopySource"]
                yield _call_object("GetObject", self._find(source["Bucket"]), source)
                yield Call("s3:PutObject", f"{bucket}/{request['Key']}")
            case _:
                yield _call_object(_OF_OBJECTS.get(operation, operation), bucket, request)

    def _list_of_mail(self, request: Mapping[str, Any]) -> Iterator[Call]:
        sender = request["FromEmailAddress"]
        action = "ses:SendRawEmail" if "Raw" in request["Content"] else "ses:SendEmail"
        # The ARN of an identity differs from that of the configuration in its end alone.
        configuration = self._find(request["ConfigurationSetName"])
        identity = configuration.partition(":configuration-set/")[0] + f":identity/{sender}"
        for resource in (identity, configuration):
            yield Call(action, resource, {"ses:FromAddress": (sender,)})


def _call_object(operation: str, bucket: str, request: Mapping[str, Any]) -> Call:
    versioned = "Version" if request.get("VersionId") else ""
    return Call(f"s3:{operation}{versioned}", f"{bucket}/{request['Key']}")
