"""S3: objects with their versions, conditional writes, lists, one-time addresses, notices to queues."""

import hashlib
import io
import json
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple
from urllib.parse import quote_plus

from engine.errors import refuse
from engine.limits import MAX_LISTED, MAX_METADATA_BYTES, MAX_OBJECT_BYTES, MAX_OBJECT_KEY_BYTES
from engine.messages import Sqs
from engine.pages import Paginator
from engine.store import Store

REGION: Final = "us-east-1"
_RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")
_STORED: Final = frozenset({"ContentType", "CacheControl", "Metadata"})
_COLUMNS: Final = "version, etag, size, at, info"
_MAX_VERSION_LENGTH: Final = 18
_LAST: Final = "\U0010ffff"


class Version(NamedTuple):
    """A version of an object; `size` None: a delete marker."""

    number: int
    etag: str
    size: int | None
    at: float
    info: dict[str, Any]

    def describe(self) -> dict[str, Any]:
        """Return what the answer to a HEAD says of it."""
        return {
            "ETag": self.etag,
            "ContentLength": self.size,
            "LastModified": _moment(self.at),
            "VersionId": str(self.number),
            "AcceptRanges": "bytes",
            "Metadata": {name.lower(): text for name, text in self.info.get("Metadata", {}).items()},
            "ContentType": self.info.get("ContentType", "binary/octet-stream"),
            **({"CacheControl": self.info["CacheControl"]} if "CacheControl" in self.info else {}),
        }


class Place(NamedTuple):
    """Where an object is."""

    bucket: str
    key: str


