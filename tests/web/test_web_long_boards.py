"""A board of any length scrolls through all its rows, by mouse and keyboard, and its address keeps the place."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from local.stack import Stack
from storage.boards.pages import Change
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark
from tests.web.boards import Shelf, make_board, make_rows, row_at
from tests.web.visits import see_all

pytestmark = pytest.mark.e2e

type OpenPage = Callable[..., Page]
CROWD = 25_000
MAX_HEAP_BYTES = 60_000_000
MORE_THAN_A_POLL = 9_000
PAGE_FILE = re.compile(r"/data/b/[a-z-]+/((page|directory|recent)\.[^/]+)")
LATER_FILE = re.compile(r"/assets/(?!first-)[^/]+\.js$")
REST_LATER = "() => { const at = setTimeout; window.setTimeout = (act, ms) => at(act, ms === 200 ? 3000 : ms) }"
"""So a visitor is back before a table that was left could say where it rested."""
TOP_ROW = """() => {
  const area = document.querySelector('.board.long');
  if (!area) return null;
  const { bottom } = area.querySelector('thead th').getBoundingClientRect();
  const row = [...area.querySelectorAll('tbody tr')].find(row => row.getBoundingClientRect().bottom > bottom + 1);
  return row && `${row.ariaRowIndex - 1} ${row.querySelector('.player-cell a')?.textContent}`;
}"""


def expect_top(page: Page, number: int) -> None:
    """Expect a player's row as the first one in the window of the table."""
    page.wait_for_function(
        f"expected => ({TOP_ROW})() === expected",
        arg=f"{number} Player {number}",
    )


def read_files(page: Page) -> list[str]:
    """Return a list to which the page's requests for files of pages are added."""
    names: list[str] = []
    page.on("request", lambda request: names.extend(match[1] for match in PAGE_FILE.finditer(request.url)))
    return names


def remember_player(player: str, benchmark: str) -> Callable[[BrowserContext], object]:
    """Return what makes a tab that has handed in a result of a player."""
    script = f"localStorage.setItem('player:{benchmark}', '{player}')"
    return lambda context: context.add_init_script(script)


def test_keyboard_moves_through_all_rows(open_page: OpenPage) -> None:
    """End shows the last row, Home the first, Page Down goes on; every row says its number to screen readers.

    A key counts before all files of the site are there.
    """
    players, held = 10_000, list[Route]()
    page = open_page("/b/big", prepare=lambda context: context.route(LATER_FILE, lambda route, _: held.append(route)))
    area = page.locator(".board.long")
    last = page.locator(f"tr[aria-rowindex='{players + 1}']")
    area.focus()

    page.keyboard.press("End")
    page.context.unroute(LATER_FILE)
    for route in held:
        route.continue_()
    expect(last.locator(".player-cell a")).to_have_text(f"Player {players}")
    expect(last.locator(".rank-cell")).to_have_text(f"{players:,}")
    expect(last).to_be_in_viewport()
    page.keyboard.press("Home")
    expect_top(page, 1)
    page.keyboard.press("PageDown")

    page.wait_for_function(f"() => parseInt(({TOP_ROW})()) > 5")
    expect(page.locator(".board table")).to_have_attribute("aria-rowcount", str(players + 1))
    assert page.locator(".board tbody tr").count() < 40


def test_files_of_pages_are_requested_when_needed_and_once(open_page: OpenPage, shelf: Shelf) -> None:
    """The head shows the first rows; further ones need the pages; a search and a sort need nothing more."""
    page = open_page("/about")
    files = read_files(page)
    page.goto(page.url.replace("/about", "/b/big"))
    expect_top(page, 1)
    at_first = list(files)

    page.locator(".menu summary").click()
    page.get_by_label("Go to rank").fill("5000")
    page.keyboard.press("Enter")
    expect_top(page, 5000)
    by_rank = len(files)
    page.get_by_role("searchbox").fill("player 7777")
    expect(page.get_by_text("1 of 10,000 players")).to_be_visible()

    assert at_first == []
    assert by_rank == len(set(files)) == len(files)
    assert sum(name.startswith("page.") for name in files) == 10_000 / 500


