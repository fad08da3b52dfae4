"""Removes one guard after another in a copy of the tree, and checks that a test fails without it.

Run it as `make mutations`; with words it tries only mutations whose names contain one of them. The mutations
are in tests/faults/mutations.yaml. One that survives is a defect of the tests.
"""  # noqa: INP001 — scripts are no package

import argparse
import compileall
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from py_compile import PycInvalidationMode
from queue import SimpleQueue

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.faults.mutations import MUTATIONS, SOURCES, Mutation, MutationError  # noqa: E402  # the path is set only now

ROOMS = ("layers/scoring_core", "layers/storage", "functions/sandbox", "functions", ".")
GREEN, RED, NONE = 0, 1, 5
"""Exit codes of pytest: every test passed; one failed; there was none, because all are long."""


class MutationOutcome(StrEnum):
    """The outcome of trying a mutation."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"
    """The guard does not exist exactly once, or pytest could not run."""


def main() -> int:
    """Try every mutation; return 1 if one of them failed no test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only mutations whose names contain one of these")
    parser.add_argument("--trees", type=int, default=os.cpu_count() or 1, help="how many to try at the same time")
    arguments = parser.parse_args()
    words = arguments.words
    chosen = [mutation for mutation in MUTATIONS if not words or any(word in mutation.name for word in words)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        first = copy_tree(Path(folder) / "0")
        trees: SimpleQueue[Path] = SimpleQueue()
        trees.put(first)
        for number in range(1, arguments.trees):
            trees.put(Path(shutil.copytree(first, Path(folder) / str(number))))
        tests = sorted({test for mutation in chosen for test in mutation.tests})
        code, failed = run_tests(first, tests, processes=arguments.trees)
        if code != GREEN:
            print_line(f"the tests fail without a mutation: {failed}")
            return 1
        with ThreadPoolExecutor(arguments.trees) as pool:
            outcomes = list(pool.map(lambda mutation: report(mutation, trees), chosen))
    killed = outcomes.count(MutationOutcome.KILLED)
    print_line(f"{killed} of {len(chosen)} mutations made a test fail, in {time.monotonic() - started:.0f} s")
    return 0 if killed == len(chosen) else 1


def report(mutation: Mutation, trees: "SimpleQueue[Path]") -> MutationOutcome:
    """Try a mutation in a free tree, and print its outcome and the test that failed."""
    tree = trees.get()
    started = time.monotonic()
    try:
        outcome, failed = try_mutation(mutation, tree)
    finally:
        trees.put(tree)
    print_line(f"{outcome:8} {time.monotonic() - started:5.1f} s  {mutation.name} ({mutation.where}) {failed}")
    return outcome


def try_mutation(mutation: Mutation, tree: Path) -> tuple[MutationOutcome, str]:
    """Apply a mutation to a tree, run its tests, and restore the tree.

    Return the outcome, and the test that failed, or why the mutation is broken.
    """
    try:
        file, mutated = mutation.apply(tree)
    except MutationError as error:
        return MutationOutcome.BROKEN, str(error)
    text = file.read_text()
    file.write_text(mutated)
    try:
        code, failed = run_tests(tree, mutation.tests)
    finally:
        file.write_text(text)
    outcomes = {GREEN: MutationOutcome.SURVIVED, RED: MutationOutcome.KILLED}
    return outcomes.get(code, MutationOutcome.BROKEN), failed


def run_tests(tree: Path, tests: Sequence[str], *, processes: int = 0) -> tuple[int, str]:
    """Run tests of a tree with its code, up to the first failure.

    Return the exit code of pytest, and the test that failed.
    """
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", str(processes), "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(tree / room) for room in ROOMS)}
    for marks in ([], ["-m", "long"]):
        run = subprocess.run([*command, *marks], cwd=tree, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        if run.returncode != NONE:
            break
    if run.returncode not in {GREEN, RED}:
        print_line((run.stdout + run.stderr)[-2000:])
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    return run.returncode, failed[1] if failed else ""


def copy_tree(folder: Path) -> Path:
    """Copy the files that git knows into a folder, and compile them."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    for source in SOURCES:
        # By its hash, Python also sees a change of a file that was changed within the same second.
        compileall.compile_dir(folder / source, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    return folder


def print_line(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
