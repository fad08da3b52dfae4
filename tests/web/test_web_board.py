"""A visitor finds the leader and the way, sorts, searches, pages, compares and downloads, with the keyboard only."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from local.stack import Stack
from scoring_core.benchmarks.definition import Keep
from storage.boards.models import HeadFinal, HeadImprovements, WithdrawalNotices
from tests.web.boards import CORRECTION, START, Shelf, make_board, make_rows
from tests.web.visits import AXE, submit_run

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
SUBMISSION = "0195a4b1-7e00-7000-8000-000000000001"


def names(page: Page) -> list[str]:
    """Return the names on the board, from top to bottom."""
    return page.locator(".board .player-cell a").all_inner_texts()


def ranks(page: Page) -> list[str]:
    """Return the ranks on the board as screen readers read them, from top to bottom."""
    script = """cells => cells.map(cell => {
      const read = cell.cloneNode(true);
      read.querySelectorAll('[aria-hidden]').forEach(element => element.remove());
      return read.textContent;
    })"""
    texts: list[str] = page.locator(".board td.rank-cell").evaluate_all(script)
    return texts


def tab_to(page: Page, target: Locator, *, presses: int = 150) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(presses):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached with the keyboard")


def test_index_finds_a_board_and_links_to_it(open_page: OpenPage) -> None:
    """The front page shows each board with its leader, and finds a board by a word."""
    page = open_page("/")

    page.get_by_role("searchbox").fill("thirty")

    expect(page.get_by_role("status").filter(has_text="of")).to_contain_text("1 of ")
    expect(page.locator(".card")).to_contain_text("Player 1")
    page.get_by_role("link", name="Board thirty").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Board thirty")


def test_correction_is_linked_and_listed(open_page: OpenPage) -> None:
    """The head of the page says that the board was corrected; the list has the reason, who moved, and how many more."""
    page = open_page("/b/hostile#corrections")

    expect(page.get_by_role("link", name="corrected")).to_have_attribute("href", "#corrections")
    listed = page.get_by_role("region", name="Corrections")
    expect(listed).to_be_in_viewport()
    expect(listed).to_contain_text(CORRECTION)
    expect(listed).to_contain_text("2 of them in rank. 1 row left the board")
    expect(listed.get_by_role("row").nth(1)).to_contain_text("▲2 → 1")
    expect(listed).to_contain_text("And 3 more.")


def test_rows_of_a_final_say_their_public_rank(open_page: OpenPage, shelf: Shelf) -> None:
    """Each row of a final says at which rank it was by public rows, in figures and in words."""
    final = HeadFinal(at=None, keep=Keep.BEST, is_shown=True)
    shelf.put_corrected(make_board("revealed", players=5).model_copy(update={"final": final}))

    rows = open_page("/b/revealed").locator(".board tbody tr")

    expect(rows.nth(0)).to_contain_text("▲2 → 1, from rank 2 to 1")
    expect(rows.nth(1)).to_contain_text("▼1 → 2")
    expect(rows.nth(2).locator(".delta")).to_have_count(0)


def test_links_below_a_board_keep_it(open_page: OpenPage) -> None:
    """Corrections and withdrawal notices below a level's board lead to pages that lead back to that board."""
    notice = {"player": "ada", "name": "Ada", "at": START.isoformat(), "reason": "A mistake.", "submission": SUBMISSION}

    def answer(route: Route) -> None:
        head = route.fetch().json()
        route.fulfill(json=head | {"corrected_at": START.isoformat(), "notices": [notice]})

    def prepare(page: Page) -> None:
        page.route("**/data/b/many/boards/level-2/*/head.json", answer)
        page.route("**/data/b/many/corrections.json", lambda route: route.fulfill(response=route.fetch(url=corrected)))

    corrected = open_page("/b/hostile").url.replace("/b/", "/data/b/") + "/corrections.json"

    page = open_page("/b/many?board=level-2#corrections", whole=True, prepare=prepare)

    for name in ("Corrections", "Withdrawn"):
        link = page.get_by_role("region", name=name).get_by_role("link").first
        expect(link).to_have_attribute("href", re.compile(r"^/b/many/[ps]/.*\?board=level-2$"))


