"""The local `/uploads` takes what S3 would take, and refuses what S3 would refuse, in its words."""

import base64
import io
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import pytest
from boto3.session import Session
from botocore.config import Config
from werkzeug.test import Client, TestResponse
from werkzeug.wrappers import Request

from local.aws import Cloud
from local.intrinsics import REGION
from local.template import Template
from local.uploads.endpoint import MAX_FIELD_BYTES, MAX_PARTS, Uploads
from local.uploads.errors import UploadError
from local.uploads.post_policy import check_policy
from local.uploads.signatures import Credentials, CredentialScope
from storage.aws.bucket import Bucket
from storage.batches.uploads import UPLOAD_SECONDS, BatchUploadStore
from storage.keys import BatchKey

KEY = BatchKey("tiny", "ada", "01a1fcbf-0000-7000-8000-000000000000/runs.jsonl")
FILE = b'{"a": 1}\r\n--x\n'
CREDENTIALS = Credentials("local", "secret")

type Fields = list[tuple[str, str]]
type Send = Callable[..., TestResponse]
type ListKeys = Callable[[], list[str]]


class Refusal(NamedTuple):
    """What S3 would say."""

    status: int
    code: str
    message: str = ""


NO_FILE = Refusal(400, "IncorrectNumberOfFilesInPostRequest")
FAILED = "Invalid according to Policy: Policy Condition failed"


@pytest.fixture
def bucket(template: Template) -> str:
    """Where files go."""
    return template.resources["ResultsBucket"].name


@pytest.fixture
def list_keys(cloud: Cloud, bucket: str) -> ListKeys:
    """Lists what was stored."""
    return lambda: [found["Key"] for found in cloud.s3.list_objects_v2(Bucket=bucket).get("Contents", [])]


@pytest.fixture
def store(bucket: str) -> BatchUploadStore:
    """What signs forms for the API."""
    client = Session(region_name=REGION).client(
        "s3",
        aws_access_key_id=CREDENTIALS.access_key,
        aws_secret_access_key=CREDENTIALS.secret_key,
        config=Config(signature_version="s3v4"),
    )
    return BatchUploadStore(Bucket(client, bucket), uploads_url="/uploads")


@pytest.fixture
def fields(store: BatchUploadStore) -> dict[str, str]:
    """The fields of a form as the API hands them out, for exactly FILE."""
    return store.sign_upload(KEY, size_bytes=len(FILE), content_type="application/jsonl").fields


@pytest.fixture
def send(cloud: Cloud, bucket: str) -> Send:
    """Sends a form; `now` is how much later than now."""

    def post(
        body: bytes, *, now: timedelta = timedelta(), environ: Mapping[str, str] | None = None, **headers: str
    ) -> TestResponse:
        uploads = Uploads(cloud.s3, bucket, CREDENTIALS, now=lambda: datetime.now(UTC) + now)
        client = Client(Request.application(uploads.answer))
        headers = {"Content-Type": "multipart/form-data; boundary=edge", **headers}
        return client.post("/uploads", data=body, headers=headers, environ_overrides=environ)

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
    return Refusal(answer.status_code, str(error.findtext("Code")), str(error.findtext("Message")))


def test_form_is_stored_as_it_was_signed(cloud: Cloud, bucket: str, fields: dict[str, str], send: Send) -> None:
    """A form of the API's own fields brings its file, byte by byte, under its key and with its type."""
    answer = send(make_form(fields))

    found = cloud.s3.get_object(Bucket=bucket, Key=str(KEY))
    assert (answer.status_code, answer.headers["ETag"]) == (204, found["ETag"])
    assert (found["Body"].read(), found["ContentType"]) == (FILE, "application/jsonl")


