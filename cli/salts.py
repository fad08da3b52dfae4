"""The salt of a benchmark's folder: written when it is published, so that the folder has the version of the site."""

from pathlib import Path

from cli.console import print_note
from scoring_core.benchmarks.salts import SALT_FILE, write_salt

MISSING = (
    f"no {SALT_FILE}: without it anybody could find a small ground truth from the version, which is public. "
    "`laurel publish` writes it; until then there is no version. If the ground truth is public, say `salt: none` in "
    "benchmark.yaml"
)
"""What is printed of a folder without a salt."""
KEPT_ELSEWHERE = (
    f"no {SALT_FILE}: the one that was published before is used. Copy it from the folder that has it, so that "
    "`laurel check` and `laurel score` know the version"
)


def keep_salt(folder: Path, salt: str) -> None:
    """Write the salt that a folder was published with into it, and print that."""
    file = folder / SALT_FILE
    try:
        write_salt(folder, salt)
    except OSError as error:
        print_note(f"{file} could not be written: {error.strerror}. The platform keeps the salt and uses it again")
        return
    print_note(f"wrote {file}, a part of the version: keep it with the ground truth, and as private")
