"""Programs of the tools that have an environment and a lock of their own."""  # noqa: INP001 — scripts are no package

import shutil
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SAM: Final = ROOT / "scripts" / "sam"
LINTERS: Final = ROOT / "scripts" / "checks" / "linters"


def find_uv() -> str:
    """Return the uv on the PATH, else the one that `scripts/uv` installed."""
    return shutil.which("uv") or str(ROOT / ".tools" / "bin" / "uv")


def tool_command(environment: Path, *words: str) -> list[str]:
    """Return a command that runs a program of an environment; uv creates it first."""
    return [find_uv(), "run", "--quiet", "--frozen", "--project", str(environment), *words]
