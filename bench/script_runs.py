"""Measures how long one script takes on one result, in each way to run it.

`uv run python bench/script_runs.py [--runs N]` measures plain `python -I`, the sandbox cold (a new runner for each run)
and the sandbox warm. Then it compares the scorer `fields` of `benchmarks/coin-sprint` with a script of the same rule.
It fails if a score differs, never because of the time.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sandbox.bubblewrap import Sandbox
from scoring_core.benchmarks.loading import load_folder
from scoring_core.judgement import judge
from scoring_core.scorers.base import Scorer
from scoring_core.scorers.script.run import Isolation, ScriptParameters
from scoring_core.scorers.script.scoring import ScriptScorer, read_end

ROOT = Path(__file__).parents[1]
WARM_UP = 2

TRIVIAL = b"""
import json, sys

frames = json.load(open(sys.argv[1]))["frames"]
print(json.dumps({"Coins": sum(frame[1] > 0 for frame in frames), "Time": frames[-1][0]}))
"""
HEAVY = b"""
import json, sys

import numpy as np
import pandas as pd
from scipy import stats

frames = pd.DataFrame(json.load(open(sys.argv[1]))["frames"], columns=["time", "x", "y"])
slope = stats.linregress(frames["time"], frames["x"]).slope
print(json.dumps({"Coins": int((frames["x"] > 0).sum()), "Time": float(np.round(slope, 9))}))
"""
SPRINT = b"""
import json, sys

def refuse(reason):
    print(reason)
    sys.exit(2)

try:
    run = json.load(open(sys.argv[1]))["run"]
    coins, time_ms = run["coins"], run["time_ms"]
except (ValueError, LookupError, TypeError):
    refuse("expected coins and time_ms in run")
for name, number, least, most in (("coins", coins, 0, 100), ("time_ms", time_ms, 1, 3600000)):
    if type(number) is not int or not least <= number <= most:
        refuse(f"{name}: expected a whole number from {least} to {most}")
if not (coins < 2 or time_ms >= 125 * (coins - 2)):
    refuse("a runner passes at most 8 tiles a second")
print(json.dumps({"Coins": coins, "Time": time_ms / 1000}))
"""
"""The rule of `benchmarks/coin-sprint`."""
SCRIPTS = {"trivial": TRIVIAL, "numpy, scipy, pandas": HEAVY}
RESULT = json.dumps({"frames": [[step / 10, step * 0.7, 0] for step in range(200)]}).encode()

type Run = Callable[[], dict[str, int | float]]


class Timing(NamedTuple):
    """Milliseconds of one way."""

    median: float
    p95: float


def measure(run: Run, *, expected: dict[str, int | float], runs: int) -> Timing:
    """Time a way of running, and check its scores each time."""
    for _ in range(WARM_UP):
        assert run() == expected
    durations = []
    for _ in range(runs):
        started = time.perf_counter()
        scores = run()
        durations.append((time.perf_counter() - started) * 1000)
        assert scores == expected
    return Timing(statistics.median(durations), statistics.quantiles(durations, n=20)[-1])


def run_plainly(folder: Path) -> dict[str, int | float]:
    """Run the script in a new interpreter with nothing around it."""
    command = [sys.executable, "-I", str(folder / "evaluate.py"), str(folder / "result.json")]
    return _read(subprocess.run(command, capture_output=True, check=True).stdout)


def _read(stdout: bytes) -> dict[str, int | float]:
    scores: dict[str, int | float] = json.loads(stdout)
    return scores


def measure_all(script: bytes, *, runs: int) -> dict[str, Timing]:
    """Measure every way of running one script."""
    with tempfile.TemporaryDirectory() as name, Sandbox() as sandbox:
        folder = Path(name)
        folder.joinpath("evaluate.py").write_bytes(script)
        folder.joinpath("result.json").write_bytes(RESULT)
        cold, warm = (
            sandbox.for_benchmark(
                isolation, script=script, ground_truth=None, parameters=ScriptParameters(isolation=isolation)
            )
            for isolation in (Isolation.STRICT, Isolation.SHARED)
        )
        expected = run_plainly(folder)
        ways: dict[str, tuple[Run, int]] = {
            "python -I": (lambda: run_plainly(folder), runs),
            "sandbox, cold": (lambda: read_end(cold(RESULT)), max(5, runs // 3)),
            "sandbox, warm": (lambda: read_end(warm(RESULT)), runs * 3),
        }
        return {way: measure(run, expected=expected, runs=count) for way, (run, count) in ways.items()}


def measure_fields(*, runs: int) -> dict[str, Timing]:
    """Measure one evaluation by `fields` and by a script of the same rule, in turn, each with its checks."""
    benchmark = load_folder(ROOT / "benchmarks" / "coin-sprint")
    scorer, sample, part = benchmark.prepare_scorer(), (benchmark.sample or "").encode(), benchmark.parts[0]
    with Sandbox() as sandbox:
        run_script = sandbox.for_benchmark(
            "sprint", script=SPRINT, ground_truth=None, parameters=ScriptParameters(isolation=Isolation.SHARED)
        )
        script = ScriptScorer(run_script)
        expected = judge(benchmark, scorer, sample, part=part).scores

        def score(with_scorer: Scorer) -> dict[str, int | float]:
            return judge(benchmark, with_scorer, sample, part=part).scores

        return {
            "fields": measure(lambda: score(scorer), expected=expected, runs=runs * 100),
            "sandbox, warm": measure(lambda: score(script), expected=expected, runs=runs * 3),
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    arguments = parser.parse_args()
    print(f"{'script':22}{'way':16}{'median ms':>10}{'p95 ms':>10}   against warm")
    for name, script in SCRIPTS.items():
        timings = measure_all(script, runs=arguments.runs)
        for way, timing in timings.items():
            ratio = timing.median / timings["sandbox, warm"].median
            print(f"{name:22}{way:16}{timing.median:10.1f}{timing.p95:10.1f}{ratio:12.1f} x")
    timings = measure_fields(runs=arguments.runs)
    for way, timing in timings.items():
        ratio = timing.median / timings["fields"].median
        print(f"{'coin-sprint':22}{way:16}{timing.median:10.3f}{timing.p95:10.3f}{ratio:12.1f} x `fields`")


if __name__ == "__main__":
    main()
