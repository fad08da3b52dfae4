"""A stranger finds the leader, sorts, searches, pages, compares and takes the table home, with a keyboard only."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from storage.boards.models import WithdrawalNotices
from tests.web.boards import START, Shelf, make_board, make_rows

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]


def names(page: Page) -> list[str]:
    """Give the names on the board, from top to bottom."""
    return page.locator(".board .player-cell bdi").all_inner_texts()


def ranks(page: Page) -> list[str]:
    """Give the ranks on the board as screen readers say them, from top to bottom."""
    script = """cells => cells.map(cell => {
      const read = cell.cloneNode(true);
      read.querySelectorAll('[aria-hidden]').forEach(one => one.remove());
      return read.textContent;
    })"""
    found: list[str] = page.locator(".board td.rank-cell").evaluate_all(script)
    return found


def tab_to(page: Page, target: Locator, *, presses: int = 150) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(presses):
        if target.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{target} cannot be reached with the keyboard")


def test_cards_lead_to_boards(open_page: OpenPage) -> None:
    """The front page shows each board with its leader, and finds one by a word."""
    page = open_page("/")

    page.get_by_role("searchbox").fill("thirty")

    expect(page.get_by_role("status").filter(has_text="of")).to_contain_text("1 of ")
    expect(page.locator(".card")).to_contain_text("Player 1")
    page.get_by_role("link", name="Board thirty").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Board thirty")


def test_shared_ranks_are_shared(open_page: OpenPage) -> None:
    """Ranks go 1, 2, 2, 4, and a medal that four share is drawn for nobody."""
    page = open_page("/b/thirty")

    assert ranks(page)[:10] == ["1", "shared 2", "shared 2", "4", "5", *["shared =6"] * 4, "10"]
    assert page.locator(".board .medal").count() == 3


def test_who_climbed_and_who_is_new_is_told(open_page: OpenPage, shelf: Shelf) -> None:
    """How many ranks were won or lost since the day before stands beside the rank, in words too."""
    rows = make_rows(5).model_copy(update={"delta": (2, -1, 0, None, 12)})
    shelf.put(make_board("climbing", players=5, rows=rows))

    page = open_page("/b/climbing")

    told = ranks(page)
    assert told[:2] == ["1, up 2 since the day before", "shared 2, down 1 since the day before"]
    assert told[2:] == ["shared 2", "4new", "5, up 12 since the day before"]


def test_the_keyboard_sorts(open_page: OpenPage) -> None:
    """Enter on a header sorts the best first and says so; again turns it round; ranks and missing values stay put."""
    page = open_page("/b/thirty")
    header = page.get_by_role("columnheader", name="Time")
    before = dict(zip(names(page), ranks(page), strict=True))
    tab_to(page, header.get_by_role("button"))

    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    fastest = page.locator(".board tbody tr td.number:nth-of-type(4)").all_inner_texts()
    page.keyboard.press("Enter")
    expect(header).to_have_attribute("aria-sort", "descending")

    slowest = page.locator(".board tbody tr td.number:nth-of-type(4)").all_inner_texts()
    assert dict(zip(names(page), ranks(page), strict=True)) == before
    assert "sort=score.Time&dir=desc" in page.url
    assert [text.startswith("–") for text in fastest] == [False] * 26 + [True] * 4
    assert [text.startswith("–") for text in slowest] == [False] * 26 + [True] * 4
    assert header.get_by_role("button").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


def test_search_and_kind_filter_without_moving_ranks(open_page: OpenPage) -> None:
    """What is found keeps its rank, and how many were found of how many is said."""
    page = open_page("/b/thirty")

    page.get_by_role("searchbox").fill("player 1")
    page.get_by_text("Models", exact=True).click()

    expect(page.get_by_text("3 of 30 players")).to_be_visible()
    assert names(page) == ["Player 11", "Player 14", "Player 17"]
    assert ranks(page) == ["11", "14", "17"]
    assert "q=player" in page.url
    assert "kind=model" in page.url


def test_three_players_are_compared_with_the_keyboard(open_page: OpenPage) -> None:
    """Space picks a player; the picked ones stand side by side, and the address keeps them."""
    page = open_page("/b/thirty")
    for name in ("Player 2", "Player 3", "Player 5"):
        tab_to(page, page.get_by_role("checkbox", name=f"Compare {name}", exact=True))
        page.keyboard.press("Space")
    tab_to(page, page.get_by_role("link", name="Compare", exact=True))
    page.keyboard.press("Enter")

    chart = page.locator(".compare")

    expect(chart.get_by_role("heading")).to_have_text("Picked players side by side")
    assert chart.locator("thead bdi").all_inner_texts() == ["Player 2", "Player 3", "Player 5"]
    assert chart.locator("svg[role=img] path.line").count() == 3
    assert "?pick=player-2,player-3,player-5" in page.url


def test_a_sixth_pick_is_not_taken(open_page: OpenPage) -> None:
    """Five players fill the comparison; the others can be picked once one is taken out."""
    page = open_page("/b/thirty?pick=player-1,player-2,player-3,player-4,player-5,player-6")

    expect(page.get_by_role("checkbox", name="Compare Player 6", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Remove Player 1").click()

    expect(page.get_by_role("checkbox", name="Compare Player 6", exact=True)).to_be_enabled()


def test_more_rows_are_fetched_only_when_needed(open_page: OpenPage) -> None:
    """The first two pages of ten thousand rows come with the head; the third asks for the rest."""
    page = open_page("/b/big")
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if "/rows." in request.url else None)

    page.get_by_role("link", name="Page 2", exact=True).click()
    expect(page.locator(".board tbody tr").first).to_contain_text("Player 51")
    by_page_two = list(fetched)
    page.get_by_role("link", name="Next page").click()
    expect(page.locator(".board tbody tr").first).to_contain_text("Player 101")

    assert by_page_two == []
    assert len(fetched) == 1
    expect(page.get_by_text("10,000 of 10,000 players")).to_be_visible()


def test_the_keyboard_turns_pages(open_page: OpenPage) -> None:
    """Tab reaches the pages below the table, with a ring around, and Enter turns one."""
    page = open_page("/b/big")
    following = page.get_by_role("link", name="Next page")
    tab_to(page, following, presses=250)
    ring = following.evaluate("one => getComputedStyle(one).outlineStyle")

    page.keyboard.press("Enter")

    expect(page.locator(".board tbody tr").first).to_contain_text("Player 51")
    assert ring == "solid"


def test_ten_thousand_rows_are_searched_and_sorted(open_page: OpenPage) -> None:
    """A player far down is found, under the rank that the server gave."""
    page = open_page("/b/big?sort=player&dir=desc")
    expect(page.locator(".board tbody tr").first).to_contain_text("Player 10000")

    page.get_by_role("searchbox").fill("player 7777")

    expect(page.get_by_text("1 of 10,000 players")).to_be_visible()
    assert ranks(page) == ["7,777"]


def test_a_view_is_in_its_address(open_page: OpenPage) -> None:
    """An address shows the same view to whoever opens it, and the back button the one before."""
    page = open_page("/b/thirty?sort=submissions&kind=human&cols=Time")

    expect(page.get_by_role("columnheader", name="Score")).to_have_count(0)
    expect(page.get_by_role("columnheader", name="Runs")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("columnheader", name="Player").get_by_role("button").click()
    page.go_back()

    expect(page.get_by_role("columnheader", name="Runs")).to_have_attribute("aria-sort", "descending")


def test_the_table_is_taken_home_as_csv(open_page: OpenPage) -> None:
    """The CSV has every row of the view, at full precision, and nothing that a spreadsheet would run."""
    page = open_page("/b/hostile")

    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()

    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["rank"] for row in rows[:4]] == ["1", "2", "2", "4"]
    assert rows[0]["player"] == "<img src=x onerror=alert(1)>"
    assert rows[4]["player"] == "'=cmd|' /C calc'!A0"
    assert rows[1]["Score"] == "999.875"


def test_names_are_shown_and_never_run(open_page: OpenPage) -> None:
    """Markup is text, an overriding direction ends with its name, and long names stay in their place."""
    page = open_page("/b/hostile", width=360)

    shown = names(page)

    assert shown[0] == "<img src=x onerror=alert(1)>"
    assert page.locator("main img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator(".board .player-cell").nth(3).bounding_box()["width"] <= 180  # type: ignore[index]


def test_an_empty_board_invites(open_page: OpenPage) -> None:
    """A board without players says so, and where to hand in."""
    page = open_page("/b/none")

    expect(page.get_by_role("heading", name="Nobody is on this board yet")).to_be_visible()
    expect(page.get_by_role("link", name="Be the first")).to_have_attribute("href", "/b/none/submit")


def test_a_board_that_is_not_there_is_missing(open_page: OpenPage, messages: list[str]) -> None:
    """A wrong address is told from a broken server."""
    page = open_page("/b/no-such-board")

    expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
    assert "404" in messages.pop()


def test_a_newer_schema_asks_for_a_reload(open_page: OpenPage) -> None:
    """Data that this page is too old for are not shown wrongly."""
    page = open_page("/about")
    page.route("**/data/b/thirty/head.json", lambda route: route.fulfill(json={"schema": 2}))

    page.evaluate("history.pushState(null, '', '/b/thirty'); dispatchEvent(new PopStateEvent('popstate'))")

    expect(page.get_by_role("heading", name="There is a new version of this page")).to_be_visible()


def test_many_columns(open_page: OpenPage, shelf: Shelf) -> None:
    """Six columns are seen as a whole on a wide screen; on a narrower one the board shows that it goes on."""
    board = make_board("six", players=3)
    primary = board.metrics[0].model_copy(update={"label": "Interruption", "unit": "s"})
    others = ("Rejection", "Total Delay", "First Response Delay", "Delay to stop", "Delay to respond")
    metrics = (primary, *(primary.model_copy(update={"id": one, "label": one, "primary": False}) for one in others))
    scores = {metric.id: (95.3, 59.3, 1.577) for metric in metrics}
    rows = board.rows.model_copy(update={"scores": scores})
    shelf.put(board.model_copy(update={"metrics": metrics, "rows": rows, "histogram": {}}))
    page = open_page("/b/six")
    scroller = page.locator(".scroller.board")

    fits = scroller.evaluate("one => one.scrollWidth <= one.clientWidth")
    page.set_viewport_size({"width": 800, "height": 800})

    assert fits
    expect(scroller).not_to_have_css("mask-image", "none")
    scroller.evaluate("one => one.scrollTo({left: 9999, behavior: 'instant'})")
    expect(scroller).to_have_css("mask-image", "none")


def test_no_word_of_the_api_is_broken(open_page: OpenPage) -> None:
    """Shapes keep to one line, and what is code looks like it."""
    page = open_page("/api/docs")
    shape = page.locator(".fields td code", has_text="SubmissionView").first

    assert shape.evaluate("one => one.getClientRects().length") == 1
    assert page.locator("main").inner_text().count("`") == 0


@pytest.mark.parametrize(
    "text",
    [
        "|" + "a|" * 2_000 + "\n|" + "-|" * 2_000 + "\n" + "|\n" * 40_000,
        "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n" + "|\n" * 30_000,
        "*a* " * 250_000,
    ],
    ids=["columns", "rows", "emphasis"],
)
def test_a_description_cannot_fill_the_page(open_page: OpenPage, shelf: Shelf, text: str) -> None:
    """Whatever an owner writes, the page makes a bounded number of elements, and says what it leaves out."""
    shelf.put(make_board("wordy", players=1).model_copy(update={"description": text}))
    page = open_page("/b/wordy", whole=True)

    assert page.locator(".prose *").count() < 12_000
    expect(page.locator(".prose").last).to_contain_text("Only its beginning is shown.")


@pytest.mark.parametrize("name", ["Heron", "Heron " + "of a very long name " * 2, "\u05d0\u05d1\u05d2 Heron"])
def test_a_guest_who_leads_is_marked_as_one(open_page: OpenPage, shelf: Shelf, name: str) -> None:
    """Wherever the first player is named, a guest is marked as one, and the mark is within sight."""
    rows = make_rows(3)
    named = rows.model_copy(
        update={"name": (name, *rows.name[1:]), "verified": (False, True, True), "player": ("guest-1", "p2", "p3")}
    )
    head = make_board("guestly", players=3, rows=named)
    removed = WithdrawalNotices(player="guest-1", name=name, at=START, reason="Twice.", submission=named.submission[0])
    best = (int(START.timestamp() * 1000), 999.0, "guest-1", named.submission[0])
    shelf.put(head.model_copy(update={"removed": (removed,), "best_over_time": (best,)}))
    visits = {
        "/": [".card:has(a[href='/b/guestly']) .leaders"],
        "/b/guestly?pick=guest-1": [".hero .leader", ".compare thead", "section:has(#withdrawn-title)"],
    }

    for path, places in visits.items():
        for width in (360, 1280):
            page = open_page(path, whole=True, width=width)
            for place in places:
                mark = page.locator(place).get_by_text("(guest)").first
                expect(mark).to_be_visible()
                box = mark.bounding_box()
                assert box is not None
                assert 0 <= box["x"] <= width - box["width"] or "compare" in place, (path, place, width, box)
            if path != "/":
                sentences = page.locator(".chart figcaption p").all_inner_texts()
                assert [one for one in sentences if name in one and f"{name}\u2069 (guest)" not in one] == []


@pytest.mark.parametrize("path", ["//b/thirty", "/b//thirty", "/b/thirty/", "/b/%74hirty", "//b///thirty//"])
def test_another_spelling_of_an_address_is_replaced(open_page: OpenPage, path: str) -> None:
    """A board that is opened by an odd path gets its own one, and its columns sort, its links lead and go back."""
    page = open_page(f"{path}?q=Player#charts")
    origin = page.evaluate("location.origin")

    assert page.url == f"{origin}/b/thirty?q=Player#charts"
    page.get_by_role("columnheader", name="Time").get_by_role("button").click()
    assert page.url.startswith(f"{origin}/b/thirty?")
    assert "sort=score.Time" in page.url
    page.get_by_role("link", name="Hand in a result").click()
    assert page.url == f"{origin}/b/thirty/submit"
    page.go_back()
    assert page.url.startswith(f"{origin}/b/thirty?")