def test_keyboard_sorts_by_a_column(open_page: OpenPage) -> None:
    """Enter on a header sorts best first, and again in reverse; ranks stay, and missing values are last."""
    page = open_page("/b/thirty")
    header = page.get_by_role("columnheader", name="Time")
    before = dict(zip(names(page), ranks(page), strict=True))
    tab_to(page, header.get_by_role("button"))

    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    fastest = page.locator(".board tbody tr td.number:nth-of-type(5)").all_inner_texts()
    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")

    slowest = page.locator(".board tbody tr td.number:nth-of-type(5)").all_inner_texts()
    assert dict(zip(names(page), ranks(page), strict=True)) == before
    assert "sort=score.Time&dir=desc" in page.url
    assert [text.startswith("–") for text in fastest] == [False] * 26 + [True] * 4
    assert [text.startswith("–") for text in slowest] == [False] * 26 + [True] * 4
    assert header.get_by_role("button").evaluate("element => getComputedStyle(element).outlineStyle") == "solid"


def test_three_players_are_compared_with_the_keyboard(open_page: OpenPage) -> None:
    """Space picks a player; the picked players are compared on a page of their own."""
    page = open_page("/b/thirty", axe=True)
    tab_to(page, page.locator(".menu summary"))
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("button", name="Compare", exact=True))
    page.keyboard.press("Enter")
    for name in ("Player 2", "Player 3", "Player 5"):
        tab_to(page, page.get_by_role("checkbox", name=f"Compare {name}", exact=True))
        page.keyboard.press("Space")
    tab_to(page, page.get_by_role("link", name="Compare", exact=True))
    assert page.evaluate(AXE) == []
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Some players")
    table = page.get_by_role("table")
    expect(table.locator("tbody bdi")).to_have_text(["Player 2", "Player 3", "Player 5"])
    assert table.locator("tbody strong").first.inner_text() == "999.88"
    assert page.url.endswith("?players=player-2,player-3,player-5")


