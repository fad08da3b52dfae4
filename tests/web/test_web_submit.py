"""A result goes from the browser to its score, by the form or by a game's page of another origin."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from local.stack import Stack

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
SCORING_MILLISECONDS = 60_000
GAME = """<!doctype html><title>Game</title><output id="answer"></output><script>
addEventListener("play", async (event) => {
  const answer = await fetch(event.detail + "/api/benchmarks/aic-2025/submissions?player=Gamer", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "one-run" },
    body: JSON.stringify({ question: "1", text: "TR-L03_V011-1200,1340" }),
  });
  const { status_url } = await answer.json();
  document.getElementById("answer").textContent = answer.status + " " + status_url;
});
</script>"""


@pytest.fixture
def game() -> Iterator[str]:
    """The address of a game's page, of an origin that is not the site's."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(GAME.encode() if self.path == "/" else b"")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_a_file_is_handed_in_and_followed_to_its_score(open_page: OpenPage) -> None:
    """Choose a file, give a name, hand in: the page shows the score by itself, and the way to the board."""
    page = open_page("/b/aic-2025/submit")
    content = json.dumps({"question": "1", "text": "TR-L03_V011-1200,1340"}).encode()
    page.locator("input[type=file]").set_input_files(
        {"name": "run.json", "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("textbox", name="Name").fill("Form <b>filler</b>")

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("heading", name="Submission", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.locator(".scores .primary dd").first).to_contain_text(".")
    expect(page.get_by_role("heading", name="Receipt")).to_be_visible()
    expect(page.get_by_text("Signature")).to_be_visible()
    expect(page.locator(".lead bdi")).to_have_text("Form <b>filler</b>")


def test_scores_wait_for_their_names(stack: Stack, open_page: OpenPage) -> None:
    """Where the board comes later than the scores, they are shown once, as the board shows them."""
    accepted = httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Patient",
        json={"question": "1", "text": "TR-L03_V011-1200,1340"},
    ).raise_for_status()
    page = open_page("/about")
    late: list[Route] = []
    page.route("**/data/b/aic-2025/head.json", lambda route: late.append(route))  # noqa: PLW0108 — Playwright marks what it calls
    page.goto(page.url.replace("/about", f"/b/aic-2025/s/{accepted.json()['submission']}"))
    expect(page.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)
    shown_before = page.locator(".scores").count()

    for route in late:
        route.continue_()

    expect(page.locator(".scores .primary dt")).to_have_text("Score")
    assert shown_before == 0


def test_a_player_finds_what_was_handed_in(stack: Stack, open_page: OpenPage) -> None:
    """A player's page shows rank, score and every submission, from the board and from the API."""
    accepted = httpx.post(
        f"{stack.url}/api/benchmarks/aic-2025/submissions?player=Historian",
        json={"question": "1", "text": "TR-L03_V011-1200,1340"},
    ).raise_for_status()
    status = open_page(accepted.json()["status_url"].replace("/api/benchmarks", "/b").replace("/submissions/", "/s/"))
    expect(status.get_by_role("heading", name="Scores")).to_be_visible(timeout=SCORING_MILLISECONDS)

    status.get_by_role("link", name="Historian").first.click()

    expect(status.get_by_role("heading", level=1)).to_have_text("Historian")
    history = status.get_by_role("group", name="History").locator("tbody tr")
    expect(history).to_have_count(1, timeout=SCORING_MILLISECONDS)
    expect(history).to_contain_text("Scored")


def test_an_invalid_result_says_what_to_mend(open_page: OpenPage) -> None:
    """Whoever handed in reads why there is no score, and where to go on."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("heading", name="What to do next")).to_be_visible(timeout=SCORING_MILLISECONDS)
    expect(page.locator(".message")).to_contain_text("NOWHERE")
    expect(page.get_by_role("link", name="Hand in again")).to_be_visible()


def test_the_messages_are_opened_by_the_receipt_alone(open_page: OpenPage) -> None:
    """Another visitor sees the outcome, and the messages only with the receipt."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')
    page.get_by_role("button", name="Hand in").click()
    receipt = page.locator(".receipt code").inner_text()
    expect(page.locator(".message")).to_be_visible(timeout=SCORING_MILLISECONDS)

    other = open_page(page.url[page.url.index("/b/") :])

    expect(other.locator(".message")).to_have_count(0)
    other.get_by_label("The receipt of this submission").fill(receipt)
    other.get_by_role("button", name="Open").click()
    expect(other.locator(".message")).to_contain_text("NOWHERE")


def test_the_details_are_opened_by_the_receipt_alone(open_page: OpenPage) -> None:
    """Another visitor sees the scores, and the details, which repeat the player's answers, only with the receipt."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-L03_V011-1200,1340"}')
    page.get_by_role("button", name="Hand in").click()
    receipt = page.locator(".receipt code").inner_text()
    expect(page.locator("pre")).to_contain_text("per_event_scores", timeout=SCORING_MILLISECONDS)

    other = open_page(page.url[page.url.index("/b/") :])

    expect(other.get_by_role("heading", name="Scores")).to_be_visible()
    expect(other.get_by_text("The details are only shown with the receipt.")).to_be_visible()
    expect(other.locator("pre")).to_have_count(0)
    other.get_by_label("The receipt of this submission").fill(receipt)
    other.get_by_role("button", name="Open").click()
    expect(other.locator("pre")).to_contain_text("per_event_scores")


SECRET = f"laurel_{'s3cret' * 8}"  # nobody's


def test_a_token_is_no_receipt(open_page: OpenPage) -> None:
    """A token that is pasted as a receipt is refused with advice: neither sent nor shown nor stored."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator(".message")).to_be_visible(timeout=SCORING_MILLISECONDS)
    other = open_page(page.url[page.url.index("/b/") :])
    field = other.get_by_label("The receipt of this submission")
    sent: list[str] = []
    other.on("request", lambda request: sent.append(f"{request.url} {request.all_headers()} {request.post_data}"))

    for text in (SECRET, f"Bearer {SECRET}", f"receipt_{SECRET}"):
        field.fill(text)
        other.get_by_role("button", name="Open").click()
        expect(other.get_by_role("alert").filter(has_text="This is a token, not a receipt")).to_be_visible()
        expect(field).to_have_value("")

    assert field.get_attribute("type") == "password"
    kept = other.evaluate(
        "() => JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie, history.state])"
    )
    assert SECRET not in kept + other.content() + other.url + "".join(sent)
    other.reload()
    expect(other.get_by_label("The receipt of this submission")).to_be_visible()
    expect(other.get_by_role("heading", name="Receipt")).to_have_count(0)


def test_a_token_that_was_stored_before_is_forgotten(open_page: OpenPage) -> None:
    """What an earlier release stored as a receipt, and was a token, is neither sent nor shown, and is deleted."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')
    page.get_by_role("button", name="Hand in").click()
    expect(page.locator(".message")).to_be_visible(timeout=SCORING_MILLISECONDS)
    path = page.url[page.url.index("/b/") :]
    key = f"receipt:{path.rpartition('/')[2]}"
    sent: list[str] = []

    def plant(context: BrowserContext) -> None:
        context.add_init_script(f"sessionStorage.setItem('{key}', '{SECRET}')")
        context.on("request", lambda request: sent.append(str(request.all_headers())))

    other = open_page(path, prepare=plant)

    expect(other.get_by_label("The receipt of this submission")).to_be_visible()
    assert other.evaluate("key => sessionStorage.getItem(key)", key) is None
    assert SECRET not in other.content() + "".join(sent)


def test_a_token_is_no_name(open_page: OpenPage) -> None:
    """A token that is pasted as a name is refused before everybody sees it."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill('{"question": "1", "text": "TR-NOWHERE-1200"}')
    page.get_by_role("textbox", name="Name").fill(SECRET)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("alert")).to_contain_text("The name contains a token")
    assert [url for url in sent if "/api/" in url] == []


