"""What submit logs, what it never logs, and that our own faults are answered as ours."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from api.benchmarks import views
from storage.gateway.aws import make_session
from tests.harness.stack import Api, StackHarness, failing

pytestmark = pytest.mark.usefixtures("tiny")

type Log = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def everything() -> Iterator[io.StringIO]:
    """What reaches the root logger from here on, which lets everything through, as Lambda's does at DEBUG."""
    root, text = logging.getLogger(), io.StringIO()
    handler, level = logging.StreamHandler(text), root.level
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    handler.addFilter(lambda record: not record.name.startswith("moto"))
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield text
    root.setLevel(level)
    root.removeHandler(handler)


def test_no_query_strings_no_credentials(api: Api, stack: StackHarness, log: Log) -> None:
    """Neither names nor tokens, keys, bodies or receipts are logged, whether all goes well or not."""
    secrets = {"player": "Zaphod"}
    headers = {"Idempotency-Key": "key-of-mine", "Laurel-Player-Key": f"player_{'0123' * 8}"}
    receipt = api.post(query=secrets, headers=headers).body["receipt"]
    api.post(b"{Trillian", query={**secrets, "token": "laurel_secret"})
    api.post(query=secrets, headers={"Authorization": "Bearer laurel_secret"})
    api.get("/api/benchmarks/tiny/submissions/x", headers={"Authorization": f"Bearer {receipt}"})
    with failing(stack.cloud.s3, "PutObject", code="AccessDenied", status=403):
        api.post(query=secrets, headers={"Idempotency-Key": "another-of-mine"})

    logged = json.dumps(log())

    assert "request failed" in logged
    for secret in ("Zaphod", "laurel_secret", "Trillian", "of-mine", "0123" * 8, receipt, "V017"):
        assert secret not in logged


def test_what_is_asked_of_aws_is_never_logged(api: Api, everything: io.StringIO) -> None:
    """Where Lambda lets everything log at DEBUG, as in dev, no client of AWS does: it would log headers and items."""
    make_session()  # as in a function on AWS
    receipt = api.post(query={"player": "Zaphod"}).body["receipt"]

    lines = everything.getvalue().splitlines()
    assert [line for line in lines if line.startswith(("botocore", "urllib3"))] == []
    assert [line for line in lines if "Zaphod" in line or receipt in line] == []
    assert not logging.getLogger("urllib3.connectionpool").isEnabledFor(logging.DEBUG)


def test_lines_stay_lines(api: Api, log: Log, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line of the log is one JSON object, with any content of a path or a name."""
    api.get("/api/benchmarks/%0d%0a%7B%22level%22:%22forged%22%7D")
    api.post(query={"player": 'Ada\n{"level": "forged"}'})
    api.post()

    assert [line["message"] for line in log()] == ["result received"]
    assert capsys.readouterr().out == ""


def test_our_own_fault(api: Api, stack: StackHarness, log: Log) -> None:
    """An unforeseen error is a 500 problem without details; the log has them, with the request's id."""
    stack.cloud.s3.put_object(
        Bucket=stack.results_bucket, Key="benchmarks/broken/current.json", Body=b'{"schema_version": "x"}'
    )

    answer = api.get("/api/benchmarks/broken")

    (line,) = log()
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.body == {
        "type": "urn:laurel:problem:internal-error",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "internal error, try again later",
    }
    assert line["level"] == "ERROR"
    assert line["exception_name"] == "ValidationError"
    assert line["correlation_id"]


def test_an_answer_of_ours_that_is_no_answer(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that does not fit its own model is our fault (500), not the caller's (the resolver's default, 422)."""
    monkeypatch.setattr(views, "Health", lambda **_: {"status": "unwell"})

    assert api.get("/api/health").status == 500
