"""The kit for games in a browser, on pages of another origin than the site's; docs/games.md as it is typed."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Frame, Page, expect

from local.layout import ROOT
from local.site.games import serve_game
from local.stack import Stack
from scripts.frontend.build_frontend import FRONTEND
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark
from tests.harness.waiting import wait_for
from tests.web.boards import Shelf
from tests.web.visits import AXE, DEADLINE_MILLISECONDS

pytestmark = pytest.mark.e2e

GUIDE = "".join((ROOT / "docs" / f"{name}.md").read_text() for name in ("games", "game-boards"))
SNIPPETS = re.findall(r"```(\w+)\n(.*?)```", GUIDE, re.DOTALL)
COUNTED = {"coins": 2, "time": 1.5}
RUN = json.loads((ROOT / "benchmarks/coin-run/examples/sample.json").read_text())
# The strictest policy of a page that may use the kit: the site's scripts, the site's data, the site's frames.
POLICY = (
    "default-src 'none'; script-src 'self' https://laurel.example; connect-src https://laurel.example; "
    "frame-src 'self' https://laurel.example; require-trusted-types-for 'script'; trusted-types 'none'"
)
PAGE = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>A game</title>
<meta http-equiv="Content-Security-Policy" content="{POLICY}"><main><h1>A game</h1>CONTENT</main></html>"""
IMPORT = 'import { Laurel } from "https://laurel.example/sdk/laurel.js";'
GAME = """
globalThis.events = [];
globalThis.make = (player) => {
  const laurel = new Laurel("https://laurel.example", { benchmark: "plays", player });
  for (const type of ["sent", "rejected"]) laurel.addEventListener(type, () => events.push(type));
  return (globalThis.laurel = laurel);
};
"""
FRAMES = """
globalThis.heights = [];
addEventListener("message", ({ data }) => heights.push(data));
"""
FILES = {
    "index.html": PAGE.replace(
        "CONTENT",
        '<laurel-board benchmark="plays" board="daily" rows="1"></laurel-board>'
        '<script type="module" src="game.js"></script>'
        '<script type="module" src="https://laurel.example/sdk/laurel-board.js"></script>',
    ),
    "game.js": IMPORT + GAME + "globalThis.Laurel = Laurel;",
    "classic.js": GAME,
    "classic.html": PAGE.replace(
        "CONTENT",
        '<script src="https://laurel.example/sdk/laurel.global.js"></script><script src="classic.js"></script>',
    ),
    "refused.html": PAGE.replace(
        "CONTENT", '<iframe title="Game" sandbox="allow-scripts" src="classic.html"></iframe>'
    ),
    "frames.js": FRAMES,
    "frames.html": PAGE.replace(
        "CONTENT",
        '<script src="frames.js"></script>'
        + "".join(
            f'<iframe name="{name}" title="{name}" width="600" src="https://laurel.example{path}"></iframe>'
            for name, path in (
                ("embed", "/embed/b/hostile?rows=3&theme=dark"),
                ("start", "/"),
                ("board", "/b/hostile"),
                ("other", "/embed.html"),
            )
        ),
    ),
}
# Playwright's own way of waiting is forbidden by the policy of the page.
EMPTIED = "async () => { while (laurel.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 20)); }"


