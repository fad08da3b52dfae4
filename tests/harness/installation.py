"""An environment that has the package and what it needs, and nothing of the repository."""

import os
import subprocess
import sys
from pathlib import Path

from scripts.tools import ROOT, find_uv


def install(folder: Path, package: str) -> Path:
    """Install a package, by its path or URL, with what the lock names for it; return its command."""
    uv, python = find_uv(), ["--python", sys.executable]
    locked = ["sync", "--frozen", "--offline", "--no-default-groups", "--no-install-project", *python]
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(folder)}
    subprocess.run([uv, "--quiet", *locked], cwd=ROOT, env=environment, check=True)
    target = ["--python", str(folder / "bin" / "python")]
    subprocess.run([uv, "--quiet", "pip", "install", "--no-deps", *target, package], cwd=folder, check=True)
    return folder / "bin" / "laurel"
