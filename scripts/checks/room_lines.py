"""Counts the lines of code of each room: `python scripts/checks/room_lines.py [COMMIT]`.

Code is what people write and machines run: no data, locks, prose or generated types. A room is a folder, or a file.
"""  # noqa: INP001 — scripts are no package

import io
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from scripts.tools import ROOT

PRODUCT: Final = (
    *(f"functions/{name}" for name in ("submit", "evaluate", "aggregate", "notify", "upkeep", "handlers", "sandbox")),
    *("layers/scoring_core", "layers/storage", "engine", "local", "cli", "sandbox", "scripts"),
    *("frontend/src", "sdk", "template.yaml"),
)
ROOMS: Final = (*PRODUCT, "bench", "tests")
CODE: Final = frozenset({".py", ".ts", ".tsx", ".js", ".mjs", ".css", ".html", ".gd", ".sh", ".mk"})
NAMED: Final = frozenset({"template.yaml", "Makefile", "uv", "install-bubblewrap", "install-chromium"})
"""Names of files of code without such an ending."""


def main() -> None:
    """Print the lines of each room, of the product, and in all."""
    counted = count_lines(read_files(*sys.argv[1:2]))
    for room in ROOMS:
        sys.stdout.write(f"{counted[room]:7} {room}\n")
    sys.stdout.write(f"{sum(counted[room] for room in PRODUCT):7} product\n{counted.total():7} in all\n")


def count_lines(files: Mapping[str, bytes]) -> Counter[str]:
    """Return the lines of code of each room; what is in no room counts nowhere."""
    counted: Counter[str] = Counter()
    for name, content in files.items():
        path = PurePath(name)
        if "generated" not in path.parts and (path.suffix in CODE or path.name in NAMED):
            for room in ROOMS:
                if path.is_relative_to(room):
                    counted[room] += content.count(b"\n")
    return counted


def read_files(commit: str | None = None) -> dict[str, bytes]:
    """Return the files of a commit, or of the working tree, by name."""
    if commit is None:
        names = _ask_git("ls-files", "-z").decode().split("\0")
        return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}
    with tarfile.open(fileobj=io.BytesIO(_ask_git("archive", commit))) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}  # type: ignore[union-attr]


def _ask_git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True).stdout  # noqa: S603, S607


if __name__ == "__main__":
    main()