# Drawing takes longest, and a run is counted in steps of its own.
SLOW_SCREEN = "globalThis.requestAnimationFrame = (paint) => setTimeout(() => paint(performance.now()), 100);"
# Where the page is scrolled to, how far it is zoomed, and how wide it is.
PLACE = "() => [scrollX, scrollY, visualViewport.scale, document.documentElement.scrollWidth]"
# The submission of the leader of level 3, once it is who played here.
LEADER = """async (api) => {
  for (;;) {
    const { rows } = await (await fetch(`${api}/rows?board=level-3&limit=1`, { cache: "no-store" })).json();
    if (rows?.[0]?.name === "Kit runner") return rows[0].submission;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""
# Where ghosts were drawn: nothing else is filled with their opacity.
GHOSTS = """globalThis.places = new Set();
const { fill } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fill = function (...shape) {
  if (Math.abs(this.globalAlpha - 0.45) < 0.01) places.add(Math.round(this.getTransform().e));
  return fill.apply(this, shape);
};"""


@pytest.fixture(scope="module")
def game(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of pages that use the kit, on another origin. Their game counts by itself, and needs run tickets."""
    runs = {"ticket": "required", "seed": "daily"}
    publish(stack, make_benchmark(PLAYS, runs=runs, windows=["daily"]))
    folder = tmp_path_factory.mktemp("game")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    with serve_game(folder, site=stack.url) as url:
        yield url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser of a player."""
    context = browser.new_context()
    context.set_default_timeout(DEADLINE_MILLISECONDS)
    with ExitStack() as ending:
        ending.callback(context.close)
        yield context


def get_ticket(page: Page | Frame, player: str) -> Any:
    """Get a run ticket as a player, and keep it in the page."""
    script = "async (player) => (globalThis.ticket = await (globalThis.laurel ?? make(player)).ticket({part: 'one'}))"
    return page.evaluate(script, player)


def submit(page: Page | Frame) -> Any:
    """Submit a play with the ticket that the page has, and return the answer."""
    script = """async (result) => {
      const answer = await laurel.submit(result, {part: "one", ticket, wait: 10});
      return {...answer, error: answer.error?.type};
    }"""
    return page.evaluate(script, COUNTED)


def count_results(stack: Stack) -> int:
    """Return how many results of the game are stored."""
    ((number,),) = stack.store.read("SELECT count(*) FROM objects WHERE key LIKE 'results/plays/%'")
    return int(number)


def test_game_of_another_origin_shows_its_score(game: str, context: BrowserContext, stack: Stack) -> None:
    """A page under a strict policy plays with tickets and sees today's board; two tabs send what waited, once each."""
    messages: list[str] = []
    before = count_results(stack)
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.on("console", lambda message: messages.append(f"{message.location['url']}: {message.text}"))
        page.goto(game)

    ticket = get_ticket(first, "Kit ·Ada & Søn")
    answer = submit(first)
    own = first.locator("laurel-board tr.own")
    expect(own).to_contain_text("Kit ·Ada & Søn")
    board = first.evaluate("laurel.board({board: 'daily', limit: 100})")
    around = first.evaluate("laurel.around({board: 'daily', above: 2})")
    nowhere = first.evaluate("laurel.around({board: 'daily', player: 'guest-0123456789abcdef0123'})")

    assert re.fullmatch("[0-9a-f]{16}", ticket["seed"])
    assert (answer["outcome"], answer["scores"]) == ("scored", {"Coins": 2, "Time": 1.5})
    assert re.fullmatch(r"daily-\d{4}-\d\d-\d\d", board["board"])
    assert [row["player"] for row in board["rows"]] == [answer["player"]]
    assert (around["board"], around["rank"], around["total"]) == (board["board"], 1, 1)
    assert nowhere is None
    assert messages == [], "also the board of a day on which nobody had played logs no error"

    for page in (first, second):
        get_ticket(page, "Kit ·Ada & Søn")
    context.set_offline(True)
    waiting = [submit(page) for page in (first, second)]
    assert [answer["status"] for answer in waiting] == ["waiting"] * 2
    assert first.evaluate("laurel.waiting") == second.evaluate("laurel.waiting") == 2
    context.set_offline(False)
    first.evaluate(EMPTIED)
    second.evaluate("laurel.flush()")  # after the other tab, which holds the lock while it sends

    events = first.evaluate("events") + second.evaluate("events")
    # A tab sees a moment late what another has erased, and may send it too: the key makes that one submission.
    assert (set(events), len(events) >= 3) == ({"sent"}, True)
    assert count_results(stack) - before == 3


def test_beacon_of_a_page_that_is_left_is_stored(game: str, context: BrowserContext, stack: Stack) -> None:
    """A page of another origin, which knows no kit, sends its last result while it goes."""
    counting = "SELECT count(*) FROM objects WHERE key LIKE 'results/coin-run/%'"
    ((before,),) = stack.store.read(counting)
    page = context.new_page()
    page.goto(game)
    url = f"{stack.url}/api/benchmarks/coin-run/submissions?player=Beacon&part=level-1"
    script = "([url, body]) => addEventListener('pagehide', () => navigator.sendBeacon(url, JSON.stringify(body)))"
    page.evaluate(script, [url, RUN])

    page.goto("about:blank")

    wait_for(lambda: stack.store.read(counting) == [(before + 1,)])


