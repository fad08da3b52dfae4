"""Builds the package as a wheel, with the whole stack, into frontend/dist, from where the site serves it."""  # noqa: INP001 — scripts are no package

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Final

from scripts.tools import ROOT, find_uv
from scripts.translation import build_template

SERVED: Final = ROOT / "frontend" / "dist" / "command"
SOURCES: Final = (
    "benchmarks", "cli",
    "engine", "examples/coin-run", "frontend/dist", "functions", "layers", "local", "sandbox",
)  # fmt: skip


def main() -> int:
    """Build the wheel, print its path, and return the exit code."""
    try:
        wheel = build_wheel()
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"{error.stderr}the wheel was not built\n")
        return 1
    sys.stdout.write(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size:,} bytes\n")
    return 0


def build_wheel() -> Path:
    """Build the wheel unless it is newer than its sources, and return its path.

    The site must be built. The same sources make the same bytes. Raises CalledProcessError.
    """
    build_template()
    wheel = SERVED / f"laurel-{read_version()}-py3-none-any.whl"
    if wheel.is_file() and all(source.stat().st_mtime <= wheel.stat().st_mtime for source in _list_sources()):
        return wheel
    SERVED.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SERVED.parents[1]) as folder:
        command = [find_uv(), "build", "--quiet", "--wheel", "--out-dir", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603 — a constant command
        for other in SERVED.iterdir():
            other.unlink()
        return (Path(folder) / wheel.name).replace(wheel)


def read_version() -> str:
    """Return the version of the package."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return version


def _list_sources() -> list[Path]:
    own = [ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE", "template.yaml")]
    files = [file for name in SOURCES for file in (ROOT / name).rglob("*")]
    return own + [file for file in files if file.is_file() and file.suffix != ".pyc" and SERVED not in file.parents]


if __name__ == "__main__":
    sys.exit(main())
