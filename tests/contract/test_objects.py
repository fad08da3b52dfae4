"""Objects, their parts, versions, copies and lists, on both sides of the gateway."""

import base64
import json
from typing import Any

import pytest

from storage.gateway.bucket import Bucket
from storage.gateway.errors import Conflict, NotFound, Refused
from tests.contract.sides import RESULTS
from tests.harness.raw_cloud import RawCloud

KEYS = ("a", "b/1", "b/2", "b/c/3", "d")


@pytest.fixture
def bucket(cloud: RawCloud) -> Bucket:
    """The results bucket."""
    return Bucket(cloud.objects, RESULTS)


@pytest.mark.parametrize(("part", "expected"), [((0, 0), b"a"), ((1, 2), b"bc"), ((3, 9), b"d"), (None, b"abcd")])
def test_part_of_an_object(bucket: Bucket, part: tuple[int, int] | None, expected: bytes) -> None:
    """A part is what is asked for as far as there is any."""
    bucket.overwrite("a", b"abcd")

    assert bucket.get("a", part=part).body == expected


def test_part_behind_the_end_is_refused(bucket: Bucket) -> None:
    """There is no such part."""
    bucket.overwrite("a", b"abcd")

    with pytest.raises(Refused):
        bucket.get("a", part=(4, 5))


def test_what_is_stored_with_an_object(bucket: Bucket) -> None:
    """Its media type, how long it may be kept, its size and metadata; a longer one than asked for is not read."""
    etag = bucket.put("a", b"", replacing=None, content_type="text/csv", cache_control="no-cache", metadata={"n": "1"})

    stored, info = bucket.get("a"), bucket.find_info("a")

    assert info is not None
    assert stored == (b"", info)
    assert (info.etag, info.content_type, info.cache_control) == (etag, "text/csv", "no-cache")
    assert (info.metadata, info.size_bytes) == ({"n": "1"}, 0)
    bucket.overwrite("a", b"ab")
    assert [bucket.find_short("a", max_bytes=size) for size in (1, 2)] == [None, (b"ab", bucket.find_info("a"))]
    assert (bucket.find_short("b", max_bytes=2), bucket.find_info("b"), bucket.find("b")) == (None, None, None)


def test_versions_of_an_object(cloud: RawCloud, bucket: Bucket) -> None:
    """Each is read by its id; a deletion hides all, and taking its marker away shows the latest again."""
    written = []
    for body in (b"1", b"2"):
        bucket.put("a", body, replacing=written[-1].etag if written else None, metadata={"n": body.decode()})
        written.append(bucket.find_info("a"))
    bucket.delete("a")

    with pytest.raises(NotFound):
        bucket.get("a")
    assert [bucket.get("a", version_id=each.version_id).body for each in written] == [b"1", b"2"]
    (versions,) = cloud.objects.list_versions(RESULTS, "a")
    (marker,) = {version for _, version in versions} - {each.version_id for each in written}

    cloud.objects.delete(RESULTS, "a", version_id=marker)
    assert (bucket.get("a").body, bucket.get("a").info.metadata) == (b"2", {"n": "2"})
    cloud.objects.delete(RESULTS, "a", version_id=written[1].version_id)
    assert bucket.get("a").body == b"1"
    bucket.delete_versions("a")
    assert list(cloud.objects.list_versions(RESULTS, "a")) in ([], [[]])


def test_write_on_a_condition(bucket: Bucket) -> None:
    """New, or instead of what was read; what lost the race is refused, and so is what replaces nothing."""
    first = bucket.put("a", b"1", replacing=None)
    bucket.put("a", b"2", replacing=first)

    for key, replacing in (("a", None), ("a", first), ("b", first)):
        with pytest.raises(Conflict):
            bucket.put(key, b"3", replacing=replacing)
    assert (bucket.get("a").body, bucket.find("b")) == (b"2", None)


def test_copy_is_an_object_of_its_own(bucket: Bucket) -> None:
    """It has the same bytes, and the media type that the copy names, without the metadata."""
    bucket.put("a", b"1", replacing=None, content_type="text/csv", metadata={"n": "1"})
    bucket.copy("a", "b", content_type="text/plain")
    bucket.delete_all(["a", "never"])

    copied = bucket.get("b")
    assert (copied.body, copied.info.content_type, copied.info.metadata) == (b"1", "text/plain", {})
    with pytest.raises(NotFound):
        bucket.copy("a", "c", content_type="text/plain")


@pytest.mark.parametrize("length", [1, 2, None])
@pytest.mark.parametrize(
    ("prefix", "after", "expected"),
    [
        ("", "", ["a", "b/1", "b/2", "b/c/3", "d"]),
        ("b/", "", ["b/1", "b/2", "b/c/3"]),
        ("", "b/1", ["b/2", "b/c/3", "d"]),
        ("b", "b/2", ["b/c/3"]),
        ("e", "", []),
    ],
)
def test_list_of_objects(cloud: RawCloud, prefix: str, after: str, expected: list[str], length: int | None) -> None:
    """Each key comes once, in order, on pages of any size."""
    bucket = Bucket(cloud.objects, RESULTS)
    for key in KEYS:
        bucket.overwrite(key, b"1")

    pages: list[Any] = list(cloud.objects.list_pages(RESULTS, prefix, after=after, length=length))

    assert [key for page in pages for key, _ in page] == expected
    assert [page for page in pages if length and len(page) > length] == []
    assert bucket.find_first(prefix) == next((key for key in KEYS if key.startswith(prefix)), None)


@pytest.mark.parametrize(("prefix", "expected"), [("b/", ["c"]), ("", ["b"]), ("b/c/", [])])
def test_list_of_folders(bucket: Bucket, prefix: str, expected: list[str]) -> None:
    """Those right below a prefix, each once; keys beside them are none."""
    for key in KEYS:
        bucket.overwrite(key, b"1")

    assert bucket.list_folders(prefix) == expected


def test_bucket_that_is_missing_is_no_missing_object(cloud: RawCloud) -> None:
    """It is a wrong configuration."""
    for ask in (Bucket(cloud.objects, "none").find, Bucket(cloud.objects, "none").find_first):
        with pytest.raises(Refused):
            ask("a")


def test_form_of_a_part_allows_its_bytes_alone(bucket: Bucket) -> None:
    """Its fields say what the hash is; on AWS a policy holds each of them."""
    form = bucket.sign_upload("a", size_bytes=1, content_type="text/plain", seconds=60, sha256="ff" * 32)

    fields = {"Content-Type": "text/plain", "x-amz-checksum-algorithm": "SHA256"}
    assert form.fields.items() >= {**fields, "x-amz-checksum-sha256": "/" * 42 + "8="}.items()
    if "policy" in form.fields:
        conditions = json.loads(base64.b64decode(form.fields["policy"]))["conditions"]
        assert {"x-amz-checksum-sha256": "/" * 42 + "8="} in conditions
        assert ["content-length-range", 1, 1] in conditions
