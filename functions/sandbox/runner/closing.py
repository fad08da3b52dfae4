"""Closes the function's process to runs, which have the same user, and removes its credentials.

Where the kernel does not close it, as in a Lambda, runs read its environment and its memory.

A process whose program its user may execute but not read is closed: the kernel lets no other one of this user into its
memory and environment. So the process starts again from such a copy of Python.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from runner.kernel import close_process

_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_MARK = "LAUREL_CLOSED_PROGRAM"
_TRIAL_SECONDS = 5


def close_to_runs() -> None:
    """Close this process; if it must start again for that, do so, without credentials.

    To be called before Lambda's runtime asks for the first event. Process id, arguments and open files stay. The name
    by which the program is called stays too, so Python finds its library where it always is.
    """
    if folder := os.environ.pop(_MARK, None):
        shutil.rmtree(folder, ignore_errors=True)
        return
    if close_process():
        return
    program = Path(tempfile.gettempdir(), "closed", "python")
    try:
        # The folder of an earlier start is still there if that start ended here: this one then goes on without.
        program.parent.mkdir()
        shutil.copyfile(sys.executable, program)
        program.chmod(0o111)
        # Without a trial, a copy that cannot start would end the function for good.
        trial = [sys.executable, "-I", "-S", "-c", ""]
        subprocess.run(trial, executable=program, check=True, timeout=_TRIAL_SECONDS)  # noqa: S603  # our own interpreter
        os.execve(program, sys.orig_argv, _read_first_environment() | {_MARK: str(program.parent)})  # noqa: S606  # likewise
    except (OSError, subprocess.SubprocessError) as error:
        sys.stderr.write(f"the runner cannot be closed to its runs: {error}\n")
        program.unlink(missing_ok=True)


def _read_first_environment() -> dict[str, str]:
    """Return the variables that this process was started with, but no credentials."""
    # The runtime has removed some from its own by now, which it needs again.
    entries = Path("/proc/self/environ").read_bytes().split(b"\0")
    pairs = (os.fsdecode(entry).partition("=") for entry in entries if entry)
    return {name: value for name, _, value in pairs if name not in _CREDENTIALS}


def forget_credentials() -> None:
    """Overwrite the credentials in this process; the runner calls nothing of AWS."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    for name in _CREDENTIALS:
        # Where the C library finds it is what /proc/PID/environ shows.
        address = getenv(name.encode())
        value = os.environb.pop(name.encode(), None)
        for start in (address, value and id(value) + bytes.__basicsize__ - 1):
            if start and value:
                ctypes.memset(start, 0, len(value))
