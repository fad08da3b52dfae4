"""Removes the function's credentials from the process that runs can look into.

Where the kernel does not close the supervisor to its runs, as in a Lambda, they read its environment and its memory.
"""

import ctypes
import os

NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


def forget_credentials() -> None:
    """Overwrite the credentials in this process; the runner calls nothing of AWS."""
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    for name in NAMES:
        # Where the C library finds it is what /proc/PID/environ shows.
        address = getenv(name.encode())
        value = os.environb.pop(name.encode(), None)
        for start in (address, value and id(value) + bytes.__basicsize__ - 1):
            if start and value:
                ctypes.memset(start, 0, len(value))
