"""Drops: batches that model owners put into S3, each read by ranges of one version of its object."""

import io
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from storage.aws.errors import NotFound, aws_errors
from storage.ids import derive_submission_id
from storage.keys import BatchKey, parse_batch_key, upload_prefix

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from mypy_boto3_s3 import S3Client

BLOCK_BYTES = 4 * 2**20
"""What one request reads."""
UPLOAD_SECONDS = 900


class BatchUpload(NamedTuple):
    """One version of a drop's object.

    Args:
        key: Where it lies.
        version_id: Of the object.
        size_bytes: Its size.
        received_at: When S3 had it, in UTC.
    """

    key: BatchKey
    version_id: str
    size_bytes: int
    received_at: datetime

    @property
    def id(self) -> str:
        """The drop's id."""
        return self.id_of("")

    def id_of(self, entry: str) -> str:
        """Give the submission id of an entry."""
        return derive_submission_id(self.received_at, key=str(self.key), version_id=self.version_id, entry=entry)


class UploadForm(NamedTuple):
    """A presigned POST: where the form is sent, and the fields that stand before the file."""

    url: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True)
class BatchUploadStore:
    """The drops in the results bucket.

    Args:
        s3: The client.
        bucket: The bucket's name.
        uploads_url: Where presigned POSTs are sent; None: to the bucket's own host.
    """

    s3: "S3Client"
    bucket: str
    uploads_url: str | None = None

    def find(self, key: BatchKey, version_id: str | None = None) -> BatchUpload | None:
        """Look at a drop, the present version or a given one; None where there is none."""
        which: dict[str, Any] = {} if version_id is None else {"VersionId": version_id}
        try:
            with aws_errors(f"look at {key}"):
                answer = self.s3.head_object(Bucket=self.bucket, Key=str(key), **which)
        except NotFound:
            return None
        return BatchUpload(key, answer["VersionId"], answer["ContentLength"], answer["LastModified"])

    def find_upload(self, benchmark: str, *, player: str, upload: str) -> BatchUpload | None:
        """Look at what an upload brought; None where nothing has come yet."""
        prefix = upload_prefix(benchmark, player=player, upload=upload)
        with aws_errors(f"list {prefix}"):
            listed = self.s3.list_objects_v2(Bucket=self.bucket, Prefix=prefix, MaxKeys=1).get("Contents", [])
        key = parse_batch_key(listed[0]["Key"]) if listed else None
        return self.find(key) if key else None

    def open(self, drop: BatchUpload) -> BinaryIO:
        """Open a drop for reading; reads raise StoreError."""
        # typeshed does not know that a BufferedReader is a BinaryIO.
        return cast("BinaryIO", io.BufferedReader(_Ranges(self.s3, self.bucket, drop), BLOCK_BYTES))

    def sign_upload(self, key: BatchKey, *, size_bytes: int, content_type: str) -> UploadForm:
        """Allow one file of exactly this size under exactly this key, for UPLOAD_SECONDS."""
        fields = {"Content-Type": content_type}
        with aws_errors(f"sign {key}"):
            signed = self.s3.generate_presigned_post(
                Bucket=self.bucket,
                Key=_literal(str(key)),
                Fields=dict(fields),
                Conditions=[fields, ["content-length-range", size_bytes, size_bytes]],
                ExpiresIn=UPLOAD_SECONDS,
            )
        return UploadForm(self.uploads_url or signed["url"], signed["fields"])


class _Ranges(io.RawIOBase):
    """A version of an object as a file: each read is one request for a range."""

    def __init__(self, s3: "S3Client", bucket: str, drop: BatchUpload) -> None:
        super().__init__()
        self._s3, self._bucket, self._drop = s3, bucket, drop
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._drop.size_bytes}[whence]
        if start + offset < 0:
            raise OSError("a position before the beginning")
        self._position = start + offset
        return self._position

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._position + len(view), self._drop.size_bytes)
        if end <= self._position:
            return 0
        with aws_errors(f"read {self._drop.key}"):
            answer = self._s3.get_object(
                Bucket=self._bucket,
                Key=str(self._drop.key),
                VersionId=self._drop.version_id,
                Range=f"bytes={self._position}-{end - 1}",
            )
            content = answer["Body"].read()
        view[: len(content)] = content
        self._position += len(content)
        return len(content)


def _literal(key: str) -> str:
    """Refuse the one thing that S3 replaces in the key of a form."""
    if "${filename}" in key:
        raise ValueError("a key that S3 would complete itself")
    return key
