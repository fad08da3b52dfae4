"""`laurel new`: what somebody types who has just installed the command."""

import re
from pathlib import Path

import pytest

from cli.commands.benchmarks.scoring import check_folder
from tests.harness.command_line import laurel


@pytest.mark.parametrize(("options", "examples"), [((), 4), (("--scorer", "fields"), 3)])
def test_new_benchmark_passes_its_check(
    options: tuple[str, ...], examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder has the given name, every file of a benchmark, and examples that score as they say."""
    monkeypatch.chdir(tmp_path)

    done = laurel("new", "maze-dash", *options)
    report = check_folder(Path("maze-dash"))

    assert "laurel check maze-dash" in done.stdout
    assert (report.benchmark.definition.id, report.benchmark.definition.title) == ("maze-dash", "Maze dash")
    assert (report.passed, len(report.checks)) == (True, examples)
    assert re.fullmatch("[0-9a-f]{64}\n", Path("maze-dash/salt.txt").read_text())
    assert "salt.txt" in done.stdout


@pytest.mark.parametrize("scorer", ["script", "fields"])
def test_contest_asks_for_players(scorer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A contest accepts no guests, who could have any number of names, and says where tokens come from."""
    monkeypatch.chdir(tmp_path)

    done = laurel("new", "cup", "--scorer", scorer, "--contest")
    report = check_folder(Path("cup"))

    assert (report.passed, report.benchmark.definition.submissions.anonymous) == (True, False)
    assert "laurel invite cup" in done.stdout


def test_check_warns_of_a_baseline_without_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A label where players have rows names nobody; the check passes."""
    monkeypatch.chdir(tmp_path)
    laurel("new", "cup")
    with Path("cup/benchmark.yaml").open("a") as file:
        file.write("baselines: [ada, ada/large]\n")

    done = laurel("check", "cup")

    assert done.exit_code == 0
    assert " ".join(done.stdout.split()).count("warning:") == 1
    assert "warning: baselines: ada/large names no row" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Maze Dash", "did you mean maze-dash?"),
        ("taken", "expected nothing or an empty"),
        ("!", "expected a name"),
    ],
)
def test_new_leaves_nothing_where_it_cannot(
    name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is no id, and a folder with something in it, are errors; nothing is written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").touch()

    done = laurel("new", name)

    assert words in str(done.exception)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["mine.txt", "taken"]
