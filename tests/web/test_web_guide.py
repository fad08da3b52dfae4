"""The guides for games as a game maker types them: tickets, today's board and the best run, on another origin."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from local.layout import ROOT
from local.site.games import serve_game
from local.stack import Stack
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark

pytestmark = pytest.mark.e2e

PAGES = [(ROOT / "docs" / f"{name}.md").read_text() for name in ("games", "game-boards", "fair-play")]
SCRIPTS = re.findall(r"```js\n(.*?)```", "".join(PAGES), re.DOTALL)
LEVELS = [{"id": "level-1", "title": "Level 1", "parts": ["level-1"]}]
RESULT = {"coins": 7, "time": 1.5}
# Who plays with the key gets a row of her own; her run is there once the board shows it.
PLAYED = """
const laurel = new Laurel("https://laurel.example", { benchmark: "my-game", player: "Ada" });
laurel.playerKey = key;
const ticket = await laurel.ticket({ part: "level-1" });
const own = await laurel.submit(result, { part: "level-1", ticket, wait: 10 });
const path = "https://laurel.example/api/benchmarks/my-game/rows?board=level-1";
while (!(await (await fetch(path, { cache: "no-store" })).text()).includes(own.submission))
  await new Promise((resolve) => setTimeout(resolve, 50));
"""


def find(part: str) -> str:
    """Return the one script of the guide that has this text, about the game of this test."""
    (script,) = [script for script in SCRIPTS if part in script]
    return str(script).replace("coin-run", "my-game")


def block(script: str, *names: str) -> str:
    """Return a script of its own, which notes these variables."""
    return f"{{\n{script}\nObject.assign(noted, {{ {', '.join(names)} }});\n}}\n"


def test_tickets_windows_and_ghosts_work_as_typed(stack: Stack, browser: Browser, tmp_path: Path) -> None:
    """A game of the guide's lines plays with a ticket, reads today's board, and gets a ghost."""
    game = {
        "id": "my-game",
        "title": "My game",
        "parts": ["level-1", "level-2"],
        "boards": LEVELS,
        "windows": ["daily"],
        "results": "public",
    }
    publish(stack, make_benchmark(PLAYS, runs={"ticket": "required", "seed": "daily"}, **game))
    reading = find('read("/rows?limit')
    today = find("?board=daily").replace('"/players/guest--4be19c07a2d85f3361e0/', "`/players/${own.player}/")
    today = today.replace('around?board=daily")', "around?board=daily`)")
    script = (
        'import { Laurel } from "https://laurel.example/sdk/laurel.js";\n'
        f"const noted = {{}}, result = {json.dumps(RESULT)};\n"
        + find("let key =")
        + block(find('"Laurel-Ticket": ticket'), "ticket", "seed")
        + PLAYED
        + "\n".join(line for line in reading.splitlines() if line.startswith(("const site", "const read =")))
        + block(today, "rank", "total", "before", "to", "yesterday", "secondsLeft")
        + block(find("/result`"), "leaders", "ghost")
        + "noted.own = own.player;\nglobalThis.noted = noted;"
    )
    (tmp_path / "index.html").write_text(f'<!doctype html><script type="module">{script}</script>')

    with serve_game(tmp_path, site=stack.url) as url:
        page = browser.new_page()
        page.add_init_script("delete Crypto.prototype.randomUUID")  # as on a page by http, in a class or at a jam
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(url)
        page.wait_for_function("globalThis.noted")
        noted: dict[str, Any] = page.evaluate("noted")
        page.close()

    assert faults == []
    assert re.fullmatch("[0-9a-f]{16}", noted["seed"])
    assert noted["ticket"]
    assert (noted["rank"], noted["total"]) == (1, 2)
    assert re.fullmatch(r"daily-\d{4}-\d\d-\d\d", noted["before"])
    assert noted["yesterday"]["rows"] == []
    assert 0 < noted["secondsLeft"] <= 24 * 3600
    assert noted["leaders"]["rows"][0]["name"].startswith("Ada")
    assert noted["ghost"] == RESULT
