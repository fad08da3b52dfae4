"""Submitted results: when they are accepted, what is stored of them, and what the answer says."""

import hashlib
import json

import pytest

from storage.keys import is_submission_id, parse_result_key
from tests.harness.stack import GOOD, Api, StackHarness, failing

pytestmark = pytest.mark.usefixtures("tiny")


def test_accepted_result_is_answered_202_with_receipt(api: Api) -> None:
    """A 202 names the submission, where to follow it, and a receipt of 128 bits."""
    answer = api.post()

    accepted = answer.body
    assert answer.status == 202
    assert is_submission_id(accepted["submission"])
    assert accepted["status"] == "queued"
    assert accepted["status_url"] == f"/api/benchmarks/tiny/submissions/{accepted['submission']}"
    assert answer.headers["location"] == accepted["status_url"]
    assert len(bytes.fromhex(accepted["receipt"].removeprefix("receipt_"))) == 16


def test_the_raw_result_is_kept(api: Api, stack: StackHarness) -> None:
    """What came is kept byte for byte under the key that follows from the id, with the hash of the receipt."""
    body = b'{ "question": "1",\n "text": "TR-V017-4945,5001" }'

    accepted = api.post(body, query={"player": "Ada", "kind": "model"}).body

    (key,) = stack.results()
    stored = stack.cloud.s3.get_object(Bucket=stack.results_bucket, Key=key)
    parsed = parse_result_key(key)
    assert parsed is not None
    assert parsed.submission == accepted["submission"]
    assert stored["Body"].read() == body
    assert stored["ContentType"] == "application/json"
    assert "Ada" not in str(stored["Metadata"])
    assert stored["Metadata"]["kind"] == "model"
    assert stored["Metadata"]["receipt"] == hashlib.sha256(accepted["receipt"].encode()).hexdigest()
    assert accepted["receipt"] not in str(stored["Metadata"])


@pytest.mark.parametrize(("code", "status", "expected"), [("SlowDown", 503, 503), ("AccessDenied", 403, 500)])
def test_no_202_before_s3_has_it(api: Api, stack: StackHarness, code: str, status: int, expected: int) -> None:
    """Where S3 does not take the result the answer is a 5xx problem, and nothing is left."""
    api.post()
    before = stack.left_behind()

    with failing(stack.cloud.s3, "PutObject", code=code, status=status) as refused:
        answer = api.post()

    assert refused
    assert answer.status == expected
    assert answer.headers["content-type"] == "application/problem+json"
    assert stack.left_behind() == before


def test_no_result_before_its_name(api: Api, stack: StackHarness) -> None:
    """Where the name of a guest cannot be kept, which no result has, nothing is stored; a repeat stores both."""
    with failing(stack.cloud.dynamodb, "PutItem", about="player#") as refused:
        answers = [api.post(query={"player": "Ada"}), api.post()]
    kept = stack.results()
    again = api.post(query={"player": "Ada"})

    assert refused
    assert ([answer.status for answer in answers], len(kept)) == ([503, 202], 1)
    assert api.get(again.body["status_url"]).body["name"] == "Ada"


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "application/json; charset=utf8",
        "application/json; profile=x",
    ],
)
def test_content_type_taken(api: Api, content_type: str) -> None:
    """JSON in UTF-8 is taken, however that is spelled."""
    assert api.post(headers={"Content-Type": content_type}).status == 202


@pytest.mark.parametrize(
    "name",
    [
        "Nguyễn Anh",
        "安田 system",
        "100% = a+b?&#",
        "Smith, John",
        "x" * 64,
        "<script>alert(1)</script>",
        "=1+1",
    ],
)
def test_name_comes_back_as_it_was_sent(api: Api, stack: StackHarness, name: str) -> None:
    """A name comes back as it was sent, through the query string and the metadata of S3."""
    accepted = api.post(query={"player": name}).body

    (key,) = stack.results()
    metadata = stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key)["Metadata"]
    assert "".join(metadata.values()).isascii()
    assert api.get(accepted["status_url"]).body["name"] == name


def test_a_result_is_a_top_level_array_too(api: Api) -> None:
    """An array at the top is as good as an object."""
    assert api.post(json.dumps([GOOD])).status == 202
