"""Counts the lines of code of each room: `python scripts/checks/room_lines.py [COMMIT]`.

Code is what people write and machines run: no data, locks, prose or generated types. `rooms.toml` has the rooms, each a
folder or a file, and the lines that it may have.
"""  # noqa: INP001 — scripts are no package

import io
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Final

from scripts.tools import ROOT

BUDGETS: Final = ROOT / "scripts" / "checks" / "rooms.toml"
DECISION: Final = "see docs/decisions/0084-budgets-of-rooms.md"
NO_PRODUCT: Final = frozenset({"bench", "tests"})
HOMES: Final = ("functions/", "layers/")
"""Folders of rooms: each module of Python in them is in one."""
CODE: Final = frozenset({".py", ".ts", ".tsx", ".js", ".mjs", ".css", ".html", ".gd", ".sh", ".mk"})
NAMED: Final = frozenset({"template.yaml", "Makefile", "uv", "install-bubblewrap", "install-chromium"})
"""Names of files of code without such an ending."""


def main() -> None:
    """Print the lines of each room beside its budget, of the product, and in all."""
    budgets = read_budgets()
    counted = count_lines(read_files(*sys.argv[1:2]), budgets)
    for room, budget in budgets.items():
        sys.stdout.write(f"{counted[room]:7,} of {budget:6,}  {room}\n")
    product = sum(counted[room] for room in budgets.keys() - NO_PRODUCT)
    sys.stdout.write(f"{product:7,}            product\n{counted.total():7,}            in all\n")


def read_budgets() -> dict[str, int]:
    """Return room → lines that it may have."""
    budgets: dict[str, int] = tomllib.loads(BUDGETS.read_text())["lines"]
    return budgets


def check_rooms(files: Mapping[str, bytes], budgets: Mapping[str, int]) -> Iterator[str]:
    """Yield each room that is over its budget, and each module that is in no room."""
    for room, lines in count_lines(files, budgets).items():
        if lines > budgets[room]:
            yield f"{room}: {lines} lines, and its budget is {budgets[room]}: {DECISION}"
    for name in files:
        if name.startswith(HOMES) and name.endswith(".py") and find_room(name, budgets) is None:
            yield f"{name}: is in no room of scripts/checks/rooms.toml"


def count_lines(files: Mapping[str, bytes], rooms: Iterable[str]) -> Counter[str]:
    """Return the lines of code of each room."""
    counted: Counter[str] = Counter()
    for name, content in files.items():
        path, room = PurePath(name), find_room(name, rooms)
        if room and "generated" not in path.parts and (path.suffix in CODE or path.name in NAMED):
            counted[room] += content.count(b"\n")
    return counted


def find_room(file: str, rooms: Iterable[str]) -> str | None:
    """Return the room that a file is in, if it is in one."""
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