def test_changes_are_worked_in_and_only_new_files_are_requested(open_page: OpenPage, shelf: Shelf) -> None:
    """Of a new publish only the recent changes are requested; ranks and ties are those of the whole board."""
    board = shelf.put(make_board("changing", players=1_200))
    rows = make_rows(1_200)
    page = open_page("/about")
    page.clock.install()
    page.goto(page.url.replace("/about", "/b/changing?q=player"))
    expect(page.get_by_text("1,200 players", exact=True)).to_be_visible()
    files = read_files(page)

    best = row_at(rows, 1_199)._replace(scores={"Score": rows.scores["Score"][0]})
    equal = row_at(rows, 700)._replace(scores={"Score": rows.scores["Score"][800]})
    shelf.put_changes(
        board,
        recent={best.id: Change(None, None), equal.id: Change(equal, None)},
        buffer={best.id: Change(best, None), "player-2": Change(None, None)},
    )
    page.clock.fast_forward(MORE_THAN_A_POLL)
    expect(page.get_by_text("1,199 players", exact=True)).to_be_visible()
    page.get_by_role("searchbox").fill("player 1200")
    expect(page.get_by_role("cell", name="shared 1", exact=True)).to_be_visible()
    page.get_by_role("searchbox").fill("player 801")
    expect(page.locator(".board td.rank-cell")).to_have_text("shared =800")
    page.get_by_role("searchbox").fill("player 701")

    expect(page.locator(".board td.rank-cell")).to_have_text("shared =800")
    assert [name.partition(".")[0] for name in files] == ["recent"]


def test_board_of_a_crowd_is_read_through_the_api(open_page: OpenPage, shelf: Shelf, stack: Stack) -> None:
    """Beyond 20,000 rows, the API answers rows from any rank on, and no page is requested."""
    publish(stack, make_benchmark(PLAYS, id="coin-run-crowd"))
    published = shelf.store.read_head("coin-run-crowd")
    assert published is not None
    shelf.put(make_board("coin-run-crowd", players=CROWD).model_copy(update={"version": published.value.version}))
    page = open_page("/about")
    files = read_files(page)
    page.goto(page.url.replace("/about", "/b/coin-run-crowd?from=12345"))

    expect_top(page, 12_345)
    page.locator(".board.long").focus()
    page.keyboard.press("End")

    last = page.locator(f"tr[aria-rowindex='{CROWD + 1}']")
    expect(last.locator(".player-cell a")).to_have_text(f"Player {CROWD}")
    expect(last.locator(".rank-cell")).to_have_text(f"{CROWD:,}")
    expect(page.get_by_text("25,000 players", exact=True)).to_be_visible()
    assert files == []


