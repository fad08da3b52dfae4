"""Every page is accessible: axe-core finds no violation, nothing is cut off, and no text is too small."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from local.stack import Stack
from tests.web.boards import Shelf
from tests.web.visits import AXE, LOOKS, SMALLEST_TEXT, speak_longer, visit

pytestmark = pytest.mark.e2e

ROUTES = (
    "/",
    "/?q=nothing-like-this",
    "/b/none",
    "/b/one",
    "/b/thirty",
    "/b/thirty?q=nothing-like-this",
    "/b/hostile",
    "/b/big?from=3000",
    "/b/many?board=level-2",
    "/b/million?from=500000",
    "/b/aic-2025/wall",
    "/b/thirty/p/player-2",
    "/b/aic-2025/submit",
    "/about",
    "/owners",
    "/b/aic-2025/owners",
    "/docs/games",
    "/docs/owners",
    "/api/docs",
    "/b/aic-2025/s/{scored}",
    "/b/aic-2025/s/{invalid}",
    "/b/aic-2025/s/{invalid}#receipt",
    "/b/aic-2025/s/{invalid}#queued",
    "/b/aic-2025/s/{invalid}#internal_error",
    "/b/aic-2025/s/{invalid}#withdrawn",
)
RESULTS = {"scored": "TR-L03_V011-1200,1340", "invalid": "TR-NOWHERE-1200"}
SCORING_MILLISECONDS = 60_000


@pytest.fixture(scope="module")
def accepted(stack: Stack, browser: Browser) -> dict[str, dict[str, str]]:
    """The answers to one scored and one invalid result, both already judged."""
    url = f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Looker"
    answers = {
        name: httpx.post(url, json={"question": "1", "text": text}, timeout=30).raise_for_status().json()
        for name, text in RESULTS.items()
    }
    for answer in answers.values():
        with visit(browser, f"{stack.url}/b/aic-2025/s/{answer['submission']}", messages=[]) as page:
            expect(page.locator(".acts")).to_be_visible(timeout=SCORING_MILLISECONDS)
    return answers


def pretend(context: BrowserContext, state: str, answer: dict[str, str]) -> None:
    """Put a page into a state that a working stack is not in for long, or that depends on the visitor.

    Args:
        context: The context of the page.
        state: `receipt` (the visitor has it), `queued`, `withdrawn` or an outcome.
        answer: The answer to the result.
    """

    def answer_for_submission(route: Route) -> None:
        submission_view = route.fetch().json()
        if state == "withdrawn":
            withdrawn = {"at": "2026-11-01T00:00:00Z", "reason": "Long reason. " * 40, "by": "owner"}
            route.fulfill(json=submission_view | {"withdrawn": withdrawn})
            return
        outcome = None if state == "queued" else state
        status = "done" if outcome else "queued"
        route.fulfill(json=submission_view | {"status": status, "outcome": outcome, "signature": None})

    submission, receipt = answer["submission"], answer["receipt"]
    if state == "receipt":
        context.add_init_script(f"sessionStorage.setItem('receipt:{submission}', '{receipt}')")
    else:
        context.route(f"**/submissions/{submission}", answer_for_submission)


@pytest.fixture(scope="module", params=ROUTES)
def visited(
    request: pytest.FixtureRequest, browser: Browser, stack: Stack, shelf: Shelf, accepted: dict[str, dict[str, str]]
) -> Iterator[Page]:
    """Each page of the site, in a language with longer texts, loaded once for all its tests."""
    path, _, state = request.param.partition("#")
    url = stack.url + path.format_map({name: answer["submission"] for name, answer in accepted.items()})
    messages: list[str] = []

    def prepare(context: BrowserContext) -> None:
        speak_longer(context)
        if state:
            pretend(context, state, accepted["invalid"])

    with visit(browser, url, messages=messages, axe=True, whole=True, prepare=prepare) as page:
        yield page
    assert messages == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_no_violation_on_any_page(visited: Page, width: int, scheme: str) -> None:
    """Every page has no violation, light and dark, on a phone and on a desktop."""
    visited.set_viewport_size({"width": width, "height": 800})
    visited.emulate_media(color_scheme="dark" if scheme == "dark" else "light")

    assert visited.evaluate(AXE) == []


def test_page_fits_a_narrow_phone(visited: Page) -> None:
    """At 320 pixels nothing overflows in either direction of writing, and the text of charts stays readable."""
    visited.set_viewport_size({"width": 320, "height": 640})

    for direction in ("rtl", "ltr"):
        visited.evaluate("direction => document.dir = direction", direction)
        assert visited.evaluate("document.documentElement.scrollWidth") <= 320
    assert visited.evaluate(SMALLEST_TEXT) >= 12
