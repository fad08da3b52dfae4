"""The site stays small: budgets in bytes, gzipped."""

import gzip
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response

from scripts.frontend import build_frontend
from scripts.frontend.build_frontend import FIRST_SCRIPTS, KB, BudgetExceeded, check_budgets, run_script
from tests.web.boards import Shelf
from tests.web.visits import see_all

pytestmark = pytest.mark.e2e

HEAD_BUDGET = 10 * KB
LAZY_BUDGET = 35 * KB
"""What a page loads besides what index.html names, its data not counted."""
ROUTES = (
    "/",
    "/b/big?from=5000",
    "/b/many?board=level-1&q=player",
    "/b/million?from=5000",
    "/b/thirty/p/player-2",
    "/b/aic-2025/submit",
    "/about",
    "/owners",
    "/b/aic-2025/owners",
    "/api/docs",
)


def size_of(content: bytes) -> int:
    """Return the gzipped size in bytes."""
    return len(gzip.compress(content, 6))


def test_pages_fit_their_budgets(dist: Path, open_page: Callable[..., Page]) -> None:
    """Of every page, the scripts that come first and those that its parts load later fit their budgets."""
    page = open_page("/about")
    page.wait_for_load_state("networkidle")
    scripts: list[Response] = []
    page.on("response", lambda response: scripts.append(response) if response.url.endswith(".js") else None)
    site = page.url.removesuffix("/about")
    html = (dist / "index.html").read_text()

    for route in ROUTES:
        scripts.clear()
        page.goto(site + route)
        page.wait_for_load_state("networkidle")
        see_all(page)
        sizes = {response.url.rpartition("/")[2]: size_of(response.body()) for response in scripts}

        assert 0 < sum(size for name, size in sizes.items() if name in html) <= FIRST_SCRIPTS, route
        assert sum(size for name, size in sizes.items() if name not in html) <= LAZY_BUDGET, route


def test_build_fails_beyond_a_budget(dist: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The built site is within its budgets, without a file for nothing, and a build that is not is an error."""
    check_budgets()
    assert all(file.stat().st_size > 200 for file in dist.glob("assets/*.js")), "a file only names another one"

    monkeypatch.setattr(build_frontend, "STYLES", 5 * KB)

    with pytest.raises(BudgetExceeded, match=r"the style sheets have .* the budget is 5,000"):
        check_budgets()


def test_head_of_a_long_board_fits_the_budget(shelf: Shelf) -> None:
    """The head of a board with ten thousand players fits its budget."""
    head = shelf.store.bucket.get("data/b/big/head.json").body

    assert size_of(head) <= HEAD_BUDGET


GUIDES = {("sdk", ".md"), ("sdk", ".json"), ("font", ".txt")}
"""Texts for people, of which no link is followed: their folder and suffixes."""


def test_built_files_name_no_other_host(dist: Path) -> None:
    """No built file names another host, except namespaces of XML and JSON Schema."""
    urls = {
        (file.name, url)
        for file in dist.rglob("*")
        if file.is_file() and (file.parent.name, file.suffix) not in GUIDES
        for url in re.findall(r"https?://[a-z0-9.-]+", file.read_text(errors="ignore"))
    }

    assert {url for _, url in urls} <= {"http://www.w3.org", "https://json-schema.org"}


def test_package_lock_names_no_host() -> None:
    """The lock file pins packages without a registry."""
    lock = (Path(__file__).parents[2] / "frontend" / "package-lock.json").read_text()

    assert '"resolved"' not in lock
    assert lock.count('"integrity"') > 10


def test_frontend_logic_passes_its_node_tests() -> None:
    """`node --test` reports no failure."""
    try:
        run_script("test")
    except subprocess.CalledProcessError as error:
        pytest.fail(f"{error}: see its output above")