def test_million_rows_scroll_within_the_memory_of_a_phone(open_page: OpenPage) -> None:
    """After visits to many places, the heap is below 60 MB, and every place is the right one."""
    page = open_page("/b/million", width=360)
    page.locator(".menu summary").click()
    for number in [1 + 22_007 * step for step in range(44)]:
        page.get_by_label("Go to rank").fill(str(number))
        page.keyboard.press("Enter")
        expect_top(page, number)
    page.locator(".board.long").focus()
    page.keyboard.press("End")
    expect(page.locator("tr[aria-rowindex='1000001'] .player-cell a")).to_have_text("Player 1000000")

    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]

    assert 0 < heap <= MAX_HEAP_BYTES
    assert page.locator(".board tbody tr").count() < 40
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_address_keeps_the_place(open_page: OpenPage) -> None:
    """Scrolling changes the address, another page and back returns to the place, and so does a new visit."""
    page = open_page("/b/big")
    page.locator(".menu summary").click()
    page.get_by_label("Go to rank").fill("4000")
    page.keyboard.press("Enter")
    expect_top(page, 4000)
    page.locator(".board.long").hover()
    page.mouse.wheel(0, 10 * 44)
    page.wait_for_url("**/b/big?from=4010")

    page.evaluate(REST_LATER)
    page.get_by_role("link", name="Player 4012", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Player 4012")
    page.go_back()
    expect_top(page, 4010)
    page.evaluate("() => new Promise((done) => setTimeout(done, 200))")
    expect_top(page, 4010)
    page.go_back()

    expect_top(page, 1)


def test_focus_stays_in_the_table(open_page: OpenPage) -> None:
    """Tab goes on from row to row; when the focused row is scrolled away, the table has the focus."""
    page = open_page("/b/big?from=6000")
    expect_top(page, 6000)
    page.get_by_role("link", name="Player 6003", exact=True).focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Player 6004", exact=True)).to_be_focused()

    page.locator(".board.long").hover()
    page.mouse.wheel(0, 100 * 44)

    expect_top(page, 6100)
    expect(page.locator(".board.long")).to_be_focused()


@pytest.mark.parametrize(("benchmark", "number"), [("big", 8_765), ("million", 876_543)])
def test_visitor_finds_their_own_row(benchmark: str, number: int, open_page: OpenPage) -> None:
    """A tab that has handed in a result jumps to its player's row, which is marked."""
    page = open_page(f"/b/{benchmark}?q=", prepare=remember_player(f"player-{number}", benchmark))

    page.get_by_role("button", name="My rank").click()

    expect_top(page, number)
    expect(page.locator("tr.mine[aria-rowindex]")).to_contain_text("you")
    expect(page.get_by_role("status").filter(has_text="You are at rank")).to_contain_text(f"{number:,}")
    page.go_back()
    expect_top(page, 1)


def test_rows_of_a_long_board_have_one_height(open_page: OpenPage, shelf: Shelf) -> None:
    """Long names and rank changes on a narrow phone make no row higher, for the scroll bar counts on it."""
    rows = make_rows(301)
    names = tuple("A very long name that goes on and on, and on" if index % 2 else "Ｗ" * 64 for index in range(301))
    shelf.put(make_board("high", players=301, rows=rows.model_copy(update={"name": names})))
    look = {"at": 0, "ranks": dict.fromkeys(rows.player, 2_000)}
    script = f"localStorage['looks:high main'] = {json.dumps(json.dumps([look]))}"

    page = open_page("/b/high", width=320, prepare=lambda context: context.add_init_script(script))

    expect(page.locator(".delta").first).to_be_visible()
    heights = page.locator(".board tbody tr").evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert set(heights) == {68}
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 1280, "height": 900})
    edge = "rows => rows.map(({ cells: [, { children: [, a] }, b] }) => a.offsetLeft + a.offsetWidth - b.offsetLeft)"
    assert max(page.locator(".board tbody tr").evaluate_all(edge)) < 0


def test_tabs_show_the_boards_of_a_benchmark(open_page: OpenPage) -> None:
    """Each board has its address, title, columns, badge and CSV; back returns to the board before."""
    page = open_page("/b/many")
    tabs = page.get_by_role("navigation", name="Boards of this benchmark")
    expect(tabs.get_by_role("link")).to_have_text(["All", "Level 1", "Level 2", "Level 3"])
    expect(page.get_by_role("columnheader", name="Errors")).to_have_count(1)

    tabs.get_by_role("link", name="Level 2").click()

    expect(page.locator(".board table")).to_have_attribute("aria-rowcount", "81")
    expect(tabs.get_by_role("link", name="Level 2")).to_have_attribute("aria-current", "page")
    expect(tabs.get_by_role("link", name="Level 2")).to_be_focused()
    expect(page.get_by_role("columnheader", name="Errors")).to_have_count(0)
    expect(page).to_have_title("Board many: Level 2 · Laurel")
    assert page.url.endswith("/b/many?board=level-2")
    page.locator(".menu summary").click()
    csv = page.get_by_role("link", name="CSV")
    expect(csv).to_have_attribute("href", "/api/benchmarks/many/rows.csv?board=level-2")
    see_all(page)
    expect(page.locator("img.badge")).to_have_attribute("src", "/api/benchmarks/many/rows.svg?board=level-2")
    page.go_back()
    expect(page.locator(".board table")).to_have_attribute("aria-rowcount", "301")


def test_long_board_prints_the_rows_that_are_drawn(open_page: OpenPage) -> None:
    """Wherever the table is, a browser prints the rows in its window, each score on one line, and no empty sheets."""
    page = open_page("/b/big?from=28")
    table = page.get_by_role("group", name="Board of")
    expect(table.locator("tbody tr").first).not_to_contain_text("Player 1 ")

    page.emulate_media(media="print")
    table.dispatch_event("scroll")  # as of an area that scrolls no more

    expect(table).to_contain_text("Player 28")
    assert table.evaluate("element => element.scrollHeight") < 5000
    score = table.locator("tbody td.number").first
    height = "cell => { const r = new Range(); r.selectNodeContents(cell); return r.getBoundingClientRect().height }"
    assert 0 < score.evaluate(height) < 30  # one line
