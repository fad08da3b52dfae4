"""`laurel board` reads what a site answers, and not every site is ours: a board is shown, or one clear line is."""

import json
from contextlib import suppress
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cli.client import ApiError
from cli.commands.boards import show_first
from scoring_core.metrics.score_type import Direction
from storage.boards.models import Metric, Rows
from tests.fuzz.mutations import json_values, mutated_bytes, mutated_json
from tests.unit.heads import make_head_of

METRICS = (
    Metric(id="Coins", label="Coins", unit=None, direction=Direction.HIGHER, decimals=0, help=None, primary=True),
    Metric(id="Time", label="Time", unit="s", direction=Direction.LOWER, decimals=2, help=None, primary=False),
)
ROWS: dict[str, Any] = {
    "player": ["ada", "bob"],
    "name": ["Ada", "[red]Bob\u202e"],
    "kind": ["human", "model"],
    "verified": [True, False],
    "rank": [1, 2],
    "tied": [False, False],
    "scores": {"Coins": [5, 4], "Time": [1.5, None]},
    "submissions": [3, 1],
    "at": [1, 2],
    "submission": ["a", "b"],
}
HEAD = (
    make_head_of(["Ada", "Bob"])
    .model_copy(update={"id": "coins", "metrics": METRICS, "rows": Rows.model_validate(ROWS)})
    .model_dump(mode="json")
)


def show(content: bytes) -> None:
    """Show the board of a site that answers this."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    with httpx.Client(base_url="http://localhost", transport=transport) as client, suppress(ApiError):
        show_first(client, "coins", "main", 20, records=False, card=None, as_json=False)


def test_a_sound_head_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Both players are there, and no name commands the terminal."""
    show(json.dumps(HEAD).encode())

    shown = capsys.readouterr().out
    assert "Ada" in shown
    assert "[red]Bob\ufffd" in shown


@given((mutated_json([HEAD]) | json_values).map(lambda value: json.dumps(value).encode()))
@example(b"null")
@example(json.dumps({**HEAD, "rows": {**ROWS, "rank": [1]}}).encode())
@example(json.dumps({**HEAD, "metrics": [{**HEAD["metrics"][0], "decimals": 10**9}]}).encode())
def test_any_json_is_shown_or_refused(content: bytes) -> None:
    """Whatever JSON a site answers, no traceback comes of it."""
    show(content)


@given(
    mutated_bytes([json.dumps(HEAD).encode()], [b"{", b"}", b"[", b'"', b",", b"NaN", b"1e999", b"\xff"]) | st.binary()
)
@example(b"[" * 100_000)
@example(b"<html>")
def test_any_bytes_are_shown_or_refused(content: bytes) -> None:
    """Whatever bytes a site answers, no traceback comes of them."""
    show(content)
