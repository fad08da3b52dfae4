"""The POST of a result: what is stored, what is rejected, and what is ready before the first one."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

import pytest

from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from submit import dependencies
from tests.harness.factories import make_player
from tests.harness.stack import COINS, GOOD, Api, StackHarness, make_benchmark

PATH = "/api/benchmarks/{benchmark}/submissions"
HEADERS = {"content-type": "application/json", "x-viewer-address": "192.0.2.7"}


def make_post(
    body: str | None = json.dumps(GOOD),
    *,
    benchmark: str = "tiny",
    query: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Make the event of a POST; keys of the event can be replaced."""
    path = PATH.format(benchmark=benchmark)
    event: dict[str, Any] = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": urlencode(query or {}, errors="surrogatepass"),
        "headers": {**HEADERS, **(headers or {})},
        "requestContext": {"http": {"method": "POST", "path": path}, "requestId": "1", "stage": "$default"},
        "isBase64Encoded": False,
        **({} if body is None else {"body": body}),
        **({} if query is None else {"queryStringParameters": dict(query)}),
    }
    return {**event, **changes}


@pytest.fixture
def credentials(stack: StackHarness) -> dict[str, dict[str, str]]:
    """Four benchmarks, and the headers of callers."""
    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS, id="parts", parts=["one"]))
    stack.publish(make_benchmark(id="closed", closes="2026-01-01T00:00:00+02:00"))
    stack.publish(make_benchmark(id="members", submissions={"anonymous": False, "max_bytes": 60}))
    anna = make_player("anna", "Anna", PlayerKind.MODEL)
    return {
        "anna": stack.issue_token(anna, Scope.SUBMIT),
        "elsewhere": stack.issue_token(anna, Scope.SUBMIT, benchmarks=("parts",)),
    }


@pytest.mark.parametrize(
    ("changes", "caller", "status"),
    [
        ({}, None, 202),
        ({"query": {}}, None, 202),
        ({"query": {"player": "Ada Lovelace", "kind": "model"}}, None, 202),
        ({"query": {"player": "\u4e2d\u6587"}}, None, 202),
        ({"query": {"part": "one"}, "benchmark": "parts"}, None, 202),
        ({}, "anna", 202),
        ({"query": {"part": "one"}, "benchmark": "parts"}, "elsewhere", 202),
        ({"body": "eyJxdWVzdGlvbiI6ICIxIn0=", "isBase64Encoded": True}, None, 202),
        ({"body": None}, None, 400),
        ({"body": "\ud800"}, None, 400),
        ({"body": json.dumps(["x" * 60]), "benchmark": "members"}, "anna", 413),
        ({"headers": {"Content-Encoding": "gzip"}}, None, 415),
        ({"headers": {"Authorization": "Bearer receipt_unknown"}}, None, 401),
        ({"benchmark": "closed"}, "anna", 403),
        ({"benchmark": "closed", "headers": {"Idempotency-Key": ""}}, None, 400),
        ({"query": {"player": "admin"}}, None, 422),
        ({"query": {"level": "3"}}, None, 422),
        ({"query": {"player": "G\u00d0\u00b0"}, "rawQueryString": "player=G\u00d0\u00b0"}, None, 400),
        ({"query": {"player": "\ufffd"}, "rawQueryString": "player=%ff"}, None, 400),
        ({"query": {"player": "Lovelace, Ada"}, "headers": {"idempotency-key": "same"}}, None, 202),
        ({"query": {"player": "a,b"}, "rawQueryString": "player=a&player=b"}, None, 422),
        ({"rawPath": "/api/benchmarks/tiny/submissions/"}, None, 404),
        ({"rawPath": "/api/benchmarks//submissions"}, None, 404),
    ],
)
def test_status_says_whether_a_result_is_stored(
    api: Api, credentials: dict[str, dict[str, str]], changes: dict[str, Any], caller: str | None, status: int
) -> None:
    """For what callers, bodies, headers and paths have in common; a parameter has one value, which may hold a comma."""
    headers = {"idempotency-key": "same"} | (credentials[caller] if caller else {}) | changes.pop("headers", {})

    answer = api.send(make_post(**changes, headers={name.lower(): value for name, value in headers.items()}))

    assert answer.status == status


@pytest.mark.usefixtures("credentials")
def test_blank_parameter_names_nothing(api: Api) -> None:
    """A client that sends each of its fields names nobody by an empty one."""
    blank = {"player": "", "kind": "", "part": " ", "label": ""}

    named = api.post(benchmark="parts", query=blank | {"part": "one"})
    answers = [api.post(query=query) for query in (blank, {"level": ""}, {"private": "true"})]

    assert [answer.status for answer in (named, *answers)] == [202, 202, 422, 422]


def test_initialisation_builds_what_a_post_needs(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients are made while Lambda initialises the function, and nowhere else before a request."""
    dependencies.prepare_post()
    before = dependencies.services.cache_info().currsize
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")

    dependencies.prepare_post()

    assert (before, dependencies.services.cache_info().currsize) == (0, 1)


def test_initialisation_leaves_a_wrong_environment_to_the_requests(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that lacks a variable starts, and answers 500."""
    monkeypatch.setenv("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand")
    monkeypatch.delenv("ACCESS_TABLE")

    dependencies.prepare_post()

    assert api.post().status == HTTPStatus.INTERNAL_SERVER_ERROR
