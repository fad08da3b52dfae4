"""The gateway's side of AWS: the requests that it sends, and the errors that its answers become.

No other code imports boto3 or botocore, or calls S3, SQS, DynamoDB, SES or Lambda. The clients are all of one session,
as a second one costs a cold start 100 ms, and botocore's, not boto3's, whose resources and transfers cost another 30.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from http import HTTPStatus
from itertools import batched
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from botocore import exceptions
from botocore.config import Config
from botocore.session import Session

from storage.gateway.bucket import NewObject, ObjectInfo, StoredObject, UploadForm, make_fields
from storage.gateway.conditions import Equals, Item, ItemChange, ItemCondition, Placeholders, Put, Query, Update
from storage.gateway.errors import MAX_TRIES, Busy, Conflict, MetAnother, NotFound, Refused, StoreError
from storage.gateway.queue import BATCH, FifoPlace, ReceivedMessage
from storage.gateway.schema import marshal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sesv2 import SESV2Client
    from mypy_boto3_sqs import SQSClient

    from storage.gateway.functions import Invoked

READ_AT_ONCE = 100
_CONFIG = Config(
    connect_timeout=3,
    read_timeout=20,
    retries={"mode": "standard", "total_max_attempts": 4},
    max_pool_connections=20,
)
_CONFIGS = {
    # Presigned URLs must name the bucket's own regional host: the site's pages may send to no other. botocore names it
    # only if both are asked for: the style in every other region, the endpoint in us-east-1.
    "s3": _CONFIG.merge(
        Config(signature_version="s3v4", s3={"addressing_style": "virtual", "us_east_1_regional_endpoint": "regional"})
    ),
    # A mail whose answer is lost may have been sent: the next copy must say so, and one that botocore sends does not.
    "sesv2": _CONFIG.merge(Config(retries={"total_max_attempts": 1})),
    # A script may run for 120 s; a retry in that time would run it twice.
    "lambda": Config(connect_timeout=3, read_timeout=175, retries={"total_max_attempts": 1}),
}

# A missing bucket or table is a wrong configuration, so it is Refused: it must never look like a missing result.
_NOT_FOUND = frozenset({"NoSuchKey", "NoSuchVersion", "404", "NotFound"})
_MET_ANOTHER = "ConditionalRequestConflict"
"""S3's answer, 409, to a conditional write that meets another one."""
_CONFLICT = frozenset({"PreconditionFailed", "412", "ConditionalCheckFailedException"})
_BUSY_STATUS = frozenset({429, 500, 502, 503, 504})
_BUSY = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
_CANCELED = "TransactionCanceledException"
"""The answer to a transaction of which nothing was written; its reasons say why, one for each write."""
_MET = frozenset({"ConditionalCheckFailed", "TransactionConflict"})
_CROWDED = frozenset({"ProvisionedThroughputExceeded", "RequestLimitExceeded", "ThrottlingError"})
_NEVER_SENT = frozenset(
    {"BadRequestException", "InvalidParameterValue", "MailFromDomainNotVerifiedException", "MessageRejected"}
)

type Request = dict[str, Any]
"""The parameters of a call."""


class AwsSession(Session):
    """Makes clients with the settings of their service."""

    def create_client(self, service_name: str, *arguments: Any, **options: Any) -> Any:
        """Return the client of a service."""
        return super().create_client(
            service_name, *arguments, **{"config": _CONFIGS.get(service_name, _CONFIG), **options}
        )


def make_session() -> AwsSession:
    """Return a session of this process."""
    # Lambda sets a function's log level on every logger. At DEBUG these two log items, and headers with credentials.
    for name in ("botocore", "urllib3"):
        logging.getLogger(name).setLevel(logging.INFO)
    return AwsSession()


