"""Everybody can read and use every page: axe-core finds nothing, nothing is cut off, nothing is too small."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from local.stack import Stack
from tests.web.boards import Shelf
from tests.web.visits import visit

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("web")]

ROUTES = (
    "/",
    "/?q=nothing-like-this",
    "/b/none",
    "/b/one",
    "/b/thirty?pick=player-1,player-2,player-3",
    "/b/thirty?q=nothing-like-this",
    "/b/hostile",
    "/b/big?page=3",
    "/b/thirty/p/player-2",
    "/b/aic-2025/submit",
    "/about",
    "/api/docs",
    "/nothing/here",
)
# The rows of a board are all alike: a few of them tell what all would.
AXE = """async () => {
  const found = await axe.run({exclude: ['.board tbody tr:nth-child(n+9)']}, {resultTypes: ['violations']});
  return found.violations.map(one => `${one.id}: ${one.nodes.map(node => node.html).join(' ')}`);
}"""
SMALLEST_TEXT = """() => Math.min(12, ...[...document.querySelectorAll('main svg text')].map(text => {
  const scale = text.getScreenCTM();
  return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b);
}))"""


@pytest.fixture(scope="module", params=ROUTES)
def visited(request: pytest.FixtureRequest, browser: Browser, stack: Stack, shelf: Shelf) -> Iterator[Page]:
    """Each page of the site in turn, loaded once for all tests of it."""
    messages: list[str] = []
    with visit(browser, stack.url + request.param, messages=messages, axe=True, whole=True) as page:
        yield page
    assert messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(visited: Page, width: int, scheme: str) -> None:
    """Every page is without a violation, light and dark, on a phone and on a desk."""
    visited.set_viewport_size({"width": width, "height": 800})
    visited.emulate_media(color_scheme="dark" if scheme == "dark" else "light")

    assert visited.evaluate(AXE) == []


def test_a_narrow_phone_scrolls_one_way_only(visited: Page) -> None:
    """At 320 pixels nothing sticks out, and the text of charts stays readable."""
    visited.set_viewport_size({"width": 320, "height": 640})

    assert visited.evaluate("document.documentElement.scrollWidth") <= 320
    assert visited.evaluate(SMALLEST_TEXT) >= 12
