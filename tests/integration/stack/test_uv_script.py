"""`scripts/uv`: uv for users who have none on the PATH."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "uv"
UV = '#!/bin/sh\necho "uv of $(dirname "$0"): $*"\n'


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A project with the script, its folder on nobody's PATH yet, and a uv of its own in .tools/."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts" / "uv")
    _write_uv(tmp_path / ".tools" / "bin")
    return tmp_path


def run(house: Path, *, path: str) -> subprocess.CompletedProcess[str]:
    """Type `uv run "a b"`."""
    environment = {**os.environ, "PATH": path}
    command = ["/bin/sh", "-c", 'uv run "a b"']
    return subprocess.run(command, cwd=house, env=environment, capture_output=True, text=True, timeout=20, check=False)


@pytest.mark.parametrize("folder", ["{house}/scripts", "{house}/scripts/", "scripts", "{house}/linked"])
def test_on_the_path_it_does_not_find_itself(house: Path, folder: str) -> None:
    """Put on the PATH, however that is spelled, it runs the uv of .tools/, and not itself for ever."""
    (house / "linked").symlink_to("scripts")

    done = run(house, path=f"{folder.format(house=house)}:/usr/bin:/bin")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"uv of {house}/.tools/bin: run a b\n"


def test_on_the_path_it_finds_another(house: Path) -> None:
    """A uv later on the PATH is the one that runs."""
    _write_uv(house / "other place")

    done = run(house, path=f"{house}/scripts:{house}/other place:/usr/bin:/bin")

    assert done.stdout == f"uv of {house}/other place: run a b\n"


def _write_uv(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "uv").write_text(UV)
    (folder / "uv").chmod(0o755)
