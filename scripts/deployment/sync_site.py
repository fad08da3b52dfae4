"""Brings the built site into its bucket and tells CloudFront what has changed; a second time nothing has."""  # noqa: INP001 — scripts are no package

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
    """One file of the built site, as the bucket is to have it."""

    key: str
    body: bytes
    headers: dict[str, str]


class SiteChange(NamedTuple):
    """What a bucket lacks, and what is in it that the site no longer has."""

    put: tuple[PageFile, ...]
    delete: tuple[str, ...]

    @property
    def stale_paths(self) -> list[str]:
        """Paths that CloudFront may hold an old answer of; a hashed name never had another content."""
        changed = [one.key for one in self.put if one.headers["CacheControl"] != HASHED_CACHE]
        return sorted(f"/{key}" for key in (*changed, *self.delete))


def read_site(folder: Path) -> list[PageFile]:
    """Read the built site: assets first, the page that names them last, so that no visitor asks for what is not there.

    Raises:
        FileNotFoundError: It is not built.
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
    """The site's files in their bucket; `data/` in it belongs to aggregate, and is left alone."""

    s3: "S3Client"
    bucket: str

    def compare(self, files: Sequence[PageFile]) -> SiteChange:
        """Find what differs, in content or headers.

        Assets that no page names any more stay: a page that is open somewhere may still load them.
        """
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket)
        there = {one["Key"] for page in pages for one in page.get("Contents", ())}
        wanted = {one.key for one in files}
        strays = {key for key in there - wanted if not key.startswith((SNAPSHOTS, ASSETS))}
        return SiteChange(tuple(one for one in files if not self._has(one)), tuple(sorted(strays)))

    def apply(self, change: SiteChange) -> None:
        """Put and delete what differs."""
        for one in change.put:
            headers: dict[str, Any] = one.headers
            self.s3.put_object(Bucket=self.bucket, Key=one.key, Body=one.body, **headers)
        for key in change.delete:
            self.s3.delete_object(Bucket=self.bucket, Key=key)

    def _has(self, file: PageFile) -> bool:
        try:
            head = self.s3.head_object(Bucket=self.bucket, Key=file.key)
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:  # noqa: PLR2004 — not found
                return False
            raise
        # Under SSE-S3 the ETag of what was put in one piece is its MD5.
        etag = hashlib.md5(file.body, usedforsecurity=False).hexdigest()
        found = {"CacheControl": head.get("CacheControl"), "ContentType": head["ContentType"]}
        return head["ETag"].strip('"') == etag and found == file.headers


def invalidate(cloudfront: Any, distribution: str, change: SiteChange) -> str | None:
    """Have CloudFront forget what has changed; that takes it a minute.

    Args:
        cloudfront: The client.
        distribution: The distribution's id.
        change: What was applied.

    Returns:
        The invalidation's id; None where nothing is stale.
    """
    paths = change.stale_paths
    if not paths:
        return None
    # The same change asked for twice is one invalidation.
    reference = hashlib.sha256(repr([(one.key, one.body) for one in change.put] + paths).encode()).hexdigest()
    answer = cloudfront.create_invalidation(
        DistributionId=distribution,
        InvalidationBatch={"Paths": {"Quantity": len(paths), "Items": paths}, "CallerReference": reference},
    )
    name: str = answer["Invalidation"]["Id"]
    return name


def _add_charset(media_type: str) -> str:
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
