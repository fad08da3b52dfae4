"""A bucket: reads, conditional writes, lists."""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import batched
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from storage.gateway.errors import MAX_TRIES, Busy, Conflict, MetAnother, NotFound

if TYPE_CHECKING:
    from storage.gateway.models import StoredModel

MAX_LISTED = 1_000
"""Objects that are listed or deleted by one request."""
JSON = "application/json"
CHECKSUM = "x-amz-checksum-sha256"
"""The field of a form that has the hash of its file."""


class ObjectInfo(NamedTuple):
    """An object without its body; a replacement must match its ETag.

    Names of metadata are in lower case.
    """

    etag: str
    metadata: Mapping[str, str]
    version_id: str
    size_bytes: int
    modified_at: datetime
    content_type: str
    cache_control: str | None


class StoredObject(NamedTuple):
    """An object."""

    body: bytes
    info: ObjectInfo


class NewObject(NamedTuple):
    """An object that is written.

    Args:
        body: Its bytes.
        content_type: Its media type.
        cache_control: How long others may keep it; None: nothing is said.
        metadata: At most 2 KB of ASCII.
        replacing: The ETag of the object that it must replace; "": there must be none; None: whatever is stored.
    """

    body: bytes
    content_type: str = JSON
    cache_control: str | None = None
    metadata: Mapping[str, str] = MappingProxyType({})
    replacing: str | None = None


class UploadForm(NamedTuple):
    """A presigned POST: its URL, and the fields that come before the file."""

    url: str
    fields: dict[str, str]


def make_fields(content_type: str, sha256: str | None) -> dict[str, str]:
    """Return the fields of a form that say what its file is."""
    fields = {"Content-Type": content_type}
    if sha256 is not None:
        digest = base64.b64encode(bytes.fromhex(sha256)).decode()
        fields |= {"x-amz-checksum-algorithm": "SHA256", CHECKSUM: digest}
    return fields


class Versioned[Model: StoredModel](NamedTuple):
    """A model that was read, and the ETag that a replacement must match."""

    value: Model
    etag: str


class Objects(Protocol):
    """Where buckets are: `AwsObjects`, or the engine's. Any call raises Busy or Refused, as for a missing bucket."""

    def get(
        self, bucket: str, key: str, /, *, version_id: str | None = None, part: tuple[int, int] | None = None
    ) -> StoredObject:
        """Read an object, or bytes from the first to the last of a part. Raises NotFound."""

    def find_info(self, bucket: str, key: str, /, *, version_id: str | None = None) -> ObjectInfo | None:
        """Read what is stored of an object besides its body; None if it does not exist."""

    def put(self, bucket: str, key: str, new: NewObject, /) -> str:
        """Write an object, and return its ETag. Raises Conflict, MetAnother."""

    def copy(self, bucket: str, source: str, key: str, /, *, content_type: str) -> None:
        """Copy an object without its metadata and tags. Raises NotFound."""

    def delete(self, bucket: str, key: str, /, *, version_id: str | None = None) -> None:
        """Delete an object, or one of its versions for good, if it exists."""

    def delete_many(self, bucket: str, keys: Sequence[str], /) -> None:
        """Delete up to MAX_LISTED objects, if they exist."""

    def list_pages(
        self, bucket: str, prefix: str, /, *, after: str = "", length: int | None = None
    ) -> Iterator[Sequence[tuple[str, datetime]]]:
        """Read the pages of a list of keys after one, and when each was written."""

    def list_folders(self, bucket: str, prefix: str, /) -> Iterator[Sequence[str]]:
        """Read the pages of a list of folders, each with its prefix and slash."""

    def list_versions(self, bucket: str, prefix: str, /) -> Iterator[Sequence[tuple[str, str]]]:
        """Read the pages of a list of keys and ids of versions, delete markers included."""

    def sign_download(self, bucket: str, key: str, /, *, filename: str, seconds: int) -> str:
        """Return a URL that downloads an object; no browser shows or runs it."""

    def sign_upload(
        self, bucket: str, key: str, /, *, size_bytes: int, content_type: str, seconds: int, sha256: str | None = None
    ) -> UploadForm:
        """Return a form that uploads one object of exactly this key, size, type and hash."""


