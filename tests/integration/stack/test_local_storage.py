"""`/storage/TOKEN` takes what a form of the API was made for, once, and gives objects as S3 does."""

import io
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Request

from local.site.storage import MAX_PARTS, PREFIX, Storage
from local.template import Template
from storage.batches.uploads import UPLOAD_SECONDS
from storage.gateway.bucket import Bucket, UploadForm
from storage.keys import BatchKey
from tests.harness.raw_cloud import RawCloud

KEY = BatchKey("tiny", "ada", "01a1fcbf-0000-7000-8000-000000000000/runs.jsonl")
FILE = b'{"a": 1}\r\n--x\n'

type Fields = list[tuple[str, str]]
type Send = Callable[..., TestResponse]
type ListKeys = Callable[[], list[str]]


class Refusal(NamedTuple):
    """What S3 would say."""

    status: int
    code: str


NO_FILE = Refusal(400, "IncorrectNumberOfFilesInPostRequest")
CHANGED = Refusal(400, "InvalidArgument")
MALFORMED = Refusal(400, "MalformedPOSTRequest")
TOO_LARGE = Refusal(400, "EntityTooLarge")
TOO_SMALL = Refusal(400, "EntityTooSmall")


@pytest.fixture
def bucket(template: Template) -> str:
    """Where files go."""
    return template.resources["ResultsBucket"].name


