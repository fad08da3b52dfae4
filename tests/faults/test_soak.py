"""Workers that are killed while players submit lose nothing and double nothing; `make soak` runs longer."""

import os
from pathlib import Path

import pytest

from tests.faults.soak import SENDER, Plan, run_soak

pytestmark = [pytest.mark.e2e, pytest.mark.long]

SEED = int(os.environ.get("LAUREL_SOAK_SEED", "1"))
SHORT = Plan(seconds=20, submissions=40, pause_seconds=1.0, seed=SEED, spared=frozenset({SENDER}))
"""Fits into half a minute. Senders are spared: the mail of a killed sender waits three minutes for its lease."""


def test_killed_workers_lose_and_double_nothing(tmp_path: Path) -> None:
    """What was acknowledged is recorded once, and on its board or among the errors."""
    lines: list[str] = []

    tally = run_soak(SHORT, state=tmp_path, log=lines.append)

    assert tally.faults == [], f"{tally}\n" + "\n".join(lines)
    assert tally.acknowledged == SHORT.submissions
    assert sum(tally.kills.values()) > 0
    assert {"scored", "invalid"} <= set(tally.outcomes)
    assert tally.mails > 0
