"""Removes what runs leave in folders, and detects what cannot be removed."""

import contextlib
import errno
import os
import shutil
import stat
from pathlib import Path

# The file system has none, or the calls are refused.
_NO_ATTRIBUTES = (errno.ENOTSUP, errno.EPERM, errno.ENOSYS)


def fingerprint(path: Path) -> tuple[int, int, int, int]:
    """Return what shows that a file has changed."""
    # Of the times, a script can set every one except ctime.
    status = path.lstat()
    return status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns


class CleanFolder:
    """A folder that is emptied after every run, except for what was in it before the first one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept = {entry.name for entry in path.iterdir()}
        self._fingerprints = self._read_fingerprints()
        self._attributes = self._read_attributes()

    def reset(self, *, besides: Path) -> bool:
        """Empty the folder, except for one, and return whether no trace of a run is left."""
        try:
            kept = self._kept | ({besides.name} if besides.parent.samefile(self._path) else set())
            emptied = _empty(self._path, kept)
            with contextlib.suppress(PermissionError):  # another user's folder, whose times no run can set either
                os.utime(self._path, ns=(0, 0))
            unchanged = self._read_attributes() == self._attributes
            return emptied and unchanged and self._read_fingerprints() == self._fingerprints
        except OSError:
            return False

    def _read_fingerprints(self) -> dict[Path, tuple[int, int, int, int]]:
        tops = [self._path / name for name in self._kept]
        return {path: fingerprint(path) for top in tops for path in (top, *top.rglob("*"))}

    def _read_attributes(self) -> tuple[int, int, int, dict[str, bytes]]:
        """Return what emptying does not reset: mode, owners and extended attributes."""
        status = self._path.stat()
        attributes = {}
        try:
            attributes = {name: os.getxattr(self._path, name) for name in os.listxattr(self._path)}
        except OSError as error:
            if error.errno not in _NO_ATTRIBUTES:
                raise
        return status.st_mode, status.st_uid, status.st_gid, attributes


def _empty(folder: Path, kept: set[str]) -> bool:
    """Remove all but these names, and return whether that worked; no link is followed."""
    try:
        for path in [path for path in folder.iterdir() if path.name not in kept]:
            if stat.S_ISDIR(path.lstat().st_mode):
                _make_writable(path)
                shutil.rmtree(path)
            else:
                path.unlink()
    except (OSError, RecursionError):
        return False
    return True


def _make_writable(folder: Path) -> None:
    # A folder that its owner may not read or enter cannot be emptied. No process is left that could swap it for a link.
    folder.chmod(0o700)
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            _make_writable(Path(entry.path))
