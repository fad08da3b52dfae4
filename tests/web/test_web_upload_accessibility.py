"""The upload of a batch and its report are accessible in every state."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from local.stack import Stack
from tests.web.batches import SUBMIT, UPLOAD, fill_form, list_entries, make_report, show_report
from tests.web.visits import AXE, LOOKS, visit

pytestmark = pytest.mark.e2e

REPORT = f"{SUBMIT}?upload={UPLOAD}"


def reach_form(page: Page) -> None:
    """Show the form for batches with an error."""
    fill_form(page, token="sesame", name="runs.csv")
    page.get_by_role("button", name="Upload", exact=True).click()
    page.locator("ul.form-errors").wait_for()


def reach_sending(page: Page) -> None:
    """Show a running upload."""
    page.route("**/uploads", lambda _route: None)
    fill_form(page, token="laurel_heron")
    page.get_by_role("button", name="Upload", exact=True).click()
    page.get_by_role("progressbar").wait_for()


def reach_lock(page: Page) -> None:
    """Show the report's form for the token, with a wrong token."""
    show_report(page, "sesame")
    page.locator("ul.form-errors").wait_for()


def reach_report(page: Page) -> None:
    """Show the report."""
    show_report(page, "laurel_heron")
    page.get_by_role("group", name="Every entry").wait_for()


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "form": (SUBMIT, reach_form),
    "sending": (SUBMIT, reach_sending),
    "locked": (REPORT, reach_lock),
    "scoring": (REPORT, reach_report),
    "done": (REPORT, reach_report),
}


@pytest.fixture(scope="module", params=STATES)
def reached(request: pytest.FixtureRequest, browser: Browser, stack: Stack) -> Iterator[Page]:
    """The page in each state, reached once for all its tests."""
    path, reach = STATES[request.param]

    def answer(route: Route) -> None:
        scored = 129 if request.param == "done" else 57
        if "/submissions" in route.request.url:
            route.fulfill(json=list_entries(entries=130, scored=scored, query=route.request.url))
        else:
            route.fulfill(json=make_report(entries=130, scored=scored, status=request.param))

    def prepare(context: BrowserContext) -> None:
        context.route(f"**/uploads/{UPLOAD}", answer)
        context.route(f"**/submissions?batch={UPLOAD}*", answer)

    messages: list[str] = []
    with visit(browser, stack.url + path, messages=messages, axe=True, prepare=prepare) as page:
        reach(page)
        yield page
    assert messages == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_no_violation_in_any_state(reached: Page, width: int, scheme: str) -> None:
    """Every state has no violation, light and dark, on a phone and on a desktop."""
    reached.set_viewport_size({"width": width, "height": 800})
    reached.emulate_media(color_scheme="dark" if scheme == "dark" else "light")

    assert reached.evaluate(AXE) == []


def test_upload_fits_a_narrow_phone(reached: Page) -> None:
    """At 320 pixels nothing overflows."""
    reached.set_viewport_size({"width": 320, "height": 640})

    assert reached.evaluate("document.documentElement.scrollWidth") <= 320
