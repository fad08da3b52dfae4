"""The site is in the visitor's language, from the first text on, and in the one that was chosen."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from local.layout import ROOT
from local.stack import Stack
from tests.web.boards import Shelf

pytestmark = pytest.mark.e2e

GERMAN = """
Object.defineProperty(navigator, 'languages', {value: ['tlh', 'de-AT', 'fr']});
window.texts = [];
addEventListener('DOMContentLoaded', () => new MutationObserver(() => texts.push(document.body.innerText))
  .observe(document.body, {childList: true, subtree: true}));
"""


def speak_german(context: BrowserContext) -> None:
    """Open the pages of a context as a visitor whose browser prefers German."""
    context.add_init_script(GERMAN)


def test_the_visitors_language_is_used_and_a_choice_is_kept(open_page: Callable[..., Page]) -> None:
    """A page has the browser's language and nothing of another; a choice holds for the next pages, too."""
    page = open_page("/b/thirty", prepare=speak_german)

    expect(page.locator("html[lang=de][dir=ltr]")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="30 Spieler")).to_be_visible()
    expect(page.locator("td.when").first).to_contain_text("vor ")
    assert page.evaluate("texts.length") > 0
    assert page.evaluate("texts.filter(text => /Boards|Loading|Rank\\\\b/.test(text))") == []

    page.locator(".corner").get_by_label("Sprache").select_option(label="Tiếng Việt")
    expect(page.locator("html[lang=vi]")).to_have_count(1)
    page.get_by_role("link", name="Giới thiệu").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Cách hoạt động")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cách hoạt động")


def test_a_language_that_does_not_load_leaves_english(open_page: Callable[..., Page], messages: list[str]) -> None:
    """Without the file of the language the page is English, and says so."""

    def prepare(context: BrowserContext) -> None:
        speak_german(context)
        context.route("**/assets/languages/*", lambda route: route.abort())

    page = open_page("/about", prepare=prepare)

    expect(page.locator("html[lang=en]")).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_text("How it works")
    assert [message for message in messages if "ERR_FAILED" not in message] == []
    messages.clear()


def test_board_on_any_page_speaks_the_pages_language(browser: Browser, stack: Stack, shelf: Shelf) -> None:
    """Its words and numbers are in the language of the page around it, or else in English; it has them all."""
    texts = set(re.findall(r'#say\("([^"]+)"', (ROOT / "sdk/laurel-board.js").read_text()))
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{stack.url}/embed/b/million?lang=vi")
        heads, cell = page.locator("thead th"), page.locator("tbody td.rank + th + td").first
        expect(heads.first).to_have_text("Hạng")
        expect(cell).to_have_text(re.compile(r"\d,\d"))
        for language, rank in (("de", "Rang"), ("zh-Hans", "名次"), ("nl", "Rank"), ("en-GB", "Rank")):
            page.evaluate("lang => document.querySelector('laurel-board').setAttribute('lang', lang)", language)
            expect(heads.first).to_have_text(rank)
        page.goto(f"{stack.url}/embed/b/none?lang=fr")
        expect(page.get_by_role("status")).to_have_text("Personne encore dans ce classement.")

        words = page.evaluate("import('/sdk/words.js').then(module => module.default)")

    assert len(texts) >= 6
    assert words.keys() == {path.stem[:2] for path in (ROOT / "frontend/src/languages").glob("*.json")}
    assert all(table.keys() == texts for table in words.values())
