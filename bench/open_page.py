"""Counts what a page costs that is open, visible and watched by nobody.

`uv run python bench/open_page.py [--minutes N]` serves the built site, the head of a board of 10,000 players and the
API's answers for it, all of which stay as they are, and opens the board in Chromium as a player whose row is not among
the first: so the page asks for the player's own place, too. It counts the requests that arrive, by kind, and how long
apart those for the head are.
"""

import argparse
import hashlib
import json
import threading
import time
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from scripts.frontend.build_frontend import BUILT, build_site, find_browser
from storage.boards.models import Head, HeadPages
from tests.web.boards import make_board
from tests.web.visits import list_boards, list_rows, make_row

BOARD = "quiet"
PLAYERS = 10_000
PLAYER = "player-5000"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}


class Counted(ThreadingHTTPServer):
    """A server that notes when each kind of request arrives."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.head = make_head().to_body()
        self.arrived: dict[str, list[float]] = {}
        self.lock = threading.Lock()

    def note(self, kind: str) -> None:
        """Note a request."""
        with self.lock:
            self.arrived.setdefault(kind, []).append(time.monotonic())


class Handler(BaseHTTPRequestHandler):
    """Answers as the site does, from what is built and what stays the same."""

    protocol_version = "HTTP/1.1"
    server: Counted

    def do_GET(self) -> None:
        """Answer, and note what was asked for."""
        path = urlsplit(self.path).path
        if path == f"/data/b/{BOARD}/head.json":
            self.send("head", self.server.head, "application/json")
        elif path.endswith("/around"):
            row = make_row(int(PLAYER.rpartition("-")[2]))
            place = {"player": PLAYER, "rank": row["rank"], "number": row["rank"]}
            self.send("own place", json.dumps({**list_rows({}), "rows": [row], **place}).encode(), "application/json")
        elif path.endswith("/boards"):
            self.send("other API", json.dumps(list_boards(BOARD)).encode(), "application/json")
        else:
            file = BUILT.parent / path.lstrip("/")
            file = file if file.is_file() else BUILT
            self.send("page and its files", file.read_bytes(), TYPES.get(file.suffix, "application/octet-stream"))

    def send(self, kind: str, body: bytes, content_type: str) -> None:
        """Send an answer, or say that the browser has it."""
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        is_known = self.headers.get("If-None-Match") == etag
        self.server.note(f"{kind}, unchanged" if is_known else kind)
        self.send_response(HTTPStatus.NOT_MODIFIED if is_known else HTTPStatus.OK)
        self.send_header("ETag", etag)
        self.send_header("Cache-Control", "public, max-age=2")
        if not is_known:
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not is_known:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def make_head() -> Head:
    """Return the head of a board whose further rows only the API has."""
    pages = HeadPages(directory="directory.1-000000000000.json")
    return make_board(BOARD, players=100).model_copy(update={"total": PLAYERS, "pages": pages})


def main() -> None:
    """Watch and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="how long the page stays open (default: 60)")
    parser.add_argument("--json", type=Path, help="where to write the counts, too")
    arguments = parser.parse_args()
    build_site()
    server = Counted()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]) as browser,
    ):
        page = browser.new_page()
        page.add_init_script(f"sessionStorage.setItem('player:{BOARD}', '{PLAYER}')")
        page.goto(f"http://127.0.0.1:{server.server_port}/b/{BOARD}")
        page.get_by_text("Your place").first.wait_for()
        assert page.evaluate("document.visibilityState") == "visible"
        page.wait_for_timeout(arguments.minutes * 60_000)
    counts = {kind: len(moments) for kind, moments in sorted(server.arrived.items())}
    asked = sorted(moment for kind, moments in server.arrived.items() if kind.startswith("head") for moment in moments)
    pauses = Counter(round(after - before) for before, after in pairwise(asked))
    for kind, count in counts.items():
        print(f"{kind:32}{count:8,}")
    print("seconds between two requests for the head: " + ", ".join(f"{n} × {s}" for s, n in sorted(pauses.items())))
    if arguments.json:
        arguments.json.write_text(json.dumps({"minutes": arguments.minutes, "counts": counts, "pauses": pauses}))


if __name__ == "__main__":
    main()
