"""An S3 bucket: reads, conditional writes, lists. No other code calls S3."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.gateway.errors import MAX_TRIES, MET_ANOTHER, Busy, Conflict, NotFound, aws_errors

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from storage.gateway.models import StoredModel


_MAX_DELETED = 1_000
"""Objects that S3 deletes in one request."""


class StoredObject(NamedTuple):
    """An object."""

    body: bytes
    etag: str
    metadata: Mapping[str, str]


class ObjectInfo(NamedTuple):
    """An object without its body."""

    metadata: Mapping[str, str]
    version_id: str
    size_bytes: int
    modified_at: datetime
    etag: str


class UploadForm(NamedTuple):
    """A presigned POST: its URL, and the fields that come before the file."""

    url: str
    fields: dict[str, str]


class Versioned[Model: StoredModel](NamedTuple):
    """A model that was read, and the ETag that a replacement must match."""

    value: Model
    etag: str


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket. Missing objects raise NotFound or are None; a missing bucket raises Refused."""

    client: "S3Client"
    name: str

    def get(self, key: str, **options: Any) -> StoredObject:
        """Read an object; `options` are more of `GetObject`. Raises NotFound."""
        with aws_errors(f"read {key}"):
            answer = self.client.get_object(Bucket=self.name, Key=key, **options)
            body = answer["Body"].read()
        return StoredObject(body, answer["ETag"], answer["Metadata"])

    def find(self, key: str) -> StoredObject | None:
        """Read an object; None if it does not exist."""
        try:
            return self.get(key)
        except NotFound:
            return None

    def find_short(self, key: str, *, max_bytes: int) -> bytes | None:
        """Read the bytes of an object; None if it is longer or does not exist."""
        try:
            with aws_errors(f"read {key}"):
                answer = self.client.get_object(Bucket=self.name, Key=key)
                return answer["Body"].read() if answer["ContentLength"] <= max_bytes else None
        except NotFound:
            return None

    def find_model[Model: StoredModel](self, key: str, model: type[Model]) -> Versioned[Model] | None:
        """Read an object of JSON; None if it does not exist. Raises NewerSchema."""
        stored = self.find(key)
        return None if stored is None else Versioned(model.model_validate_json(stored.body), stored.etag)

    def find_info(self, key: str, version_id: str | None = None) -> ObjectInfo | None:
        """Read what is stored of an object besides its body; None if it does not exist."""
        options: dict[str, Any] = {} if version_id is None else {"VersionId": version_id}
        try:
            with aws_errors(f"read the metadata of {key}"):
                answer = self.client.head_object(Bucket=self.name, Key=key, **options)
        except NotFound:
            return None
        return ObjectInfo(
            metadata=answer["Metadata"],
            version_id=answer.get("VersionId", "null"),
            size_bytes=answer["ContentLength"],
            modified_at=answer["LastModified"],
            etag=answer["ETag"],
        )

    def put(
        self, key: str, body: bytes, *, replacing: str | None, content_type: str = "application/json", **options: Any
    ) -> str:
        """Write a new object, or replace the one that was read; return the new ETag.

        `replacing` is the ETag that was read; None: there must be no object. Raises Conflict if that does not hold, and
        writes nothing; Busy if the write met others each time, and nobody knows whether one of them was stored.
        """
        condition: dict[str, Any] = {"IfMatch": replacing} if replacing else {"IfNoneMatch": "*"}
        for _ in range(MAX_TRIES):
            try:
                return self.overwrite(key, body, content_type=content_type, **condition, **options)
            except NotFound as error:  # the answer to If-Match if the object is gone
                raise Conflict(str(error)) from error
            except Conflict as error:
                if error.code != MET_ANOTHER:
                    raise
        raise Busy(f"write {key}: met another write {MAX_TRIES} times")

    def overwrite(self, key: str, body: bytes, *, content_type: str = "application/json", **options: Any) -> str:
        """Write an object, whatever is stored under its key, and return the new ETag."""
        with aws_errors(f"write {key}"):
            answer = self.client.put_object(Bucket=self.name, Key=key, Body=body, ContentType=content_type, **options)
        return answer["ETag"]

    def delete(self, key: str) -> None:
        """Delete an object; one that does not exist is deleted already."""
        with aws_errors(f"delete {key}"):
            self.client.delete_object(Bucket=self.name, Key=key)

    def delete_all(self, keys: Iterable[str]) -> None:
        """Delete objects, if they exist. Raises Busy."""
        for group in batched(keys, _MAX_DELETED, strict=False):
            with aws_errors("delete objects"):
                answer = self.client.delete_objects(
                    Bucket=self.name, Delete={"Objects": [{"Key": key} for key in group], "Quiet": True}
                )
            if errors := answer.get("Errors"):
                raise Busy(f"delete objects: {len(errors)} of {len(group)} not deleted, {errors[0]}")

    def delete_versions(self, key: str) -> None:
        """Delete an object with all its versions; what does not exist is deleted already."""
        pages = self.client.get_paginator("list_object_versions").paginate(Bucket=self.name, Prefix=key)
        with aws_errors(f"delete the versions of {key}"):
            for page in pages:
                for version in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
                    self.client.delete_object(Bucket=self.name, Key=version["Key"], VersionId=version["VersionId"])

    def list_modified(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """List the keys with a prefix, in order, and when each object was written."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix)
        with aws_errors(f"list {prefix}"):
            for page in pages:
                yield from ((entry["Key"], entry["LastModified"]) for entry in page.get("Contents", ()))

    def list_keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        """List the keys that start with a prefix, in order, from the one after `after` on."""
        start: dict[str, Any] = {"StartAfter": after} if after else {}
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix, **start)
        with aws_errors(f"list {prefix}"):
            for page in pages:
                yield from (entry["Key"] for entry in page.get("Contents", ()))

    def list_folders(self, prefix: str) -> list[str]:
        """List the names of the folders below a prefix, sorted."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=self.name, Prefix=prefix, Delimiter="/")
        with aws_errors(f"list {prefix}"):
            folders = [entry["Prefix"] for page in pages for entry in page.get("CommonPrefixes", ())]
        return sorted(folder.removeprefix(prefix).rstrip("/") for folder in folders)

    def find_first(self, prefix: str) -> str | None:
        """Return the first key that starts with a prefix; None if there is none."""
        with aws_errors(f"list {prefix}"):
            listed = self.client.list_objects_v2(Bucket=self.name, Prefix=prefix, MaxKeys=1).get("Contents", [])
        return listed[0]["Key"] if listed else None

    def copy(self, source: str, key: str, *, content_type: str) -> None:
        """Copy an object without its metadata and tags. Raises NotFound.

        Args:
            source: The object's key.
            key: The key of the copy, in this bucket.
            content_type: Of the copy.
        """
        with aws_errors(f"copy {source}"):
            self.client.copy_object(
                Bucket=self.name,
                Key=key,
                CopySource={"Bucket": self.name, "Key": source},
                MetadataDirective="REPLACE",
                TaggingDirective="REPLACE",
                ContentType=content_type,
            )

    def sign_download(self, key: str, *, filename: str, seconds: int) -> str:
        """Return a URL that downloads an object; no browser shows or runs it."""
        with aws_errors(f"sign {key}"):
            return self.client.generate_presigned_url(
                "get_object",
                Params={
                    "Bucket": self.name,
                    "Key": key,
                    "ResponseContentDisposition": f'attachment; filename="{filename}"',
                    "ResponseContentType": "application/octet-stream",
                    "ResponseCacheControl": "private, no-store",
                },
                ExpiresIn=seconds,
            )

    def sign_upload(self, key: str, *, size_bytes: int, content_type: str, seconds: int) -> UploadForm:
        """Return a form that uploads one object of exactly this key, size and media type."""
        if "${filename}" in key:
            raise ValueError("S3 would replace ${filename} in the key of a form")
        fields = {"Content-Type": content_type}
        with aws_errors(f"sign {key}"):
            signed = self.client.generate_presigned_post(
                Bucket=self.name,
                Key=key,
                Fields=dict(fields),
                Conditions=[fields, ["content-length-range", size_bytes, size_bytes]],
                ExpiresIn=seconds,
            )
        return UploadForm(signed["url"], signed["fields"])
