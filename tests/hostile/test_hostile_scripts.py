"""The corpus of hostile and broken evaluation scripts: each ends as it must, and leaves nothing behind."""

import random
import shutil
from pathlib import Path
from zlib import crc32

import pytest

from sandbox.bubblewrap import Sandbox
from tests.hostile.corpus import IN_LAMBDA, IS_WHOLE, SCRIPTS, Case, find_faults

pytestmark = [
    pytest.mark.hostile,
    pytest.mark.skipif(
        shutil.which("bwrap") is None, reason="NOTHING OF THE SANDBOX IS TESTED: apt-get install bubblewrap"
    ),
]

FAMILIES = {"time_": 20, "survivor_": 8, "look_": 20, "trace_": 8, "words_": 28}
SEED, SUBSET = 5, 6
SHARE, SHARE_SEED = 6, 35
SAMPLE = [path for path in SCRIPTS if IS_WHOLE or not crc32(f"{SHARE_SEED} {path.stem}".encode()) % SHARE]
"""Every script in `make hostile`, otherwise a sixth of them; a new script moves no other one in or out.

With this seed `look_landlock` is among them, which `make mutations` runs.
"""
LEAST_OF_A_FAMILY = 2
IN_LAMBDA_SCRIPTS = SCRIPTS if IS_WHOLE else random.Random(SEED).sample(SCRIPTS, SUBSET)  # noqa: S311  # the same each time


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.stem)
def test_script_ends_as_its_first_line_says_and_leaves_nothing(path: Path, sandbox: Sandbox) -> None:
    """The outcome is the promised one, nothing of the run is left, and an honest script scores right afterwards."""
    assert not find_faults(sandbox, path, Case.read(path))


@pytest.mark.parametrize("path", IN_LAMBDA_SCRIPTS, ids=lambda path: path.stem)
def test_script_ends_as_it_must_in_a_lambda_and_leaves_nothing(path: Path, sandbox_in_lambda: Sandbox) -> None:
    """Without what Lambda refuses, too: with the outcome of the first line, or that of `lambda.yaml`."""
    assert not find_faults(sandbox_in_lambda, path, Case.read(path, in_lambda=True))


def test_no_family_of_scripts_is_missing() -> None:
    """Every family of hostile scripts exists and is tried: a lost folder must not count as passed."""
    families = {family: sum(path.stem.startswith(family) for path in SCRIPTS) for family in FAMILIES}
    tried = {family: sum(path.stem.startswith(family) for path in SAMPLE) for family in FAMILIES}

    assert all(families[family] >= least for family, least in FAMILIES.items()), families
    assert all(tried[family] >= LEAST_OF_A_FAMILY for family in FAMILIES), tried


def test_every_difference_in_a_lambda_is_of_a_script() -> None:
    """`lambda.yaml` names scripts that exist, and gives a reason for each."""
    assert set(IN_LAMBDA) <= {path.stem for path in SCRIPTS}
    assert all(set(entry) == {"ends", "why"} for entry in IN_LAMBDA.values())
