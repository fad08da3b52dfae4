"""Loads what is public of a benchmark, without credentials, but for raw results and the audit trail.

So an export has nothing that a stranger could not read on the day it was made.
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urljoin

import httpx
from rich.progress import Progress

from cli.boards.rows import list_csv
from cli.client import TRANSIENT, PathNotFound, list_pages, make_error
from cli.exports.folder import ExportFolder
from cli.exports.site import list_answers, write_answers, write_pages
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.outcome import is_taken_over
from scoring_core.urls import MAIN_BOARD, benchmark_url, head_url, submission_url

TRIES: Final = 6
PUBLIC_ACTS: Final = frozenset({"publish", "rescore", "reveal", "archive", "unarchive"})
_OF_CALLERS: Final = frozenset({"quota_left", "left_in_all", "resets_at", "extension", "rank", "players"})
"""Of an answer, what is about who asks, or about the moment."""
_NAMED: Final = re.compile(r"\b(?:directory|page|places|recent|improvements)\.\d+-[0-9a-f]{12}\.json\b")
"""What a head and its directory name beside them."""


@dataclass
class PublicExport:
    """An export of what is public.

    Args:
        benchmark: Its id.
        stranger: A client without credentials.
        http: The client of the command, whose token may read raw results and the audit trail.
        folder: Where it is written.
        progress: Shows what is loaded now, and how much of it is left.
    """

    benchmark: str
    stranger: httpx.Client
    http: httpx.Client
    folder: ExportFolder
    progress: Progress

    def __post_init__(self) -> None:
        """Note the address of the benchmark."""
        self._url = benchmark_url(self.benchmark)

    def write(self, beside: Callable[[int], None] = lambda _: None) -> tuple[list[str], bool]:
        """Write all but raw results and the audit trail. Raises ApiError.

        `beside` writes more, of the number of the main board's head. Returns the submissions, and whether the board
        stayed as it was meanwhile.
        """
        before = self._ask(head_url(self.benchmark)).json()["sequence"]
        submissions = self._write_all()
        beside(before)
        return submissions, self._ask(head_url(self.benchmark)).json()["sequence"] == before

    def write_results(self, submissions: Sequence[str]) -> None:
        """Write the raw results that the token may read, or everybody."""
        results = (self.folder.path / "results").glob("[!.]*")
        kept = {file.name.partition(".")[0]: f"results/{file.name}" for file in results}
        for each in self.progress.track(submissions, description="results"):
            if each in kept and self.folder.keeps(kept[each]):
                continue
            with suppress(PathNotFound):
                link = self._ask(f"{submission_url(self.benchmark, each)}/result", {"link": "true"}, self.http).json()
                # Not with the client of the site: the address is signed, and S3 must not see the token.
                answer = self._ask(urljoin(str(self.http.base_url), link["url"]))
                ending = answer.headers["content-disposition"].rpartition(each)[2].strip('"')
                self.folder.write(f"results/{each}{ending}", answer.content)

    def write_audit(self) -> None:
        """Write which public acts there were, if the token may read the trail."""
        query = {"benchmark": self.benchmark}
        if self.http.get("/api/audit", params=query).status_code != HTTPStatus.FORBIDDEN:
            entries = list_pages(self.http, "/api/audit", "entries", query)
            acts = [
                {"at": each["at"], "action": each["action"], "role": each["actor"]["role"], "subject": each["subject"]}
                for each in entries
                if each["action"] in PUBLIC_ACTS
            ]
            self.folder.write_lines("audit.jsonl", acts)

    def _write_all(self) -> list[str]:
        """Write boards and records, and return the submissions."""
        cards = self._ask(f"{self._url}/boards").json()
        self.folder.write_lines("benchmark.json", [_drop(self._ask(self._url).json())])
        self.folder.write_lines("boards.json", [cards])
        with suppress(PathNotFound):
            corrections = self._ask(f"/data/b/{self.benchmark}/corrections.json")
            self.folder.write("corrections.json", corrections.content)
        players: dict[str, None] = {}
        static = [card["id"] for card in cards["boards"] if "window" not in card]
        for board in self.progress.track(static, description="boards"):
            players |= dict.fromkeys(self._write_board(board))
        entries = [
            entry
            for player in self.progress.track(list(players), description="players")
            for entry in self._list_entries(player)
        ]
        entries.sort(key=lambda entry: str(entry["submission"]))
        submissions = [entry["submission"] for entry in entries]
        paths = [submission_url(self.benchmark, each) for each in submissions]
        answers = [self._ask(path).json() for path in self.progress.track(paths, description="records")]
        self.folder.write_lines("entries.jsonl", entries)
        self.folder.write_lines("records.jsonl", [_drop(answer) for answer in answers])
        self._write_site(players, entries, answers)
        played = [entry for entry in entries if not is_taken_over(entry["submission"])]
        first = datetime.fromisoformat(played[0]["submitted_at"]) if played else None
        for card in cards["boards"]:
            board = card.get("window", {}).get("board")
            while board is not None:  # instances of a window, back to the first submission; they have no old rows
                self._write_board(board)
                window = {**self._ask(f"{self._url}/rows", {"board": board, "limit": 1}).json(), "rows": []}
                self.folder.write_lines(f"boards/{board}/window.json", [window])
                span = window["window"]
                board = span["before"] if first and datetime.fromisoformat(span["from"]) > first else None
        return submissions

    def _write_site(
        self, players: Iterable[str], entries: Sequence[dict[str, Any]], answers: Sequence[dict[str, Any]]
    ) -> None:
        """Write the site's pages with what they ask for; nothing if there are no pages."""
        if not write_pages(self._ask, self.folder):
            return
        views: dict[str, dict[str, Any]] = {}
        for player in self.progress.track(list(players), description="pages of players"):
            with suppress(PathNotFound):  # erased since the board was read
                views[player] = self._ask(f"{self._url}/players/{player}").json()
        records = [{**_drop(answer), "rank": answer["rank"], "players": answer["players"]} for answer in answers]
        write_answers(list_answers(views, entries, records), self.folder)

    def _write_board(self, board: str) -> list[str]:
        """Write a board, and return its players; none if nobody has played on it."""
        try:
            head = self._ask(head_url(self.benchmark, board))
        except PathNotFound:
            if board == MAIN_BOARD:
                raise
            return []
        self.folder.write(f"boards/{board}/head.json", head.content)
        names = _NAMED.findall(head.text)
        for name in names:  # the directory names pages, which follow
            path = f"boards/{board}/{name}"
            if not self.folder.keeps(path):
                self.folder.write(path, self._ask(head.url.path.removesuffix("head.json") + name).content)
            if name.startswith("directory"):
                names += _NAMED.findall((self.folder.path / path).read_text("utf-8"))
        rows = list(self._list_pages(f"{self._url}/rows", "rows", "from", {"board": board, "limit": 100}))
        self.folder.write_lines(f"boards/{board}/rows.jsonl", rows)
        lines = list_csv(self._ask, self.benchmark, board, len(rows))
        self.folder.write(f"boards/{board}/rows.csv", f"{BYTE_ORDER_MARK}{''.join(lines)}".encode())
        return [row["player"] for row in rows]

    def _list_entries(self, player: str) -> Iterator[dict[str, Any]]:
        """Yield what everybody sees of a player's submissions that count, or did."""
        with suppress(PathNotFound):  # erased since the board was read
            listed = self._list_pages(f"{self._url}/submissions", "submissions", "cursor", {"player": player})
            for each in listed:
                if each.get("scores") and not each.get("withdrawn") and not each.get("late"):
                    yield each

    def _list_pages(self, path: str, kind: str, place: str, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield what a list has; `place` is the parameter that says where a page starts."""
        while True:
            page = self._ask(path, query).json()
            yield from ({name: value for name, value in each.items() if value is not None} for each in page[kind])
            if page["next"] is None:
                return
            query[place] = page["next"]

    def _ask(
        self, path: str, query: Mapping[str, Any] | None = None, http: httpx.Client | None = None
    ) -> httpx.Response:
        """Return an answer; a site that is busy is asked again. Raises ApiError."""
        for number in range(TRIES):
            answer = (http or self.stranger).get(path, params=query, follow_redirects=True)
            if answer.status_code not in TRANSIENT:
                break
            time.sleep(2**number)
        if not answer.is_success:
            raise make_error(answer, path)
        return answer


def _drop(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what is null, about who asks, or about the moment."""
    return {name: value for name, value in answer.items() if value is not None and name not in _OF_CALLERS}
