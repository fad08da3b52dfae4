"""The addon for Godot 4 in Godot's own engine for browsers: tickets, results, boards, and what waits for a network."""

import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from local.layout import ROOT
from local.site.games import SITE, serve_game
from local.stack import Stack
from tests.harness.local_stack import publish
from tests.harness.stack import PLAYS, make_benchmark

pytestmark = [pytest.mark.e2e, pytest.mark.long]

ADDON = ROOT / "sdk/godot/addons/laurel/laurel.gd"
PROJECT = Path(__file__).parent / "addon"
ENGINE, FILES = ROOT / ".tools/godot", ("index.js", "index.wasm")
HEADER = struct.Struct("<4sIIIIIQQ72x")
"""Of a pack: magic, version of the form, version of the engine in three, flags, where files and their list begin."""
OFFSETS_ARE_RELATIVE = 2
ANYBODY = {"access-control-allow-origin": "*"}
# The engine copies user:// to the database of the browser, a moment after it was written.
IS_KEPT = """async () => {
  const end = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
  const database = await end(indexedDB.open("/userfs"));
  const files = await end(database.transaction("FILE_DATA").objectStore("FILE_DATA").getAll());
  database.close();
  return files.some(({ contents }) => contents && /coins\\\\":5/.test(new TextDecoder().decode(contents)));
}"""


def pack(files: Mapping[str, bytes]) -> bytes:
    """Make a pack, which is what Godot runs. Source: core/io/pck_packer.cpp of Godot 4.6."""
    content, listed = b"", struct.pack("<I", len(files))
    for name, file in files.items():
        path = name.encode() + bytes(-len(name) % 4)
        listed += struct.pack("<I", len(path)) + path + struct.pack("<QQ", len(content), len(file))
        listed += md5(file, usedforsecurity=False).digest() + bytes(4)
        content += file + bytes(-len(file) % 16)
    return (
        HEADER.pack(b"GDPC", 3, 4, 6, 0, OFFSETS_ARE_RELATIVE, HEADER.size, HEADER.size + len(content))
        + content
        + listed
    )


@pytest.fixture
def game(stack: Stack, tmp_path: Path) -> Iterator[str]:
    """The address of a game with the addon, on another origin."""
    if not all((ENGINE / name).is_file() for name in FILES):
        pytest.skip("Godot is missing: run `scripts/install-godot`")
    boards = [{"id": "one", "title": "One", "parts": ["one"]}]
    runs = {"ticket": "required", "seed": "random"}
    publish(stack, make_benchmark(PLAYS, id="godot-game", title="Godot", boards=boards, runs=runs))
    for name in FILES:
        (tmp_path / name).symlink_to(ENGINE / name)
    (tmp_path / "index.html").symlink_to(PROJECT / "index.html")
    project = {name: (PROJECT / name).read_bytes() for name in ("project.godot", "main.tscn", "driver.gd")}
    files = {**project, "addons/laurel/laurel.gd": ADDON.read_bytes()}
    (tmp_path / "index.pck").write_bytes(
        pack({name: file.replace(SITE.encode(), stack.url.encode()) for name, file in files.items()})
    )
    with serve_game(tmp_path, site=stack.url) as url:
        yield url


def test_addon_plays_and_waits_for_the_network(game: str, browser: Browser, stack: Stack) -> None:
    """A game in Godot plays with tickets; what it cannot send it keeps, and sends once.

    That is over a restart with another clock amid a request, under a name that the site rejects, and while a hotel's
    network answers in the site's place.
    """
    with ExitStack() as ending:
        context = browser.new_context()
        ending.callback(context.close)
        page = context.new_page()
        faults: list[str] = []
        page.on("console", lambda message: faults.append(message.text) if "SCRIPT ERROR" in message.text else None)
        page.goto(game)
        reach(page, "started")
        noted = reach(page, "played")
        context.set_offline(True)
        offline = reach(page, "offline")
        context.route("**/submissions?*", lambda route: route.fulfill(body="<h1>Log in</h1>", headers=ANYBODY))
        context.set_offline(False)
        noted = reach(page, "portal")
        context.unroute("**/submissions?*")
        context.route("**/submissions?*", lambda _: None)
        reach(page, "sending")
        page.wait_for_function(IS_KEPT)
        context.unroute("**/submissions?*")
        page.add_init_script("const now = Date.now; Date.now = () => now() + 10 * 86_400_000;")
        page.goto(game)
        page.wait_for_function("globalThis.noted?.sent?.length === 3")
        again = page.evaluate("noted")

    assert faults == []
    assert [error["type"].rpartition(":")[2] for error in noted["named"]] == ["invalid-player"]
    assert [kept["status"] for kept in noted["kept"]] == ["waiting"]
    assert [bool(sent["receipt"]) for sent in noted["sent"]] == [True, True], "under another name, and the next one"
    assert "rejected" not in again
    (answer,), (ticket,), (board,) = noted["answer"], noted["ticket"], noted["board"]
    assert len(ticket["seed"]) == 16
    assert (answer["outcome"], answer["scores"]) == ("scored", {"Coins": 2, "Time": 1.5})
    assert [row["player"] for row in board["rows"]] == [answer["player"]]
    assert noted["around"][0]["rank"] == 1
    refused = noted["refused"][0]["error"]
    assert (refused["status"], refused["type"].endswith("ticket-needed")) == (422, True)
    assert (noted["waiting"], offline["offline"][0]["error"]["status"]) == ([{"status": "waiting"}] * 2, 0)
    assert [sent["scores"]["Coins"] for sent in again["sent"]] == [3, 4, 5]
    ((stored,),) = stack.store.read("SELECT count(*) FROM objects WHERE key LIKE 'results/godot-game/%'")
    assert stored == 4


def reach(page: Page, step: str) -> Any:
    """Wait until the game has reached a step, let it go on, and return what it noted."""
    page.wait_for_function("(step) => globalThis.reached === step", arg=step)
    noted = page.evaluate("globalThis.noted")
    page.evaluate("(step) => { globalThis.allowed = step; }", step)
    return noted
