"""The private part of an export: the pages with which a benchmark goes on in another stack."""

import json
import os
import zipfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx

from cli.client import ApiError, make_error, post
from cli.exports.folder import LINKS, ExportFolder
from cli.progress import operate
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.urls import benchmark_url

TIMEOUT_SECONDS = 600.0
INVITED_DAYS = 60


def write_pages(http: httpx.Client, folder: ExportFolder, sequence: int) -> None:
    """Write the pages of a move. Raises ApiError.

    Those of an attempt that was interrupted are kept, if the board's head has its `sequence` since then.
    """
    after: str | None = ""
    number = 0
    for old in list_pages(folder.path) if folder.has_ended else ():
        old.unlink()
    while after is not None:
        name = f"move/{sequence:09}-{number:05}.zip"
        if not folder.keeps(name):
            moved = operate(http, {"operation": "move-out", "benchmark": folder.benchmark, "after": after})
            # Not with the client of the site: the address is signed, and S3 must not see the token.
            folder.write(name, _send("GET", urljoin(str(http.base_url), moved["url"])).content)
        after, number = read_page(folder.path / name)["next"], number + 1


def send_page(http: httpx.Client, benchmark: str, page: bytes) -> str | None:
    """Have a page stored, and return where the next begins. Raises ApiError.

    None: all of the benchmark is there.
    """
    wish = {"operation": "move-in", "benchmark": benchmark}
    ticket = post(http, "/api/operations", {**wish, "bytes": len(page)})
    form = ticket["upload"]
    files = {"file": ("page.zip", page, form["fields"]["Content-Type"])}
    _send("POST", urljoin(str(http.base_url), form["url"]), data=form["fields"], files=files)
    following: str | None = operate(http, {**wish, "page": ticket["id"]})["next"]
    return following


def _send(method: str, url: str, **content: Any) -> httpx.Response:
    answer = httpx.request(method, url, timeout=TIMEOUT_SECONDS, **content)
    if not answer.is_success:
        raise make_error(answer, "a page of the move")
    return answer


def list_pages(folder: Path) -> list[Path]:
    """Return the pages of an export in their order; none if it is a public one."""
    return sorted((folder / "move").glob("[!.]*.zip"))


def read_page(file: Path) -> dict[str, Any]:
    """Return what a page is."""
    with zipfile.ZipFile(file) as archive:
        page: dict[str, Any] = json.loads(archive.read("page.json"))
    return page


def list_accounts(pages: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield the items of the verified players, each once."""
    lines = dict.fromkeys(line for page in pages for line in zipfile.ZipFile(page).read("items.jsonl").splitlines())
    yield from (item for item in map(json.loads, lines) if "created_at" in item and "name" in item)


def make_links(
    http: httpx.Client, folder: Path, benchmark: str, *, is_new: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """Make a link for each verified player, and note it in the folder.

    Return those of this site, and of the players who got none who they are and why. Those that are noted are not made
    again, unless the benchmark is new here.
    """
    file, site = folder / LINKS, str(http.base_url).rstrip("/")
    noted = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    if is_new:
        noted = [link for link in noted if link["site"] != site]
        file.unlink(missing_ok=True)
    links, failed = [link for link in noted if link["site"] == site], list[str]()
    linked = {link["player"] for link in links}
    with open(file, "a", opener=partial(os.open, mode=0o600)) as opened:
        opened.writelines(f"{json.dumps(link)}\n" for link in noted if is_new)
        for account in list_accounts(list_pages(folder)):
            wish = {"player": account["player"]["S"], "mail": "email" in account, "days": INVITED_DAYS}
            if wish["player"] in linked:
                continue
            try:
                made = post(http, f"{benchmark_url(benchmark)}/invite", wish)
            except ApiError as error:
                failed.append(f"{wish['player']}: {error}")
                continue
            links.append({**wish, "name": account["name"]["S"], "path": made["path"], "site": site})
            print(json.dumps(links[-1]), file=opened, flush=True)
    return links, failed


def load_moved(folder: Path, version: str) -> Benchmark | None:
    """Return a version of the benchmark with its truth; None if it is not there."""
    for archive in map(zipfile.ZipFile, list_pages(folder)):
        for name in archive.namelist():
            benchmark = load_bundle(archive.read(name)) if name.startswith("benchmarks/") else None
            if benchmark is not None and version in {benchmark.version, benchmark.final_version}:
                return benchmark
    return None
