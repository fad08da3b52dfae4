"""What this machine lacks to score results, and what to do about it."""

import shutil
import subprocess
from importlib.util import find_spec

INSTALL = "`apt-get install bubblewrap` (or your system's package of that name)"
_SECONDS = 10
# What a runner needs: namespaces of its own, and its own /proc, which a container may not mount.
_TRIAL = ("--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true")


def find_unsupported() -> dict[str, str]:
    """Return the scorers that cannot work on this machine: scorer → why."""
    unsupported = {}
    if reason := explain_missing_sandbox():
        unsupported["script"] = reason
    if find_spec("scipy") is None:
        unsupported["iqa_fusion"] = "scipy is not installed: install the package as `laurel[science]`"
    return unsupported


def explain_missing_sandbox() -> str | None:
    """Return why no script can run here, and what to do; None if scripts can run."""
    program = shutil.which("bwrap")
    if program is None:
        return f"bubblewrap is not installed: {INSTALL}"
    try:
        done = subprocess.run(  # noqa: S603  # a constant command
            [program, *_TRIAL], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    if done.returncode != 0:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        return f"bubblewrap cannot isolate: {reason}; allow user namespaces on this machine, or to this container"
    return None
