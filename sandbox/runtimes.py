"""The runtimes of this machine: what scripts may import, each by the lock of its packages.

The default one is what is installed beside this program. Every other one is a file `pylock.NAME.toml` (PEP 751), in
`locks` beside this file, or in a folder of the operator; uv makes a folder of its packages when it is first used.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sandbox.view import PACKAGES_FOLDER, BindMount, find_packages
from scoring_core.errors import SandboxFailure
from scoring_core.runtimes import DEFAULT_RUNTIME

SHIPPED: Final = Path(__file__).with_name("locks")
"""What a deployment has, too."""
OWN: Final = Path(".laurel", "runtimes")
"""Locks of this machine alone, and the packages of all."""
_TOOLS: Final = Path(__file__).parents[1] / ".tools" / "bin" / "uv"
_READABLE: Final = 0o755
_MAX_REASON: Final = 2000


def list_locks(*folders: Path) -> dict[str, Path]:
    """Return the lock of each runtime but the default one, by name.

    Without folders these are the shipped ones, and those of this machine. Raises SandboxFailure if a lock is named
    otherwise than a runtime can be.
    """
    locks = {}
    for file in (file for folder in folders or (SHIPPED, OWN) for file in sorted(folder.glob("pylock.*.toml"))):
        name = _name_runtime(file)
        if not (name.isascii() and name.isalnum() and name.islower() and name[0].isalpha()) or name == DEFAULT_RUNTIME:
            expected = f"pylock.NAME.toml, with a name other than {DEFAULT_RUNTIME} of small letters and digits"
            raise SandboxFailure(f"{file}: expected {expected}")
        locks[name] = file
    return locks


def hash_locks(*folders: Path) -> dict[str, str]:
    """Return what identifies the packages of each of these runtimes."""
    return {name: _hash_lock(lock) for name, lock in list_locks(*folders).items()}


def has_packages(lock: Path) -> bool:
    """Return whether a lock names any package."""
    return bool(tomllib.loads(lock.read_text(encoding="utf-8")).get("packages"))


def find_mounts(runtime: str) -> tuple[BindMount, ...]:
    """Return the packages of a runtime, in files that a sandbox may show.

    Raises SandboxFailure if there is no such runtime, or uv cannot make it.
    """
    if runtime == DEFAULT_RUNTIME:
        return find_packages()
    lock = list_locks().get(runtime)
    if lock is None:
        raise SandboxFailure(f"there is no runtime {runtime} on this machine")
    return (BindMount(_make_packages(lock), PACKAGES_FOLDER),) if has_packages(lock) else ()


def _make_packages(lock: Path) -> Path:
    """Return the folder of a lock's packages; uv makes it the first time."""
    folder = OWN.resolve() / f"{_name_runtime(lock)}-{_hash_lock(lock)}"
    if folder.is_dir():
        return folder
    sys.stderr.write(f"making the packages of the runtime {folder.name}, once: {folder}\n")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as name:
        draft = Path(name, "packages")
        command = [_find_uv(), "pip", "install", "--quiet", "--target", str(draft), "--python", sys.executable]
        command += ["--only-binary", ":all:", "--compile-bytecode", "--requirements", str(lock.resolve())]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # uv, and a lock of the operator
        if done.returncode:
            raise SandboxFailure(f"uv cannot make the runtime of {lock}: {done.stderr.strip()[-_MAX_REASON:]}")
        draft.chmod(_READABLE)
        try:
            draft.rename(folder)
        except OSError:  # another process has made it meanwhile
            if not folder.is_dir():
                raise
    return folder


def _name_runtime(lock: Path) -> str:
    return lock.name.removeprefix("pylock.").removesuffix(".toml")


def _find_uv() -> str:
    candidates: Iterator[str | None] = iter((os.environ.get("UV"), shutil.which("uv"), str(_TOOLS)))
    uv = next((path for path in candidates if path and Path(path).is_file()), None)
    if uv is None:
        raise SandboxFailure("a runtime needs uv, which is not installed: https://docs.astral.sh/uv/")
    return uv


def _hash_lock(lock: Path) -> str:
    """Return 16 hexadecimal digits; comments and the order of keys change nothing."""
    content = json.dumps(tomllib.loads(lock.read_text(encoding="utf-8")), sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]