def test_hostile_names_are_shown_as_text(open_page: OpenPage) -> None:
    """Markup is text, a direction override ends with its name, and long names do not overflow."""
    page = open_page("/b/hostile", width=360)

    shown = names(page)

    assert shown[0] == "<img src=x onerror=alert(1)>"
    assert page.locator("main [onerror]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator(".board .who").nth(3).bounding_box()["width"] <= 230  # type: ignore[index]


def test_unknown_board_is_not_found(open_page: OpenPage, messages: list[str]) -> None:
    """The page for a wrong URL differs from the page for a broken server."""
    page = open_page("/b/no-such-board")

    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    assert ["404" in message for message in messages] == [True, True]  # of the page and of the head
    messages.clear()


def test_board_is_dense_on_a_phone_and_wide_on_a_wide_screen(open_page: OpenPage, shelf: Shelf) -> None:
    """A phone's first screen has the first row with its score; names, ranks and header stay; 1920 pixels show more."""
    board = make_board("twenty", players=50)
    primary = board.metrics[0].model_copy(update={"label": "Interruption", "unit": "s"})
    others = [f"First response {number}" for number in range(2, 21)]
    metrics = (
        *(primary.model_copy(update={"id": name, "label": name, "primary": False}) for name in others),
        primary,
    )
    rows = board.rows.model_copy(update={"scores": {metric.id: board.rows.scores["Score"] for metric in metrics}})
    summary = "What a summary of the greatest length says of a benchmark. " * 5
    about = {"summary": summary, "title": "A b " * 9}
    shelf.put(board.model_copy(update={"metrics": metrics, "rows": rows, **about}))
    page = open_page("/b/twenty", width=1920)
    scroller = page.locator(".ranking")

    shown = scroller.evaluate("element => element.clientWidth")
    page.set_viewport_size({"width": 360, "height": 740})
    row = page.locator(".ranking tbody tr").first
    score = row.locator("td.primary").bounding_box()
    heights = page.locator(".ranking tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    expect(scroller).not_to_have_css("mask-image", "none")
    scroller.evaluate("element => element.scrollTo({left: 9999, top: 300, behavior: 'instant'})")
    places = page.evaluate("""() => {
      const of = selector => document.querySelector(selector).getBoundingClientRect();
      const area = of('.ranking');
      const [name, rank] = [of('tbody tr:nth-child(30) .player-cell'), of('tbody tr:nth-child(30) .rank-cell')];
      return [of('.ranking thead th').top - area.top, rank.left - area.left, name.left - rank.right];
    }""")

    assert shown >= 1300
    assert score is not None
    assert score["x"] + score["width"] <= 360
    assert score["y"] + score["height"] <= 740
    assert max(heights) <= 44
    assert places == pytest.approx([0, 0, 0], abs=1.5)
    expect(scroller).to_have_css("mask-image", "none")


@pytest.mark.parametrize("name", ["Heron", "Heron " + "of a very long name " * 2, "\u05d0\u05d1\u05d2 Heron"])
def test_a_guest_who_leads_is_marked_as_one(open_page: OpenPage, shelf: Shelf, name: str) -> None:
    """Wherever a leading guest is named, a mark is visible."""
    rows = make_rows(3)
    named = rows.model_copy(
        update={
            "name": (name, *rows.name[1:]),
            "verified": (False, True, True),
            "player": ("guest-1", "player-2", "player-3"),
        }
    )
    head = make_board("guestly", players=3, rows=named)
    removed = WithdrawalNotices(player="guest-1", name=name, at=START, reason="Twice.", submission=named.submission[0])
    best = (int(START.timestamp() * 1000), 999.0, "guest-1", named.submission[0])
    shelf.put(head.model_copy(update={"notices": (removed,), "improvements": HeadImprovements(steps=(best,), total=1)}))
    page = open_page("/b/guestly", whole=True)

    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for place in (".podium", "section:has(#withdrawn-title)"):
            mark = page.locator(place).get_by_text("guest" if place == ".podium" else "(guest)").last
            expect(mark).to_be_visible()
            box = mark.bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= width - box["width"], (place, width, box)
    sentences = page.locator(".chart figcaption p").all_inner_texts()
    assert [text for text in sentences if name in text and f"{name}\u2069 (guest)" not in text] == []


@pytest.mark.parametrize(
    "name", ["محمد عبد الرحمن بن عبد الله العمراني الطويل", "Bundesjugendorchester Nordwest und Umgebung"]
)
def test_long_name_is_whole_in_any_script(open_page: OpenPage, shelf: Shelf, name: str) -> None:
    """Nothing of it is cut off, and its first letter is seen, on the right of a name that is read from there."""
    shelf.put(make_board("ends", players=1, rows=make_rows(1).model_copy(update={"name": (name,)})))

    page = open_page("/b/ends", width=360)

    seen = page.locator(".ranking .player-cell a").evaluate(
        """link => {
          const range = document.createRange();
          const text = document.createTreeWalker(link, NodeFilter.SHOW_TEXT).nextNode();
          range.setStart(text, 0); range.setEnd(text, 1);
          const [letter, box] = [range.getBoundingClientRect(), link.getBoundingClientRect()];
          return [link.scrollWidth > link.clientWidth, letter.left >= box.left - 1 && letter.right <= box.right + 1];
        }"""
    )
    assert seen == [False, True]


def test_level_is_kept_on_the_way_to_a_player_and_after_handing_in(open_page: OpenPage, stack: Stack) -> None:
    """A player's page and a submission's page lead back to the level's board that the visitor came from."""
    submit_run(stack, "Before")  # on a board that nobody has played the question for the same name is a 404
    level = re.compile(r"/b/coin-run\?board=level-2$")
    page = open_page("/b/coin-run/submit?board=level-2")
    expect(page.locator("main select option:checked")).to_have_text("Level 2")
    page.get_by_role("textbox", name="Result").fill('{"level": "level-2", "frames": [[0, 0, 0], [1, 4, 0]]}')
    page.get_by_role("textbox", name="Name").fill("Ways")
    page.get_by_role("button", name="Hand in", exact=True).click()
    back = page.locator(".whose").get_by_role("link", name="Coin Run")
    expect(back).to_have_attribute("href", level)

    back.click()
    page.locator(".board tbody a").first.click()

    expect(page.locator(".crumbs").get_by_role("link", name="Coin Run")).to_have_attribute("href", level)
    page.locator("td a").first.click()
    expect(back).to_have_attribute("href", level)


def test_back_leads_to_the_same_place(open_page: OpenPage) -> None:
    """Back from a player's page shows the board where the visitor left it, on a phone."""
    page = open_page("/b/thirty", width=360, whole=True)
    page.evaluate("scrollTo(0, 673)")
    page.wait_for_function("scrollY === 673")

    page.locator(".board tbody a").nth(12).click()
    expect(page.locator(".portrait h1")).to_be_visible()
    page.go_back()

    expect(page.locator(".board tbody a").nth(12)).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("scrollY") == 673
    top = page.locator(".board tbody a").nth(12).bounding_box()
    assert top
    assert 0 <= top["y"] <= 800


@pytest.mark.parametrize(("query", "name"), [("coin-rnu", "coin-rnu"), ("coin-run?board=level-9", "coin-run/level-9")])
def test_misspelt_board_is_named_in_the_frame(query: str, name: str, browser: Browser, stack: Stack) -> None:
    """A frame of a board that does not exist says so, and where, on the page and in the console."""
    with browser.new_context() as context:
        page = context.new_page()
        lines: list[str] = []
        page.on("console", lambda message: lines.append(message.text))

        page.goto(f"{stack.url}/embed/b/{query}")

        text = f"There is no board “{name}”. {stack.url}"
        expect(page.get_by_role("status")).to_have_text(text)
        assert text in lines
