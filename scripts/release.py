"""Makes what a release uploads: the wheel, the changes and checksums."""  # noqa: INP001 — scripts are no package

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from scripts.frontend.build_frontend import build_site
from scripts.frontend.build_wheel import build_wheel, read_version
from scripts.tools import ROOT

RELEASE: Final = ROOT / "release"
CHANGELOG: Final = ROOT / "CHANGELOG.md"
_NUMBER: Final = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+")
_SECTION: Final = re.compile(r"^## (.+)$", re.MULTILINE)


class NotReady(Exception):
    """Nothing can be released yet; the message says why."""


def main() -> int:
    """Make the release, print what it has, and return the exit code."""
    try:
        check_commit()
        build_site()
        make_release(RELEASE)
    except (NotReady, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"no release: {error}\n")
        return 1
    sys.stdout.write((RELEASE / "SHA256SUMS").read_text())
    return 0


def check_commit() -> None:
    """Raise NotReady unless all that is released is committed."""
    command = ["git", "status", "--porcelain"]
    changed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout  # noqa: S603 — constant
    if changed:
        raise NotReady(f"commit first what is not committed:\n{changed}")


def make_release(folder: Path) -> None:
    """Write the files of a release into a folder, in the place of what is there.

    The site must be built. The same commit makes the same bytes. Raises NotReady.
    """
    version = read_version()
    changes = read_changes(version, CHANGELOG.read_text(encoding="utf-8"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(build_wheel(), folder)
    (folder / "CHANGES.md").write_text(f"# Laurel {version}\n\n{changes}\n", encoding="utf-8")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(sums))


def read_changes(version: str, changelog: str) -> str:
    """Return what the changelog says of a version, which must be its first section.

    Raises NotReady: the version is no number, or the changelog does not begin with it.
    """
    if not _NUMBER.fullmatch(version):
        raise NotReady(f"pyproject.toml: expected a version such as 1.2.3, found {version!r}")
    _, first, changes, *_ = [*_SECTION.split(changelog, maxsplit=2), "", ""]
    if first != version:
        raise NotReady(f"CHANGELOG.md: expected `## {version}` as its first section, found {first!r}")
    return changes.strip()


if __name__ == "__main__":
    sys.exit(main())
