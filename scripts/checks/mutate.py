"""Takes one guard after another away, in a copy of the tree, and shows that tests turn red for it.

Run it as `make mutations`; words narrow it down to the mutations whose names hold one of them. The mutations themselves
are in tests/faults/mutations.py. One that survives is a defect of the tests.
"""  # noqa: INP001 — scripts are no package

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.faults.mutations import MUTATIONS, Mutation, MutationError  # noqa: E402  # found only now

ROOMS = ("layers/scoring_core", "layers/storage", "functions/sandbox", "functions", ".")
GREEN, RED = 0, 1
"""What pytest ends with where every test passed, and where one failed."""


class Verdict(StrEnum):
    """What became of a mutation."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"
    """The text that it replaces is not there once, or pytest could not run."""


def main() -> int:
    """Try every mutation; the exit code tells whether each of them turned a test red."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only mutations whose names hold one of these")
    parser.add_argument("--trees", type=int, default=os.cpu_count() or 1, help="how many at the same time")
    arguments = parser.parse_args()
    chosen = [one for one in MUTATIONS if not arguments.words or any(word in one.name for word in arguments.words)]
    started = time.monotonic()
    with copied_trees(arguments.trees) as trees:
        (first, *_) = list_trees(trees)
        if run_tests(first, sorted({test for one in chosen for test in one.tests})) != GREEN:
            tell("the tests are not green without a mutation")
            return 1
        with ThreadPoolExecutor(arguments.trees) as pool:
            verdicts = list(pool.map(lambda one: report(one, trees), chosen))
    killed = verdicts.count(Verdict.KILLED)
    tell(f"{killed} of {len(chosen)} mutations turned a test red, in {time.monotonic() - started:.0f} s")
    return 0 if killed == len(chosen) else 1


def report(mutation: Mutation, trees: "SimpleQueue[Path]") -> Verdict:
    """Try a mutation in a tree that is free, and print what became of it."""
    tree = trees.get()
    started = time.monotonic()
    try:
        verdict = try_mutation(mutation, tree)
    finally:
        trees.put(tree)
    tell(f"{verdict:8} {time.monotonic() - started:5.1f} s  {mutation.name} ({mutation.where})")
    return verdict


def try_mutation(mutation: Mutation, tree: Path) -> Verdict:
    """Apply a mutation to a tree, run its tests, and take it back."""
    try:
        file, mutated = mutation.apply(tree)
    except MutationError:
        return Verdict.BROKEN
    text = file.read_text()
    file.write_text(mutated)
    try:
        code = run_tests(tree, mutation.tests)
    finally:
        file.write_text(text)
    return {GREEN: Verdict.SURVIVED, RED: Verdict.KILLED}.get(code, Verdict.BROKEN)


def run_tests(tree: Path, tests: Sequence[str]) -> int:
    """Run tests of a tree with the code of that tree, up to the first that fails; give pytest's exit code."""
    paths = os.pathsep.join(str(tree / room) for room in ROOMS)
    options = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider")
    ended = subprocess.run(  # noqa: S603  # our own tests
        [sys.executable, "-m", "pytest", *options, *tests],
        cwd=tree,
        # Nothing compiled is kept: a file that changes twice within a second would be taken for unchanged.
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    if ended.returncode not in {GREEN, RED}:
        tell(ended.stdout.decode()[-2000:])
    return ended.returncode


@contextmanager
def copied_trees(number: int) -> Iterator["SimpleQueue[Path]"]:
    """Copy what git knows of this tree so many times; the copies end with the context."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # the developer's own git
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    with tempfile.TemporaryDirectory() as folder:
        trees: SimpleQueue[Path] = SimpleQueue()
        for index in range(number):
            tree = Path(folder) / str(index)
            for name in names:
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, tree / name)
            trees.put(tree)
        yield trees


def list_trees(trees: "SimpleQueue[Path]") -> list[Path]:
    """Give the trees that are free, and leave them in the queue."""
    found = [trees.get() for _ in range(trees.qsize())]
    for tree in found:
        trees.put(tree)
    return found


def tell(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
