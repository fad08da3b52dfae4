"""A result is submitted by the form or by a page of another origin, and followed to its score."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web.batches import take_files

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
SCORING_MILLISECONDS = 60_000
SUBMISSION = re.compile("/s/[0-9a-f-]{36}$")


def test_file_is_submitted_and_followed_to_its_score(open_page: OpenPage) -> None:
    """A phone shows what is asked, then the form; after it is sent, the page shows the score; the name has a key."""
    page = open_page("/b/aic-2025/submit", width=360)
    expect(page.locator(".lead")).to_have_text(re.compile("^Find the moment in hours of video"))
    expect(page.locator(".facts")).to_have_text(re.compile("^File.json.*best submission for each part.* a day$"))
    parts = "[...document.querySelectorAll('.lead, .facts, .drop, summary, #about-title')]"
    order = page.evaluate(f"{parts}.map((part) => part.className || part.textContent)")
    assert order == ["lead", "facts", "drop", "drop", "Rules", "The task"]
    content = json.dumps({"question": "1", "text": "TR-L03_V011-1200,1340"}).encode()
    page.get_by_role("tabpanel").locator("input[type=file]").set_input_files(
        {"name": "run.json", "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("textbox", name="Name").fill("Form <b>filler</b>")
    key = page.locator(".submit-form .receipt-line code").inner_text()
    sent: list[str | None] = []
    page.on("request", lambda request: sent.append(request.header_value("laurel-player-key")))

    page.get_by_role("button", name="Hand in").click()

    expect(page).to_have_url(SUBMISSION)
    assert re.fullmatch("player_[0-9a-f]{32}", key)
    assert [value for value in sent if value] == [key]
    assert page.evaluate("localStorage.getItem('player-key')") == key
    expect(page.get_by_role("region", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.locator(".scores .primary dd").first).to_contain_text(".")
    page.get_by_text("Receipt, withdrawal").click()
    expect(page.locator(".receipt-line code")).to_contain_text("receipt_")
    expect(page.get_by_text("Signature", exact=True)).to_be_visible()
    expect(page.locator(".ladder .me")).to_contain_text("Form <b>filler</b> guest")
    page.goto(page.url.partition("/b/")[0] + "/b/aic-2025/submit")
    page.get_by_role("textbox", name="Name").fill("Form <b>filler</b>")
    expect(page.get_by_text("this browser has your player key")).to_be_visible()

    expect(page.locator(".facts")).to_contain_text(re.compile(r"Tries left\d+$"))
    assert key not in page.content()


@pytest.mark.parametrize("status", [429, 503])
def test_gateways_answer_is_explained(open_page: OpenPage, messages: list[str], status: int) -> None:
    """An answer of API Gateway, which is no problem document, becomes a sentence; the second try has the same key."""
    page = open_page("/b/aic-2025/submit")
    keys: list[str] = []

    def answer(route: Route) -> None:
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) == 1:
            route.fulfill(status=status, content_type="application/json", body='{"message":"of the gateway"}')
        else:
            route.continue_()

    page.route("**/api/benchmarks/aic-2025/submissions?*", answer)
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-L03_V011-1200,1340"}')
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing is lost: try again in a moment")).to_be_visible()

    page.get_by_role("button", name="Hand in").click()

    expect(page).to_have_url(SUBMISSION)
    assert keys[0] == keys[1]
    messages.clear()  # the browser reports the first answer


def test_details_are_shown_with_the_receipt_only(open_page: OpenPage) -> None:
    """Another visitor sees the scores, but the details, which contain the player's answers, only with the receipt."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-L03_V011-1200,1340"}')
    page.get_by_role("button", name="Hand in").click()
    receipt = page.locator(".receipt-line code").text_content() or ""
    expect(page.locator("pre")).to_contain_text("per_event_scores", timeout=SCORING_MILLISECONDS)

    other = open_page(page.url[page.url.index("/b/") :])

    expect(other.get_by_role("region", name="Scores")).to_be_visible()
    expect(other.locator("pre")).to_have_count(0)
    other.get_by_text("Receipt, withdrawal").click()
    other.get_by_label("The receipt of this submission").fill(receipt)
    other.get_by_role("button", name="Open").click()
    expect(other.locator("pre")).to_contain_text("per_event_scores")


SECRET = f"laurel_{'s3cret' * 8}"  # It belongs to nobody.