class S3:
    """The calls of S3's client that the gateway makes."""

    def __init__(self, store: Store, sqs: Sqs) -> None:
        self.store, self.sqs = store, sqs

    # Objects

    def put_object(
        self,
        *,
        Bucket: str,
        Key: str,
        Body: bytes = b"",
        IfMatch: str | None = None,
        IfNoneMatch: str | None = None,
        **stored: Any,
    ) -> dict[str, Any]:
        """Write an object on a condition, and its notice with it."""
        operation = "PutObject"
        self._check(operation, Bucket, Key)
        if IfNoneMatch not in {None, "*"}:
            text = "A header you provided implies functionality that is not implemented"
            raise refuse(operation, text, "NotImplemented")
        with self.store.writing():
            current = self._find(Bucket, Key)
            if IfMatch is not None and (current is None or current.size is None):
                raise refuse(operation, "The specified key does not exist.", "NoSuchKey")
            if (IfMatch is not None and current is not None and current.etag != IfMatch) or (
                IfNoneMatch is not None and current is not None and current.size is not None
            ):
                text = "At least one of the pre-conditions you specified did not hold"
                raise refuse(operation, text, "PreconditionFailed")
            return self._put(operation, "Put", Place(Bucket, Key), Body, stored)

    def get_object(
        self,
        *,
        Bucket: str,
        Key: str,
        VersionId: str | None = None,
        Range: str | None = None,
    ) -> dict[str, Any]:
        """Read an object, or a range of its bytes."""
        operation = "GetObject"
        self._check(operation, Bucket, Key)
        with self.store.reading() as connection:
            version = self._present(operation, Bucket, Key, VersionId)
            answer = version.describe()
            first, length = 0, version.size or 0
            if Range is not None:
                first, last = _read_range(operation, Range, length)
                answer["ContentRange"] = f"bytes {first}-{last}/{length}"
                answer["ContentLength"] = length = last - first + 1
            sql = "SELECT substr(body, ?, ?) FROM objects WHERE version = ?"
            ((part,),) = connection.execute(sql, (first + 1, length, version.number))
        body = part or b""  # SQLite has no part of an empty value
        return {**answer, "Body": io.BytesIO(body)}

    def head_object(self, *, Bucket: str, Key: str, VersionId: str | None = None) -> dict[str, Any]:
        """Read what is stored of an object besides its bytes."""
        self._check("HeadObject", Bucket, Key)
        return self._present("HeadObject", Bucket, Key, VersionId).describe()

    def copy_object(
        self,
        *,
        Bucket: str,
        Key: str,
        CopySource: Mapping[str, str],
        MetadataDirective: str,
        TaggingDirective: str,
        **stored: Any,
    ) -> dict[str, Any]:
        """Copy an object, with the given metadata in place of its own."""
        operation = "CopyObject"
        if (MetadataDirective, TaggingDirective) != ("REPLACE", "REPLACE"):
            raise refuse(operation, "only copies that replace metadata and tags are made", "NotImplemented")
        self._check(operation, Bucket, Key)
        with self.store.writing():
            source = self.get_object(**CopySource)["Body"].read()
            answer = self._put(operation, "Copy", Place(Bucket, Key), source, stored)
        return {"CopyObjectResult": {"ETag": answer["ETag"]}, "VersionId": answer["VersionId"]}

    def delete_object(self, *, Bucket: str, Key: str, VersionId: str | None = None) -> dict[str, Any]:
        """Put a delete marker over an object, or delete one version for good."""
        self._check("DeleteObject", Bucket, Key)
        with self.store.writing() as connection:
            current = self._find(Bucket, Key)
            if VersionId is not None:
                number = _read_version(VersionId)
                sql = "DELETE FROM objects WHERE bucket = ? AND key = ? AND version = ?"
                connection.execute(sql, (Bucket, Key, number))
                if current is not None and current.number == number:
                    connection.execute(
                        "UPDATE objects SET current = 1, replaced_at = NULL WHERE version = "
                        "(SELECT max(version) FROM objects WHERE bucket = ? AND key = ?)",
                        (Bucket, Key),
                    )
            elif current is not None:
                self._store_version(Place(Bucket, Key), "", {}, None)
        return {}

    def delete_objects(self, *, Bucket: str, Delete: Mapping[str, Any]) -> dict[str, Any]:
        """Put delete markers over up to a thousand objects."""
        if len(Delete["Objects"]) > MAX_LISTED:
            raise refuse("DeleteObjects", "The XML you provided was not well-formed", "MalformedXML")
        with self.store.writing():
            for entry in Delete["Objects"]:
                self.delete_object(Bucket=Bucket, **entry)
        return {}

    # Lists

    def list_objects_v2(
        self,
        *,
        Bucket: str,
        Prefix: str = "",
        StartAfter: str = "",
        Delimiter: str = "",
        MaxKeys: int = MAX_LISTED,
        ContinuationToken: str | None = None,
    ) -> dict[str, Any]:
        """List the objects with a prefix, in order of the key; keys with the delimiter as one folder."""
        self._check("ListObjectsV2", Bucket, "-")
        room = min(MaxKeys, MAX_LISTED)
        contents: list[dict[str, Any]] = []
        folders: list[dict[str, Any]] = []
        after = StartAfter if ContinuationToken is None else ContinuationToken
        entries = self._list_current(Bucket, Prefix, after, Delimiter)
        is_truncated = False
        for key, version in entries:
            if len(contents) + len(folders) == room:
                is_truncated = room > 0
                break
            if version is None:
                folders.append({"Prefix": key})
            else:
                contents.append(
                    {"Key": key, "ETag": version.etag, "Size": version.size, "LastModified": _moment(version.at)}
                )
            after = key if version else f"{key}{_LAST}"
        return {
            "KeyCount": len(contents) + len(folders),
            "IsTruncated": is_truncated,
            **({"Contents": contents} if contents else {}),
            **({"CommonPrefixes": folders} if folders else {}),
            **({"NextContinuationToken": after} if is_truncated else {}),
        }

    def list_object_versions(
        self,
        *,
        Bucket: str,
        Prefix: str = "",
        MaxKeys: int = MAX_LISTED,
        KeyMarker: str = "",
        VersionIdMarker: str | None = None,
    ) -> dict[str, Any]:
        """List all versions with a prefix, in order of the key, the newest first."""
        self._check("ListObjectVersions", Bucket, "-")
        room, below = min(MaxKeys, MAX_LISTED), 0 if VersionIdMarker is None else _read_version(VersionIdMarker)
        rows = self.store.read(
            f"SELECT key, current, {_COLUMNS} FROM objects WHERE bucket = ? AND key >= ? AND key < ? "  # noqa: S608
            "AND (key > ? OR (key = ? AND version < ?)) ORDER BY key, version DESC LIMIT ?",
            *(Bucket, max(Prefix, KeyMarker), f"{Prefix}{_LAST}", KeyMarker, KeyMarker, below, room + 1),
        )
        listed: dict[str, list[Any]] = {"Versions": [], "DeleteMarkers": []}
        for key, current, *columns in rows[:room]:
            version = _read_row(columns)
            entry = {
                "Key": key,
                "VersionId": str(version.number),
                "IsLatest": bool(current),
                "LastModified": _moment(version.at),
            }
            if version.size is None:
                listed["DeleteMarkers"].append(entry)
            else:
                listed["Versions"].append({**entry, "ETag": version.etag, "Size": version.size})
        answer = {name: entries for name, entries in listed.items() if entries}
        if len(rows) <= room:
            return {**answer, "IsTruncated": False}
        last = {"NextKeyMarker": rows[room - 1][0], "NextVersionIdMarker": str(rows[room - 1][2])}
        return {**answer, "IsTruncated": True, **last}

    def get_paginator(self, operation: str) -> Paginator:
        """Return what reads all pages of a list."""
        if operation == "list_objects_v2":
            return Paginator(self.list_objects_v2, {"ContinuationToken": "NextContinuationToken"}, size="MaxKeys")
        following = {"KeyMarker": "NextKeyMarker", "VersionIdMarker": "NextVersionIdMarker"}
        return Paginator({"list_object_versions": self.list_object_versions}[operation], following, "MaxKeys")

    # Addresses

    def generate_presigned_url(self, operation: str, *, Params: Mapping[str, Any], ExpiresIn: int) -> str:
        """Return an address of the local site that downloads an object until it expires."""
        if operation != "get_object":
            raise refuse("Sign", f"only downloads have addresses, not {operation}", "NotImplemented")
        return f"/storage/{self._grant({'download': dict(Params)}, ExpiresIn)}"

    def generate_presigned_post(
        self, *, Bucket: str, Key: str, Fields: Mapping[str, str], Conditions: Sequence[Any], ExpiresIn: int
    ) -> dict[str, Any]:
        """Return a form that uploads one object once, to an address of the local site."""
        ((low, high),) = [
            rule[1:] for rule in Conditions if isinstance(rule, list) and rule[0] == "content-length-range"
        ]
        request = {"Bucket": Bucket, "Key": Key, "ContentType": Fields["Content-Type"]}
        token = self._grant({"upload": request, "bytes": [low, high]}, ExpiresIn)
        return {"url": f"/storage/{token}", "fields": {**Fields, "key": Key}}

    def find_grant(self, token: str) -> dict[str, Any] | None:
        """Return what an address permits; None if it is not one, or its time is over."""
        rows = self.store.read("SELECT request FROM grants WHERE token = ? AND expires > ?", token, self.store.clock())
        return json.loads(rows[0][0]) if rows else None

    def use_upload(self, token: str, body: bytes) -> str:
        """Store the object of an upload's address, which ends with it; return its ETag. Raises ClientError."""
        with self.store.writing() as connection:
            grant = self.find_grant(token)
            if grant is None or "upload" not in grant:
                raise refuse("PostObject", "The address was used, or its time is over.", "AccessDenied")
            low, high = grant["bytes"]
            if not low <= len(body) <= high:
                code = "EntityTooLarge" if len(body) > high else "EntityTooSmall"
                raise refuse("PostObject", f"expected {low} to {high} bytes, found {len(body)}", code)
            connection.execute("DELETE FROM grants WHERE token = ?", (token,))
            request = grant["upload"]
            stored = {"ContentType": request["ContentType"]}
            return str(self._put("PostObject", "Post", Place(request["Bucket"], request["Key"]), body, stored)["ETag"])

    # Expiry

    def expire(self, bucket: str, rules: Sequence[Mapping[str, Any]]) -> None:
        """Delete what the lifecycle rules of a bucket, in CloudFormation's form, say is due."""
        now = self.store.clock()
        for rule in (rule for rule in rules if rule["Status"] == "Enabled"):
            prefix = rule.get("Prefix", "")
            span = (bucket, prefix, f"{prefix}{_LAST}")
            if "ExpirationInDays" in rule:
                due = now - rule["ExpirationInDays"] * 86400
                sql = (
                    "SELECT key FROM objects WHERE bucket = ? AND key >= ? AND key < ? AND current "
                    "AND size IS NOT NULL AND at <= ?"
                )
                for (key,) in self.store.read(sql, *span, due):
                    self.delete_object(Bucket=bucket, Key=key)
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
        with self.store.writing() as connection:
            connection.execute("DELETE FROM grants WHERE expires <= ?", (now,))

    # What the calls share

    def _check(self, operation: str, bucket: str, key: str) -> None:
        if self.store.find_resource("bucket", bucket) is None:
            raise refuse(operation, "The specified bucket does not exist", "NoSuchBucket")
        if not key:
            raise refuse(operation, "The key must not be empty", "InvalidRequest")
        if len(key.encode()) > MAX_OBJECT_KEY_BYTES:
            raise refuse(operation, "Your key is too long", "KeyTooLongError")

    def _find(self, bucket: str, key: str, number: int | None = None) -> Version | None:
        condition, values = ("current", ()) if number is None else ("version = ?", (number,))
        sql = f"SELECT {_COLUMNS} FROM objects WHERE bucket = ? AND key = ? AND {condition}"  # noqa: S608
        rows = self.store.read(sql, bucket, key, *values)
        return _read_row(rows[0]) if rows else None

    def _present(self, operation: str, bucket: str, key: str, version_id: str | None) -> Version:
        """Return a version that is no delete marker."""
        version = self._find(bucket, key, None if version_id is None else _read_version(version_id))
        if version is not None and version.size is not None:
            return version
        if version is not None and version_id is not None:
            raise refuse(operation, "The specified method is not allowed against this resource.", "MethodNotAllowed")
        code = "NoSuchKey" if version_id is None else "NoSuchVersion"
        raise refuse(operation, "Not Found", "404" if operation == "HeadObject" else code)

    def _put(self, operation: str, event: str, place: Place, body: bytes, stored: Mapping[str, Any]) -> dict[str, Any]:
        if unknown := sorted(stored.keys() - _STORED):
            raise refuse(operation, f"{unknown[0]} is not stored", "NotImplemented")
        metadata: Mapping[str, str] = stored.get("Metadata", {})
        if sum(len(name.encode()) + len(text.encode()) for name, text in metadata.items()) > MAX_METADATA_BYTES:
            raise refuse(
                operation, "Your metadata headers exceed the maximum allowed metadata size", "MetadataTooLarge"
            )
        if any(not f"{name}{text}".isascii() for name, text in metadata.items()):
            raise refuse(operation, "Non ascii characters found in S3 metadata", "InvalidArgument")
        if len(body) > MAX_OBJECT_BYTES:
            raise refuse(operation, "Your proposed upload exceeds the maximum allowed size", "EntityTooLarge")
        etag = f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'
        version = self._store_version(place, etag, stored, body)
        self._notify(place, event, version)
        return {"ETag": etag, "VersionId": str(version.number)}

    def _store_version(self, place: Place, etag: str, info: Mapping[str, Any], body: bytes | None) -> Version:
        now, size = self.store.clock(), None if body is None else len(body)
        with self.store.writing() as connection:
            connection.execute(
                "UPDATE objects SET current = 0, replaced_at = ? WHERE bucket = ? AND key = ? AND current",
                (now, *place),
            )
            cursor = connection.execute(
                "INSERT INTO objects (bucket, key, current, etag, size, at, info, body) "
                "VALUES (?, ?, 1, ?, ?, ?, ?, ?)",
                (*place, etag, size, now, json.dumps(info), body),
            )
        return Version(cursor.lastrowid or 0, etag, size, now, dict(info))

    def _notify(self, place: Place, event: str, version: Version) -> None:
        declared = self.store.find_resource("bucket", place.bucket) or {}
        for rule in declared.get("NotificationConfiguration", {}).get("QueueConfigurations", ()):
            filters = {part["Name"].lower(): part["Value"] for part in rule["Filter"]["S3Key"]["Rules"]}
            if not place.key.startswith(filters.get("prefix", "")) or not place.key.endswith(filters.get("suffix", "")):
                continue
            if rule["Event"] in {"s3:ObjectCreated:*", f"s3:ObjectCreated:{event}"}:
                notice = _make_notice(place, event, version)
                self.sqs.enqueue(rule["Queue"].rpartition(":")[2], json.dumps({"Records": [notice]}))

    def _list_current(
        self, bucket: str, prefix: str, after: str, delimiter: str
    ) -> Iterator[tuple[str, Version | None]]:
        """Yield key and version of each object, or a folder and None, in order."""
        end = f"{prefix}{_LAST}"
        while True:
            rows = self.store.read(
                f"SELECT key, {_COLUMNS} FROM objects WHERE bucket = ? AND current AND size IS NOT NULL "  # noqa: S608
                "AND key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?",
                *(bucket, prefix, end, after, 1 if delimiter else MAX_LISTED),
            )
            if not rows:
                return
            for key, *columns in rows:
                head, mark, _ = key[len(prefix) :].partition(delimiter) if delimiter else (key, "", "")
                if mark:
                    folder = f"{prefix}{head}{mark}"
                    if not after.startswith(folder):
                        yield folder, None
                    after = f"{folder}{_LAST}"
                else:
                    yield key, _read_row(columns)
                    after = key

    def _grant(self, request: Mapping[str, Any], seconds: int) -> str:
        token = secrets.token_urlsafe(32)
        with self.store.writing() as connection:
            connection.execute(
                "INSERT INTO grants VALUES (?, ?, ?)", (token, self.store.clock() + seconds, json.dumps(request))
            )
        return token


