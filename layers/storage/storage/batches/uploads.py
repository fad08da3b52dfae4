"""Uploaded batches in S3, each read by ranges of one version of its object."""

import hashlib
import io
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from storage.gateway.bucket import Bucket
from storage.keys import DROPS_PREFIX, BatchKey, derive_submission_id, parse_batch_key, reports_prefix, upload_prefix

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK_BYTES = 4 * 2**20
"""The size of one request."""
UPLOAD_SECONDS = 900


class BatchUpload(NamedTuple):
    """One version of a batch's object; S3 had it at `received_at`, in UTC."""

    key: BatchKey
    version_id: str
    size_bytes: int
    received_at: datetime
    etag: str

    @property
    def id(self) -> str:
        """The batch's id."""
        return self.id_of("")

    def id_of(self, entry: str) -> str:
        """Return the submission id of an entry."""
        return derive_submission_id(self.received_at, key=str(self.key), version_id=self.version_id, entry=entry)


class BatchUploadStore(NamedTuple):
    """The batches in the results bucket."""

    bucket: Bucket

    def find(self, key: BatchKey, version_id: str | None = None) -> BatchUpload | None:
        """Find the current version of a batch, or a given one; None if there is none."""
        info = self.bucket.find_info(str(key), version_id)
        if info is None:
            return None
        return BatchUpload(key, info.version_id, info.size_bytes, info.modified_at, info.etag)

    def find_upload(self, benchmark: str, *, player: str, upload: str) -> BatchUpload | None:
        """Find the batch of an upload; None if nothing has arrived yet."""
        first = self.bucket.find_first(upload_prefix(benchmark, player=player, upload=upload))
        key = parse_batch_key(first) if first else None
        return self.find(key) if key else None

    def has_any(self, benchmark: str) -> bool:
        """Return whether there is a batch of a benchmark, or the report of one."""
        prefixes = (f"{DROPS_PREFIX}{benchmark}/", reports_prefix(benchmark))
        return any(self.bucket.find_first(prefix) is not None for prefix in prefixes)

    def identify(self, key: str, version_id: str) -> str | None:
        """Return the id of a file as a batch, whatever its key; None if it is gone."""
        info = self.bucket.find_info(key, version_id)
        if info is None:
            return None
        return derive_submission_id(info.modified_at, key=key, version_id=info.version_id, entry="")

    def digest(self, batch: BatchUpload) -> str:
        """Return the MD5 of a batch's bytes, in hexadecimal.

        S3 knows it, except of a file that was uploaded in parts, which is read.
        """
        etag = batch.etag.strip('"')
        if "-" not in etag:
            return etag
        with self.open(batch) as file:
            return hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()

    def open(self, batch: BatchUpload) -> io.BufferedReader:
        """Open a batch for reading; reads raise StoreError."""
        return io.BufferedReader(_Ranges(self.bucket, batch), BLOCK_BYTES)


class _Ranges(io.RawIOBase):
    """A version of an object as a file: each read is one request for a range."""

    def __init__(self, bucket: Bucket, batch: BatchUpload) -> None:
        super().__init__()
        self._bucket, self._batch = bucket, batch
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._batch.size_bytes}[whence]
        if start + offset < 0:
            raise OSError("a position before the beginning")
        self._position = start + offset
        return self._position

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        end = min(self._position + len(view), self._batch.size_bytes)
        if end <= self._position:
            return 0
        content = self._bucket.get(
            str(self._batch.key), version_id=self._batch.version_id, part=(self._position, end - 1)
        ).body
        view[: len(content)] = content
        self._position += len(content)
        return len(content)
