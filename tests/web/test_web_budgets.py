"""The site stays small: budgets in bytes, gzipped, as they travel."""

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
    """Give how many bytes travel."""
    return len(gzip.compress(content, 6))


@pytest.mark.parametrize("route", ROUTES)
def test_a_first_visit_fits_the_budget(route: str, open_page: Callable[..., Page]) -> None:
    """Everything a page fetches, lazily too, without rows: script, style, the whole."""
    page = open_page("/nothing/here")
    page.wait_for_load_state("networkidle")
    fetched: list[Response] = []
    page.on("response", lambda answer: fetched.append(answer))  # noqa: PLW0108 — Playwright marks what it calls

    page.goto(page.url.replace("/nothing/here", route))
    page.wait_for_load_state("networkidle")
    see_all(page)
    sizes = {answer.url: size_of(answer.body()) for answer in fetched if "/rows." not in answer.url}

    scripts = sum(size for url, size in sizes.items() if url.endswith(".js"))
    assert 0 < scripts <= JS_BUDGET
    assert sum(size for url, size in sizes.items() if url.endswith(".css")) <= CSS_BUDGET
    assert sum(sizes.values()) <= FIRST_LOAD_BUDGET


def test_a_head_of_a_long_board_fits_the_budget(shelf: Shelf) -> None:
    """The first sight of ten thousand players."""
    head = shelf.store.read_head("big")

    assert head is not None
    assert size_of(head.value.model_dump_json().encode()) <= HEAD_BUDGET


def test_no_file_of_the_site_speaks_to_others(dist: Path) -> None:
    """No built file names another host, but for the namespaces of XML and what a visitor reads."""
    named = {
        (file.name, url)
        for file in dist.rglob("*")
        if file.is_file()
        for url in re.findall(r"https?://[a-z0-9.-]+", file.read_text(errors="ignore"))
    }

    assert {url for _, url in named} <= {"http://www.w3.org"}


def test_the_lock_names_no_host_of_packages() -> None:
    """The lock file says what, not where from."""
    lock = (Path(__file__).parents[2] / "frontend" / "package-lock.json").read_text()

    assert '"resolved"' not in lock
    assert lock.count('"integrity"') > 10
