"""Snapshots in the site bucket: rows never change, head and index are replaced by compare-and-swap."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from storage.aws.conditional import put_object
from storage.aws.errors import NotFound, aws_errors
from storage.aws.schema import StoredModel
from storage.boards.models import Head, Index, Rows, RowsFile
from storage.keys import INDEX_KEY, badge_key, head_key, rows_key

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ROWS_CACHE = "public, max-age=31536000, immutable"
HEAD_CACHE = "public, max-age=5, stale-while-revalidate=30"

JSON = "application/json"
SVG = "image/svg+xml"


class Badge(NamedTuple):
    """A board's badge, as an image and as what shields.io makes one of."""

    svg: str
    json: str


class Versioned[Model: StoredModel](NamedTuple):
    """What was read, and the ETag that a replacement must match."""

    value: Model
    etag: str


@dataclass(frozen=True, slots=True)
class SnapshotStore:
    """The `data/` of the site bucket."""

    s3: "S3Client"
    bucket: str

    def read_head(self, benchmark: str) -> Versioned[Head] | None:
        """Read a board's head; None where it was never published."""
        return self._read(head_key(benchmark), Head)

    def write_head(self, head: Head, *, replacing: Versioned[Head] | None) -> None:
        """Replace a board's head. Raises Conflict where it is no longer the one that was read."""
        self._write(head_key(head.id), head, etag=replacing and replacing.etag)

    def read_index(self) -> Versioned[Index] | None:
        """Read the index; None where it was never published."""
        return self._read(INDEX_KEY, Index)

    def write_index(self, index: Index, *, replacing: Versioned[Index] | None) -> None:
        """Replace the index. Raises Conflict where it is no longer the one that was read."""
        self._write(INDEX_KEY, index, etag=replacing and replacing.etag)

    def read_rows(self, rows_url: str) -> Rows:
        """Read all rows of a board, as its head names them. Raises NotFound."""
        key = rows_url.removeprefix("/")
        with aws_errors(f"read {key}"):
            return RowsFile.model_validate_json(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()).rows

    def write_rows(self, benchmark: str, rows: Rows, *, sequence: int) -> str:
        """Write a rows file and give the URL by which a head names it."""
        body = RowsFile(rows=rows).to_body()
        key = rows_key(benchmark, sequence=sequence, digest=hashlib.sha256(body).hexdigest()[:12])
        with aws_errors(f"write {key}"):
            self.s3.put_object(Bucket=self.bucket, Key=key, Body=body, ContentType=JSON, CacheControl=ROWS_CACHE)
        return f"/{key}"

    def delete_rows(self, key: str) -> None:
        """Delete a rows file that no head names; no error where it is gone."""
        with aws_errors(f"delete {key}"):
            self.s3.delete_object(Bucket=self.bucket, Key=key)

    def write_badge(self, benchmark: str, badge: Badge) -> None:
        """Replace a board's badge where it has changed. The last writer stands: who writes looks at the head again."""
        for suffix, content_type, text in (("svg", SVG, badge.svg), ("json", JSON, badge.json)):
            key, body = badge_key(benchmark, suffix=suffix), text.encode()
            if self._read_bytes(key) != body:
                with aws_errors(f"write {key}"):
                    self.s3.put_object(
                        Bucket=self.bucket, Key=key, Body=body, ContentType=content_type, CacheControl=HEAD_CACHE
                    )

    def _read_bytes(self, key: str) -> bytes | None:
        try:
            with aws_errors(f"read {key}"):
                return self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        except NotFound:
            return None

    def _read[Model: StoredModel](self, key: str, model: type[Model]) -> Versioned[Model] | None:
        try:
            with aws_errors(f"read {key}"):
                answer = self.s3.get_object(Bucket=self.bucket, Key=key)
                body = answer["Body"].read()
        except NotFound:
            return None
        return Versioned(model.model_validate_json(body), answer["ETag"])

    def _write(self, key: str, value: StoredModel, *, etag: str | None) -> None:
        body = value.to_body()
        put_object(self.s3, bucket=self.bucket, key=key, body=body, replacing=etag, CacheControl=HEAD_CACHE)
