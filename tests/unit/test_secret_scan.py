"""The scan for credentials finds what is planted, and allows only what has a reason."""

import subprocess
from pathlib import Path

import pytest

from scripts.checks.scan_secrets import FORMED, Finding, complain, list_files, scan_files, scan_history

# Put together here, so that the scan of this very file finds none.
PLANTED = {
    "AWS Access Key": "AKIA" + "IOSFODNN7QZ3MPLK",
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "GitHub Token": "ghp_" + "a1B2" * 9,
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository of two commits: what the first added, the second took away."""

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True)

    git("init")
    for text in ("\n".join(PLANTED.values()), "nothing\n"):
        (tmp_path / "notes.txt").write_text(text)
        git("add", ".")
        git("commit", "--message", "one more", "--no-verify")
    return tmp_path


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_credential_is_found(tmp_path: Path, kind: str) -> None:
    """A credential with a form of its own is found, also where a comment beside it asks to look away."""
    (tmp_path / "notes.txt").write_text(f"one\nkey = '{PLANTED[kind]}'  # pragma: allowlist secret\n")

    assert scan_files(tmp_path, ["notes.txt"], detectors=FORMED) == [Finding("notes.txt", 2, kind)]


def test_a_password_is_found_by_the_long_scan(tmp_path: Path) -> None:
    """What has no form is found by its name."""
    (tmp_path / "settings.py").write_text("password = 'hunter" + "2hunter3'\n")

    assert [one.kind for one in scan_files(tmp_path, ["settings.py"])] == ["Secret Keyword"]


def test_the_history_is_looked_through(repository: Path) -> None:
    """What a commit took away again is found in the commit that added it."""
    assert scan_files(repository, list_files(repository), detectors=FORMED) == []
    assert {one.kind for one in scan_history(repository)} == set(PLANTED)


def test_only_what_is_found_is_allowed_and_only_with_a_reason() -> None:
    """Another kind in an allowed file is told; so is an allowance that nothing needs, and one without a reason."""
    found = [Finding("a.txt", 1, "Private Key"), Finding("b.txt", 2, "Secret Keyword")]
    allowed = {"a.txt": {"Secret Keyword": "a sample"}, "b.txt": {"Secret Keyword": ""}}

    assert complain(found, allowed) == [
        "a.txt:1: Private Key",
        "a.txt: Secret Keyword: allowed, but not found: take it off the list",
        "b.txt: Secret Keyword: allowed without a reason",
    ]
    assert complain(found[1:], {"b.txt": {"Secret Keyword": "a sample"}}) == []
