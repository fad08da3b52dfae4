"""Workers or stacks that are killed while players submit lose nothing and double nothing; `make soak` runs longer."""

import os
from pathlib import Path

import pytest

from tests.faults.restarts import run_restarts
from tests.faults.soak import SENDER, Plan, run_soak
from tests.faults.workload import load_benchmarks

pytestmark = [pytest.mark.e2e, pytest.mark.long]

SEED = int(os.environ.get("LAUREL_SOAK_SEED", "1"))
SECONDS = int(os.environ.get("LAUREL_SOAK_SECONDS", "0"))
RESTARTS = int(os.environ.get("LAUREL_SOAK_RESTARTS", "0"))
SHORT = Plan(seconds=20, submissions=40, pause_seconds=1.0, seed=SEED, spared=frozenset({SENDER}))
"""Fits into half a minute. Senders are spared: the mail of a killed sender waits three minutes for its lease."""
WHOLE = Plan(
    seconds=SECONDS,
    submissions=SECONDS,
    pause_seconds=SECONDS / RESTARTS / 2 if RESTARTS else 1.5,
    seed=SEED,
)


def test_killed_workers_lose_and_double_nothing(tmp_path: Path) -> None:
    """What was acknowledged is recorded once, and on its board or among the errors."""
    lines: list[str] = []
    plan = WHOLE if SECONDS else SHORT

    if RESTARTS:
        tally = run_restarts(plan, kills=RESTARTS, state=tmp_path, log=lines.append, benchmarks=load_benchmarks())
    else:
        tally = run_soak(plan, state=tmp_path, log=lines.append)

    print(f"\n{tally}")  # noqa: T201  # `make soak` shows it
    assert tally.faults == [], f"{tally}\n" + "\n".join(lines)
    assert tally.acknowledged == plan.submissions
    assert sum(tally.kills.values()) > 0
    assert {"scored", "invalid"} <= set(tally.outcomes)
    assert tally.mails > 0
