"""The bench under load still runs against today's benchmarks."""

import subprocess
import sys

from tests.harness.stack import ROOT

DRAWN = """
import random
from under_load.stack import draw_result, load_benchmarks
for benchmark in load_benchmarks():
    assert draw_result(benchmark, random.Random(1))[0] != b"null"
    print(benchmark.definition.id)
"""


def run(program: str) -> str:
    """Run a program in the folder of the benches; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "bench", capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_are_drawn_for_every_benchmark() -> None:
    """There is a result to submit to each shipped benchmark."""
    assert run(DRAWN).split() == [
        "aic-2025",
        "coin-run",
        "coin-sprint",
        "full-duplex",
        "iqa",
        "rain-tomorrow",
        "squad-v2",
    ]