def _read_row(columns: Sequence[Any]) -> Version:
    number, etag, size, at, info = columns
    return Version(number, etag, size, at, json.loads(info))


def _read_version(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MAX_VERSION_LENGTH else 0


def _read_range(operation: str, text: str, size: int) -> tuple[int, int]:
    """Return the first and the last byte of a range."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise refuse(operation, f"Range: expected bytes=FIRST-LAST, found {text}", "NotImplemented")
    first, last = int(match[1]), min(int(match[2]), size - 1)
    if first >= size or last < first:
        raise refuse(operation, "The requested range is not satisfiable", "InvalidRange")
    return first, last


def _moment(at: float) -> datetime:
    """Return a time as S3 tells it, in whole seconds."""
    return datetime.fromtimestamp(int(at), UTC)


def _make_notice(place: Place, event: str, version: Version) -> dict[str, Any]:
    return {
        "eventVersion": "2.1",
        "eventSource": "aws:s3",
        "awsRegion": REGION,
        "eventTime": datetime.fromtimestamp(version.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "eventName": f"ObjectCreated:{event}",
        "s3": {
            "s3SchemaVersion": "1.0",
            "bucket": {"name": place.bucket, "arn": f"arn:aws:s3:::{place.bucket}"},
            "object": {
                "key": quote_plus(place.key, safe="/"),
                "size": version.size,
                "eTag": version.etag.strip('"'),
                "versionId": str(version.number),
                "sequencer": f"{version.number:016X}",
            },
        },
    }
