"""The sample runs of `make run`."""

from collections import Counter
from pathlib import Path

from local.samples import PERSONAS, list_runs
from scoring_core.benchmarks.loading import load_folder

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
RUNS = list(list_runs(BENCHMARKS))


def test_every_persona_plays_every_part() -> None:
    """No metric of a board stays empty."""
    played = {(benchmark, persona.name, part) for benchmark, persona, _, part in RUNS}
    levels = load_folder(BENCHMARKS / "coin-run").parts
    shipped = [path.parent.name for path in BENCHMARKS.glob("*/benchmark.yaml")]

    assert len(levels) > 1
    assert {("coin-run", one.name, part) for one in PERSONAS for part in levels} <= played
    assert {(name, one.name) for name in shipped for one in PERSONAS} == {(name, player) for name, player, _ in played}


def test_sample_runs_are_the_same_every_time() -> None:
    """Every stack starts with the same boards."""
    assert list(list_runs(BENCHMARKS)) == RUNS


def test_number_of_sample_runs_is_as_in_readme() -> None:
    """The README names the number."""
    assert 150 <= len(RUNS) <= 170, Counter(benchmark for benchmark, *_ in RUNS)
