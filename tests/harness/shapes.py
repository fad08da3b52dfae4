"""The engine with the methods of botocore's clients: the gateway's side of AWS sends it the requests that AWS gets.

A request is a mapping of AWS's names; each method reads those that the gateway sends.
"""

import base64
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from engine.cloud import Engine
from engine.mails import Functions, Mails
from engine.messages import Messages
from engine.objects import Objects
from storage.gateway.bucket import CHECKSUM, MAX_LISTED, NewObject, ObjectInfo
from storage.gateway.errors import Conflict, NotFound, Refused, StoreError
from storage.gateway.queue import FifoPlace
from storage.gateway.ses import MailRefused

_ERRORS: Mapping[type[Exception], tuple[str, int]] = {
    Conflict: ("PreconditionFailed", 412),
    NotFound: ("NoSuchKey", 404),
    MailRefused: ("MessageRejected", 400),
    Refused: ("InvalidRequest", 400),
    StoreError: ("InternalServerError", 503),
}

type Answer = dict[str, Any]


def answering(operation: str, call: Callable[..., Answer]) -> Callable[..., Answer]:
    """Return a call whose errors are ClientErrors."""

    def answer(**request: Any) -> Answer:
        try:
            return call(**request)
        except (StoreError, MailRefused) as error:
            code, status = next(found for kind, found in _ERRORS.items() if isinstance(error, kind))
            code = "404" if operation == "HeadObject" and status == 404 else code
            answer = {"Error": {"Code": code, "Message": str(error)}, "ResponseMetadata": {"HTTPStatusCode": status}}
            raise ClientError(answer, operation) from error  # type: ignore[arg-type]

    return answer


@dataclass(frozen=True)
class Paginator:
    """Reads all pages of a list; those of versions are one."""

    read: Callable[..., Answer]

    def paginate(self, **request: Any) -> Iterator[Answer]:
        """Yield page after page."""
        if settings := request.pop("PaginationConfig", None):
            request["MaxKeys"] = settings["PageSize"]
        while True:
            yield (page := self.read(**request))
            if not page.get("NextContinuationToken"):
                return
            request["ContinuationToken"] = page["NextContinuationToken"]


class S3Shape:
    """Buckets."""

    def __init__(self, objects: Objects) -> None:
        self.objects, self.store = objects, objects.store

    def put_object(self, **asked: Any) -> Answer:
        """Write an object."""
        new = NewObject(
            body=asked.get("Body", b""),
            content_type=asked.get("ContentType", "binary/octet-stream"),
            cache_control=asked.get("CacheControl"),
            metadata=asked.get("Metadata", {}),
            replacing="" if "IfNoneMatch" in asked else asked.get("IfMatch"),
        )
        etag = self.objects.put(asked["Bucket"], asked["Key"], new)
        return {"ETag": etag, "VersionId": self._find(asked).version_id}

    def get_object(self, **asked: Any) -> Answer:
        """Read an object."""
        first, _, last = asked.get("Range", "").removeprefix("bytes=").partition("-")
        part = (int(first), int(last)) if last else None
        stored = self.objects.get(asked["Bucket"], asked["Key"], version_id=asked.get("VersionId"), part=part)
        return {**_describe(stored.info), "ContentLength": len(stored.body), "Body": io.BytesIO(stored.body)}

    def head_object(self, **asked: Any) -> Answer:
        """Read what is stored of an object besides its bytes."""
        return _describe(self._find(asked))

    def copy_object(self, **asked: Any) -> Answer:
        """Copy an object without its metadata and tags."""
        assert {asked["MetadataDirective"], asked["TaggingDirective"]} == {"REPLACE"}
        source = asked["CopySource"]["Key"]
        self.objects.copy(asked["Bucket"], source, asked["Key"], content_type=asked["ContentType"])
        return {}

    def delete_object(self, **asked: Any) -> Answer:
        """Delete an object or a version."""
        self.objects.delete(asked["Bucket"], asked["Key"], version_id=asked.get("VersionId"))
        return {}

    def delete_objects(self, **asked: Any) -> Answer:
        """Delete objects."""
        self.objects.delete_many(asked["Bucket"], [entry["Key"] for entry in asked["Delete"]["Objects"]])
        return {}

    def list_objects_v2(self, **asked: Any) -> Answer:
        """Return a page of a list of keys, or the folders as one."""
        bucket, prefix, most = asked["Bucket"], asked.get("Prefix", ""), asked.get("MaxKeys", MAX_LISTED)
        if "Delimiter" in asked:
            (folders,) = self.objects.list_folders(bucket, prefix)
            return {"CommonPrefixes": [{"Prefix": folder} for folder in folders]}
        after = asked.get("ContinuationToken") or asked.get("StartAfter", "")
        page = next(self.objects.list_pages(bucket, prefix, after=after, length=most + 1))
        listed = [{"Key": key, "LastModified": at} for key, at in page[:most]]
        more = {"NextContinuationToken": page[most - 1][0]} if len(page) > most else {}
        return {**({"Contents": listed} if listed else {}), **more}

    def list_object_versions(self, **asked: Any) -> Answer:
        """Return all versions, delete markers among them."""
        (versions,) = self.objects.list_versions(asked["Bucket"], asked.get("Prefix", ""))
        return {"Versions": [{"Key": key, "VersionId": version} for key, version in versions]}

    def get_paginator(self, operation: str) -> Paginator:
        """Return what reads all pages of a list."""
        return Paginator(getattr(self, operation))

    def generate_presigned_url(self, _: str, **asked: Any) -> str:
        """Sign a download."""
        signed = asked["Params"]
        filename = signed["ResponseContentDisposition"].split('"')[1]
        return self.objects.sign_download(
            signed["Bucket"], signed["Key"], filename=filename, seconds=asked["ExpiresIn"]
        )

    def generate_presigned_post(self, **asked: Any) -> Answer:
        """Sign an upload."""
        *_, (_, size, _) = asked["Conditions"]
        digest = asked["Fields"].get(CHECKSUM)
        sha256 = digest and base64.b64decode(digest).hex()
        more = {"content_type": asked["Fields"]["Content-Type"], "seconds": asked["ExpiresIn"], "sha256": sha256}
        return self.objects.sign_upload(asked["Bucket"], asked["Key"], size_bytes=size, **more)._asdict()

    def _find(self, asked: Mapping[str, Any]) -> ObjectInfo:
        info = self.objects.find_info(asked["Bucket"], asked["Key"], version_id=asked.get("VersionId"))
        if info is None:
            raise NotFound(asked["Key"])
        return info


