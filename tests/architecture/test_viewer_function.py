"""The CloudFront Function, run under Node: it adds the visitor's address and rewrites the paths of views."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from local.site.files import find_file, is_page
from local.template import translate
from scripts.frontend.build_frontend import find_program

TEMPLATE_PATH: Final = Path(__file__).parents[2] / "template.yaml"
ADDRESS: Final = "2001:db8::7"
REWRITTEN: Final[dict[str, str]] = {
    "/": "/index.html",
    "/about": "/index.html",
    "/b/coin-run": "/index.html",
    "/b/coin-run/": "/index.html",
    "/b/coin-run/p/guest-ann-0123abcd": "/index.html",
    "/b/v1.2/submit": "/index.html",
    "//": "/index.html",
    "/api/docs": "/index.html",
    "/api": "/index.html",
    "/data": "/index.html",
    "/database": "/index.html",
    "/index.html": "/index.html",
    "/favicon.svg": "/favicon.svg",
    "/assets/index-D8Tg3Zzn.css": "/assets/index-D8Tg3Zzn.css",
    "/missing.js": "/missing.js",
    "/folder.d/": "/folder.d/",
    "/data/": "/data/",
    "/data/index.json": "/data/index.json",
    "/data/b/coin-run": "/data/b/coin-run",
    "/api/": "/api/",
    "/api/health": "/api/health",
    "/api/docs/": "/api/docs/",
    "/api/benchmarks/coin-run/submissions": "/api/benchmarks/coin-run/submissions",
}
"""Requested path → path of the request to the origin."""

# Node's own `vm` gives the code no `require` and no `process`, which CloudFront has not either.
PROGRAM: Final = """
const {code, events} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const handler = require('vm').runInNewContext(code + '; handler');
process.stdout.write(JSON.stringify(events.map(handler)));
"""


@pytest.fixture(scope="module")
def code() -> str:
    """The function's source, as it is deployed."""
    template = translate(TEMPLATE_PATH, {})
    source: str = template.resources["ViewerFunction"].properties["FunctionCode"]
    return source


def run_function(code: str, *paths: str, headers: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the request that the function returns for each path."""
    events = [
        {
            "version": "1.0",
            "context": {"eventType": "viewer-request"},
            "viewer": {"ip": ADDRESS},
            "request": {"method": "GET", "uri": path, "querystring": {}, "headers": headers or {}, "cookies": {}},
        }
        for path in paths
    ]
    completed = subprocess.run(
        [find_program("node"), "-e", PROGRAM],
        input=json.dumps({"code": code, "events": events}),
        capture_output=True,
        check=True,
        text=True,
    )
    requests: list[dict[str, Any]] = json.loads(completed.stdout)
    return requests


def test_view_becomes_the_page(code: str) -> None:
    """A path without an extension, outside of snapshots and API, becomes the page; other paths stay."""
    found = run_function(code, *REWRITTEN)

    assert dict(zip(REWRITTEN, [request["uri"] for request in found], strict=True)) == REWRITTEN


@pytest.mark.parametrize("path", [path for path in REWRITTEN if is_page(path)])
def test_local_server_sends_the_same_file(path: str) -> None:
    """The local server reads the file that CloudFront requests from its bucket."""
    assert f"/{find_file(path)}" == REWRITTEN[path]


@pytest.mark.parametrize("headers", [{}, {"x-viewer-address": {"value": "192.0.2.1"}}])
def test_request_has_the_real_address(code: str, headers: dict[str, Any]) -> None:
    """The API gets the visitor's address for every path, and never one that the visitor sent."""
    found = run_function(code, *REWRITTEN, "//api/health", "/API/health", headers=headers)

    assert [one["headers"] for one in found] == [{"x-viewer-address": {"value": ADDRESS}}] * len(found)


def test_code_fits_cloudfront(code: str) -> None:
    """CloudFront accepts a function of at most 10 KB."""
    assert len(code.encode()) <= 10_000