def test_only_the_page_for_frames_is_framed(game: str, context: BrowserContext, shelf: Shelf) -> None:
    """A board is shown in a frame of another origin, which learns its height; no other page of the site is."""
    context.add_init_script(path=FRONTEND / "node_modules" / "axe-core" / "axe.min.js")
    page = context.new_page()
    refusals: list[str] = []
    page.on("console", lambda message: refusals.append(message.text))
    page.goto(f"{game}/frames.html")
    frame = page.frame("embed")
    assert frame is not None
    expect(frame.locator("tbody tr")).to_have_count(3)
    page.wait_for_load_state("networkidle")
    page.evaluate("async () => { while (!(heights.at(-1)?.height > 100)) await new Promise(requestAnimationFrame); }")

    names = frame.locator("tbody bdi").all_text_contents()
    assert names[0] == "<img src=x onerror=alert(1)>"
    assert frame.evaluate(AXE) == []
    assert page.evaluate("heights.at(-1).type") == "laurel-height"
    assert frame.evaluate("getComputedStyle(document.querySelector('laurel-board')).colorScheme") == "dark"
    for name in ("start", "board", "other"):
        other = page.frame(name)
        assert other is not None
        assert other.url.startswith("chrome-error:")
    assert len(refusals) == 3
    assert all("frame-ancestors 'none'" in text for text in refusals)


def test_coin_run_is_scored_as_the_page_counts(stack: Stack, browser: Browser, messages: list[str]) -> None:
    """On a phone, a run that was played offline is on the board later, as the page counted it, then it is the ghost.

    A run by touch is on the board too, and neither scrolls nor zooms the page.
    """
    truth = json.loads((ROOT / "benchmarks/coin-run/truth.json").read_text())
    with (
        serve_game(ROOT / "examples/coin-run", site=stack.url) as url,
        browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True) as context,
    ):
        context.set_default_timeout(DEADLINE_MILLISECONDS)
        page = context.new_page()
        page.on("pageerror", lambda error: messages.append(str(error)))
        logged: list[str] = []
        page.on("console", lambda message: logged.append(message.text))
        page.clock.install()
        page.add_init_script(SLOW_SCREEN)
        page.goto(url)
        levels = page.evaluate("import('/game.js').then(({LEVELS}) => LEVELS)")
        page.get_by_label("Name").fill("Kit runner")
        page.get_by_role("button", name="Wave").click()
        page.get_by_role("button", name="Play").click()
        page.wait_for_load_state("networkidle")
        assert logged == [], "a board without rows names no run to ask for"
        context.set_offline(True)
        page.keyboard.down("ArrowRight")
        page.clock.run_for(1_600)
        page.keyboard.down("ArrowUp")  # over a valley: some coins are missed
        page.clock.run_for(1_500)
        page.keyboard.up("ArrowUp")
        page.clock.run_for(17_000)
        page.keyboard.up("ArrowRight")
        result = page.locator("#result")
        expect(result).to_contain_text("It is kept, and sent when the site can be reached.")
        expect(page.locator("#offline")).to_have_text("1 run waits to be sent")
        page.clock.resume()
        context.set_offline(False)
        own = page.locator("laurel-board tr.own")
        expect(own).to_contain_text("Kit runner")
        expect(page.locator("#offline")).to_be_hidden()

        coins, seconds = (
            result.inner_text().removesuffix(" It is kept, and sent when the site can be reached.").split(" coins in ")
        )
        assert own.locator("td").all_inner_texts()[-2:] == [coins, seconds.replace(" s.", "\u202fs")]
        assert levels == truth
        assert 0 < int(coins) < 100
        logged.clear()
        run = page.evaluate(LEADER, f"{stack.url}/api/benchmarks/coin-run")
        frames = page.evaluate("JSON.parse(localStorage.getItem('ghost:level-3')).run.frames")
        race_leader(browser, url, run, frames)
        assert logged == []

        touched = play_by_touch(page)
        expect(page.locator("laurel-board caption")).to_contain_text("Level 1")
        expect(own).to_contain_text("Kit runner")
        assert own.locator("td").all_inner_texts()[-2:] == touched
        assert page.evaluate(PLACE) == [0, 0, 1, 360]


def race_leader(browser: Browser, url: str, run: str, frames: Any) -> None:
    """See, in a browser that never played, the leader's run beside the own runner."""
    with browser.new_context() as context:
        page = context.new_page()
        page.set_default_timeout(DEADLINE_MILLISECONDS)
        page.add_init_script(GHOSTS)
        page.goto(url)
        asked = f"/coin-run/submissions/{run}/result"  # beside that of the level which the page begins with
        with page.expect_response(
            lambda each: getattr(each.request.redirected_from, "url", "").endswith(asked)
        ) as sent:
            page.get_by_role("button", name="Wave").click()
        assert "/storage/" in sent.value.url
        assert sent.value.json()["frames"] == frames
        page.get_by_role("button", name="Play").click()
        page.keyboard.down("ArrowRight")
        page.wait_for_function("places.size > 20")


