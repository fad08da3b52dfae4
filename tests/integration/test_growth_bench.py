"""The bench of growth still runs against today's code, whose boards are those of the code that it is compared with."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.harness.stack import ROOT

CORRUPT = """
import sys
from growing import history, players, shown
sys.argv = ["growth.py", "--quick"]
import growth
{corruption}
growth.main()
"""
CORRUPTIONS = {
    "a standing": "history._list_contributions = lambda entry: [history.Contribution(entry.submission, '', {'m0': 0})]",
    "a row": "players.publish = lambda crowd, rows: shown.publish(crowd, None if rows is None else rows[1:])",
}


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in the folder of the benches."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT / "bench", capture_output=True, text=True, timeout=300, check=False)


def test_quick_bench_compares_and_prints_figures() -> None:
    """The bench checks standings and rows against its peer, and prints each size; how long they take is not checked."""
    done = run("growth.py", "--quick", "--json")

    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    before = figures.pop("before")
    assert figures.keys() == before.keys() == {"history", "players"}
    for measured in (figures, before):
        assert [growth["n"] for growth in measured["history"]] == [10, 100]
        assert [growth["n"] for growth in measured["players"]] == [100, 600]
        assert {name for growth in measured["history"] for name in growth} == {"n", "ms", "calls"}
        assert {name for growth in measured["players"] for name in growth} == {"n", "ms_a_change", "puts_a_change"}
        assert all(value > 0 for growths in measured.values() for growth in growths for value in growth.values())


@pytest.mark.parametrize("corruption", CORRUPTIONS.values(), ids=CORRUPTIONS.keys())
def test_bench_fails_if_results_differ(corruption: str) -> None:
    """A standing or a row that is not that of the peer ends the bench."""
    done = run("-c", CORRUPT.format(corruption=corruption))

    assert done.returncode != 0
    assert "AssertionError" in done.stderr
