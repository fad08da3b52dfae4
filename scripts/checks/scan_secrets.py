"""Looks for credentials in the files under version control; with --all by every detector, and in the history too."""  # noqa: INP001 — scripts are no package

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
"""Path → kind of finding → why it is none."""
UNREAD: Final = ("uv.lock", "package-lock.json")
"""Names of files that are nothing but names and checksums of public packages."""
# What has a form of its own. Entropy and keywords find more, take four times as long, and are wrong more often.
FORMED: Final = (
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
    """Something that looks like a credential: in a file, or in what a commit added."""

    path: str
    line: int
    kind: str


def main() -> int:
    """Scan, and print what is found.

    Returns:
        0 where nothing is found but what is allowed with a reason, and all that is allowed is found; else 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="by every detector, and in all commits: a minute")
    if parser.parse_args().all:
        allowed = yaml.safe_load(ALLOWED.read_text(encoding="utf-8"))
        complaints = complain(scan_files(ROOT, list_files(ROOT)), allowed) + complain(scan_history(ROOT), {})
    else:
        complaints = complain(scan_files(ROOT, list_files(ROOT), detectors=FORMED), {})
    for complaint in complaints:
        sys.stdout.write(f"{complaint}\n")
    return 1 if complaints else 0


def list_files(root: Path) -> list[str]:
    """List the files under version control, and those that would come under it, but for UNREAD."""
    listed = run_git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
    return sorted(path for path in set(listed) if (root / path).is_file() and Path(path).name not in UNREAD)


def scan_files(root: Path, paths: Iterable[str], *, detectors: Sequence[str] = ()) -> list[Finding]:
    """Scan files.

    Args:
        root: A folder.
        paths: Of the files, relative to it.
        detectors: Those to ask; none: all there are.
    """
    secrets = SecretsCollection(root=str(root))
    chosen = transient_settings({"plugins_used": [{"name": one} for one in detectors]})
    with chosen if detectors else default_settings() as settings:
        # A comment in the file may not allow what is beside it: what is allowed has a reason, and stands in one place.
        settings.disable_filters("detect_secrets.filters.allowlist.is_line_allowlisted")
        secrets.scan_files(*paths)
    return [Finding(path, secret.line_number, secret.type) for path, secret in secrets]


def scan_history(root: Path) -> list[Finding]:
    """Scan each line that a commit ever added, once, for what has a form of its own; a path is that of a commit."""
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
        return scan_files(Path(folder), sorted(set(added.values())), detectors=FORMED)


def complain(findings: Iterable[Finding], allowed: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Tell what is found and not allowed, what is allowed and not found, and what is allowed without a reason."""
    found = list(findings)
    places = {(one.path, one.kind) for one in found}
    reasons = {(path, kind): reason for path, kinds in allowed.items() for kind, reason in kinds.items()}
    return [
        *(f"{one.path}:{one.line}: {one.kind}" for one in found if (one.path, one.kind) not in reasons),
        *(f"{path}: {kind}: allowed, but not found: take it off the list" for path, kind in reasons.keys() - places),
        *(f"{path}: {kind}: allowed without a reason" for (path, kind), reason in reasons.items() if not reason),
    ]


def run_git(root: Path, *arguments: str) -> str:
    """Give what a command of git prints."""
    done = subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)  # noqa: S603, S607 — our own repository
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
