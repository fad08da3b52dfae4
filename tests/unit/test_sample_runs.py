"""The sample runs of `make run`."""

import io
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from rich.console import Console

from local import samples
from local.samples import PERSONAS, list_runs, play_samples
from scoring_core.benchmarks.loading import load_folder

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def runs() -> list[Any]:
    """All of them."""
    return list(list_runs(BENCHMARKS))


def test_every_persona_plays_every_part(runs: list[Any]) -> None:
    """No metric of a board stays empty."""
    played = {(benchmark, persona.name, part) for benchmark, persona, _, part in runs}
    levels = load_folder(BENCHMARKS / "coin-run").parts
    shipped = [path.parent.name for path in BENCHMARKS.glob("*/benchmark.yaml")]

    assert len(levels) > 1
    assert {("coin-run", one.name, part) for one in PERSONAS for part in levels} <= played
    assert {(name, one.name) for name in shipped for one in PERSONAS} == {(name, player) for name, player, _ in played}


def test_number_of_sample_runs_is_as_in_readme(runs: list[Any]) -> None:
    """The README names the number."""
    assert 180 <= len(runs) <= 200, Counter(benchmark for benchmark, *_ in runs)


def test_samples_are_played_until_boards_show_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only then does the front page have anything to count: it is written with what the boards show."""
    (tmp_path / "coin-run").symlink_to(BENCHMARKS / "coin-run")
    monkeypatch.setattr(samples, "POLL_SECONDS", 0.0)
    asked: Counter[str] = Counter()

    def answer(_: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        asked[request.url.path] += 1
        if request.method == "POST":
            return httpx.Response(202, json={"status_url": "/status"})
        if request.url.path == "/status":
            return httpx.Response(200, json={"status": "invalid" if asked["/status"] == 1 else "scored"})
        shown = min(asked[request.url.path], asked["/status"] - 1)
        return httpx.Response(200, json={"counts": {"submissions": shown}})

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)

    console, stop = Console(file=io.StringIO()), threading.Event()

    skipped = play_samples("http://localhost", tmp_path, console, stop, only=["iqa"])
    played = play_samples("http://localhost", tmp_path, console, stop, only=["coin-run"])

    runs = asked["/api/benchmarks/coin-run/submissions"]
    assert (skipped, played, asked["/status"], asked["/data/b/coin-run/head.json"]) == (
        [],
        ["coin-run"],
        runs,
        runs - 1,
    )
