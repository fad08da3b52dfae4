"""docs/benchmarks.md, typed as it stands: the folder of its code blocks, its commands, its script."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md").read_text()
FILES = dict(re.findall(r"`(benchmarks/my-quiz/[\w./]+)`[^`]*?\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
COMMANDS = re.findall(r"^\$ (laurel (?:score|check) .*)$", PAGE, re.MULTILINE)
(SCRIPT,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The folder in which everything lies that the page shows."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_the_page_shows_all_that_it_names() -> None:
    """Every file that the walk-through needs is there in full."""
    assert {Path(name).name for name in FILES} == {
        *("benchmark.yaml", "truth.json"),
        *("sample.json", "good.json", "empty.json", "expected.yaml"),
    }
    assert len(COMMANDS) == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_do_what_they_say(workspace: Path, command: str) -> None:
    """Typed where the page says, each command ends well."""
    arguments = shlex.split(command, comments=True)[1:]

    done = subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "100.0" in done.stdout or "all 3 examples as expected" in done.stdout


@pytest.mark.parametrize("result", [[], "text", {}, {"answers": [1]}, {"answers": None}, {"answers": "Paris"}, 1, None])
def test_the_script_refuses_what_is_no_result(tmp_path: Path, result: object) -> None:
    """The page's script tells the player what it expected; a crash would be its owner's fault."""
    done = _run_script(tmp_path, result)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'expected {"answers": {question: answer}}\n'


def test_the_script_scores(tmp_path: Path) -> None:
    """A result in the right form is scored, whatever its answers are."""
    assert _run_script(tmp_path, {"answers": {"1": "a", "2": [], "4": {}}}).stdout == '{"Points": 1}\n'


def _run_script(folder: Path, result: object) -> subprocess.CompletedProcess[str]:
    (folder / "evaluate.py").write_text(SCRIPT)
    (folder / "truth.json").write_text('{"1": "a", "2": "b", "3": "c"}')
    (folder / "result.json").write_text(json.dumps(result))
    command = [sys.executable, "evaluate.py", "result.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=30, check=False)


def test_what_a_script_says_is_shown_once(tmp_path: Path, workspace: Path) -> None:
    """At home, the message of an invalid result and what the script printed are one text."""
    folder = workspace / "benchmarks" / "my-quiz"
    definition = (folder / "benchmark.yaml").read_text()
    script = definition.replace("scorer: squad_v2", "scorer: script").replace("name: f1", "name: Points")
    (folder / "benchmark.yaml").write_text(script.replace("by: [f1, exact]", "by: [Points]"))
    (folder / "evaluate.py").write_text(SCRIPT)
    result = tmp_path / "result.json"
    result.write_text('{"answers": [1]}')

    done = subprocess.run(
        [sys.executable, "-m", "cli", "score", folder, result], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.returncode == 3, done.stdout
    assert done.stdout.count('expected {"answers": {question: answer}}') == 1
