"""The corpus of hostile and broken evaluation scripts: each ends as its first line says, and leaves nothing behind."""

import os
import shutil
from pathlib import Path

import pytest

from sandbox.bubblewrap import Sandbox
from tests.harness.processes import living_below
from tests.hostile.corpus import (
    HONEST,
    LONG,
    SCRIPTS,
    SHORT,
    Case,
    outcome_of,
    remains,
    still_living,
)

pytestmark = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
)

FAMILIES = {"time_": 20, "survivor_": 8, "look_": 20, "trace_": 8, "words_": 40}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script_ends_as_its_first_line_says_and_leaves_nothing(path: Path, sandbox: Sandbox) -> None:
    """The outcome is the promised one, nothing of the run is left, and an honest script scores right afterwards."""
    script = path.read_bytes()
    case = Case.read(script)
    seconds = SHORT if case.must_be_stopped else LONG
    before = living_below(os.getpid()), remains()

    found = [outcome_of(sandbox, script, seconds, run) for run in range(1, case.runs + 1)]
    honest = outcome_of(sandbox, HONEST, LONG, run=7)
    sandbox.close()

    for outcome, message, scores in found:
        assert (outcome, scores) == (case.outcome, case.scores), message
        assert case.message in message
    assert honest == ("scored", "", {"score": 7.0})
    assert not still_living(before[0])
    assert not remains() - before[1]


def test_no_family_of_scripts_is_missing() -> None:
    """Every family of hostile scripts exists: a lost folder must not count as passed."""
    families = {family: sum(path.stem.startswith(family) for path in SCRIPTS) for family in FAMILIES}

    assert all(families[family] >= least for family, least in FAMILIES.items()), families
