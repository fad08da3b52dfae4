"""The hostile corpus under load: several scripts at once, honest ones among them, each as if it were alone."""

import os
import random
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.bubblewrap import Sandbox
from tests.harness.processes import living_below
from tests.hostile import corpus

pytestmark = [
    pytest.mark.fuzz,
    pytest.mark.hostile,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED"),
]

AT_ONCE = 4
SEED = 7
SUBSET = 6

type Run = Callable[[], str]


def run_hostile(sandbox: Sandbox, path: Path) -> str:
    """Run a script as often as it asks to be; return what is wrong with its outcome, or ""."""
    script = corpus.read_script(path)
    case = corpus.Case.read(path)
    seconds = corpus.SHORT if case.must_be_stopped else corpus.LONG
    for run in range(1, case.runs + 1):
        outcome, message, scores = corpus.outcome_of(sandbox, script, seconds, run, version=path.stem)
        if (outcome, scores) != (case.outcome, case.scores) or not case.fits(message):
            return f"{path.stem}: expected {case}, found {outcome} {scores}: {message}"
    return ""


def run_honest(sandbox: Sandbox, number: int) -> str:
    """Run the honest script on a result of its own; return what is wrong with its outcome, or ""."""
    score = number / len(corpus.SCRIPTS)
    outcome = corpus.outcome_of(sandbox, corpus.HONEST, corpus.LONG, score, version="honest")
    return "" if outcome == ("scored", "", {"score": score}) else f"honest {number}: expected {score}, found {outcome}"


def test_outcomes_hold_under_load_and_nothing_is_left(sandbox: Sandbox) -> None:
    """With four runs at once, each hostile script ends as it must, each honest one scores, and nothing is left."""
    chooser = random.Random(SEED)  # noqa: S311  # the same ones each time
    paths = corpus.SCRIPTS if corpus.IS_WHOLE else chooser.sample(corpus.SCRIPTS, SUBSET)
    runs: list[Run] = [lambda path=path: run_hostile(sandbox, path) for path in paths]  # type: ignore[misc]
    runs += [lambda number=number: run_honest(sandbox, number) for number in range(len(paths))]  # type: ignore[misc]
    chooser.shuffle(runs)
    before = living_below(os.getpid()), corpus.remains()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(filter(None, pool.map(lambda run: run(), runs)))
    sandbox.close()

    assert not faults, "\n".join(faults)
    assert not corpus.still_living(before[0])
    assert not corpus.remains() - before[1]