def play_by_touch(page: Page) -> list[str]:
    """Play the first level with a finger, while a second one comes and goes; return the coins and the seconds."""
    page.get_by_role("button", name="Ground").tap()
    page.get_by_role("button", name="Play again").tap()
    area = page.locator("canvas").bounding_box()
    assert area is not None
    x, y = area["x"] + 80, area["y"] + 150
    screen = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    page.touchscreen.tap(x, y)
    page.touchscreen.tap(x, y)
    touch("touchStart", (x, y))
    page.clock.run_for(500)
    for pixels in range(0, 120, 20):
        touch("touchMove", (x, y - pixels))  # up, as a finger scrolls a page
    page.clock.run_for(600)
    height = page.evaluate("scrollY")
    touch("touchMove", (x, y))
    page.clock.run_for(500)
    touch("touchStart", (x, y), (x + 60, y))
    touch("touchEnd", (x + 60, y))
    page.clock.run_for(16_000)
    touch("touchEnd")
    found = re.search(r"(\d+) coins in ([\d.]+) s", page.locator("#result").inner_text())
    assert found, "the second finger ran to the end"
    assert height == 0
    assert 50 < int(found[1]) <= 75, "who only runs gets 75, and above the ground there are few coins"
    return [found[1], f"{found[2]}\u202fs"]


def test_guide_works_as_typed(stack: Stack, context: BrowserContext, tmp_path: Path) -> None:
    """The page of docs/games.md is a game with a board, and its other lines run as they are."""
    pages = [text for language, text in SNIPPETS if language == "html"]
    parts = ("new Laurel(", "laurel-height", "submissions?player=Ada", "let key =", 'read("/rows')
    scripts = [text for language, text in SNIPPETS if language == "js"]
    kit, height, plain, key, reading = [next(text for text in scripts if part in text) for part in parts]
    end = f"globalThis.done = {{ body, player_key: key, top, me: rank, run: {json.dumps(RUN)} }};"
    script = '<script type="module">import {{ Laurel }} from "https://laurel.example/sdk/laurel.js";{}</script>'
    guest = f"const result = {json.dumps(RUN)};\n{{\n{kit}\nglobalThis.me = laurel.id; globalThis.mine = mine;\n}}\n"
    typed = (
        plain
        + key
        + reading.replace('"/players/guest--4be19c07a2d85f3361e0/', "`/players/${me}/").replace(
            'below=3")', "below=3`)"
        )
    )
    (tmp_path / "index.html").write_text(pages[0])
    (tmp_path / "more.html").write_text(pages[1] + f"<script>{height}</script>" + script.format(guest + typed + end))
    with serve_game(tmp_path, site=stack.url) as url:
        page = context.new_page()
        page.add_init_script("delete Crypto.prototype.randomUUID")  # as on a page by http, in a class or at a jam
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(url)
        button = page.get_by_role("button", name="Hold to run, and let go")
        assert page.evaluate("localStorage.getItem('laurel-player-name')") is None
        page.get_by_label("Your name").fill("\u202eAda")
        page.get_by_label("Your name").press("Enter")
        assert "invisible character" in page.get_by_label("Your name").evaluate("field => field.validationMessage")
        page.get_by_label("Your name").fill("Ada №1")
        button.hover()
        page.mouse.down()
        page.wait_for_timeout(150)
        page.mouse.up()

        expect(page.locator("#score")).to_have_text(re.compile(r"\d coins: rank (\d+|follows)"))
        expect(page.locator("laurel-board tr.own")).to_contain_text("Ada No1")

        page.goto(f"{url}/more.html")
        page.wait_for_function("globalThis.done")
        done = page.evaluate("done")
        page.wait_for_function("document.querySelector('iframe').height !== '420'")

    assert faults == []
    assert done["body"]["outcome"] == "scored"
    assert re.fullmatch("player_[0-9a-f]{32}", done["player_key"])
    assert done["me"] >= 1
    assert done["top"]["rows"]
    lines = [line for line in pages[0].splitlines() if "laurel" in line]
    assert len(lines) <= 10
