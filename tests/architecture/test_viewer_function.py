"""The CloudFront Function, run under Node: it names the visitor to the API and rewrites views of the site."""

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
"""Path asked for → path that the origin is asked for."""

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


def test_views_are_answered_with_the_one_page(code: str) -> None:
    """A path without an extension becomes the page, outside of snapshots and API; every other path stays."""
    found = run_function(code, *REWRITTEN)

    assert dict(zip(REWRITTEN, [request["uri"] for request in found], strict=True)) == REWRITTEN


@pytest.mark.parametrize("path", [path for path in REWRITTEN if is_page(path)])
def test_the_local_server_answers_with_the_same_file(path: str) -> None:
    """What CloudFront asks its bucket for is what the local server reads from the built site."""
    assert f"/{find_file(path)}" == REWRITTEN[path]


@pytest.mark.parametrize("headers", [{}, {"x-viewer-address": {"value": "192.0.2.1"}}])
def test_every_request_carries_the_real_address(code: str, headers: dict[str, Any]) -> None:
    """Whatever the path, the API reads the visitor's address, and never one that the visitor made up."""
    found = run_function(code, *REWRITTEN, "//api/health", "/API/health", headers=headers)

    assert [one["headers"] for one in found] == [{"x-viewer-address": {"value": ADDRESS}}] * len(found)


def test_the_code_fits(code: str) -> None:
    """CloudFront takes a function of 10 KB at most."""
    assert len(code.encode()) <= 10_000
