"""Counts the lines of code of product and tests: `python scripts/checks/line_ceilings.py [COMMIT]`.

Code is what people write and machines run: no data, locks, prose or generated types. There is one ceiling for the
product and one for its tests; each is lowered when the house gets lighter, and nobody raises one: a capability enters
when one of its size leaves. No line is saved by joining lines, by dropping docstrings, or by moving code into data.
"""  # noqa: INP001 — scripts are no package

import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Final

from scripts.tools import ROOT

CEILINGS: Final = {"product": 76_500, "tests": 69_500}
"""How many lines each part may have."""
ROOMS: Final = {
    "product": (
        *("functions/submit", "functions/api", "functions/evaluate", "functions/aggregate", "functions/notify"),
        *("functions/upkeep", "functions/handlers", "functions/sandbox", "layers/scoring_core", "layers/storage"),
        *("layers", "engine", "local", "cli", "sandbox", "scripts", "frontend/src", "sdk", "template.yaml"),
    ),
    "tests": ("tests",),
}
"""The rooms of each part, folders or files; the first that a file is in has it."""
CODE: Final = frozenset({".py", ".ts", ".tsx", ".css", ".js", ".gd", ".html"})


def main() -> None:
    """Print the lines of each room, and of each part beside its ceiling."""
    counted = count_lines(read_files(*sys.argv[1:2]))
    for part, rooms in ROOMS.items():
        for room in rooms:
            sys.stdout.write(f"{counted[room]:7,}  {room}\n")
        total = sum(counted[room] for room in rooms)
        sys.stdout.write(f"{total:7,}  {part}: at most {CEILINGS[part]:,}\n\n")


def check_ceilings(files: Mapping[str, bytes], ceilings: Mapping[str, int] = CEILINGS) -> Iterator[str]:
    """Yield each part over its ceiling, and each module of a function in no room."""
    counted = count_lines(files)
    for part, ceiling in ceilings.items():
        if (total := sum(counted[room] for room in ROOMS[part])) > ceiling:
            yield f"{part}: {total:,} lines, at most {ceiling:,}: what of this size leaves?"
    for name in files:
        if name.startswith("functions/") and name.endswith(".py") and find_room(name) is None:
            yield f"{name}: is in no room of scripts/checks/line_ceilings.py"


def count_lines(files: Mapping[str, bytes]) -> Counter[str]:
    """Return the lines of code of each room."""
    counted: Counter[str] = Counter()
    for name, content in files.items():
        path, room = PurePath(name), find_room(name)
        if room and "generated" not in path.parts and (path.suffix in CODE or name == room):
            counted[room] += content.count(b"\n")
    return counted


def find_room(file: str) -> str | None:
    """Return the room that a file is in, if it is in one."""
    rooms = (room for part in ROOMS.values() for room in part)
    return next((room for room in rooms if file == room or file.startswith(f"{room}/")), None)


def read_files(commit: str | None = None) -> dict[str, bytes]:
    """Return the files of a commit, or of the working tree, by name."""
    if commit is None:
        return read_tree(ROOT, _ask_git("ls-files", "-z").decode().split("\0"))
    with tarfile.open(fileobj=io.BytesIO(_ask_git("archive", commit))) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}  # type: ignore[union-attr]


def read_tree(root: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return the files of a folder that exist, by name."""
    return {name: (root / name).read_bytes() for name in names if (root / name).is_file()}


def _ask_git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S603, S607


if __name__ == "__main__":
    main()
