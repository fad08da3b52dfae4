"""What was made for other platforms: written, moved by `laurel new --from`, and scored on this machine."""

import copy
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from cli.commands.benchmarks.scoring import LocalScore, score_file
from scoring_core.benchmarks.loading import load_folder
from scoring_core.judgement import Judgement, judge
from scoring_core.scorers.script.run import ScriptEnd, ScriptEnded
from scoring_core.scorers.script.scoring import ScriptScorer
from tests.harness.command_line import laurel

CASES = Path(__file__).parents[1] / "field" / "cases"
BUNDLE, CHALLENGE = "moved-bundle", "moved-challenge"
"""A bundle of Codabench and a challenge of EvalAI, both with a truth of three or four numbers."""
CONFIGS = {BUNDLE: "competition.yaml", CHALLENGE: "challenge_config.yaml"}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, and return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def copy_case(
    case: str, folder: Path, change: Callable[[Any], object] = lambda _: None, files: Mapping[str, str] | None = None
) -> Path:
    """Copy a case's folder, change its config in place, write further files; return the folder."""
    shutil.copytree(CASES / case, folder)
    config = folder / CONFIGS[case]
    content = copy.deepcopy(yaml.safe_load(config.read_text()))
    change(content)
    config.write_text(yaml.safe_dump(content, sort_keys=False))
    return write(folder, files or {})


def make(folder: Path, *options: str) -> str:
    """Type `laurel new`; return what it prints."""
    done = laurel("new", str(folder), *options)
    assert done.exit_code == 0, done.output
    text: str = done.output
    return text


def score(folder: Path, content: bytes, name: str) -> LocalScore:
    """Score a result on this machine; it is written beside the benchmark's folder."""
    result = folder.parent / name
    result.write_bytes(content)
    return score_file(folder, result, part=None)


def run(folder: Path, content: bytes, name: str) -> Judgement:
    """Score a result as `score` does, but without a sandbox, which takes a second to start."""

    def run_script(result: bytes, *, result_name: str = "", **_: object) -> ScriptEnd:
        inbox = folder.parent / "inbox"
        inbox.mkdir(exist_ok=True)
        (inbox / result_name).write_bytes(result)
        command = [sys.executable, str(folder / "evaluate.py"), str(inbox / result_name)]
        done = subprocess.run(command, capture_output=True, check=False)
        return ScriptEnd(ScriptEnded.EXITED, exit_code=done.returncode, stdout=done.stdout, stderr=done.stderr)

    file_format = name.rpartition(".")[2]
    return judge(load_folder(folder), ScriptScorer(run_script), content, file_format=file_format)
