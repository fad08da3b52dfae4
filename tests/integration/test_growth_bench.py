"""The bench of growth runs, and ends where standings or rows are wrong."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.harness.stack import ROOT

CORRUPT = """
import sys
from growing import history, players, shown
fold = history.fold_submissions
sys.argv = ["growth.py", "--quick"]
import growth
{corruption}
growth.main()
"""
CORRUPTIONS = {
    "a standing": "history.fold_submissions = lambda entries, rules: fold([*entries][1:], rules)",
    "a row": "players.publish = lambda crowd, rows: shown.publish(crowd, None if rows is None else rows[1:])",
}


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in the folder of the benches."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT / "bench", capture_output=True, text=True, timeout=300, check=False)


def test_quick_bench_compares_and_prints_figures() -> None:
    """The bench checks standings and rows, and prints each size; how long they take is not checked."""
    done = run("growth.py", "--quick", "--json")

    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout)
    assert figures.keys() == {"history", "players"}
    assert [growth["n"] for growth in figures["history"]] == [10, 100]
    assert [growth["n"] for growth in figures["players"]] == [100, 600]
    assert {name for growth in figures["history"] for name in growth} == {"n", "ms", "calls"}
    assert {name for growth in figures["players"] for name in growth} == {"n", "ms_a_change", "puts_a_change"}
    assert all(value > 0 for growths in figures.values() for growth in growths for value in growth.values())


@pytest.mark.parametrize("corruption", CORRUPTIONS.values(), ids=CORRUPTIONS.keys())
def test_bench_fails_if_results_differ(corruption: str) -> None:
    """A standing that misses a submission, or a missing row, ends the bench."""
    done = run("-c", CORRUPT.format(corruption=corruption))

    assert done.returncode != 0
    assert "AssertionError" in done.stderr
