"""Uploads the built site to its bucket and invalidates in CloudFront what changed."""  # noqa: INP001 — scripts are no package

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from botocore.exceptions import ClientError

from local.site.files import HASHED_CACHE, START, find_cache, find_media_type

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

SNAPSHOTS: Final = "data/"
ASSETS: Final = "assets/"


class PageFile(NamedTuple):
    """A file of the built site, as it must be in the bucket."""

    key: str
    body: bytes
    headers: dict[str, str]


class SiteChange(NamedTuple):
    """What must be put into a bucket, and what must be deleted from it."""

    put: tuple[PageFile, ...]
    delete: tuple[str, ...]

    @property
    def stale_paths(self) -> list[str]:
        """Return the paths that CloudFront may have cached; hashed names never change."""
        changed = [file.key for file in self.put if file.headers["CacheControl"] != HASHED_CACHE]
        return sorted(f"/{key}" for key in (*changed, *self.delete))


def read_site(folder: Path) -> list[PageFile]:
    """Read the built site, assets first: the page must not name a missing one.

    Raises FileNotFoundError if the site is not built.
    """
    if not (folder / START).is_file():
        raise FileNotFoundError(f"{folder / START}: expected the built site, found none; `make frontend` builds it")
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    ordered = sorted(names, key=lambda name: (name == START, not name.startswith(ASSETS), name))
    return [
        PageFile(
            name,
            (folder / name).read_bytes(),
            {"CacheControl": find_cache(name), "ContentType": _add_charset(find_media_type(name))},
        )
        for name in ordered
    ]


@dataclass(frozen=True, slots=True)
class SiteBucket:
    """The site's files in their bucket; `data/` belongs to aggregate and is not touched."""

    s3: "S3Client"
    bucket: str

    def compare(self, files: Sequence[PageFile]) -> SiteChange:
        """Return what differs in content or headers.

        Old assets stay, because a page that is open somewhere may still load them.
        """
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        stored = {entry["Key"] for page in pages for entry in page.get("Contents", ())}
        wanted = {file.key for file in files}
        stale = {key for key in stored - wanted if not key.startswith((SNAPSHOTS, ASSETS))}
        return SiteChange(tuple(file for file in files if not self._has(file)), tuple(sorted(stale)))

    def apply(self, change: SiteChange) -> None:
        """Put and delete what differs."""
        for file in change.put:
            headers: dict[str, Any] = file.headers
            self.s3.put_object(Bucket=self.bucket, Key=file.key, Body=file.body, **headers)
        for key in change.delete:
            self.s3.delete_object(Bucket=self.bucket, Key=key)

    def _has(self, file: PageFile) -> bool:
        try:
            head = self.s3.head_object(Bucket=self.bucket, Key=file.key)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:  # noqa: PLR2004 — not found
                return False
            raise
        # Under SSE-S3 the ETag of an object that was uploaded in one part is its MD5.
        etag = hashlib.md5(file.body, usedforsecurity=False).hexdigest()
        headers = {"CacheControl": head.get("CacheControl"), "ContentType": head["ContentType"]}
        return head["ETag"].strip('"') == etag and headers == file.headers


def invalidate(cloudfront: Any, distribution: str, change: SiteChange) -> str | None:
    """Invalidate in CloudFront what has changed, which takes a minute.

    Return the id of the invalidation; None if nothing is stale.
    """
    paths = change.stale_paths
    if not paths:
        return None
    # The same reference twice is one invalidation.
    reference = hashlib.sha256(repr([(file.key, file.body) for file in change.put] + paths).encode()).hexdigest()
    answer = cloudfront.create_invalidation(
        DistributionId=distribution,
        InvalidationBatch={"Paths": {"Quantity": len(paths), "Items": paths}, "CallerReference": reference},
    )
    invalidation: str = answer["Invalidation"]["Id"]
    return invalidation


def _add_charset(media_type: str) -> str:
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
