"""Objects, their parts, versions, copies and lists, on both engines."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.sides import RESULTS, Clients

KEYS = ("a", "b/1", "b/2", "b/c/3", "d")


def read(side: Clients, key: str = "a", **request: Any) -> bytes:
    """Read an object."""
    body: bytes = side.s3.get_object(Bucket=RESULTS, Key=key, **request)["Body"].read()
    return body


def put(side: Clients, key: str, body: bytes, **request: Any) -> Any:
    """Write an object."""
    return side.s3.put_object(Bucket=RESULTS, Key=key, Body=body, **request)


@pytest.mark.parametrize(("part", "expected"), [("0-0", b"a"), ("1-2", b"bc"), ("3-9", b"d")])
def test_part_of_an_object(side: Clients, part: str, expected: bytes) -> None:
    """A part is what is asked for as far as there is any, and the answer says which of how much."""
    put(side, "a", b"abcd")

    answer = side.s3.get_object(Bucket=RESULTS, Key="a", Range=f"bytes={part}")

    begin = b"abcd".index(expected)
    assert answer["Body"].read() == expected
    assert answer["ContentRange"] == f"bytes {begin}-{begin + len(expected) - 1}/4"


def test_part_behind_the_end_is_refused(side: Clients) -> None:
    """There is no such part."""
    put(side, "a", b"abcd")

    with pytest.raises(ClientError, match="InvalidRange"):
        read(side, Range="bytes=4-5")


def test_versions_of_an_object(side: Clients) -> None:
    """Each is read by its id; a deletion hides all, and taking its marker away shows the latest again."""
    written = [put(side, "a", body, Metadata={"n": body.decode()}) for body in (b"1", b"2")]
    side.s3.delete_object(Bucket=RESULTS, Key="a")

    with pytest.raises(ClientError, match="NoSuchKey"):
        read(side)
    versions = side.s3.list_object_versions(Bucket=RESULTS)
    assert [read(side, VersionId=each["VersionId"]) for each in written] == [b"1", b"2"]
    assert {each["VersionId"]: each["IsLatest"] for each in versions["Versions"]} == {
        each["VersionId"]: False for each in written
    }
    (marker,) = versions["DeleteMarkers"]
    assert marker["IsLatest"]

    side.s3.delete_object(Bucket=RESULTS, Key="a", VersionId=marker["VersionId"])
    assert (read(side), side.s3.head_object(Bucket=RESULTS, Key="a")["Metadata"]) == (b"2", {"n": "2"})
    side.s3.delete_object(Bucket=RESULTS, Key="a", VersionId=written[1]["VersionId"])
    assert read(side) == b"1"


def test_write_on_a_condition(side: Clients) -> None:
    """New, or instead of what was read; what lost the race is refused."""
    first = put(side, "a", b"1", IfNoneMatch="*")
    put(side, "a", b"2", IfMatch=first["ETag"])

    for lost in ({"IfNoneMatch": "*"}, {"IfMatch": first["ETag"]}):
        with pytest.raises(ClientError, match="PreconditionFailed"):
            put(side, "a", b"3", **lost)
    assert read(side) == b"2"


def test_copy_is_an_object_of_its_own(side: Clients) -> None:
    """It has the same bytes, and the metadata that the copy names."""
    put(side, "a", b"1", ContentType="text/csv")
    more = {"MetadataDirective": "REPLACE", "TaggingDirective": "REPLACE", "ContentType": "text/plain"}
    side.s3.copy_object(Bucket=RESULTS, Key="b", CopySource={"Bucket": RESULTS, "Key": "a"}, **more)
    side.s3.delete_objects(Bucket=RESULTS, Delete={"Objects": [{"Key": "a"}]})

    assert (read(side, "b"), side.s3.head_object(Bucket=RESULTS, Key="b")["ContentType"]) == (b"1", "text/plain")
    with pytest.raises(ClientError, match="NoSuchKey"):
        side.s3.copy_object(Bucket=RESULTS, Key="c", CopySource={"Bucket": RESULTS, "Key": "a"}, **more)


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({}, ["a", "b/1", "b/2", "b/c/3", "d"]),
        ({"Prefix": "b/"}, ["b/1", "b/2", "b/c/3"]),
        ({"Prefix": "b/", "Delimiter": "/"}, ["b/1", "b/2", "b/c/"]),
        ({"Delimiter": "/"}, ["a", "b/", "d"]),
        ({"StartAfter": "b/1"}, ["b/2", "b/c/3", "d"]),
        ({"Prefix": "e"}, []),
    ],
)
def test_list_of_objects(side: Clients, request_: Any, expected: list[str], size: int) -> None:
    """Each key and folder comes once, on pages of any size."""
    for key in KEYS:
        put(side, key, b"1")

    pages = [*side.s3.get_paginator("list_objects_v2").paginate(Bucket=RESULTS, MaxKeys=size, **request_)]

    listed = [each["Key"] for page in pages for each in page.get("Contents", ())]
    listed += [each["Prefix"] for page in pages for each in page.get("CommonPrefixes", ())]
    assert sorted(listed) == expected
    assert [page["KeyCount"] for page in pages if page["KeyCount"] > size] == []
