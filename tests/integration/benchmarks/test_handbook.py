"""docs/benchmarks.md works when typed: the folder of its code blocks, its commands, its script."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.command_line import type_command

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "benchmarks.md").read_text()
FILES = dict(re.findall(r"`(benchmarks/my-quiz/[\w./]+)`[^`]*?\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = re.findall(r"^\$ (laurel (?:score|check) .*)$", PAGE, re.MULTILINE)
SCRIPT, *_ = re.findall(r"```python\n(.*?)```", (DOCS / "scripts.md").read_text(), re.DOTALL)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder with everything that the page shows."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_page_shows_every_file_in_full() -> None:
    """The page has a code block for every file that the walk-through needs."""
    assert {Path(name).name for name in FILES} == {
        *("benchmark.yaml", "truth.json"),
        *("sample.json", "good.json", "empty.json", "expected.yaml"),
    }
    assert len(COMMANDS) == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_command_succeeds(workspace: Path, command: str) -> None:
    """Each command of the page succeeds in the folder of the page."""
    arguments = shlex.split(command, comments=True)[1:]

    completed = type_command(*arguments, cwd=workspace)

    assert (completed.returncode, completed.stderr) == (0, ""), completed.stdout
    assert "100.0" in completed.stdout or "all 3 examples as expected" in completed.stdout


@pytest.mark.parametrize("result", [[], "text", {}, {"answers": [1]}, {"answers": None}, {"answers": "Paris"}, 1, None])
def test_script_rejects_invalid_result(tmp_path: Path, result: object) -> None:
    """The page's script prints what it expected; a crash would be its owner's fault."""
    completed = _run_script(tmp_path, result)

    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr == 'expected {"answers": {question: answer}}\n'


def test_script_scores_valid_result(tmp_path: Path) -> None:
    """A result of the right shape is scored, whatever its answers are."""
    assert _run_script(tmp_path, {"answers": {"1": "a", "2": [], "4": {}}}).stdout == '{"Points": 1}\n'


def _run_script(folder: Path, result: object) -> subprocess.CompletedProcess[str]:
    (folder / "evaluate.py").write_text(SCRIPT)
    (folder / "truth.json").write_text('{"1": "a", "2": "b", "3": "c"}')
    (folder / "result.json").write_text(json.dumps(result))
    command = [sys.executable, "evaluate.py", "result.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, check=False)