@pytest.mark.parametrize(
    ("text", "fault"), [("", "Choose a file"), ("{", "This is not JSON"), ("3", "A result is a JSON object or array")]
)
def test_what_cannot_be_a_result_is_not_sent(text: str, fault: str, open_page: OpenPage) -> None:
    """The form says at once what the server would refuse."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("textbox", name="Result").fill(text)

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("alert")).to_contain_text(fault)
    assert page.url.endswith("/submit")


def test_a_refusal_is_shown(open_page: OpenPage, messages: list[str]) -> None:
    """What the API refuses is told in its words."""
    page = open_page("/b/aic-2025/submit")
    page.get_by_role("button", name="Start from the sample").click()
    page.get_by_role("textbox", name="Name").fill("!!!")

    page.get_by_role("button", name="Hand in").click()

    expect(page.get_by_role("alert")).to_contain_text("at least one letter or digit")
    assert "422" in messages.pop()


def test_a_game_of_another_origin_posts(game: str, stack: Stack, open_page: OpenPage) -> None:
    """A page of any origin may hand in with fetch() and read where to look."""
    page = open_page("/about")
    page.goto(game)

    page.evaluate("url => dispatchEvent(new CustomEvent('play', {detail: url}))", stack.url)

    expect(page.locator("#answer")).to_contain_text("202 /api/benchmarks/aic-2025/submissions/")
