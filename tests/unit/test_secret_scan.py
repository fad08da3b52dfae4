"""The scan for credentials finds what is planted, and allows only what has a reason."""

import subprocess
from pathlib import Path

import pytest

from scripts.checks.scan_secrets import FORMATTED, Finding, complain, list_files, scan_files, scan_history

# Concatenated, so that the scan of this file finds none.
PLANTED = {
    "AWS Access Key": "AKIA" + "IOSFODNN7QZ3MPLK",
    "Private Key": "-----BEGIN RSA " + "PRIVATE KEY-----",
    "GitHub Token": "ghp_" + "a1B2" * 9,
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Create a repository of two commits; the second removes what the first added."""

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
def test_credential_is_found_despite_a_comment(tmp_path: Path, kind: str) -> None:
    """A comment that allows a credential is ignored."""
    (tmp_path / "notes.txt").write_text(f"one\nkey = '{PLANTED[kind]}'  # pragma: allowlist secret\n")

    assert scan_files(tmp_path, ["notes.txt"], detectors=FORMATTED) == [Finding("notes.txt", 2, kind)]


def test_password_is_found_by_all_detectors(tmp_path: Path) -> None:
    """A secret without a fixed format is found by its name."""
    (tmp_path / "settings.py").write_text("password = 'hunter" + "2hunter3'\n")

    assert [finding.kind for finding in scan_files(tmp_path, ["settings.py"])] == ["Secret Keyword"]


def test_removed_credential_is_found_in_the_history(repository: Path) -> None:
    """It is found in the commit that added it."""
    assert scan_files(repository, list_files(repository), detectors=FORMATTED) == []
    assert {finding.kind for finding in scan_history(repository)} == set(PLANTED)


def test_exception_needs_a_finding_and_a_reason() -> None:
    """Another kind in an allowed file is reported, as are useless and unexplained exceptions."""
    findings = [Finding("a.txt", 1, "Private Key"), Finding("b.txt", 2, "Secret Keyword")]
    allowed = {"a.txt": {"Secret Keyword": "a sample"}, "b.txt": {"Secret Keyword": ""}}

    assert complain(findings, allowed) == [
        "a.txt:1: Private Key",
        "a.txt: Secret Keyword: allowed, but not found: remove it from the list",
        "b.txt: Secret Keyword: allowed without a reason",
    ]
    assert complain(findings[1:], {"b.txt": {"Secret Keyword": "a sample"}}) == []
