"""Every kind of answer of the local server has the headers that CloudFront would put on it."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import httpx
import pytest

from local.intrinsics import REGION
from local.site.headers import read_headers
from local.stack import Stack

pytestmark = pytest.mark.e2e

JSON = {"Content-Type": "application/json"}
SUBMISSIONS = "/api/benchmarks/aic-2025/submissions"
ORIGIN = {"Origin": "https://game.example"}


class Ask(NamedTuple):
    """A request, the status of its answer, and the pattern of CloudFront that its path fits."""

    method: str
    path: str
    status: int
    pattern: str
    headers: Mapping[str, str] = MappingProxyType({})
    content: bytes = b""


ASKS = (
    Ask("GET", "/", 200, "*"),
    Ask("GET", "/b/aic-2025", 200, "*"),
    Ask("GET", "/api/docs", 200, "/api/docs"),
    Ask("GET", "/favicon.svg", 200, "*"),
    Ask("GET", "/missing.js", 404, "*"),
    Ask("GET", "/%00.js", 404, "*"),
    Ask("POST", "/", 405, "*"),
    Ask("GET", "/", 421, "*", {"Host": "evil.example"}),
    Ask("GET", "/", 403, "*", ORIGIN),
    Ask("GET", "/api/health", 200, "/api/*"),
    Ask("GET", "/api/health", 200, "/api/*", ORIGIN),
    Ask("GET", "/api/openapi.json", 200, "/api/*"),
    Ask("GET", "/api/nothing", 404, "/api/*"),
    Ask("GET", "/api/benchmarks/nothing", 404, "/api/*"),
    Ask("PUT", "/api/health", 405, "/api/*"),
    Ask("OPTIONS", SUBMISSIONS, 204, "/api/*", {**ORIGIN, "Access-Control-Request-Method": "POST"}),
    Ask("POST", SUBMISSIONS, 202, "/api/*", JSON, b'{"question": "1", "text": "TR-L03_V011-1"}'),
    Ask("POST", SUBMISSIONS, 400, "/api/*", JSON, b"{"),
    Ask("POST", SUBMISSIONS, 415, "/api/*", {"Content-Type": "text/plain"}, b"{}"),
    Ask("POST", SUBMISSIONS, 413, "/api/*", JSON, b" " * 2_600_000),
    Ask("POST", SUBMISSIONS, 413, "/api/*", JSON, b" " * 10_000_001),
    Ask("POST", "/api/benchmarks/aic-2025/uploads", 401, "/api/*", JSON, b"{}"),
    Ask("GET", "/api/health", 421, "/api/*", {"Host": "evil.example"}),
    Ask("GET", "/data/b/aic-2025/head.json", 200, "/data/*"),
    Ask("GET", "/data/b/nothing/head.json", 404, "/data/*"),
    Ask("POST", "/data/index.json", 405, "/data/*"),
    Ask("GET", "/uploads", 405, "*"),
    Ask("POST", "/uploads", 412, "*"),
    Ask("GET", "/outbox", 200, "*"),
    Ask("GET", "/outbox/999999.html", 404, "*"),
    Ask("POST", "/outbox", 405, "*"),
)


@pytest.fixture
def client(stack: Stack) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=30) as one:
        yield one


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: f"{ask.method} {ask.path} {ask.status}")
def test_answer_has_the_headers_of_the_cloud(ask: Ask, stack: Stack, client: httpx.Client) -> None:
    """What the template says for a path is on every answer of it; pages may send to the site instead of the bucket."""
    answer = client.request(ask.method, ask.path, headers=ask.headers, content=ask.content)

    bucket = f" https://{stack.template.resources['ResultsBucket'].name}.s3.{REGION}.amazonaws.com"
    expected = {
        name: value.replace(bucket, "") for name, value in read_headers(stack.template).patterns[ask.pattern].items()
    }
    if ask.path.startswith("/outbox"):  # a mail has a style, and a narrower policy
        expected |= {
            "Content-Security-Policy": answer.headers["Content-Security-Policy"],
            "Referrer-Policy": "no-referrer",
        }
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.status_code == ask.status
    assert {name: answer.headers.get(name) for name in expected} == expected


def test_failed_function_has_the_headers_too(stack: Stack, client: httpx.Client) -> None:
    """A 500 of the gateway is an answer like others."""
    function = stack.functions["SubmitFunction"]
    handler, function.handler = function.handler, "submit.nothing.there"
    try:
        for worker in function._workers.copy():
            worker.kill()

        answer = client.get("/api/health")
    finally:
        function.handler = handler

    assert (answer.status_code, answer.json()) == (500, {"message": "Internal Server Error"})
    expected = read_headers(stack.template).patterns["/api/*"]
    assert {name: answer.headers.get(name) for name in expected} == expected
