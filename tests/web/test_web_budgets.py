"""The site stays small: budgets in bytes, gzipped."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response

from tests.web.boards import Shelf
from tests.web.visits import see_all

pytestmark = pytest.mark.e2e

KB = 1000
JS_BUDGET = 27 * KB
CSS_BUDGET = 6 * KB
FIRST_LOAD_BUDGET = 40 * KB
HEAD_BUDGET = 10 * KB
ROUTES = ("/", "/b/big", "/b/thirty/p/player-2", "/b/aic-2025/submit", "/about", "/api/docs")


def size_of(content: bytes) -> int:
    """Return the gzipped size in bytes."""
    return len(gzip.compress(content, 6))


@pytest.mark.parametrize("route", ROUTES)
def test_first_visit_fits_the_budget(route: str, open_page: Callable[..., Page]) -> None:
    """Scripts, styles and all files of a page fit their budgets, lazy parts included, rows excluded."""
    page = open_page("/nothing/here")
    page.wait_for_load_state("networkidle")
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 — Playwright sets attributes on the callback

    page.goto(page.url.replace("/nothing/here", route))
    page.wait_for_load_state("networkidle")
    see_all(page)
    sizes = {response.url: size_of(response.body()) for response in responses if "/rows." not in response.url}

    scripts = sum(size for url, size in sizes.items() if url.endswith(".js"))
    assert 0 < scripts <= JS_BUDGET
    assert sum(size for url, size in sizes.items() if url.endswith(".css")) <= CSS_BUDGET
    assert sum(sizes.values()) <= FIRST_LOAD_BUDGET


def test_head_of_a_long_board_fits_the_budget(shelf: Shelf) -> None:
    """The head of a board with ten thousand players fits its budget."""
    head = shelf.store.read_head("big")

    assert head is not None
    assert size_of(head.value.model_dump_json().encode()) <= HEAD_BUDGET


def test_built_files_name_no_other_host(dist: Path) -> None:
    """No built file names another host, except XML namespaces."""
    urls = {
        (file.name, url)
        for file in dist.rglob("*")
        if file.is_file()
        for url in re.findall(r"https?://[a-z0-9.-]+", file.read_text(errors="ignore"))
    }

    assert {url for _, url in urls} <= {"http://www.w3.org"}


def test_package_lock_names_no_host() -> None:
    """The lock file pins packages without a registry."""
    lock = (Path(__file__).parents[2] / "frontend" / "package-lock.json").read_text()

    assert '"resolved"' not in lock
    assert lock.count('"integrity"') > 10