def test_unknown_token_opens_nothing_and_is_kept_nowhere(open_page: OpenPage, messages: list[str]) -> None:
    """A token is sent to the API alone, neither shown nor stored, and no name; what is no credential is not sent."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')
    page.get_by_role("textbox", name="Name").fill(SECRET)
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_role("alert")).to_contain_text("The name contains a token")
    page.get_by_role("textbox", name="Name").fill("")
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator(".message")).to_be_visible(timeout=SCORING_MILLISECONDS)
    other = open_page(page.url[page.url.index("/b/") :])
    other.get_by_text("Receipt, withdrawal").click()
    field = other.get_by_label("The receipt of this submission, or a token")
    sent: list[tuple[str, str]] = []
    other.on("request", lambda request: sent.append((request.all_headers().get("authorization", ""), request.url)))

    for text in (f"Bearer {SECRET}", f"receipt_{SECRET}", SECRET):
        field.fill(text)
        other.get_by_role("button", name="Open").click()
        words = "this token is not known" if text == SECRET else "neither has spaces"
        expect(other.get_by_role("alert").filter(has_text=words)).to_be_visible()
        expect(field).to_have_value("")

    assert "401" in messages.pop()
    assert field.get_attribute("type") == "password"
    submission = page.url.rpartition("/")[2]
    assert [url for header, url in sent if header] == [
        f"{page.url.partition('/b/')[0]}/api/benchmarks/aic-2025/submissions/{submission}"
    ]
    stored = other.evaluate(
        "() => JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie, history.state])"
    )
    assert SECRET not in stored + other.content() + other.url + "".join(url for _, url in sent)


def test_result_without_a_name_is_not_on_the_board(open_page: OpenPage) -> None:
    """The page of a nameless guest's result says that it has no row, and links to the form."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-L03_V011-1200,1340"}')

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_text("Not on the board: give a name.")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.get_by_role("link", name="Hand in again")).to_have_attribute("href", "/b/aic-2025/submit")
    expect(page.locator("[role=status] a")).to_have_count(0)


def test_file_is_sent_as_it_is(open_page: OpenPage, messages: list[str]) -> None:
    """A CSV goes with its own type, byte for byte."""
    page = open_page("/b/aic-2025/submit")
    take_files(page, "aic-2025", "csv", "json")
    content = b"id,label\r\n1,<b>cat</b>\r\n2\r\n"
    choose = page.get_by_role("tabpanel").locator("input[type=file]")
    choose.set_input_files({"name": "run.csv", "mimeType": "text/csv", "buffer": content})

    expect(page.get_by_role("textbox", name="Result")).to_be_hidden()
    with page.expect_request("**/submissions?*") as request:
        page.route("**/submissions?*", lambda route: route.abort())
        page.get_by_role("button", name="Hand in").click()
    assert (request.value.headers["content-type"], request.value.post_data_buffer) == ("text/csv", content)
    expect(page.get_by_role("alert").filter(has_text="Nothing is lost")).to_be_visible()
    assert "ERR_FAILED" in messages.pop()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.csv", b"id,label\n1,a\n", "t.csv is not a .json file. Choose another file."),
        ("empty.json", b"", "empty.json is empty."),
        ("large.json", b'"' + b"a" * 5_000_000 + b'"', "the limit is"),
        ("essay.docx", b"PK\x03\x04\x14\x00\x06\x00\x08", "essay.docx is not a .json file."),
        ("utf16.json", '{"question": "1"}'.encode("utf-16"), "The file is not in UTF-8."),
    ],
)
def test_wrong_file_is_answered_in_its_box(open_page: OpenPage, name: str, content: bytes, words: str) -> None:
    """The message stands where the file was chosen, the name is struck out, and nothing of it is in the form."""
    page = open_page("/b/aic-2025/submit", width=360)
    box = page.locator(".drop").first

    box.locator("input").set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})

    expect(box.get_by_role("alert")).to_contain_text(words)
    expect(box.locator("s")).to_have_text(name)
    result = page.get_by_role("textbox", name="Result")
    expect(result).to_have_value("")
    expect(result).not_to_be_focused()
    page.get_by_role("button", name="Hand in").click()
    expect(box.get_by_role("alert")).to_contain_text(words)
    expect(box.locator("input")).to_be_focused()
    expect(page.get_by_text("Choose a file, or enter a result.")).to_have_count(0)

    good = {"name": "good.json", "mimeType": "application/json", "buffer": b'{"question": "1"}'}
    box.locator("input").set_input_files(good)
    expect(result).to_have_value('{"question": "1"}')
    expect(box.locator("s")).to_have_count(0)
    expect(box.get_by_role("alert")).to_have_count(0)