@pytest.fixture
def list_keys(cloud: RawCloud, bucket: str) -> ListKeys:
    """Lists what was stored."""
    return lambda: [found["Key"] for found in cloud.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


@pytest.fixture
def store(cloud: RawCloud, bucket: str) -> Bucket:
    """What makes forms for the API."""
    return Bucket(cloud.objects, bucket)


@pytest.fixture
def form(store: Bucket) -> UploadForm:
    """A form as the API hands it out, for exactly FILE."""
    return store.sign_upload(str(KEY), size_bytes=len(FILE), content_type="application/jsonl", seconds=UPLOAD_SECONDS)


@pytest.fixture
def fields(form: UploadForm) -> dict[str, str]:
    """Its fields."""
    return form.fields


@pytest.fixture
def client(cloud: RawCloud) -> Client:
    """Speaks to the addresses."""
    return Client(Request.application(Storage(cloud.s3.objects).answer))


@pytest.fixture
def send(client: Client, form: UploadForm) -> Send:
    """Sends a form, to the address of `form` if no other is named."""

    def post(
        body: bytes, *, url: str = form.url, environ: Mapping[str, str] | None = None, **headers: str
    ) -> TestResponse:
        headers = {"Content-Type": "multipart/form-data; boundary=edge", **headers}
        return client.post(url, data=body, headers=headers, environ_overrides=environ)

    return post


def make_form(fields: Mapping[str, str] | Fields, file: bytes | None = FILE, *, behind: Fields | None = None) -> bytes:
    """Make the body of a form: fields, the file, and fields behind it."""
    before = list(fields.items()) if isinstance(fields, Mapping) else fields
    parts = [_make_part(f'name="{name}"', value.encode()) for name, value in before]
    if file is not None:
        parts.append(_make_part('name="file"; filename="runs.jsonl"', file))
    parts += [_make_part(f'name="{name}"', value.encode()) for name, value in behind or []]
    return b"".join(parts) + b"--edge--\r\n"


def _make_part(disposition: str, content: bytes) -> bytes:
    return f"--edge\r\nContent-Disposition: form-data; {disposition}\r\n\r\n".encode() + content + b"\r\n"


def read_refusal(answer: TestResponse) -> Refusal:
    """Read an answer of S3."""
    assert answer.mimetype == "application/xml"
    error = ET.fromstring(answer.data)  # noqa: S314  # our own answer
    return Refusal(answer.status_code, str(error.findtext("Code")))


def test_form_is_stored_as_it_was_made_for(cloud: RawCloud, bucket: str, fields: dict[str, str], send: Send) -> None:
    """A form of the API's own fields brings its file, byte by byte, under its key and with its type."""
    answer = send(make_form(fields))

    found = cloud.s3.get_object(Bucket=bucket, Key=str(KEY))
    assert (answer.status_code, answer.headers["ETag"]) == (204, found["ETag"])
    assert (found["Body"].read(), found["ContentType"]) == (FILE, "application/jsonl")


def test_large_file_arrives_whole(cloud: RawCloud, bucket: str, store: Bucket, client: Client) -> None:
    """A file longer than what is read at a time is stored as it is."""
    file = bytes(range(256)) * 20_000
    form = store.sign_upload(str(KEY), size_bytes=len(file), content_type="application/zip", seconds=UPLOAD_SECONDS)

    answer = client.post(form.url, data=make_form(form.fields, file), content_type="multipart/form-data; boundary=edge")

    assert answer.status_code == 204
    assert cloud.s3.get_object(Bucket=bucket, Key=str(KEY))["Body"].read() == file


def test_an_address_takes_one_file(fields: dict[str, str], send: Send, cloud: RawCloud, bucket: str) -> None:
    """A second one is refused, and the first stays; a refused one leaves the address as it was."""
    statuses = [send(make_form(fields, file)).status_code for file in (FILE[:-1], FILE, FILE[::-1])]

    assert statuses == [400, 204, 403]
    assert cloud.s3.get_object(Bucket=bucket, Key=str(KEY))["Body"].read() == FILE


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (lambda fields: make_form({**fields, "key": "benchmarks/tiny/current.json"}), CHANGED),
        (lambda fields: make_form({**fields, "key": "drops/${filename}"}), CHANGED),
        (lambda fields: make_form({"Content-Type": fields["Content-Type"]}), CHANGED),
        (lambda fields: make_form({**fields, "Content-Type": "text/html"}), CHANGED),
        (lambda fields: make_form({"key": fields["key"]}), CHANGED),
        (lambda fields: make_form([*fields.items(), ("key", "results/forged")]), CHANGED),
        (lambda fields: make_form(fields, FILE[:-1]), TOO_SMALL),
        (lambda fields: make_form(fields, FILE + b"1"), TOO_LARGE),
        (lambda fields: make_form(fields, FILE * 100_000), TOO_LARGE),
        (lambda fields: make_form(fields, b""), TOO_SMALL),
        (lambda fields: make_form(fields, None), NO_FILE),
        (lambda fields: make_form(fields)[: -len("\r\n--edge--\r\n")], MALFORMED),
    ],
)
def test_form_that_differs_from_its_address_is_refused(
    change: Callable[[dict[str, str]], bytes], refusal: Refusal, list_keys: ListKeys, fields: dict[str, str], send: Send
) -> None:
    """Another field, a second key, a file of another size or without an end: it is refused, and nothing is stored."""
    assert read_refusal(send(change(fields))) == refusal
    assert list_keys() == []


def test_no_more_is_read_than_a_file_may_have(fields: dict[str, str], send: Send) -> None:
    """Of a file that is too large the rest is not even read."""
    form = make_form(fields, FILE * 100_000)
    stream = io.BytesIO(form)

    environ = {
        "wsgi.input": stream,
        "CONTENT_LENGTH": str(len(form)),
        "CONTENT_TYPE": "multipart/form-data; boundary=edge",
    }

    found = read_refusal(send(b"", environ=environ))

    assert found.code == "EntityTooLarge"
    assert stream.tell() < len(form) // 4


