"""The local server serves the site as the cloud does: rewritten paths, security headers, caches."""

from collections.abc import Iterator

import httpx
import pytest

from local.stack import Stack
from storage.boards.snapshots import HEAD_CACHE
from tests.web.boards import Shelf

pytestmark = pytest.mark.e2e

DIRECTIVES = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
}


@pytest.fixture
def client(stack: Stack, shelf: Shelf) -> Iterator[httpx.Client]:
    """A client of the site."""
    with httpx.Client(base_url=stack.url, timeout=30) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/about", "/b/thirty", "/b/thirty/p/player-1", "/api/docs"])
def test_path_without_extension_is_the_page(path: str, client: httpx.Client) -> None:
    """Every view can be opened by its URL, and is revalidated each time."""
    answer = client.get(path)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/html")
    assert answer.headers["Cache-Control"] == (HEAD_CACHE if path in {"/", "/b/thirty"} else "no-cache")
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == DIRECTIVES
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert {"Referrer-Policy", "Strict-Transport-Security", "Permissions-Policy"} <= {*map(str.title, answer.headers)}


@pytest.mark.parametrize(
    "path", ["/missing.js", "/nothing/here", "/assets/missing.css", "/data/missing", "/data/b/x/head.json"]
)
def test_missing_file_is_404(path: str, client: httpx.Client) -> None:
    """A missing file, page or snapshot is never answered with the page."""
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/assets/../../package.json"])
def test_file_outside_the_site_is_404(path: str, stack: Stack, client: httpx.Client) -> None:
    """No path leaves the folder."""
    answer = client.get(httpx.URL(stack.url).copy_with(raw_path=path.encode()))

    assert answer.status_code == 404


def test_unchanged_head_is_answered_with_304(client: httpx.Client) -> None:
    """A request with the ETag of the head gets no body."""
    first = client.get("/data/b/thirty/head.json")

    again = client.get("/data/b/thirty/head.json", headers={"If-None-Match": first.headers["ETag"]})

    assert again.status_code == 304
    assert again.content == b""
