"""Snapshots in the site bucket: rows never change, head and index are replaced by compare-and-swap."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

from storage.aws.bucket import Bucket, Versioned
from storage.boards.models import Head, Index, Rows, RowsFile
from storage.keys import INDEX_KEY, badge_key, head_key, rows_key

ROWS_CACHE = "public, max-age=31536000, immutable"
HEAD_CACHE = "public, max-age=5, stale-while-revalidate=30"

JSON = "application/json"
SVG = "image/svg+xml"


class Badge(NamedTuple):
    """A board's badge, as an image and as JSON for shields.io."""

    svg: str
    json: str


@dataclass(frozen=True, slots=True)
class SnapshotStore:
    """The `data/` of the site bucket."""

    bucket: Bucket

    def read_head(self, benchmark: str) -> Versioned[Head] | None:
        """Read a board's head; None if it was never published."""
        return self.bucket.find_model(head_key(benchmark), Head)

    def write_head(self, head: Head, *, replacing: Versioned[Head] | None) -> None:
        """Replace a board's head. Raises Conflict if it changed since it was read."""
        etag = replacing and replacing.etag
        self.bucket.put(head_key(head.id), head.to_body(), replacing=etag, CacheControl=HEAD_CACHE)

    def read_index(self) -> Versioned[Index] | None:
        """Read the index; None if it was never published."""
        return self.bucket.find_model(INDEX_KEY, Index)

    def write_index(self, index: Index, *, replacing: Versioned[Index] | None) -> None:
        """Replace the index. Raises Conflict if it changed since it was read."""
        etag = replacing and replacing.etag
        self.bucket.put(INDEX_KEY, index.to_body(), replacing=etag, CacheControl=HEAD_CACHE)

    def read_rows(self, rows_url: str) -> Rows:
        """Read all rows of a board, as its head names them. Raises NotFound."""
        return RowsFile.model_validate_json(self.bucket.get(rows_url.removeprefix("/")).body).rows

    def write_rows(self, benchmark: str, rows: Rows, *, sequence: int) -> str:
        """Write a rows file and return its URL for the head."""
        body = RowsFile(rows=rows).to_body()
        key = rows_key(benchmark, sequence=sequence, digest=hashlib.sha256(body).hexdigest()[:12])
        self.bucket.overwrite(key, body, content_type=JSON, CacheControl=ROWS_CACHE)
        return f"/{key}"

    def delete_rows(self, key: str) -> None:
        """Delete a rows file that no head names, if it exists."""
        self.bucket.delete(key)

    def write_badge(self, benchmark: str, badge: Badge) -> None:
        """Write the badge if it changed. The last write wins: read the head again after."""
        for suffix, content_type, text in (("svg", SVG, badge.svg), ("json", JSON, badge.json)):
            key, body = badge_key(benchmark, suffix=suffix), text.encode()
            stored = self.bucket.find(key)
            if stored is None or stored.body != body:
                self.bucket.overwrite(key, body, content_type=content_type, CacheControl=HEAD_CACHE)
