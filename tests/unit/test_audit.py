"""The audit of dependencies passes only where every lock was asked about."""

import os
import shlex
import subprocess

from local.layout import ROOT

NOWHERE = "http://127.0.0.1:9"
"""Where no service listens."""


def test_audit_fails_if_a_service_does_not_answer() -> None:
    """Each command of `make audit` fails by itself where its service is unreachable."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
    environment = {
        **os.environ,
        **dict.fromkeys(names, NOWHERE),
        "NO_PROXY": "",
        "no_proxy": "",
        "UV_HTTP_RETRIES": "0",
    }
    environment["npm_config_fetch_retries"] = "0"

    commands = _list_commands("--dry-run", "audit")
    codes = [_run(command, environment).returncode for command in commands]

    assert len(commands) > 1
    assert 0 not in codes


def test_audit_asks_about_every_lock() -> None:
    """A folder with a lock of its own is asked about like the repository's."""
    asked = {word for command in _list_commands("--dry-run", "audit") for word in command}
    locks = [
        path.parent
        for pattern in ("uv.lock", "*/package-lock.json", "scripts/**/uv.lock")
        for path in ROOT.glob(pattern)
    ]

    assert len(locks) > 2
    assert {str(folder.relative_to(ROOT)) for folder in locks} - {"."} <= asked


def _list_commands(*words: str) -> list[list[str]]:
    """Return the commands of a target of the Makefile."""
    listed = subprocess.run(["make", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return [shlex.split(line) for line in listed.stdout.splitlines() if not line.startswith("make")]


def _run(command: list[str], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