class Bucket(NamedTuple):
    """A bucket. Missing objects raise NotFound or are None; a missing bucket raises Refused."""

    client: Objects
    name: str

    def get(self, key: str, *, version_id: str | None = None, part: tuple[int, int] | None = None) -> StoredObject:
        """Read an object, or a part from its first to its last byte. Raises NotFound."""
        return self.client.get(self.name, key, version_id=version_id, part=part)

    def find(self, key: str) -> StoredObject | None:
        """Read an object; None if it does not exist."""
        try:
            return self.get(key)
        except NotFound:
            return None

    def find_short(self, key: str, *, max_bytes: int) -> StoredObject | None:
        """Read an object; None if it is longer or does not exist."""
        info = self.find_info(key)
        return self.find(key) if info and info.size_bytes <= max_bytes else None

    def find_model[Model: StoredModel](self, key: str, model: type[Model]) -> Versioned[Model] | None:
        """Read an object of JSON; None if it does not exist. Raises NewerSchema."""
        stored = self.find(key)
        return None if stored is None else Versioned(model.model_validate_json(stored.body), stored.info.etag)

    def find_info(self, key: str, version_id: str | None = None) -> ObjectInfo | None:
        """Read what is stored of an object besides its body; None if it does not exist."""
        return self.client.find_info(self.name, key, version_id=version_id)

    def put(
        self,
        key: str,
        body: bytes,
        *,
        replacing: str | None,
        content_type: str = JSON,
        cache_control: str | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> str:
        """Write a new object, or replace the one that was read; return the new ETag.

        `replacing` is the ETag that was read; None: there must be no object. Raises Conflict if that does not hold, and
        writes nothing; Busy if the write met others each time, and nobody knows whether one of them was stored.
        """
        new = NewObject(
            body=body,
            content_type=content_type,
            cache_control=cache_control,
            metadata=metadata or {},
            replacing=replacing or "",
        )
        for _ in range(MAX_TRIES):
            try:
                return self.client.put(self.name, key, new)
            except MetAnother:
                continue
        raise Busy(f"write {key}: met another write {MAX_TRIES} times")

    def put_new(self, key: str, body: bytes) -> bool:
        """Write a new object of JSON as `put` does; return False if there is one already."""
        try:
            self.put(key, body, replacing=None)
        except Conflict:
            return False
        return True

    def overwrite(self, key: str, body: bytes, *, content_type: str = JSON, cache_control: str | None = None) -> str:
        """Write an object, whatever is stored under its key, and return the new ETag."""
        new = NewObject(body=body, content_type=content_type, cache_control=cache_control)
        return self.client.put(self.name, key, new)

    def delete(self, key: str) -> None:
        """Delete an object; one that does not exist is deleted already."""
        self.client.delete(self.name, key)

    def delete_all(self, keys: Iterable[str]) -> None:
        """Delete objects, if they exist. Raises Busy."""
        for group in batched(keys, MAX_LISTED, strict=False):
            self.client.delete_many(self.name, group)

    def delete_versions(self, key: str) -> None:
        """Delete an object with all its versions; what does not exist is deleted already."""
        for page in self.client.list_versions(self.name, key):
            for name, version_id in page:
                self.client.delete(self.name, name, version_id=version_id)

    def list_modified(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """List the keys with a prefix, in order, and when each object was written."""
        for page in self.client.list_pages(self.name, prefix):
            yield from page

    def list_keys(self, prefix: str, *, after: str = "") -> Iterator[str]:
        """List the keys that start with a prefix, in order, from the one after `after` on."""
        for page in self.client.list_pages(self.name, prefix, after=after):
            yield from (key for key, _ in page)

    def list_folders(self, prefix: str) -> list[str]:
        """List the names of the folders below a prefix, sorted."""
        folders = [folder for page in self.client.list_folders(self.name, prefix) for folder in page]
        return sorted(folder.removeprefix(prefix).rstrip("/") for folder in folders)

    def find_first(self, prefix: str) -> str | None:
        """Return the first key that starts with a prefix; None if there is none."""
        return next((key for page in self.client.list_pages(self.name, prefix, length=1) for key, _ in page), None)

    def copy(self, source: str, key: str, *, content_type: str) -> None:
        """Copy an object of this bucket without its metadata and tags. Raises NotFound."""
        self.client.copy(self.name, source, key, content_type=content_type)

    def sign_download(self, key: str, *, filename: str, seconds: int) -> str:
        """Return a URL that downloads an object; no browser shows or runs it."""
        return self.client.sign_download(self.name, key, filename=filename, seconds=seconds)

    def sign_upload(
        self, key: str, *, size_bytes: int, content_type: str, seconds: int, sha256: str | None = None
    ) -> UploadForm:
        """Return a form that uploads one object of exactly this key, size and media type.

        With `sha256`, in hexadecimal, no other bytes are taken.
        """
        if "${filename}" in key:
            raise ValueError("S3 would replace ${filename} in the key of a form")
        return self.client.sign_upload(
            self.name, key, size_bytes=size_bytes, content_type=content_type, seconds=seconds, sha256=sha256
        )