def _describe(info: ObjectInfo) -> Answer:
    return {
        "ETag": info.etag,
        "ContentLength": info.size_bytes,
        "LastModified": info.modified_at,
        "VersionId": info.version_id,
        "Metadata": info.metadata,
        "ContentType": info.content_type,
        **({"CacheControl": info.cache_control} if info.cache_control else {}),
    }


class SqsShape:
    """Queues."""

    def __init__(self, messages: Messages) -> None:
        self.messages, self.store = messages, messages.store

    def get_queue_url(self, **asked: Any) -> Answer:
        """Return the address of a queue."""
        return {"QueueUrl": f"https://sqs.us-east-1.amazonaws.com/123456789012/{asked['QueueName']}"}

    def send_message(self, **asked: Any) -> Answer:
        """Send a message."""
        url, body, group = asked["QueueUrl"], asked["MessageBody"], asked.get("MessageGroupId")
        place = FifoPlace(group, asked["MessageDeduplicationId"]) if group else None
        self.messages.send(url, body, delay_seconds=asked.get("DelaySeconds"), place=place)
        sql = "SELECT id FROM messages WHERE queue = ? AND body = ? ORDER BY number DESC LIMIT 1"
        rows = self.store.read(sql, url.rpartition("/")[2], body)
        return {"MessageId": rows[0][0]} if rows else {}  # one that was sent before may be deleted

    def send_message_batch(self, **asked: Any) -> Answer:
        """Send up to ten messages."""
        with self.store.writing():
            sent = [
                {**self.send_message(QueueUrl=asked["QueueUrl"], MessageBody=entry["MessageBody"]), "Id": entry["Id"]}
                for entry in asked["Entries"]
            ]
        return {"Successful": sent}

    def receive_message(self, **asked: Any) -> Answer:
        """Receive what is visible."""
        received = self.messages.receive(asked["QueueUrl"], most=asked.get("MaxNumberOfMessages", 1))
        names = ("MessageId", "ReceiptHandle", "Body", "Attributes")
        return {"Messages": [dict(zip(names, message, strict=True)) for message in received]} if received else {}

    def delete_message(self, **asked: Any) -> Answer:
        """Delete a message."""
        self.messages.delete(asked["QueueUrl"], asked["ReceiptHandle"])
        return {}

    def change_message_visibility(self, **asked: Any) -> Answer:
        """Hide a message for another time."""
        self.messages.hide(asked["QueueUrl"], asked["ReceiptHandle"], seconds=asked["VisibilityTimeout"])
        return {}

    def get_queue_attributes(self, **asked: Any) -> Answer:
        """Return how many messages wait, are hidden, and are delayed."""
        sql = "SELECT CASE WHEN visible <= ? THEN '' WHEN receives THEN 'NotVisible' ELSE 'Delayed' END FROM messages "
        rows = self.store.read(f"{sql} WHERE queue = ?", self.store.clock(), asked["QueueUrl"].rpartition("/")[2])
        kinds = [kind for (kind,) in rows]
        names = ("", "NotVisible", "Delayed")
        return {"Attributes": {f"ApproximateNumberOfMessages{name}": str(kinds.count(name)) for name in names}}

    def purge_queue(self, **asked: Any) -> Answer:
        """Delete all messages of a queue."""
        with self.store.writing() as connection:
            connection.execute("DELETE FROM messages WHERE queue = ?", (asked["QueueUrl"].rpartition("/")[2],))
        return {}


@dataclass(frozen=True)
class SesShape:
    """Mail."""

    mails: Mails

    def send_email(self, **asked: Any) -> Answer:
        """Send a mail."""
        (to,), named = asked["Destination"]["ToAddresses"], asked["ConfigurationSetName"]
        content = asked["Content"]["Raw"]["Data"]
        self.mails.send(content, sender=asked["FromEmailAddress"], to=to, configuration_set=named)
        return {}


@dataclass(frozen=True)
class LambdaShape:
    """Functions."""

    functions: Functions

    def invoke(self, **asked: Any) -> Answer:
        """Invoke a function."""
        if asked.get("InvocationType") == "Event":
            self.functions.start(asked["FunctionName"], asked["Payload"])
            return {"StatusCode": 202, "Payload": io.BytesIO()}
        answer = self.functions.ask(asked["FunctionName"], asked["Payload"], tenant=asked.get("TenantId"))
        failed = {"FunctionError": answer.error} if answer.error else {}
        return {"StatusCode": 200, "Payload": io.BytesIO(answer.body), **failed}


def shape(engine: Engine) -> dict[str, Any]:
    """Return the engine's services but for its tables, by botocore's names."""
    return {
        "s3": S3Shape(engine.objects),
        "sqs": SqsShape(engine.messages),
        "sesv2": SesShape(engine.mails),
        "lambda": LambdaShape(engine.functions),
    }
