"""Scans the files under version control for credentials; with --all by every detector, and the history."""  # noqa: INP001 — scripts are no package

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import yaml
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings, transient_settings

ROOT: Final = Path(__file__).parents[2]
ALLOWED: Final = ROOT / "scripts" / "checks" / "allowed_secrets.yaml"
"""Path → kind of finding → why it is no credential."""
UNREAD: Final = ("uv.lock", "package-lock.json")
"""Names of files that only list names and checksums of public packages."""
# Credentials with a fixed format. Entropy and keywords find more, take four times as long, and are wrong more often.
FORMATTED: Final = (
    "AWSKeyDetector",
    "AzureStorageKeyDetector",
    "GitHubTokenDetector",
    "GitLabTokenDetector",
    "NpmDetector",
    "OpenAIDetector",
    "PrivateKeyDetector",
    "PypiTokenDetector",
    "SendGridDetector",
    "SlackDetector",
    "StripeDetector",
)


class Finding(NamedTuple):
    """A possible credential in a file or in the lines that a commit added."""

    path: str
    line: int
    kind: str


def main() -> int:
    """Scan, and print what is found.

    Return 0 if the findings are exactly those that are allowed with a reason; else 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="use every detector, and scan all commits: a minute")
    if parser.parse_args().all:
        allowed = yaml.safe_load(ALLOWED.read_text(encoding="utf-8"))
        complaints = complain(scan_files(ROOT, list_files(ROOT)), allowed) + complain(scan_history(ROOT), {})
    else:
        complaints = complain(scan_files(ROOT, list_files(ROOT), detectors=FORMATTED), {})
    for complaint in complaints:
        sys.stdout.write(f"{complaint}\n")
    return 1 if complaints else 0


def list_files(root: Path) -> list[str]:
    """Return the files that git tracks or would add, without UNREAD."""
    listed = run_git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    return sorted(path for path in set(listed) if (root / path).is_file() and Path(path).name not in UNREAD)


def scan_files(root: Path, paths: Iterable[str], *, detectors: Sequence[str] = ()) -> list[Finding]:
    """Scan files."""
    secrets = SecretsCollection(root=str(root))
    chosen = transient_settings({"plugins_used": [{"name": detector} for detector in detectors]})
    with chosen if detectors else default_settings() as settings:
        # Comments in a file must not allow findings: ALLOWED is the only place, with reasons.
        settings.disable_filters("detect_secrets.filters.allowlist.is_line_allowlisted")
        secrets.scan_files(*paths)
    return [Finding(path, secret.line_number, secret.type) for path, secret in secrets]


def scan_history(root: Path) -> list[Finding]:
    """Scan each line that a commit added, once; the path of a finding is the commit."""
    added: dict[str, str] = {}
    commit = ""
    for line in run_git(root, "log", "--all", "--reverse", "--no-color", "--unified=0", "--patch").splitlines():
        if match := re.fullmatch(r"commit ([0-9a-f]{40})", line):
            commit = match[1]
        elif line.startswith("+") and not line.startswith("+++"):
            added.setdefault(line[1:], commit)
    with tempfile.TemporaryDirectory() as folder:
        for name in set(added.values()):
            lines = [line for line, first in added.items() if first == name]
            Path(folder, name).write_text("\n".join(lines), encoding="utf-8")
        return scan_files(Path(folder), sorted(set(added.values())), detectors=FORMATTED)


def complain(findings: Iterable[Finding], allowed: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return findings that are not allowed, and exceptions without finding or reason."""
    findings = list(findings)
    places = {(finding.path, finding.kind) for finding in findings}
    reasons = {(path, kind): reason for path, kinds in allowed.items() for kind, reason in kinds.items()}
    return [
        *(f"{path}:{line}: {kind}" for path, line, kind in findings if (path, kind) not in reasons),
        *(f"{path}: {kind}: allowed, but not found: remove it from the list" for path, kind in reasons.keys() - places),
        *(f"{path}: {kind}: allowed without a reason" for (path, kind), reason in reasons.items() if not reason),
    ]


def run_git(root: Path, *arguments: str) -> str:
    """Return the output of a git command."""
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)  # noqa: S603, S607 — our own repository
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
