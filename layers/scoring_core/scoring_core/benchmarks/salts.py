"""The salt of a benchmark: random digits, without which its public version would reveal a small ground truth.

A version is a hash. Of ten questions with four answers each anybody can compute all million versions in a few seconds,
and see which one is public. With 32 random bytes in the hash nobody can. The salt is as private as the ground truth: a
file beside it, in no message and no answer but to the owner.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

SALT_FILE = "salt.txt"
NO_SALT = "none"
"""What `salt:` in `benchmark.yaml` says if the ground truth is public."""
SALT_BYTES = 32
_DIGITS = re.compile(rb"\s{0,9}([0-9A-Fa-f]{%d})\s{0,9}" % (2 * SALT_BYTES))


def make_salt(randomness: Callable[[int], bytes] = os.urandom) -> str:
    """Return a new salt, 64 hexadecimal digits."""
    return randomness(SALT_BYTES).hex()


def read_salt(content: bytes) -> str | None:
    """Return the salt in a file; None if there is anything else.

    Line ends and capital letters, which an editor or git may change, are no part of it.
    """
    match = _DIGITS.fullmatch(content)
    return match and match[1].decode().lower()


def pack_salt(salt: str) -> bytes:
    """Return the content of the file with a salt."""
    return f"{salt}\n".encode()


def write_salt(folder: Path, salt: str) -> None:
    """Write a salt into a benchmark's folder. Raises OSError, also if there is one."""
    with (folder / SALT_FILE).open("xb") as file:
        file.write(pack_salt(salt))
