"""The lines of the Dockerfile, run in a bare root: this machine's system, a Python as in the image, no repository.

No image is built: that would need Docker, and a base image from its registry.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.frontend.build_wheel import build_wheel
from scripts.tools import ROOT

LINES = (ROOT / "Dockerfile").read_text().splitlines()
STEPS = [(line.partition(" ")[0], line.partition(" ")[2]) for line in LINES if line and not line.startswith("#")]
# A new root over this machine's system; what the steps write stays in the upper folder.
ENTER = """
set -eu
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
mount -t proc proc "$1/root/proc"
mount --rbind /dev "$1/root/dev"
mount --bind "$1/context" "$1/root/mnt"
exec chroot --userspec="$2" "$1/root" /bin/sh -euc "$3"
"""
HIDDEN = {f"/{ROOT.parts[1]}", "/home", "/root", "/tmp", "/usr/local"}  # noqa: S108  # of the new root
"""What no image has: the repository, the files of users, and what was installed by hand."""


class BareRoot:
    """A root file system that keeps what each step writes; `/mnt` is the context of the build."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("work", "root", "context", *(f"upper{path}" for path in HIDDEN)):
            (folder / name).mkdir(parents=True)
        for path in HIDDEN:
            os.setxattr(folder / f"upper{path}", "trusted.overlay.opaque", b"y")
        (folder / "upper" / "tmp").chmod(0o1777)

    def run(self, script: str, *, user: str) -> None:
        """Run a script in it, as root or as a user of it."""
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, "sh", str(self.folder)]
        environment = {"PATH": f"{sys.base_prefix}/bin:/usr/bin:/usr/sbin:/bin:/sbin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [*command, user, script], env=environment, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"


def test_image_has_no_rights_and_one_volume() -> None:
    """It is short, ends as a user of its own, and keeps everything in one volume."""
    names = [name for name, _ in STEPS]

    assert len(LINES) <= 20
    assert [value for name, value in STEPS if name == "VOLUME"] == ["/data"]
    assert [value for name, value in STEPS if name == "USER"] == ["laurel"]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert "COPY" not in names[names.index("USER") :]


@pytest.fixture
def bare(tmp_path: Path) -> BareRoot:
    """A bare root with the Python of the base image, and in the context what the Dockerfile copies."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a root file system")
    root = BareRoot(tmp_path)
    python = root.folder / f"upper{sys.base_prefix}"
    without = shutil.ignore_patterns("__pycache__", "test", "*.a")
    shutil.copytree(sys.base_prefix, python, symlinks=True, ignore=without, dirs_exist_ok=True)
    for folder in python.parents:
        if folder.is_relative_to(root.folder / "upper"):
            folder.chmod(0o755)
    (tmp_path / "context" / "release").mkdir()
    shutil.copy(build_wheel(), tmp_path / "context" / "release")
    return root


@pytest.mark.e2e
@pytest.mark.long
def test_lines_of_the_dockerfile_make_a_server(bare: BareRoot) -> None:
    """Each line runs, and then a user without rights serves the site, and scripts are off."""
    user, folder, entry = "root", "/", ""
    for name, value in STEPS:
        match name:
            case "RUN":
                bare.run(value, user=user)
            case "COPY":
                bare.run(f"cp /mnt/{value}", user=user)
            case "USER":
                user = value
            case "WORKDIR":
                folder = value
            case "ENTRYPOINT":
                entry = shlex.join(json.loads(value))
            case _:
                assert name in {"FROM", "VOLUME", "EXPOSE"}

    # The pipe ends the server once it runs.
    bare.run(
        f"export HOME={folder}; cd {folder}; {entry} --port 0 | sed '/Laurel runs at/q' > welcome; cat welcome",
        user=user,
    )
    printed = (bare.folder / f"upper{folder}" / "welcome").read_text()
    assert "Laurel runs at http://localhost:" in printed
    # The kernel lets nobody in a chroot make user namespaces: it is as in a container without options for scripts.
    assert "script are not published: bubblewrap cannot isolate" in printed
    assert "published aic-2025" in printed
