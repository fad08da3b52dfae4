"""The scan of `make check` finds the credentials that are planted."""

import subprocess
import sys
from pathlib import Path

import pytest

BASELINE = Path(__file__).parents[2] / "scripts" / "checks" / "secrets.json"
# Concatenated, so that the scan of this file finds none.
PLANTED = {
    "AWS Access Key": "AKIA" + "IOSFODNN7QZ3MPLK",
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "GitHub Token": "ghp_" + "a1B2" * 9,
}


@pytest.mark.parametrize("kind", PLANTED)
def test_credential_is_found_despite_a_comment(tmp_path: Path, kind: str) -> None:
    """A comment that allows a credential is ignored, and the credential is not repeated."""
    file = tmp_path / "notes.txt"
    file.write_text(f"one\nkey = '{PLANTED[kind]}'  # pragma: allowlist secret\n")
    command = [str(Path(sys.executable).with_name("detect-secrets-hook")), "--no-verify", "--baseline", str(BASELINE)]

    done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f"Secret Type: {kind}" in done.stdout
    assert PLANTED[kind] not in done.stdout