def test_names_of_fields_have_no_case(list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """Field names are folded, and fields that say so are ignored."""
    shouted = [(name.upper(), value) for name, value in fields.items()]

    answer = send(make_form([*shouted, ("x-ignore-me", "1")]))

    assert answer.status_code == 204
    assert list_keys() == [str(KEY)]


def test_fields_behind_the_file_are_ignored(list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """What follows the file changes nothing."""
    answer = send(make_form(fields, behind=[("key", "results/tiny/forged"), ("file", "another")]))

    assert answer.status_code == 204
    assert list_keys() == [str(KEY)]


def test_large_file_is_streamed(cloud: Cloud, bucket: str, store: BatchUploadStore, send: Send) -> None:
    """A file longer than what is read at a time arrives whole."""
    file = bytes(range(256)) * 20_000
    fields = store.sign_upload(KEY, size_bytes=len(file), content_type="application/zip").fields

    answer = send(make_form(fields, file))

    assert answer.status_code == 204
    assert cloud.s3.get_object(Bucket=bucket, Key=str(KEY))["Body"].read() == file


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"key": "benchmarks/tiny/current.json"}, Refusal(403, "AccessDenied", f'{FAILED}: ["eq", "$key", "{KEY}"]')),
        ({"key": f"{KEY}.more"}, Refusal(403, "AccessDenied", FAILED)),
        ({"key": "drops/${filename}"}, Refusal(403, "AccessDenied", FAILED)),
        ({"key": None}, Refusal(400, "InvalidArgument", "'key'")),
        ({"key": ""}, Refusal(400, "InvalidArgument", "'key'")),
        ({"Content-Type": "text/html"}, Refusal(403, "AccessDenied", FAILED)),
        ({"Content-Type": None}, Refusal(403, "AccessDenied", FAILED)),
        ({"acl": "public-read"}, Refusal(403, "AccessDenied", "Extra input fields: acl")),
        ({"x-amz-meta-player": "heron"}, Refusal(403, "AccessDenied", "Extra input fields: x-amz-meta-player")),
        ({"success_action_redirect": "https://evil.example"}, Refusal(403, "AccessDenied", "Extra input fields")),
        ({"bucket": "another"}, Refusal(403, "AccessDenied", FAILED)),
        ({"": "nameless"}, Refusal(403, "AccessDenied", "Extra input fields")),
        ({"policy": None}, Refusal(403, "AccessDenied", "Access Denied")),
        ({"policy": "e30="}, Refusal(403, "SignatureDoesNotMatch")),
        ({"x-amz-signature": "0" * 64}, Refusal(403, "SignatureDoesNotMatch")),
        ({"x-amz-signature": "ü"}, Refusal(403, "SignatureDoesNotMatch")),
        ({"x-amz-signature": None}, Refusal(400, "InvalidArgument", "'x-amz-signature'")),
        ({"x-amz-credential": None}, Refusal(400, "InvalidArgument", "'x-amz-credential'")),
        ({"x-amz-credential": "AKIA/20260301/us-east-1/s3/aws4_request"}, Refusal(403, "InvalidAccessKeyId")),
        ({"x-amz-credential": "local"}, Refusal(403, "InvalidAccessKeyId")),
        ({"x-amz-algorithm": "AWS4-HMAC-SHA1"}, Refusal(400, "InvalidArgument", "AWS4-HMAC-SHA256")),
        ({"x-amz-algorithm": None}, Refusal(400, "InvalidArgument", "'x-amz-algorithm'")),
        ({"x-amz-date": "20200101T000000Z"}, Refusal(400, "InvalidArgument")),
        ({"x-amz-date": "now"}, Refusal(400, "InvalidArgument")),
        ({"x-amz-date": None}, Refusal(400, "InvalidArgument", "'x-amz-date'")),
    ],
)
def test_changed_form_is_refused(
    changes: Mapping[str, str | None],
    refusal: Refusal,
    list_keys: ListKeys,
    fields: dict[str, str],
    send: Send,
) -> None:
    """A form that differs from what was signed is refused, and nothing is stored."""
    changed = {name: value for name, value in {**fields, **changes}.items() if value is not None}

    found = read_refusal(send(make_form(changed)))

    assert (found.status, found.code) == refusal[:2]
    assert refusal.message in found.message
    assert list_keys() == []


@pytest.mark.parametrize(
    ("file", "refusal"),
    [
        (FILE[:-1], Refusal(400, "EntityTooSmall")),
        (FILE + b"1", Refusal(400, "EntityTooLarge")),
        (FILE * 100_000, Refusal(400, "EntityTooLarge")),
        (b"", Refusal(400, "EntityTooSmall")),
        (None, Refusal(400, "IncorrectNumberOfFilesInPostRequest")),
    ],
)
def test_file_of_another_size_is_refused(
    file: bytes | None, refusal: Refusal, list_keys: ListKeys, fields: dict[str, str], send: Send
) -> None:
    """A file has exactly the size that was asked for."""
    found = read_refusal(send(make_form(fields, file)))

    assert found[:2] == refusal[:2]
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


