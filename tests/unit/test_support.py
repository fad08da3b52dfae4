"""What this machine cannot score is found before it is published."""

from pathlib import Path

import pytest
from rich.console import Console

from local.__main__ import print_unsupported
from sandbox import bubblewrap
from sandbox.bubblewrap import find_unsupported


def put_bubblewrap(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a `bwrap` on a PATH that has nothing else."""
    program = folder / "bwrap"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_machine_with_everything_supports_every_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is missing where bubblewrap works and the scientific packages are installed."""
    put_bubblewrap(tmp_path, "exit 0", monkeypatch)

    assert find_unsupported() == {}


def test_missing_bubblewrap_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says what is missing, and how to get it."""
    monkeypatch.setenv("PATH", "/nonexistent")

    print_unsupported(find_unsupported(), Console(soft_wrap=True))

    (line,) = capsys.readouterr().out.splitlines()
    assert "script are not published: bubblewrap is not installed: `apt-get install bubblewrap`" in line


def test_container_without_namespaces_is_told_what_to_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bubblewrap that may not isolate is as good as none; its own words are shown."""
    put_bubblewrap(tmp_path, "echo 'bwrap: No permissions to create new namespace' >&2; exit 1", monkeypatch)

    assert find_unsupported()["script"].startswith(
        "bubblewrap cannot isolate: bwrap: No permissions to create new namespace; allow user namespaces"
    )


def test_missing_scipy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that was installed without scipy does not publish what needs it."""
    monkeypatch.setattr(bubblewrap, "find_spec", lambda _: None)

    assert "laurel[science]" in find_unsupported()["iqa_fusion"]
