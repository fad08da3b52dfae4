"""Builds the site with this environment's Node if it is older than its sources."""  # noqa: INP001 — scripts are no package

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from scripts.frontend.build_kit import KitTooLarge, build_kit
from scripts.frontend.build_wheel import build_wheel

FRONTEND: Final = Path(__file__).parents[2] / "frontend"
BUILT: Final = FRONTEND / "dist" / "index.html"
INSTALLED: Final = FRONTEND / "node_modules" / ".package-lock.json"
LOCK: Final = FRONTEND / "package-lock.json"
KB: Final = 1000
FIRST_SCRIPTS: Final = 22_000
ALL_SCRIPTS: Final = 100_000
STYLES: Final = 9_500
LANGUAGE: Final = 7 * KB
"""Budgets of the built site, gzipped, in bytes: the scripts of index.html, all, style sheets, a language."""
BROWSERS: Final = ("chromium-headless-shell", "chromium", "google-chrome")
SOURCES: Final = (
    "index.html",
    "languages.ts",
    "vite.config.ts",
    "tsconfig.json",
    "package-lock.json",
    "src",
    "public",
    "../sdk/beat.js",
    "../sdk/numbers.js",
)


def main() -> int:
    """Run the command line and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    for script in ("check", "format", "test"):
        about = f"run the script {script} of frontend/package.json instead of building"
        parser.add_argument(f"--{script}", dest="script", action="store_const", const=script, help=about)
    parser.add_argument("--lenient", action="store_true", help="succeed even if the site cannot be built")
    arguments = parser.parse_args()
    try:
        if arguments.script:
            run_script(arguments.script)
        else:
            build_site()
    except subprocess.CalledProcessError as error:
        sys.stderr.write(f"note: the frontend: `{' '.join(map(str, error.cmd))}` failed\n")
        return 0 if arguments.lenient else 1
    except (BudgetExceeded, KitTooLarge) as error:
        sys.stderr.write(f"the frontend: {error}\n")
        return 1
    return 0


class BudgetExceeded(Exception):
    """The built site is larger than its budgets."""


def build_site() -> None:
    """Build frontend/dist, as far as it is older than its sources."""
    if not is_newer(BUILT, [FRONTEND / name for name in SOURCES]):
        build_pages()
    # After the pages, which empty the folder.
    build_kit(BUILT.parent)
    build_wheel()


def build_pages() -> None:
    """Build the pages and their scripts."""
    run_script("build")
    try:
        check_budgets()
    except BudgetExceeded:
        BUILT.unlink()  # The next build starts over.
        raise


def check_budgets() -> None:
    """Raise BudgetExceeded if the built site is larger than its budgets."""
    first = [BUILT.parent / name for name in set(re.findall(r'"/([^"]+\.js)"', BUILT.read_text()))]
    scripts, styles = ([*BUILT.parent.glob(f"a*/*.{suffix}")] for suffix in ("js", "css"))  # of app/ and assets/
    languages = sorted(BUILT.parent.glob("assets/languages/*.js"), key=measure)
    for what, files, budget in (
        ("the scripts that index.html names", first, FIRST_SCRIPTS),
        ("all scripts", scripts, ALL_SCRIPTS),
        ("the style sheets", styles, STYLES),
        ("the largest language", languages[-1:], LANGUAGE),
    ):
        size = sum(map(measure, files))
        if not 0 < size <= budget:
            raise BudgetExceeded(f"{what} have {size:,} bytes, gzipped; the budget is {budget:,}")


def measure(file: Path) -> int:
    """Return the size of a file as it is transferred, in bytes."""
    return len(gzip.compress(file.read_bytes(), 6))


def install_packages() -> None:
    """Install the locked packages unless they are installed."""
    if not is_newer(INSTALLED, [LOCK]):
        subprocess.run([find_program("npm"), "ci", "--loglevel", "error"], cwd=FRONTEND, check=True)  # noqa: S603 — a constant command


def run_script(name: str) -> None:
    """Run a script of frontend/package.json. Raises CalledProcessError if it fails."""
    install_packages()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [find_program("npm"), "run", "--silent", name]
    subprocess.run(command, cwd=FRONTEND, check=True, env={**os.environ, "PATH": path})  # noqa: S603 — our own scripts


def find_program(name: str) -> str:
    """Return the path of a program of this environment."""
    return str(Path(sys.executable).with_name(name))


def find_browser() -> str | None:
    """Return the browser for tests and screenshots: Debian's Chromium or Chrome."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def is_newer(target: Path, sources: Iterable[Path]) -> bool:
    """Return whether a file exists and is newer than all sources and files in them."""
    if not target.is_file():
        return False
    files = (file for source in sources for file in ([source] if source.is_file() else source.rglob("*")))
    return max(file.stat().st_mtime for file in files) <= target.stat().st_mtime


if __name__ == "__main__":
    sys.exit(main())