def test_late_form_is_refused(list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """A form holds for as long as it says."""
    late = timedelta(seconds=UPLOAD_SECONDS + 1)

    found = read_refusal(send(make_form(fields), now=late))

    assert found == Refusal(403, "AccessDenied", "Invalid according to Policy: Policy expired.")
    assert list_keys() == []


def test_a_repeated_field_is_no_other_value(list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """A second key does not take the place of the first."""
    found = read_refusal(send(make_form([*fields.items(), ("key", "results/forged")])))

    assert found[:2] == (403, "AccessDenied")
    assert list_keys() == []


def test_another_stack_s_signature_is_refused(bucket: str, cloud: Cloud, fields: dict[str, str]) -> None:
    """The key is the stack's own."""
    uploads = Uploads(cloud.s3, bucket, Credentials("local", "another"))
    client = Client(Request.application(uploads.answer))
    form = {"data": make_form(fields), "content_type": "multipart/form-data; boundary=edge"}

    assert read_refusal(client.post("/uploads", **form)).code == "SignatureDoesNotMatch"


@pytest.mark.parametrize(
    ("body", "headers", "refusal"),
    [
        (b"--edge\r\n", {}, Refusal(400, "MalformedPOSTRequest")),
        (b"--edge\r\n\r\n1\r\n--edge--", {}, Refusal(400, "MalformedPOSTRequest")),
        (make_form({"a": "1"}, None), {}, NO_FILE),
        (b"--edge\r\nContent-Disposition: a\r\n\r\n1\r\n--edge--", {}, NO_FILE),
        (b"--edge\r\nContent-Disposition: \xff\r\n\r\n1\r\n--edge--", {}, Refusal(400, "MalformedPOSTRequest")),
        (b"--edge--", {}, NO_FILE),
        (make_form({"key": "1"})[:-20], {}, Refusal(403, "AccessDenied")),
        (make_form({"a": "1" * MAX_FIELD_BYTES}), {}, Refusal(400, "MaxPostPreDataLengthExceededError")),
        (make_form([("a", "")] * (MAX_PARTS + 1)), {}, Refusal(400, "MaxPostPreDataLengthExceededError")),
        (make_form({"a" * 1_000_000: "1"}), {}, Refusal(400, "MaxPostPreDataLengthExceededError")),
        (b" " * 1_000_000, {}, Refusal(400, "MaxPostPreDataLengthExceededError")),
        (make_form({}), {"Content-Type": "application/json"}, Refusal(412, "PreconditionFailed")),
        (make_form({}), {"Content-Type": "multipart/form-data"}, Refusal(412, "PreconditionFailed")),
        (make_form({}), {"Content-Type": ""}, Refusal(412, "PreconditionFailed")),
    ],
)  # fmt: skip
def test_body_that_is_no_form_is_refused(
    body: bytes, headers: dict[str, str], refusal: Refusal, list_keys: ListKeys, send: Send
) -> None:
    """A request that is no form, or too long, is rejected with the reason."""
    found = read_refusal(send(body, **headers))

    assert found[:2] == refusal[:2]
    assert list_keys() == []


def test_form_without_a_length_is_refused(fields: dict[str, str], send: Send) -> None:
    """S3 takes no form of unknown length."""
    answer = send(make_form(fields), environ={"HTTP_TRANSFER_ENCODING": "chunked"})

    assert read_refusal(answer)[:2] == (411, "MissingContentLength")


def test_cut_file_is_refused(list_keys: ListKeys, fields: dict[str, str], send: Send) -> None:
    """A file without an end is not stored, even where its size would fit."""
    body = make_form(fields)

    found = read_refusal(send(body[: -len("\r\n--edge--\r\n")]))

    assert found[:2] == (400, "MalformedPOSTRequest")
    assert list_keys() == []


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_only_posts_are_taken(method: str, cloud: Cloud, bucket: str) -> None:
    """Another method is refused."""
    client = Client(Request.application(Uploads(cloud.s3, bucket, CREDENTIALS).answer))

    assert read_refusal(client.open("/uploads", method=method))[:2] == (405, "MethodNotAllowed")


def sign(policy: Any, **fields: str) -> dict[str, str]:
    """Make the fields of a form with a policy of any content."""
    content = policy if isinstance(policy, bytes) else json.dumps(policy).encode()
    text = base64.b64encode(content).decode()
    scope = CredentialScope("local", "20260301", "us-east-1", "s3")
    return {
        "policy": text,
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-credential": "/".join((*scope, "aws4_request")),
        "x-amz-date": "20260301T120000Z",
        "x-amz-signature": CREDENTIALS.sign(text, scope),
        **fields,
    }


SIGNED = [["starts-with", f"$x-amz-{name}", ""] for name in ("algorithm", "credential", "date")]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("condition", "fields"),
    [
        ({"key": "a"}, {"key": "a"}),
        ({"KEY": "a"}, {"key": "a"}),
        (["eq", "$key", "a"], {"key": "a"}),
        (["starts-with", "$key", "user/"], {"key": "user/a"}),
        (["starts-with", "$key", ""], {"key": "a"}),
        (["starts-with", "$key", ""], {}),
        ({"bucket": "results"}, {}),
        (["starts-with", "$Content-Type", "image/"], {"content-type": "image/png,image/gif"}),
        (["content-length-range", 1, 2], {}),
    ],
)
def test_form_that_meets_a_condition_is_accepted(condition: Any, fields: dict[str, str]) -> None:
    """A form that meets a condition passes."""
    policy = {"expiration": "2026-03-01T12:00:01.000Z", "conditions": [*SIGNED, condition]}

    size = check_policy(sign(policy, **fields), bucket="results", credentials=CREDENTIALS, now=NOON)

    assert size.least in {0, 1}


@pytest.mark.parametrize(
    ("condition", "fields"),
    [
        ({"key": "a"}, {"key": "A"}),
        ({"key": "a"}, {}),
        (["eq", "$key", "a"], {"key": "a/b"}),
        (["starts-with", "$key", "user/"], {"key": "other/user/a"}),
        (["starts-with", "$key", "user/"], {}),
        ({"bucket": "another"}, {}),
        ({"bucket": "another"}, {"bucket": "another"}),
        (["starts-with", "$Content-Type", "image/"], {"content-type": "image/png,text/html"}),
        ({"x-amz-meta-a": "1"}, {"x-amz-meta-a": "1", "x-amz-meta-b": "1"}),
    ],
)
def test_form_that_breaks_a_condition_is_refused(condition: Any, fields: dict[str, str]) -> None:
    """A form that does not meet a condition, or has a field that no condition names, is refused."""
    policy = {"expiration": "2026-03-01T12:00:01Z", "conditions": [*SIGNED, condition]}

    with pytest.raises(UploadError, match="Invalid according to Policy"):
        check_policy(sign(policy, **fields), bucket="results", credentials=CREDENTIALS, now=NOON)


def test_the_narrowest_range_counts() -> None:
    """Of several ranges all hold."""
    ranges = [["content-length-range", 1, 9], ["content-length-range", 3, 20]]
    policy = {"expiration": "2026-03-02T00:00:00Z", "conditions": [*SIGNED, *ranges]}

    assert check_policy(sign(policy), bucket="results", credentials=CREDENTIALS, now=NOON) == (3, 9)


@pytest.mark.parametrize(
    "policy",
    [
        b"\xff",
        b"[" * 100_000,
        [],
        {"conditions": []},
        {"expiration": 5, "conditions": []},
        {"expiration": "soon", "conditions": []},
        {"expiration": "2026-03-02T00:00:00Z"},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": {}},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": ["key"]},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": [{}]},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": [{"a": "1", "b": "2"}]},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": [["eq", "key", "a"]]},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": [["in", "$key", ["a"]]]},
        {"expiration": "2026-03-02T00:00:00Z", "conditions": [["content-length-range", "1", "2"]]},
    ],
)
def test_policy_that_is_none_is_refused(policy: Any) -> None:
    """A signed policy that cannot be read lets nothing in."""
    with pytest.raises(UploadError, match="InvalidPolicyDocument"):
        check_policy(sign(policy), bucket="results", credentials=CREDENTIALS, now=NOON)
