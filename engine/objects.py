"""Buckets: objects with their versions, conditional writes, lists, one-time addresses, notices to queues."""

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

import orjson

from engine.limits import MAX_METADATA_BYTES, MAX_OBJECT_BYTES, MAX_OBJECT_KEY_BYTES
from engine.messages import Messages
from engine.store import Store
from storage.gateway.bucket import MAX_LISTED, NewObject, ObjectInfo, StoredObject, UploadForm, make_fields
from storage.gateway.errors import Conflict, NotFound, Refused

REGION: Final = "us-east-1"
_FOUND: Final = (
    "SELECT etag, info, version, size, at FROM objects WHERE bucket = ? AND key = ? AND size IS NOT NULL AND "
)
_SHOWN: Final = "objects WHERE bucket = ? AND current AND size IS NOT NULL AND key >= ? AND key < ? AND key > ?"
_MAX_VERSION_LENGTH: Final = 18
_LAST: Final = "\U0010ffff"


class Grant(NamedTuple):
    """What an address permits: to upload an object of this size and hash, or to download it under a name."""

    bucket: str
    key: str
    content_type: str
    size_bytes: int | None = None
    filename: str | None = None
    sha256: str | None = None


class Objects:
    """The buckets of a store, with the calls of the gateway's `Objects`."""

    def __init__(self, store: Store, messages: Messages) -> None:
        self.store, self.messages = store, messages

    # Objects

    def get(
        self, bucket: str, key: str, /, *, version_id: str | None = None, part: tuple[int, int] | None = None
    ) -> StoredObject:
        """Read an object, or its bytes from the first to the last of a part."""
        with self.store.reading() as connection:
            info = self.find_info(bucket, key, version_id=version_id)
            if info is None:
                raise NotFound(f"read {key}: there is no such object")
            first, last = part or (0, info.size_bytes)
            if part and first >= info.size_bytes:
                raise Refused(f"read {key}: it ends before byte {first}")
            sql = "SELECT substr(body, ?, ?) FROM objects WHERE version = ?"
            ((body,),) = connection.execute(sql, (first + 1, last - first + 1, info.version_id))
        return StoredObject(body or b"", info)  # SQLite has no part of an empty value

    def find_info(self, bucket: str, key: str, /, *, version_id: str | None = None) -> ObjectInfo | None:
        """Read what is stored of an object besides its bytes; None if it does not exist."""
        self._check(bucket, key)
        if version_id is None:
            rows = self.store.read(f"{_FOUND}current", bucket, key)
        else:
            rows = self.store.read(f"{_FOUND}version = ?", bucket, key, _read_version(version_id))
        return _read_row(rows[0]) if rows else None

    def put(self, bucket: str, key: str, new: NewObject, /) -> str:
        """Write an object on a condition, and its notice with it."""
        self._check(bucket, key)
        with self.store.writing():
            if new.replacing is not None:
                current = self.find_info(bucket, key)
                if new.replacing != (current.etag if current else ""):
                    raise Conflict(f"write {key}: somebody else wrote it in the meantime")
            return self._put("Put", bucket, key, new)

    def copy(self, bucket: str, source: str, key: str, /, *, content_type: str) -> None:
        """Copy an object without its metadata."""
        self._check(bucket, key)
        with self.store.writing():
            body = self.get(bucket, source).body
            self._put("Copy", bucket, key, NewObject(body=body, content_type=content_type))

    def delete(self, bucket: str, key: str, /, *, version_id: str | None = None) -> None:
        """Put a delete marker over an object, or delete one version for good."""
        self._check(bucket, key)
        with self.store.writing() as connection:
            if version_id is None:
                if connection.execute("SELECT 1 FROM objects WHERE bucket = ? AND key = ?", (bucket, key)).fetchone():
                    self._store_version(bucket, key, "", {}, None)
                return
            sql = "DELETE FROM objects WHERE bucket = ? AND key = ? AND version = ?"
            connection.execute(sql, (bucket, key, _read_version(version_id)))
            connection.execute(
                "UPDATE objects SET current = 1, replaced_at = NULL WHERE version = "
                "(SELECT max(version) FROM objects WHERE bucket = ? AND key = ?)",
                (bucket, key),
            )

    def delete_many(self, bucket: str, keys: Sequence[str], /) -> None:
        """Put delete markers over up to a thousand objects."""
        if len(keys) > MAX_LISTED:
            raise Refused(f"delete objects: expected at most {MAX_LISTED}, found {len(keys)}")
        with self.store.writing():
            for key in keys:
                self.delete(bucket, key)

    # Lists

    def list_pages(
        self, bucket: str, prefix: str, /, *, after: str = "", length: int | None = None
    ) -> Iterator[Sequence[tuple[str, datetime]]]:
        """Read the pages of a list of keys after one, in order, and when each object was written."""
        self._check(bucket)
        most, last = length or MAX_LISTED, after
        while True:
            sql = f"SELECT key, at FROM {_SHOWN} ORDER BY key LIMIT ?"  # noqa: S608  # no text of others
            rows = self.store.read(sql, bucket, prefix, f"{prefix}{_LAST}", last, most)
            yield [(key, _moment(at)) for key, at in rows]
            if len(rows) < most:
                return
            last = rows[-1][0]

    def list_folders(self, bucket: str, prefix: str, /) -> Iterator[Sequence[str]]:
        """Read the folders below a prefix as one page."""
        self._check(bucket)
        folders: list[str] = []
        sql, last = f"SELECT key FROM {_SHOWN} ORDER BY key LIMIT 1", ""  # noqa: S608  # likewise
        while rows := self.store.read(sql, bucket, prefix, f"{prefix}{_LAST}", last):
            head, mark, _ = rows[0][0].removeprefix(prefix).partition("/")
            last = f"{prefix}{head}{mark}"
            if mark:
                folders.append(last)
                last += _LAST
        yield folders

    def list_versions(self, bucket: str, prefix: str, /) -> Iterator[Sequence[tuple[str, str]]]:
        """Read keys and ids of versions as one page, in order of the key, the newest first."""
        self._check(bucket)
        sql = "SELECT key, version FROM objects WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key, version DESC"
        yield [(key, str(version)) for key, version in self.store.read(sql, bucket, prefix, f"{prefix}{_LAST}")]

    # Addresses

    def sign_download(self, bucket: str, key: str, /, *, filename: str, seconds: int) -> str:
        """Return an address of the local site that downloads an object until it expires."""
        return self._grant(Grant(bucket, key, "application/octet-stream", filename=filename), seconds)

    def sign_upload(
        self, bucket: str, key: str, /, *, size_bytes: int, content_type: str, seconds: int, sha256: str | None = None
    ) -> UploadForm:
        """Return a form that uploads one object once, to an address of the local site."""
        address = self._grant(Grant(bucket, key, content_type, size_bytes, sha256=sha256), seconds)
        return UploadForm(address, {**make_fields(content_type, sha256), "key": key})

    def find_grant(self, token: str) -> Grant | None:
        """Return what an address permits; None if it is not one, or its time is over."""
        rows = self.store.read("SELECT request FROM grants WHERE token = ? AND expires > ?", token, self.store.clock())
        return Grant(*orjson.loads(rows[0][0])) if rows else None

    def use_upload(self, token: str, body: bytes) -> str:
        """Store the object of an upload's address, which ends with it; return its ETag. Raises NotFound."""
        with self.store.writing() as connection:
            grant = self.find_grant(token)
            if grant is None or grant.size_bytes is None:
                raise NotFound("the address was used, or its time is over")
            connection.execute("DELETE FROM grants WHERE token = ?", (token,))
            new = NewObject(body=body, content_type=grant.content_type)
            return self._put("Post", grant.bucket, grant.key, new)

    # Expiry

    def expire(self) -> None:
        """Delete what the lifecycle rules of the buckets, in CloudFormation's form, say is due."""
        now = self.store.clock()
        for bucket in self.store.list_resources("bucket"):
            declared = self.store.find_resource("bucket", bucket) or {}
            for rule in declared.get("LifecycleConfiguration", {}).get("Rules", ()):
                if rule["Status"] == "Enabled":
                    self._expire_by(bucket, rule, now)
        with self.store.writing() as connection:
            connection.execute("DELETE FROM grants WHERE expires <= ?", (now,))

    def _expire_by(self, bucket: str, rule: Mapping[str, Any], now: float) -> None:
        prefix = rule.get("Prefix", "")
        span = (bucket, prefix, f"{prefix}{_LAST}")
        if "ExpirationInDays" in rule:
            sql, due = f"SELECT key FROM {_SHOWN} AND at <= ?", now - rule["ExpirationInDays"] * 86400  # noqa: S608
            for (key,) in self.store.read(sql, *span, "", due):
                self.delete(bucket, key)
        with self.store.writing() as connection:
            if "NoncurrentVersionExpiration" in rule:
                due = now - rule["NoncurrentVersionExpiration"]["NoncurrentDays"] * 86400
                connection.execute(
                    "DELETE FROM objects WHERE bucket = ? AND key >= ? AND key < ? AND NOT current "
                    "AND replaced_at <= ?",
                    (*span, due),
                )
            if rule.get("ExpiredObjectDeleteMarker"):
                connection.execute(
                    "DELETE FROM objects WHERE bucket = ? AND key >= ? AND key < ? AND current AND size IS NULL "
                    "AND NOT EXISTS (SELECT 1 FROM objects AS older WHERE older.bucket = objects.bucket "
                    "AND older.key = objects.key AND older.version < objects.version)",
                    span,
                )

    # What the calls share

    def _check(self, bucket: str, key: str = "-") -> None:
        if self.store.find_resource("bucket", bucket) is None:
            raise Refused(f"there is no bucket {bucket}")
        if not 1 <= len(key.encode()) <= MAX_OBJECT_KEY_BYTES:
            raise Refused(f"expected a key of 1 to {MAX_OBJECT_KEY_BYTES} bytes, found {key!r}")

    def _put(self, event: str, bucket: str, key: str, new: NewObject) -> str:
        texts = [text for pair in new.metadata.items() for text in pair]
        if sum(map(len, texts)) > MAX_METADATA_BYTES or not "".join(texts).isascii():
            raise Refused(f"write {key}: expected metadata of at most {MAX_METADATA_BYTES} bytes of ASCII")
        if len(new.body) > MAX_OBJECT_BYTES:
            raise Refused(f"write {key}: expected at most {MAX_OBJECT_BYTES} bytes, found {len(new.body)}")
        etag = f'"{hashlib.md5(new.body, usedforsecurity=False).hexdigest()}"'
        metadata = {name.lower(): text for name, text in new.metadata.items()}
        info = {"ContentType": new.content_type, "CacheControl": new.cache_control, "Metadata": metadata}
        self._notify(event, bucket, key, self._store_version(bucket, key, etag, info, new.body))
        return etag

    def _store_version(
        self, bucket: str, key: str, etag: str, info: Mapping[str, Any], body: bytes | None
    ) -> ObjectInfo:
        now, size = self.store.clock(), None if body is None else len(body)
        with self.store.writing() as connection:
            connection.execute(
                "UPDATE objects SET current = 0, replaced_at = ? WHERE bucket = ? AND key = ? AND current",
                (now, bucket, key),
            )
            cursor = connection.execute(
                "INSERT INTO objects (bucket, key, current, etag, size, at, info, body) "
                "VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
                (bucket, key, etag, size, now, text := orjson.dumps(info).decode(), body),
            )
        return _read_row((etag, text, cursor.lastrowid, size, now))

    def _notify(self, event: str, bucket: str, key: str, info: ObjectInfo) -> None:
        declared = self.store.find_resource("bucket", bucket) or {}
        for rule in declared.get("NotificationConfiguration", {}).get("QueueConfigurations", ()):
            filters = {part["Name"].lower(): part["Value"] for part in rule["Filter"]["S3Key"]["Rules"]}
            if not key.startswith(filters.get("prefix", "")) or not key.endswith(filters.get("suffix", "")):
                continue
            if rule["Event"] in {"s3:ObjectCreated:*", f"s3:ObjectCreated:{event}"}:
                notice = _make_notice(event, bucket, key, info)
                self.messages.send(rule["Queue"].rpartition(":")[2], orjson.dumps({"Records": [notice]}).decode())

    def _grant(self, grant: Grant, seconds: int) -> str:
        self._check(grant.bucket, grant.key)
        token, request = secrets.token_urlsafe(32), orjson.dumps(tuple(grant)).decode()
        with self.store.writing() as connection:
            connection.execute("INSERT INTO grants VALUES (?, ?, ?)", (token, self.store.clock() + seconds, request))
        return f"/storage/{token}"


def _read_row(columns: Sequence[Any]) -> ObjectInfo:
    etag, text, number, size, at = columns
    info = orjson.loads(text)
    return ObjectInfo(
        etag=etag,
        metadata=info.get("Metadata", {}),
        version_id=str(number),
        size_bytes=size,
        modified_at=_moment(at),
        content_type=info.get("ContentType", "binary/octet-stream"),
        cache_control=info.get("CacheControl"),
    )


def _read_version(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_VERSION_LENGTH else 0


def _moment(at: float) -> datetime:
    """Return a time as S3 tells it, in whole seconds."""
    return datetime.fromtimestamp(int(at), UTC)


def _make_notice(event: str, bucket: str, key: str, info: ObjectInfo) -> dict[str, Any]:
    return {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": REGION,
        "eventTime": f"{info.modified_at:%Y-%m-%dT%H:%M:%S}.000Z",
        "eventName": f"ObjectCreated:{event}",
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"},
            "object": {
                "key": quote_plus(key, safe="/"),
                "size": info.size_bytes,
                "eTag": info.etag.strip('"'),
                "versionId": info.version_id,
                "sequencer": f"{int(info.version_id):016X}",
            },
        },
    }
