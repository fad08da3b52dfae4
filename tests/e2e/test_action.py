"""action.yml as GitHub runs it: its `run:` lines in a clone of somebody's repository, with the wheel alone."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest
import yaml

from local.stack import Stack
from scoring_core import __version__
from scripts.frontend.build_wheel import build_wheel
from scripts.tools import ROOT
from tests.e2e.conftest import Laurel
from tests.harness.installation import install

pytestmark = pytest.mark.e2e

ACTION: Final[dict[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: Final[dict[str, dict[str, Any]]] = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
FOLDER: Final = "mine; touch owned/quiz"
"""A name that a shell would run if the action let it."""
FAKE_GH: Final = """#!/bin/sh
printf '%s\\n' "$@" > "$RUNNER_TEMP/gh.txt"
"""


class Runner(NamedTuple):
    """A clone, and what the runner sets before each step."""

    clone: Path
    temp: Path
    inputs: Mapping[str, str]

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run a step, with what its `env` says and in the shell that GitHub takes for `bash`."""
        step = STEPS[name]
        context = {f"inputs.{key}": value for key, value in self.inputs.items()}
        context |= {"github.event.pull_request.number": "7", "github.repository": "me/quiz", "github.token": "t"}
        given = {
            key: re.sub(r"\$\{\{ (.+?) \}\}", lambda match: context[match[1]], value)
            for key, value in step.get("env", {}).items()
        }
        environment = {
            "PATH": f"{self.temp / 'programs'}:{os.environ['PATH']}",
            "HOME": str(self.temp),
            "RUNNER_TEMP": str(self.temp),
            "PIP_NO_INDEX": "1",  # what the wheel needs is installed
            **given,
        }
        (self.temp / "step.sh").write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", self.temp / "step.sh"]
        return subprocess.run(
            command, cwd=self.clone, env=environment, capture_output=True, text=True, timeout=300, check=False
        )


@pytest.fixture
def runner(tmp_path: Path, stack: Stack, laurel: Laurel) -> Runner:
    """A clone of a repository that has one benchmark, and an owner's token."""
    source, temp = tmp_path / "source", tmp_path / "temp"
    folder = source / FOLDER
    folder.mkdir(parents=True)
    for name in ("benchmark.yaml", "truth.csv"):
        text = (ROOT / "benchmarks" / "aic-2025" / name).read_text()
        (folder / name).write_text(text.replace("id: aic-2025", "id: quiz"))
    git = ["git", "-c", "user.name=Me", "-c", "user.email=me@example.org"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "Add a quiz"]):
        subprocess.run([*git, *command], cwd=source, check=True)
    subprocess.run(["git", "clone", "-q", source, tmp_path / "clone"], check=True)
    (temp / "programs").mkdir(parents=True)
    (temp / "programs" / "gh").write_text(FAKE_GH)
    (temp / "programs" / "gh").chmod(0o755)
    install(temp / "laurel", str(build_wheel()))
    made = laurel("token", "--player", "olga", "--scope", "organise", "--json")
    inputs = {"folder": FOLDER, "site": stack.url, "token": json.loads(made.stdout)["secret"], "package": ""}
    return Runner(tmp_path / "clone", temp, inputs)


@pytest.mark.long
def test_pull_request_is_checked_and_commented_and_a_merge_published(runner: Runner, client: httpx.Client) -> None:
    """With the command of the site; the comment has the report as code, and the board is there."""
    done = {name: runner.run(name) for name in STEPS}

    assert {name: step.returncode for name, step in done.items()} == dict.fromkeys(STEPS, 0), done
    arguments = (runner.temp / "gh.txt").read_text().splitlines()
    assert arguments[:5] == ["pr", "comment", "7", "--repo", "me/quiz"]
    comment = (runner.temp / "comment.md").read_text().splitlines()
    assert comment[2] == f"    {FOLDER}"
    assert [line for line in comment[1:] if line and not line.startswith("    ")] == []
    assert "quiz published" in done["Publish"].stdout
    assert client.get("/data/b/quiz/head.json").status_code == 200
    assert not (runner.clone / "owned").exists()


@pytest.mark.long
def test_folder_that_fails_its_check_is_commented_all_the_same(runner: Runner) -> None:
    """The step fails, so nothing is published, and the comment says why."""
    definition = runner.clone / FOLDER / "benchmark.yaml"
    definition.write_text(definition.read_text().replace("scorer: event_decay", "scorer: nothing"))

    installed, checked, commented = (runner.run(name) for name in ("Install", "Check", "Comment"))

    assert (installed.returncode, checked.returncode, commented.returncode) == (0, 1, 0)
    assert "scorer" in (runner.temp / "comment.md").read_text()


def test_only_a_push_to_the_default_branch_publishes() -> None:
    """Its condition says so; the comment comes after a failure, too; only that step has the token."""
    assert STEPS["Publish"]["if"] == (
        "github.event_name == 'push' && inputs.token != '' && github.ref_name == github.event.repository.default_branch"
    )
    assert STEPS["Comment"]["if"] == "always() && github.event_name == 'pull_request'"
    assert [name for name, step in STEPS.items() if "${{ inputs.token }}" in step["env"].values()] == ["Publish"]
    assert not any("${{" in step["run"] for step in STEPS.values())


def test_action_installs_the_command_of_this_release() -> None:
    """Its default is the wheel that each site of this release serves."""
    assert f"/command/laurel-{__version__}-py3-none-any.whl" in STEPS["Install"]["run"]