class AwsServices:
    """The gateway's services, by clients of one session."""

    def __init__(self, session: Any) -> None:
        self._session = session

    @cached_property
    def tables(self) -> "AwsTables":
        """DynamoDB."""
        return AwsTables(self._session.create_client("dynamodb"))

    @cached_property
    def objects(self) -> "AwsObjects":
        """S3."""
        return AwsObjects(self._session.create_client("s3"))

    @cached_property
    def messages(self) -> "AwsMessages":
        """SQS."""
        return AwsMessages(cast("SQSClient", _OnFirstUse(lambda: self._session.create_client("sqs"))))

    @cached_property
    def mails(self) -> "AwsMails":
        """SES."""
        return AwsMails(self._session.create_client("sesv2"))

    @cached_property
    def functions(self) -> "AwsFunctions":
        """Lambda."""
        return AwsFunctions(cast("LambdaClient", _OnFirstUse(lambda: self._session.create_client("lambda"))))


class _OnFirstUse:
    """A client that is made when it is first used: most results need none of these, nor do most requests."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _client(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


@contextmanager
def aws_errors(action: str) -> Iterator[None]:
    """Turn errors of AWS inside the block into StoreErrors that begin with the action."""
    try:
        yield
    except exceptions.ClientError as error:
        kind = _kind_of(error)
        reason = "somebody else wrote it in the meantime" if issubclass(kind, Conflict) else error
        raised = kind(f"{action}: {reason}")
        raised.code = _code_of(error)
        if isinstance(raised, Conflict):
            raised.items = [answer.get("Item", {}) for answer in _list_reasons(error) or [error.response]]
        raise raised from error
    except (exceptions.ConnectionError, exceptions.HTTPClientError, exceptions.IncompleteReadError) as error:
        raise Busy(f"{action}: {error}") from error
    except exceptions.BotoCoreError as error:  # no credentials, no region, a request that botocore itself rejects
        raise Refused(f"{action}: {error}") from error


def _status_of(error: exceptions.ClientError) -> int:
    return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)


def _code_of(error: exceptions.ClientError) -> str:
    return error.response.get("Error", {}).get("Code", "")


def _list_reasons(error: exceptions.ClientError) -> list[Any]:
    """Return why each write of a canceled transaction was refused, in order."""
    response: Any = error.response
    return list(response.get("CancellationReasons", ()))


def _kind_of(error: exceptions.ClientError) -> type[StoreError]:
    code = _code_of(error)
    if code == _CANCELED:
        # A write that can never succeed counts more than one that may.
        reasons = {reason.get("Code", "None") for reason in _list_reasons(error)} - {"None"}
        if not reasons or not reasons <= _MET | _CROWDED:
            return Refused
        return Conflict if reasons & _MET else Busy
    if code in _CONFLICT:
        return Conflict
    if code == _MET_ANOTHER:
        return MetAnother
    if code in _NOT_FOUND:
        return NotFound
    return Busy if code in _BUSY or _status_of(error) in _BUSY_STATUS else Refused


class AwsObjects(NamedTuple):
    """The buckets of a client."""

    client: "S3Client"

    def get(
        self, bucket: str, key: str, *, version_id: str | None = None, part: tuple[int, int] | None = None
    ) -> StoredObject:
        """Read an object, or a part of its bytes. Raises NotFound."""
        more: Request = _say(VersionId=version_id, Range=part and f"bytes={part[0]}-{part[1]}")
        with aws_errors(f"read {key}"):
            answer = self.client.get_object(Bucket=bucket, Key=key, **more)
            return StoredObject(answer["Body"].read(), _read_info(answer))

    def find_info(self, bucket: str, key: str, *, version_id: str | None = None) -> ObjectInfo | None:
        """Read what is stored of an object besides its body; None if it does not exist."""
        more: Request = _say(VersionId=version_id)
        try:
            with aws_errors(f"read the metadata of {key}"):
                return _read_info(self.client.head_object(Bucket=bucket, Key=key, **more))
        except NotFound:
            return None

    def put(self, bucket: str, key: str, new: NewObject) -> str:
        """Write an object, and return its ETag. Raises Conflict, MetAnother."""
        more: Request = _say(
            ContentType=new.content_type,
            CacheControl=new.cache_control,
            Metadata=new.metadata or None,
            IfMatch=new.replacing or None,
            IfNoneMatch="*" if new.replacing == "" else None,
        )
        try:
            with aws_errors(f"write {key}"):
                return self.client.put_object(Bucket=bucket, Key=key, Body=new.body, **more)["ETag"]
        except NotFound as error:  # the answer to If-Match if the object is gone
            raise Conflict(str(error)) from error

    def copy(self, bucket: str, source: str, key: str, *, content_type: str) -> None:
        """Copy an object without its metadata and tags. Raises NotFound."""
        with aws_errors(f"copy {source}"):
            self.client.copy_object(
                Bucket=bucket,
                Key=key,
                CopySource={"Bucket": bucket, "Key": source},
                MetadataDirective="REPLACE",
                TaggingDirective="REPLACE",
                ContentType=content_type,
            )

    def delete(self, bucket: str, key: str, *, version_id: str | None = None) -> None:
        """Delete an object, or one of its versions for good, if it exists."""
        more: Request = _say(VersionId=version_id)
        with aws_errors(f"delete {key}"):
            self.client.delete_object(Bucket=bucket, Key=key, **more)

    def delete_many(self, bucket: str, keys: Sequence[str]) -> None:
        """Delete up to MAX_LISTED objects, if they exist."""
        with aws_errors("delete objects"):
            named: Any = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
            answer = self.client.delete_objects(Bucket=bucket, Delete=named)
        if errors := answer.get("Errors"):
            raise Busy(f"delete objects: {len(errors)} of {len(keys)} not deleted, {errors[0]}")

    def list_pages(
        self, bucket: str, prefix: str, *, after: str = "", length: int | None = None
    ) -> Iterator[Sequence[tuple[str, datetime]]]:
        """Read the pages of a list of keys, and when each object was written."""
        more = _say(StartAfter=after or None, PaginationConfig=length and {"PageSize": length})
        for page in self._read_pages("list_objects_v2", bucket, prefix, **more):
            yield [(entry["Key"], entry["LastModified"]) for entry in page.get("Contents", ())]

    def list_folders(self, bucket: str, prefix: str) -> Iterator[Sequence[str]]:
        """Read the pages of a list of the folders below a prefix."""
        for page in self._read_pages("list_objects_v2", bucket, prefix, Delimiter="/"):
            yield [entry["Prefix"] for entry in page.get("CommonPrefixes", ())]

    def list_versions(self, bucket: str, prefix: str) -> Iterator[Sequence[tuple[str, str]]]:
        """Read the pages of a list of keys and ids of versions, delete markers included."""
        for page in self._read_pages("list_object_versions", bucket, prefix):
            listed = (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
            yield [(version["Key"], version["VersionId"]) for version in listed]

    def sign_download(self, bucket: str, key: str, *, filename: str, seconds: int) -> str:
        """Return a URL that downloads an object; no browser shows or runs it."""
        with aws_errors(f"sign {key}"):
            return self.client.generate_presigned_url(
                "get_object",
                Params={
                    "Bucket": bucket,
                    "Key": key,
                    "ResponseContentDisposition": f'attachment; filename="{filename}"',
                    "ResponseContentType": "application/octet-stream",
                    "ResponseCacheControl": "private, no-store",
                },
                ExpiresIn=seconds,
            )

    def sign_upload(
        self, bucket: str, key: str, *, size_bytes: int, content_type: str, seconds: int, sha256: str | None = None
    ) -> UploadForm:
        """Return a form that uploads one object of exactly this key, size, type and hash."""
        fields = make_fields(content_type, sha256)
        with aws_errors(f"sign {key}"):
            signed = self.client.generate_presigned_post(
                Bucket=bucket,
                Key=key,
                Fields=dict(fields),
                Conditions=[
                    *({name: value} for name, value in fields.items()),
                    ["content-length-range", size_bytes, size_bytes],
                ],
                ExpiresIn=seconds,
            )
        return UploadForm(signed["url"], signed["fields"])

    def _read_pages(self, operation: Any, bucket: str, prefix: str, **more: Any) -> Iterator[Any]:
        with aws_errors(f"list {prefix}"):
            yield from self.client.get_paginator(operation).paginate(Bucket=bucket, Prefix=prefix, **more)


def _say(**parameters: Any) -> Request:
    """Return the parameters that are given."""
    return {name: value for name, value in parameters.items() if value is not None}


def _read_info(answer: Any) -> ObjectInfo:
    return ObjectInfo(
        etag=answer["ETag"],
        metadata=answer["Metadata"],
        version_id=answer.get("VersionId", "null"),
        size_bytes=answer["ContentLength"],
        modified_at=answer["LastModified"],
        content_type=answer["ContentType"],
        cache_control=answer.get("CacheControl"),
    )


class AwsMessages(NamedTuple):
    """The queues of a client."""

    client: "SQSClient"

    def send(self, url: str, body: str, *, delay_seconds: int | None = None, place: FifoPlace | None = None) -> None:
        """Send a message."""
        grouped = {"MessageGroupId": place.group, "MessageDeduplicationId": place.name} if place else {}
        more: Request = _say(DelaySeconds=delay_seconds, **grouped)
        with aws_errors("send a message"):
            self.client.send_message(QueueUrl=url, MessageBody=body, **more)

    def send_many(self, url: str, bodies: Sequence[str]) -> Sequence[str]:
        """Send up to ten messages; return those that were not accepted."""
        left: Request = {str(number): {"Id": str(number), "MessageBody": body} for number, body in enumerate(bodies)}
        with aws_errors("send messages"):
            answer = self.client.send_message_batch(QueueUrl=url, Entries=list(left.values()))
        for sent in answer.get("Successful", ()):
            del left[sent["Id"]]
        return [entry["MessageBody"] for entry in left.values()]

    def receive(self, url: str, *, most: int = BATCH, wait_seconds: int = 0) -> list[ReceivedMessage]:
        """Receive messages, and wait for the first one."""
        with aws_errors("receive messages"):
            answer = self.client.receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=most,
                WaitTimeSeconds=wait_seconds,
                MessageSystemAttributeNames=["All"],
            )
        return [
            ReceivedMessage(
                message["MessageId"],
                message["ReceiptHandle"],
                message["Body"],
                {str(name): value for name, value in message.get("Attributes", {}).items()},
            )
            for message in answer.get("Messages", ())
        ]

    def delete(self, url: str, receipt_handle: str) -> None:
        """Delete a message by its last receipt."""
        with aws_errors("delete messages"):
            self.client.delete_message(QueueUrl=url, ReceiptHandle=receipt_handle)

    def hide(self, url: str, receipt_handle: str, *, seconds: int) -> None:
        """Hide a message that was received for another time."""
        with aws_errors("defer a message"):
            self.client.change_message_visibility(QueueUrl=url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds)


class AwsMails(NamedTuple):
    """SES."""

    client: "SESV2Client"

    def send(self, content: bytes, *, sender: str, to: str, configuration_set: str) -> None:
        """Send a mail. Raises MailRefused, MailUncertain, StoreError."""
        from storage.gateway.ses import MailRefused, MailUncertain  # noqa: PLC0415  # most functions send none

        with aws_errors("send a mail"):
            try:
                self.client.send_email(
                    FromEmailAddress=sender,
                    Destination={"ToAddresses": [to]},
                    Content={"Raw": {"Data": content}},
                    ConfigurationSetName=configuration_set,
                )
            except exceptions.ClientError as error:
                if _code_of(error) in _NEVER_SENT:
                    raise MailRefused(str(error)) from error
                if _status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise MailUncertain(f"send a mail: {error}") from error
                raise
            except (exceptions.HTTPClientError, exceptions.IncompleteReadError) as error:
                raise MailUncertain(f"send a mail: {error}") from error


class AwsFunctions(NamedTuple):
    """Lambda."""

    client: "LambdaClient"

    def ask(self, function: str, payload: bytes, *, tenant: str | None = None) -> "Invoked":
        """Invoke a function, and wait for its answer; it may have acted when this raises."""
        from storage.gateway.functions import Invoked  # noqa: PLC0415  # most functions wait for no other

        more: Request = _say(TenantId=tenant)
        with aws_errors(f"invoke {function}"):
            answer = self.client.invoke(FunctionName=function, Payload=payload, **more)
            return Invoked(answer["Payload"].read(), answer.get("FunctionError"))

    def start(self, function: str, payload: bytes) -> None:
        """Invoke a function asynchronously, and wait for nothing."""
        with aws_errors(f"invoke {function}"):
            self.client.invoke(FunctionName=function, InvocationType="Event", Payload=payload)


class AwsTables(NamedTuple):
    """The tables of a client."""

    client: "DynamoDBClient"

    def get(self, table: str, key: Mapping[str, str]) -> Item | None:
        """Read an item (consistent); None if it does not exist."""
        with aws_errors(f"read from {table}"):
            return self.client.get_item(**request_get(table, key)).get("Item")

    def get_many(self, table: str, keys: Sequence[Mapping[str, str]]) -> Iterator[Item]:
        """Read those of some items that exist (consistent), in any order. Raises Busy."""
        for batch in batched(keys, READ_AT_ONCE, strict=False):
            request = request_get_many(table, batch)
            for _ in range(MAX_TRIES):
                with aws_errors(f"read items of {table}"):
                    answer = self.client.batch_get_item(**request)
                yield from answer["Responses"].get(table, ())
                if not (left := answer["UnprocessedKeys"]):
                    break
                request = {"RequestItems": left}
            else:
                raise Busy(f"read items of {table}: {len(left[table]['Keys'])} keys left after {MAX_TRIES} tries")

    def put(self, table: str, put: Put) -> None:
        """Write an item on a condition."""
        with aws_errors(f"write to {table}"):
            self.client.put_item(**request_put(table, put))

    def transact(self, table: str, puts: Sequence[Put]) -> None:
        """Write different items, each on its condition, or none of them."""
        with aws_errors(f"write {len(puts)} items of {table}"):
            self.client.transact_write_items(**request_transaction(table, puts))

    def update(self, table: str, update: Update) -> Item:
        """Change an item on a condition; return what was changed, if it may be read."""
        with aws_errors(f"change an item of {table}"):
            return self.client.update_item(**request_update(table, update)).get("Attributes", {})

    def delete(self, table: str, key: Mapping[str, str], condition: ItemCondition | None) -> None:
        """Delete an item, if it exists, on a condition."""
        with aws_errors(f"delete an item of {table}"):
            self.client.delete_item(**request_delete(table, key, condition))

    def query(self, table: str, query: Query) -> Iterator[Sequence[Item]]:
        """Read the pages of a query, each when it is asked for."""
        # A page ends after 1 MB, however many items are asked for.
        with aws_errors(f"query {query.by_index or table}"):
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


def request_query(table: str, query: Query) -> Request:
    """Return the request of a query, as its paginator takes it."""
    condition: ItemCondition = Equals(*query.key)
    if query.sort is not None:
        condition &= query.sort
    return {
        "TableName": table,
        **_express(query.attributes, KeyConditionExpression=condition, FilterExpression=query.keep),
        **({"ConsistentRead": True} if query.is_consistent else {}),
        **({"IndexName": query.by_index} if query.by_index else {}),
        **({"ScanIndexForward": False} if query.is_down else {}),
        **({"PaginationConfig": {"PageSize": query.length}} if query.length else {}),
    }


def _express(attributes: Collection[str] = (), **expressions: ItemCondition | ItemChange | None) -> Request:
    """Return the expressions of a request, and what their placeholders stand for."""
    placeholders = Placeholders({}, {})
    request: Request = {name: each.translate(placeholders) for name, each in expressions.items() if each is not None}
    if attributes:
        request["ProjectionExpression"] = ", ".join(map(placeholders.name, attributes))
    if placeholders.names:
        request["ExpressionAttributeNames"] = placeholders.names
    if placeholders.values:
        request["ExpressionAttributeValues"] = placeholders.values
    return request
