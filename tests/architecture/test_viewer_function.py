"""The CloudFront Function, run under Node: it adds the visitor's address and rewrites the paths of views."""

import json
import re
import subprocess
from typing import Any, Final

import pytest

from local.site.files import find_file, find_served, is_page
from local.template import load_template
from scripts.frontend.build_frontend import FRONTEND, find_program
from scripts.frontend.build_kit import GUIDES

ADDRESS: Final = "2001:db8::7"
HOST: Final = "laurel.example"
REWRITTEN: Final[dict[str, str]] = {
    "/": "/data/index.html",
    "/about": "/index.html",
    "/owners": "/index.html",
    "/join": "/index.html",
    "/tokens": "/index.html",
    "/b/coin-run": "/data/b/coin-run/index.html",
    "/b/coin-run/": "/data/b/coin-run/index.html",
    "/b/coin-run/p/guest-0123456789abcdef0123": "/data/b/coin-run/p/guest-0123456789abcdef0123",
    "/p/guest-0123456789abcdef0123": "/data/p/guest-0123456789abcdef0123",
    "//": "/data/index.html",
    "/api/docs": "/index.html",
    **{f"/docs/{guide}": "/index.html" for guide in GUIDES},
    "/llms.txt": "/llms.txt",
    "/b/coin-run/submit": "/index.html",
    "/b/coin-run/wall": "/data/b/coin-run/index.html",
    "/b/coin-run/owners": "/index.html",
    "/b//%63oin-run/s/01a1fb00-0000-7000-8000-000000000000": (
        "/data/b/coin-run/s/01a1fb00-0000-7000-8000-000000000000"
    ),
    "/embed/b/coin-run": "/embed.html",
    "/embed//b/coin-run/": "/embed.html",
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

MISSING: Final = (
    "/nope",
    "/metrics",
    "/b",
    "/b/Coin",
    "/b/v1.2/submit",
    "/b/coin-run/nope",
    "/api",
    "/data",
    "/%zz",
    "/about/x",
    "/embed",
    "/embed/b/Coin",
    "/embed/b/coin-run/submit",
    "/embed/../b/coin-run",
)
"""Paths that no page has."""
# As the site decides it: the source runs under Node.
ROUTES: Final = """
const {path, paths} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
import(path).then(({parseRoute}) => process.stdout.write(JSON.stringify(paths.map((path) => parseRoute(path).page))));
"""

# Node's own `vm` gives the code no `require` and no `process`, which CloudFront has not either.
PROGRAM: Final = """
const {code, events} = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const handler = require('vm').runInNewContext(code + '; handler');
process.stdout.write(JSON.stringify(events.map(handler)));
"""


@pytest.fixture(scope="module")
def code() -> str:
    """The function's source, as it is deployed."""
    template = load_template({})
    source: str = template.resources["ViewerFunction"].properties["FunctionCode"]
    return source


def run_function(
    code: str,
    *paths: str,
    headers: dict[str, Any] | None = None,
    query: dict[str, Any] | None = None,
    method: str = "GET",
) -> list[dict[str, Any]]:
    """Return the request that the function returns for each path."""
    events = [
        {
            "version": "1.0",
            "context": {"eventType": "viewer-request"},
            "viewer": {"ip": ADDRESS},
            "request": {
                "method": method,
                "uri": path,
                "querystring": query or {},
                "headers": {"host": {"value": HOST}} | (headers or {}),
                "cookies": {},
            },
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
    """A path without an extension, outside of snapshots and API, becomes its page; other paths stay."""
    found = run_function(code, *REWRITTEN)

    assert dict(zip(REWRITTEN, [request["uri"] for request in found], strict=True)) == REWRITTEN


def test_unknown_page_is_not_found(code: str) -> None:
    """A path that is no page of the site is answered with 404, by CloudFront as by the local server."""
    found = run_function(code, *MISSING)

    assert [answer.get("statusCode") for answer in found] == [404] * len(MISSING)
    assert [find_file(path) for path in MISSING if "." not in path] == [None] * sum("." not in path for path in MISSING)


def test_short_address_leads_to_the_api(code: str) -> None:
    """What is posted to `/submit` is for the API, which knows whether the site has such an address; it is no page."""
    (posted,), (asked,) = (run_function(code, "/submit", method=method) for method in ("POST", "GET"))

    assert (posted["uri"], asked["statusCode"]) == ("/api/submit", 404)


def test_every_page_of_the_site_is_served() -> None:
    """What is served as a page is what the site itself calls one, for each kind of page that it has."""
    source = FRONTEND / "src" / "ui" / "lib" / "route.ts"
    pages = [path for path in REWRITTEN if find_file(path) == "index.html" != path.removeprefix("/")]
    completed = subprocess.run(
        [find_program("node"), "-e", ROUTES],
        input=json.dumps({"path": str(source), "paths": [*pages, *MISSING]}),
        capture_output=True,
        check=True,
        text=True,
    )
    kinds: list[str] = json.loads(completed.stdout)

    assert set(kinds) == set(re.findall(r'readonly page: "(\w+)"', source.read_text()))
    assert [kind == "missing" for kind in kinds] == [False] * len(pages) + [True] * len(MISSING)


@pytest.mark.parametrize("path", [path for path in REWRITTEN if is_page(path)])
def test_local_server_sends_the_same_file(path: str) -> None:
    """The local server reads the file that CloudFront requests from its bucket."""
    assert f"/{find_served(path, {}) or find_file(path)}" == REWRITTEN[path]


@pytest.mark.parametrize(
    ("query", "start", "board"),
    [
        ("board=level-1", "", "/data/b/coin-run/boards/level-1"),
        ("board=main", "/data", "/data/b/coin-run"),
        ("board=../x", "", ""),
        ("utm_source=mail", "/data", "/data/b/coin-run"),
        *((query, "", "") for query in ("q=ada", "players=ada")),
    ],
)
def test_other_view_is_the_app_s(code: str, query: str, start: str, board: str) -> None:
    """A page that is served with its rows shows the plain view, so that nothing flashes up before another."""
    name, _, value = query.partition("=")
    paths = ("/", "/b/coin-run", "/b/coin-run/wall")

    found = run_function(code, *paths, query={name: {"value": value}})

    wall = "/data/b/coin-run" if name == "board" else board
    expected = [f"{folder}/index.html" for folder in (start, board, wall)]
    assert [request["uri"] for request in found] == expected
    assert [f"/{find_served(path, {name: value}) or 'index.html'}" for path in paths] == expected


@pytest.mark.parametrize(
    "headers", [{}, {"x-viewer-address": {"value": "192.0.2.1"}, "x-viewer-host": {"value": "evil.example"}}]
)
def test_request_has_the_real_address(code: str, headers: dict[str, Any]) -> None:
    """The API gets the visitor's address for every path, and never one that the visitor sent."""
    found = run_function(code, *REWRITTEN, "//api/health", "/API/health", headers=headers)

    found = [request for request in found if "uri" in request]
    assert {request["headers"]["x-viewer-address"]["value"] for request in found} == {ADDRESS}
    assert {request["headers"]["x-viewer-host"]["value"] for request in found} == {HOST}


def test_code_fits_cloudfront(code: str) -> None:
    """CloudFront accepts a function of at most 10 KB."""
    assert len(code.encode()) <= 10_000