@pytest.mark.parametrize("token", ["", "a", "../" * 3, "0" * 43, "%00"])
def test_unknown_address_is_refused(token: str, list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """Nobody guesses an address."""
    assert read_refusal(send(make_form(fields), url=f"{PREFIX}{token}")) == (403, "AccessDenied")
    assert list_keys() == []


def test_late_form_is_refused(
    list_keys: ListKeys, fields: dict[str, str], send: Send, cloud: RawCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address holds for as long as it was made for."""
    engine = cloud.s3.store
    late = engine.clock() + timedelta(seconds=UPLOAD_SECONDS + 1).total_seconds()
    monkeypatch.setattr(engine, "clock", lambda: late)

    assert read_refusal(send(make_form(fields))) == (403, "AccessDenied")
    assert list_keys() == []


@pytest.mark.parametrize(
    ("body", "headers", "refusal"),
    [
        (b"--edge\r\n", {}, MALFORMED),
        (b"--edge\r\n\r\n1\r\n--edge--", {}, MALFORMED),
        (make_form({"a": "1"}, None), {}, NO_FILE),
        (b"--edge\r\nContent-Disposition: a\r\n\r\n1\r\n--edge--", {}, NO_FILE),
        (b"--edge\r\nContent-Disposition: \xff\r\n\r\n1\r\n--edge--", {}, MALFORMED),
        (make_form({"key": "1"})[:-20], {}, MALFORMED),
        (make_form([("a", "")] * (MAX_PARTS + 1)), {}, MALFORMED),
        (b" " * 1_000_000, {}, TOO_LARGE),
        (make_form({}), {"Content-Type": "application/json"}, NO_FILE),
        (make_form({}), {"Content-Type": "multipart/form-data"}, MALFORMED),
    ],
)  # fmt: skip
def test_body_that_is_no_form_is_refused(
    body: bytes, headers: dict[str, str], refusal: Refusal, list_keys: ListKeys, send: Send
) -> None:
    """A request that is no form, or too long, is rejected with the reason."""
    found = read_refusal(send(body, **headers))

    assert found == refusal
    assert list_keys() == []


def test_form_without_a_length_is_refused(fields: dict[str, str], send: Send) -> None:
    """S3 takes no form of unknown length."""
    answer = send(make_form(fields), environ={"HTTP_TRANSFER_ENCODING": "chunked"})

    assert read_refusal(answer) == (411, "MissingContentLength")


def test_file_without_room_can_be_sent_again(
    cloud: RawCloud, list_keys: ListKeys, store: Bucket, client: Client
) -> None:
    """On a full disk nothing is stored, a program is told to try later, and the address stays valid."""
    engine, file = cloud.s3.store, b"x" * 2_000_000
    form = store.sign_upload(str(KEY), size_bytes=len(file), content_type="application/jsonl", seconds=UPLOAD_SECONDS)
    headers, body = {"Content-Type": "multipart/form-data; boundary=edge"}, make_form(form.fields, file)
    (limit,) = engine.read("PRAGMA max_page_count")[0]

    engine.read("PRAGMA max_page_count = 1")  # as many as there are
    refused = client.post(form.url, data=body, headers=headers)
    kept = list_keys()
    engine.read(f"PRAGMA max_page_count = {limit}")
    accepted = client.post(form.url, data=body, headers=headers)

    assert (refused.status_code, kept) == (503, [])
    assert (accepted.status_code, list_keys()) == (204, [str(KEY)])


def test_download_is_shown_by_no_browser(cloud: RawCloud, bucket: str, client: Client) -> None:
    """What strangers sent comes as a file, is kept by no cache, and cannot be written."""
    page = b"<script>alert(1)</script>"
    cloud.s3.put_object(Bucket=bucket, Key="results/a", Body=page, ContentType="text/html")
    url = Bucket(cloud.objects, bucket).sign_download("results/a", filename="a.json", seconds=60)

    answer = client.get(url)
    written = client.post(url, data=make_form({"key": "results/a"}))

    assert (answer.status_code, answer.data) == (200, page)
    assert {name: answer.headers[name] for name in ("Content-Type", "Content-Disposition", "Cache-Control")} == {
        "Content-Type": "application/octet-stream",
        "Content-Disposition": 'attachment; filename="a.json"',
        "Cache-Control": "private, no-store",
    }
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert read_refusal(written) == (405, "MethodNotAllowed")
