"""The bench under load still runs against today's handlers and benchmarks."""

import subprocess
import sys

from tests.harness.stack import ROOT

FEW = "from under_load.handlers import measure_handlers; print(measure_handlers(players=3, submissions=40))"
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


def test_handlers_are_measured_with_right_answers() -> None:
    """The bench checks each answer of the handlers; how long they take is not checked here."""
    assert run(FEW).startswith("Costs(post=")


def test_results_are_drawn_for_every_benchmark() -> None:
    """There is a result to submit to each shipped benchmark."""
    assert run(DRAWN).split() == ["aic-2025", "coin-run", "coin-sprint", "full-duplex", "iqa", "squad-v2"]
