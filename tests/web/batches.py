"""Batches for the browser to upload, and reports of them."""

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page, Route

SUBMIT = "/b/aic-2025/submit"
UPLOAD = "01a1fb00-0000-7000-8000-000000000001"
LINES = 36
REFUSED_LINE, INVALID_LINE = 7, 13
_BLANK_LINES = itertools.count()


def make_batch() -> bytes:
    """Return LINES results, one of which is no JSON, and one of which names an unknown video.

    It never returns the same bytes twice: those would be the same batch.
    """
    lines = [json.dumps({"question": "1", "text": f"TR-L03_V011-{1200 + number},1340"}) for number in range(LINES)]
    lines[REFUSED_LINE - 1] = "{broken"
    lines[INVALID_LINE - 1] = json.dumps({"question": "1", "text": "TR-NOWHERE-1200"})
    return ("\n".join(lines) + "\n" * next(_BLANK_LINES)).encode()


def fill_form(page: Page, *, token: str, name: str = "runs.jsonl", content: bytes | None = None) -> None:
    """Open the form for batches, choose a file and give the token."""
    page.get_by_role("tab", name="A batch or large file").click()
    panel = page.get_by_role("tabpanel", name="A batch or large file")
    panel.get_by_label("Choose").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": make_batch() if content is None else content}
    )
    panel.get_by_label("Token").fill(token)


def take_files(page: Page, benchmark: str, *formats: str) -> None:
    """Show the form again as if the benchmark took these formats."""

    def answer(route: Route) -> None:
        view = route.fetch().json()
        route.fulfill(json=view | {"submissions": view["submissions"] | {"takes": formats}})

    page.route(re.compile(rf"/api/benchmarks/{benchmark}$"), answer)
    page.reload()


def show_report(page: Page, token: str) -> None:
    """Open the report with a token."""
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Open it").click()


def make_report(*, entries: int, scored: int, status: str = "scoring") -> Mapping[str, Any]:
    """Return the API's answer for a batch with some scored entries, whose last entry was refused.

    Args:
        entries: The number of entries.
        scored: The number of scored entries.
        status: The status of the batch.
    """
    counts = dict.fromkeys(("in_review", "invalid", "evaluator_error", "internal_error"), 0)
    counts |= {"entries": entries, "refused": 1, "queued": entries - scored - 1, "scored": scored, "withdrawn": 2}
    return {"upload": UPLOAD, "status": status, "state": "received"} | counts


def list_entries(*, entries: int, scored: int, query: str) -> Mapping[str, Any]:
    """Return the API's answer for a page of the entries of such a batch, or of those without a score.

    `query` is the address that was asked.
    """
    common = {"player": "heron", "name": "Heron", "kind": "model", "verified": True, "batch": UPLOAD, "best": False}
    listed: list[dict[str, Any]] = [
        {
            **common,
            "submission": UPLOAD if number < entries else None,
            "entry": f"runs/{'long-' * 9}name-{number}.json",
            "submitted_at": "2026-11-05T10:00:00Z",
            "status": "scored" if number <= scored else "queued" if number < entries else "refused",
            "scores": {"score": 30 + number / 8} if number <= scored else None,
            "message": "expected an object or an array, found the number 3" if number == entries else None,
            "pointer": "/a/b" if number == entries else None,
        }
        for number in range(1, entries + 1)
    ]
    if "outcome=failed" in query:
        return {"submissions": listed[-1:], "next": None}
    start = int("".join(parse_qs(urlsplit(query).query).get("cursor", ["0"])))
    return {"submissions": listed[start : start + 50], "next": str(start + 50) if start + 50 < entries else None}
