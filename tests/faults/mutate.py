"""Removes one guard after another in a copy of the tree, and checks that a test fails without it.

`make mutations` runs it, and pytest does not find it by itself. The guards are in mutations.yaml. One that survives is
a defect of the tests.
"""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from py_compile import PycInvalidationMode

import pytest

from scripts.tools import ROOT
from tests.faults.mutations import MUTATIONS, SOURCES, Mutation

ROOMS = ("layers/scoring_core", "layers/storage", "functions/sandbox", "functions", ".")


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that git knows, compiled, for one process."""
    folder = tmp_path_factory.mktemp("tree")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for source in SOURCES:
        # By its hash, Python also sees a change of a file that was changed within the same second.
        compileall.compile_dir(folder / source, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return folder


def test_nothing_fails_with_every_guard(tree: Path) -> None:
    """The tests of all mutations pass without one."""
    tests = sorted({test for mutation in MUTATIONS for test in mutation.tests})
    code, output = run_tests(tree, tests, processes=os.cpu_count() or 1)
    assert code == pytest.ExitCode.OK, output


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_guard_is_missed(mutation: Mutation, tree: Path) -> None:
    """A test fails without the guard, and it is not that none could run."""
    file, mutated = mutation.apply(tree)
    text = file.read_text()
    file.write_text(mutated)
    try:
        code, output = run_tests(tree, mutation.tests)
    finally:
        file.write_text(text)
    assert code == pytest.ExitCode.TESTS_FAILED, f"{mutation.where}: {output}"


def run_tests(tree: Path, tests: Sequence[str], *, processes: int = 0) -> tuple[int, str]:
    """Run tests of a tree with its code, up to the first failure; return pytest's exit code and what it printed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", str(processes), "-p", "no:cacheprovider", *tests]
    outer = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**outer, "PYTHONPATH": os.pathsep.join(str(tree / room) for room in ROOMS)}
    for marks in ([], ["-m", "long"]):
        run = subprocess.run([*command, *marks], cwd=tree, env=environment, capture_output=True, text=True, check=False)
        if run.returncode != pytest.ExitCode.NO_TESTS_COLLECTED:
            break
    return run.returncode, (run.stdout + run.stderr)[-2000:]
