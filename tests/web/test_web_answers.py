"""Every kind of response of the local server has the headers that CloudFront sets."""

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


class Case(NamedTuple):
    """A request, the status of its response, and the CloudFront pattern that matches its path."""

    method: str
    path: str
    status: int
    pattern: str
    headers: Mapping[str, str] = MappingProxyType({})
    content: bytes = b""


CASES = (
    Case("GET", "/", 200, "*"),
    Case("GET", "/b/aic-2025", 200, "*"),
    Case("GET", "/api/docs", 200, "/api/docs"),
    Case("GET", "/favicon.svg", 200, "*"),
    Case("GET", "/embed/b/aic-2025", 200, "/embed/*"),
    Case("GET", "/embed/b/aic-2025", 403, "/embed/*", ORIGIN),
    Case("GET", "/embed.html", 200, "*"),
    Case("GET", "/sdk/laurel.js", 200, "/sdk/*", ORIGIN),
    Case("GET", "/missing.js", 404, "*"),
    Case("GET", "/nothing/here", 404, "*"),
    Case("GET", "/data/missing", 404, "/data/*"),
    Case("GET", "/%00.js", 404, "*"),
    Case("POST", "/", 405, "*"),
    Case("GET", "/", 421, "*", {"Host": "evil.example"}),
    Case("GET", "/", 403, "*", ORIGIN),
    Case("GET", "/api/health", 200, "/api/*"),
    Case("GET", "/api/health", 200, "/api/*", ORIGIN),
    Case("GET", "/api/openapi.json", 200, "/api/*"),
    Case("GET", "/api/nothing", 404, "/api/*"),
    Case("GET", "/api/benchmarks/nothing", 404, "/api/*"),
    Case("PUT", "/api/health", 404, "/api/*"),
    Case("OPTIONS", SUBMISSIONS, 204, "/api/*", {**ORIGIN, "Access-Control-Request-Method": "POST"}),
    Case("POST", SUBMISSIONS, 202, "/api/*", JSON, b'{"question": "1", "text": "TR-L03_V011-1"}'),
    Case("POST", SUBMISSIONS, 400, "/api/*", JSON, b"{"),
    Case("POST", SUBMISSIONS, 415, "/api/*", {"Content-Type": "application/xml"}, b"{}"),
    Case("POST", SUBMISSIONS, 413, "/api/*", JSON, b" " * 2_600_000),
    Case("POST", SUBMISSIONS, 413, "/api/*", JSON, b" " * 10_000_001),
    Case("POST", "/api/benchmarks/aic-2025/uploads", 401, "/api/*", JSON, b"{}"),
    Case("GET", "/api/health", 421, "/api/*", {"Host": "evil.example"}),
    Case("GET", "/data/b/aic-2025/head.json", 200, "/data/*"),
    Case("GET", "/data/b/nothing/head.json", 404, "/data/*"),
    Case("GET", "/data/b/aic-2025/boards/nothing/head.json", 404, "/data/b/*/boards/*"),
    Case("GET", "/data/b/aic-2025/boards/nothing/0a/head.json", 404, "/data/b/*/boards/*", ORIGIN),
    Case("POST", "/data/index.json", 405, "/data/*"),
    Case("GET", "/storage/unknown", 403, "*"),
    Case("POST", "/storage/unknown", 403, "*"),
    Case("GET", "/outbox", 200, "*"),
    Case("GET", "/outbox/999999.html", 404, "*"),
    Case("GET", "/outbox/000001.exe", 404, "*"),
    Case("POST", "/outbox", 405, "*"),
)


@pytest.fixture
def client(stack: Stack) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=30) as client:
        yield client


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.method} {case.path} {case.status}")
def test_answer_has_the_headers_of_the_cloud(case: Case, stack: Stack, client: httpx.Client) -> None:
    """A response has the template's headers for its path; but pages upload to the site instead of the bucket."""
    answer = client.request(case.method, case.path, headers=case.headers, content=case.content)

    bucket = f" https://{stack.template.resources['ResultsBucket'].name}.s3.{REGION}.amazonaws.com"
    expected = {
        name: value.replace(bucket, "") for name, value in read_headers(stack.template).patterns[case.pattern].items()
    }
    if case.path.startswith("/outbox"):  # A mail has a style, and a stricter policy.
        expected |= {
            "Content-Security-Policy": answer.headers["Content-Security-Policy"],
            "Referrer-Policy": "no-referrer",
        }
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert answer.status_code == case.status
    assert {name: answer.headers.get(name) for name in expected} == expected


def test_failed_function_answers_with_the_headers(stack: Stack, client: httpx.Client) -> None:
    """A 500 of the gateway has the same headers."""
    function = stack.functions["ApiFunction"]
    handler, function.handler = function.handler, "api.nothing.there"
    try:
        for worker in function._workers.copy():
            worker.kill()

        answer = client.get("/api/health")
    finally:
        function.handler = handler

    assert (answer.status_code, answer.json()) == (500, {"message": "Internal Server Error"})
    expected = read_headers(stack.template).patterns["/api/*"]
    assert {name: answer.headers.get(name) for name in expected} == expected


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/outbox/../stack.json"])
def test_file_outside_the_site_is_404(path: str, stack: Stack, client: httpx.Client) -> None:
    """No path leaves the folder."""
    answer = client.get(httpx.URL(stack.url).copy_with(raw_path=path.encode()))

    assert answer.status_code == 404
