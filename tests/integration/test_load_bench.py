"""The bench of the handlers stands on fakes of the stores: they must take what the handlers ask of them today."""

import subprocess
import sys

from tests.harness.stack import ROOT

FEW = "from under_load.handlers import measure_handlers; print(measure_handlers(players=3, submissions=60))"
DRAWN = """
import random
from under_load.stack import draw_result, load_benchmarks
for benchmark in load_benchmarks():
    assert draw_result(benchmark, random.Random(1))[0] != b"null"
    print(benchmark.definition.id)
"""


def run(program: str) -> str:
    """Run a program in the folder of the benches; give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT / "bench", capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_handlers_are_measured() -> None:
    """Each handler's answer on the fakes is the right one; what it takes is for the bench to say."""
    assert run(FEW).startswith("Costs(post=")


def test_results_of_every_benchmark_are_drawn() -> None:
    """There is something to hand in to each shipped benchmark."""
    assert run(DRAWN).split() == ["aic-2025", "coin-run", "full-duplex", "iqa", "squad-v2"]
