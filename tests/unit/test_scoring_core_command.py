"""`python -m scoring_core squad_v2`: the official script's output, exit codes, one clear line for what is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scoring_core.__main__ import main
from tests.harness.real_data import HALF, needs_real_data

TRUTH = {"data": [{"paragraphs": [{"qas": [{"id": "q", "answers": [{"text": "x"}]}, {"id": "r", "answers": []}]}]}]}
PREDICTIONS = {"q": "x", "r": "y"}
NA_PROBS = {"q": 0.25, "r": 0.75}


def write(path: Path, value: Any) -> str:
    """Write a file, text as it is and anything else as JSON."""
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A ground truth and predictions."""
    return [write(tmp_path / "gold.json", TRUTH), write(tmp_path / "predictions.json", PREDICTIONS)]


@needs_real_data
@pytest.mark.parametrize(("options", "expected"), [([], ".official.json"), (["--pr"], ".official-pr.json")])
def test_the_output_is_that_of_the_official_script(options: list[str], expected: str) -> None:
    """Started as a program on real data, it prints the official output, byte by byte."""
    paths = [str(HALF), str(HALF.with_suffix(".predictions.json")), "-n", str(HALF.with_suffix(".na-probs.json"))]

    run = subprocess.run(
        [sys.executable, "-m", "scoring_core", "squad_v2", *paths, *options], capture_output=True, check=False
    )

    assert (run.returncode, run.stderr) == (0, b"")
    assert run.stdout == HALF.with_suffix(expected).read_bytes()


def test_scores_are_printed_with_an_indent_of_two(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without probabilities there are nine scores, laid out as officially."""
    code = main(["squad_v2", *files])

    printed = capsys.readouterr().out
    assert code == 0
    assert printed == json.dumps(json.loads(printed), indent=2) + "\n"
    assert list(json.loads(printed))[-1] == "NoAns_total"
    assert len(json.loads(printed)) == 9


def test_areas_are_printed_only_when_asked_for(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With probabilities the pr_* scores come with --pr alone, the best_* ones always."""
    na_probs = write(tmp_path / "na.json", NA_PROBS)

    main(["squad_v2", *files, "-n", na_probs])
    without = json.loads(capsys.readouterr().out)
    main(["squad_v2", *files, "--na-probs", na_probs, "--pr"])
    with_areas = json.loads(capsys.readouterr().out)

    assert list(without)[-1] == "best_f1_thresh"
    assert list(with_areas)[-3:] == ["pr_exact_ap", "pr_f1_ap", "pr_oracle_ap"]


def test_areas_need_probabilities(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """--pr without -n prints what is printed without either."""
    main(["squad_v2", *files, "--pr"])

    assert len(json.loads(capsys.readouterr().out)) == 9


def test_the_threshold_silences_predictions(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A probability above -t turns its prediction into no answer."""
    na_probs = write(tmp_path / "na.json", NA_PROBS)

    main(["squad_v2", *files, "-n", na_probs, "-t", "0.5"])

    assert json.loads(capsys.readouterr().out)["exact"] == 100.0


def test_the_scores_can_go_to_a_file(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With -o the file holds the scores in one line, and nothing is printed."""
    target = tmp_path / "scores.json"

    code = main(["squad_v2", *files, "-o", str(target)])

    assert (code, capsys.readouterr().out) == (0, "")
    assert json.loads(target.read_text(encoding="utf-8"))["exact"] == 50.0


@pytest.mark.parametrize(
    ("gold", "predictions", "na_probs", "code", "line"),
    [
        ("{", PREDICTIONS, None, 4, "gold.json: ground truth: expecting property name"),
        ({"data": []}, PREDICTIONS, None, 4, "gold.json: ground truth: no questions"),
        (None, PREDICTIONS, None, 4, "gold.json: No such file or directory"),
        (TRUTH, None, None, 3, "predictions.json: No such file or directory"),
        (TRUTH, "{", None, 3, "predictions.json: expecting property name"),
        (TRUTH, "[]", None, 3, "predictions.json: expected an object"),
        (TRUTH, {"q": "x"}, None, 3, "predictions.json: 1 of 2 questions have no prediction: 'r'"),
        (TRUTH, PREDICTIONS, {"q": 1}, 3, "na.json: 1 predictions have no no-answer probability: 'r'"),
        (TRUTH, PREDICTIONS, {"q": 1, "r": "1"}, 3, "na.json#/r: expected a number"),
    ],
)
def test_what_is_wrong_is_one_line_on_stderr(
    *,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    gold: Any,
    predictions: Any,
    na_probs: Any,
    code: int,
    line: str,
) -> None:
    """The exit code says who must act, the line says what and where, and nothing is printed as a score."""
    paths = {name: tmp_path / name for name in ("gold.json", "predictions.json", "na.json")}
    for path, value in zip(paths.values(), (gold, predictions, na_probs), strict=True):
        if value is not None:
            write(path, value)
    options = ["-n", str(paths["na.json"])] if na_probs is not None else []

    returned = main(["squad_v2", str(paths["gold.json"]), str(paths["predictions.json"]), *options])

    output = capsys.readouterr()
    assert (returned, output.out) == (code, "")
    assert line in output.err
    assert output.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_said(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where -o leads nowhere the command fails with 1."""
    code = main(["squad_v2", *files, "-o", str(tmp_path / "absent" / "scores.json")])

    assert code == 1
    assert "No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [[], ["squad_v3"], ["squad_v2"], ["squad_v2", "a", "b", "-t", "nan"], ["squad_v2", "a", "b", "-t", "x"]],
)
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Arguments that make no sense are usage errors."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err
