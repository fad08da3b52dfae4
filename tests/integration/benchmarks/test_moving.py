"""`laurel new --from`: what was made for Codabench, EvalAI and Kaggle runs here, and scores as it did there."""

import importlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from cli.commands.scoring import check_folder
from cli.exit_codes import UsageError
from scoring_core.outcome import Outcome
from tests.harness.archives import zip_files
from tests.harness.command_line import laurel
from tests.harness.moved import make, score, write

CODABENCH: Mapping[str, str] = {
    "competition.yaml": """
version: 2
title: Irises
description: <p>Name the flowers.</p>
image: logo.png
terms: terms.md
registration_auto_approve: True
pages: [{title: Overview, file: overview.md}]
phases:
  - {index: 0, name: Development, start: 2026-01-01, end: 2026-06-01, max_submissions_per_day: 5, tasks: [0]}
  - {index: 1, name: Final, start: 2026-06-02, execution_time_limit: 900, tasks: [0]}
tasks:
  - {index: 0, name: Irises, scoring_program: scoring_program.zip, reference_data: reference_data}
solutions:
  - {index: 0, path: solution, tasks: [0]}
leaderboards:
  - title: Results
    key: main
    columns:
      - {title: Accuracy, key: accuracy, index: 0, sorting: desc, precision: 3}
      - {title: Errors, key: errors, index: 1, sorting: asc}
      - {title: Best, key: best, index: 2, computation: max, computation_indexes: [0, 1]}
      - {title: Hidden, key: hidden, index: 3, hidden: True}
""",
    "overview.md": "# Irises\n\nName each flower.\n",
    "scoring_program/metadata.yaml": "command: python3 /app/program/scoring.py /app/input/ /app/output/\n",
    "scoring_program/scoring.py": """
import json
import os
import sys

import numpy as np
from counting import count_right

input_dir, output_dir = sys.argv[1:]
print("this is no score")
truth = np.loadtxt("/app/input/ref/truth.txt", dtype=str)
answers = np.loadtxt(os.path.join(input_dir, "res", "answers.txt"), dtype=str)
if len(answers) != len(truth):
    raise ValueError(f"expected {len(truth)} answers, found {len(answers)}")
right = count_right(truth, answers)
with open(os.path.join(output_dir, "scores.json"), "w") as file:
    json.dump({"accuracy": right / len(truth), "errors": len(truth) - right, "hidden": 1}, file)
""",
    "scoring_program/counting.py": "def count_right(truth, answers):\n    return int((truth == answers).sum())\n",
    "reference_data/truth.txt": "setosa\nsetosa\nvirginica\n",
    "solution/answers.txt": "setosa\nvirginica\nvirginica\n",
}

EVALAI: Mapping[str, str] = {
    "challenge_config.yaml": """
title: Questions
short_description: Answer questions about pictures
description: templates/description.html
evaluation_script: evaluation_script.zip
remote_evaluation: False
is_docker_based: False
leaderboard:
  - id: 1
    schema:
      {
        "labels": ["Accuracy", "Errors"],
        "default_order_by": "Accuracy",
        "metadata": {"Errors": {"sort_ascending": True, "description": "wrong answers"}},
      }
challenge_phases:
  - {id: 1, name: Dev Phase, codename: dev, test_annotation_file: annotations/dev.json, max_submissions_per_day: 7,
     start_date: 2026-01-01 00:00:00, end_date: 2026-05-31 23:59:59, allowed_submission_file_types: ".json, .h5"}
  - {id: 2, name: Test Phase, codename: test, test_annotation_file: annotations/test.json,
     start_date: 2026-06-01 00:00:00, end_date: 2026-06-30 23:59:59}
dataset_splits:
  - {id: 1, name: Train, codename: train_split}
  - {id: 2, name: Test, codename: test_split}
challenge_phase_splits:
  - {challenge_phase_id: 1, leaderboard_id: 1, dataset_split_id: 1, leaderboard_decimal_precision: 3}
  - {challenge_phase_id: 2, leaderboard_id: 1, dataset_split_id: 1}
  - {challenge_phase_id: 2, leaderboard_id: 1, dataset_split_id: 2}
""",
    "templates/description.html": "<h1>Questions</h1><p>Answer each.</p>",
    "evaluation_script/__init__.py": "from .main import evaluate\n",
    "evaluation_script/main.py": """
import json

from .counting import count_right


def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    print("Starting Evaluation.....", kwargs["submission_metadata"])
    with open(test_annotation_file) as file:
        truth = json.load(file)
    with open(user_submission_file) as file:
        answers = json.load(file)
    if not isinstance(answers, dict):
        raise Exception("expected one answer for each question")
    right = count_right(truth, answers)
    metrics = {"Accuracy": 100 * right / len(truth), "Errors": len(truth) - right}
    output = {"result": [{"train_split": metrics}]}
    if phase_codename == "test":
        output["result"].append({"test_split": {**metrics, "Accuracy": metrics["Accuracy"] / 2}})
    output["submission_result"] = output["result"][0]
    return output
""",
    "evaluation_script/counting.py": """
def count_right(truth, answers):
    return sum(answers.get(question) == answer for question, answer in truth.items())
""",
    "annotations/dev.json": '{"q1": "yes", "q2": "no", "q3": "2"}',
    "annotations/test.json": '{"q4": "red"}',
}


@pytest.fixture
def irises(tmp_path: Path) -> Path:
    """A benchmark of a Codabench bundle."""
    folder = tmp_path / "irises"
    make(folder, "--from", str(write(tmp_path / "bundle", CODABENCH)))
    return folder


def score_at_home(folder: Path, answers: str) -> Any:
    """Run the scoring program of a bundle as Codabench does, in folders of its own."""
    app = folder / "app"
    program = {name.removeprefix("scoring_"): text for name, text in CODABENCH.items() if name.startswith("scoring_p")}
    placed = {name: text.replace("/app/", f"{app}/") for name, text in program.items()}
    reference = CODABENCH["reference_data/truth.txt"]
    write(app, {**placed, "input/ref/truth.txt": reference, "input/res/answers.txt": answers, "output/log": ""})
    words = [sys.executable, str(app / "program" / "scoring.py"), str(app / "input"), str(app / "output")]
    subprocess.run(words, check=True, capture_output=True)  # the fixture's own program
    return json.loads((app / "output" / "scores.json").read_text())


def test_scoring_program_gives_the_scores_it_gives_at_home(irises: Path, tmp_path: Path) -> None:
    """A program of several modules, with folders in its text and prints on stdout, runs unchanged."""
    answers = "setosa\nsetosa\nsetosa\n"

    scored = score(irises, zip_files({"answers.txt": answers.encode()}), "result.zip").judgement

    at_home = score_at_home(tmp_path / "home", answers)
    assert scored.outcome is Outcome.SCORED, scored
    assert {name: scored.scores[name] for name in ("accuracy", "errors")} == {
        name: at_home[name] for name in ("accuracy", "errors")
    }
    assert scored.scores["best"] == 1.0


def test_bundle_passes_check_with_its_own_solution(irises: Path) -> None:
    """The columns, the limits and the page come from the bundle; its solution is an example."""
    report = check_folder(irises)

    definition = report.benchmark.definition
    assert [check.outcome for check in report.checks] == [Outcome.SCORED]
    assert (definition.title, definition.summary, definition.submissions.per_day) == ("Irises", "Name the flowers.", 5)
    assert [(each.name, each.direction.value, each.decimals) for each in definition.score_type.headers] == [
        ("accuracy", "higher", 3),
        ("errors", "lower", 2),
        ("best", "higher", 2),
    ]
    assert report.benchmark.description.startswith("<h3>Irises</h3>")


def test_result_that_the_program_rejects_is_the_players(irises: Path, tmp_path: Path) -> None:
    """What the program raises about the result makes it invalid; of a missing file the player reads what is there."""
    invalid = score(irises, zip_files({"answers.txt": b"setosa\nvirginica\n"}), "short.zip").judgement
    missing = score(irises, zip_files({"other.txt": b"setosa\n"}), "missing.zip").judgement

    assert (invalid.outcome, invalid.message) == (Outcome.INVALID, "ValueError: expected 3 answers, found 2")
    assert missing.outcome is Outcome.INVALID
    assert "answers.txt not found; the ZIP has other.txt" in missing.message


@pytest.mark.parametrize("phase", ["dev", "test"])
def test_evaluate_gives_the_scores_it_gives_at_home(
    phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluate` of a package runs unchanged; of several splits each has its columns."""
    challenge = write(tmp_path / "challenge", EVALAI)
    folder = tmp_path / "questions"
    make(folder, "--from", str(challenge), "--phase", phase)
    answers = json.dumps({"q1": "yes", "q3": "2", "q4": "red"}).encode()

    scored = score(folder, answers, "result.json").judgement

    monkeypatch.syspath_prepend(str(challenge))
    for name in [name for name in sys.modules if name.startswith("evaluation_script")]:
        monkeypatch.delitem(sys.modules, name)
    evaluate = importlib.import_module("evaluation_script").evaluate
    annotations = str(challenge / "annotations" / f"{phase}.json")
    output = evaluate(annotations, str(tmp_path / "result.json"), phase, submission_metadata={})
    splits = [pair for entry in output["result"] for pair in entry.items()]
    assert scored.scores == {
        metric if len(splits) == 1 else f"{split} {metric}": float(value)
        for split, metrics in splits
        for metric, value in metrics.items()
    }


@pytest.mark.parametrize(
    ("files", "options", "reason"),
    [
        ({**CODABENCH, "competition.yaml": "phases: []\n"}, (), "--phase: expected one of none"),
        ({**CODABENCH, "competition.yaml": "- no keys\n"}, (), "expected keys and values"),
        (CODABENCH, ("--phase", "Semifinal"), "expected one of Development, Final, found 'Semifinal'"),
        (EVALAI, ("--phase", "nil"), "expected one of dev, test, found 'nil'"),
        ({"notes.txt": ""}, (), "expected competition.yaml or challenge_config.yaml in it"),
    ],
)
def test_origin_that_cannot_be_moved_is_named(
    files: Mapping[str, str], options: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    """The first thing that is missing is an error of the command, and no folder is made."""
    done = laurel("new", str(tmp_path / "moved"), "--from", str(write(tmp_path / "origin", files)), *options)

    assert isinstance(done.exception, UsageError)
    assert reason in str(done.exception)
    assert not (tmp_path / "moved").exists()


HOUSES = "Id,SalePrice,Usage\n" + "".join(f"{1461 + n},{120_000 + 977 * n},Public\n" for n in range(20))
"""A solution file of the form that Kaggle has."""


@pytest.fixture
def houses(tmp_path: Path) -> Path:
    """A benchmark of a solution file."""
    solution = tmp_path / "solution.csv"
    solution.write_text(HOUSES)
    folder = tmp_path / "houses"
    printed = make(folder, "--from", str(solution), "--metric", "rmse")
    for guess in ("id: Id, 20 rows", "target: SalePrice, numbers", "direction: lower is better", "left alone: Usage"):
        assert guess in printed
    return folder


def test_solution_becomes_a_benchmark_that_runs(houses: Path, tmp_path: Path) -> None:
    """Columns, types and direction are guessed and said; the truth itself scores best, and a submission is a row."""
    report = check_folder(houses)
    submission = "Id,SalePrice\n" + "".join(f"{1461 + n},{120_000 + 977 * n + 10}\n" for n in range(20))

    scored = score(houses, submission.encode(), "submission.csv").judgement

    (header,) = report.benchmark.definition.score_type.headers
    assert (header.name, header.direction.value, header.min, header.max) == ("rmse", "lower", 0, None)
    assert {check.name: check.outcome.value for check in report.checks} == {
        "right.csv": "scored",
        "sample.csv": "scored",
    }
    assert report.passed
    assert scored.scores == {"rmse": 10.0}


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("id,label\n1,cat\n2,dog\n3,cat\n4,dog\n", "accuracy"),
        ("id,label\n1,cat\n2,dog\n3,cat\n4,dog\n", "f1_macro"),
        ("row_id,target\na,0\nb,1\nc,1\nd,0\n", "roc_auc"),
        ("row_id,target\na,0\nb,1\nc,1\nd,0\n", "log_loss"),
        ("id,score\n1,2.5\n2,1.5\n3,0.5\n4,4.5\n", "pearson"),
        ("id,score\n1,2.5\n2,1.5\n3,0.5\n4,4.5\n", "rmsle"),
        ("id,items\n1,x y\n2,z\n", "map@5"),
    ],
)
def test_every_kind_of_metric_makes_a_benchmark_that_passes_check(text: str, metric: str, tmp_path: Path) -> None:
    """The sample of each kind is scored, and where the truth can be a result it has the best score."""
    solution = tmp_path / "solution.csv"
    solution.write_text(text)
    make(tmp_path / "made", "--from", str(solution), "--metric", metric)

    report = check_folder(tmp_path / "made")

    assert report.passed, [check.differences for check in report.checks]


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("id,x\n1,cat\n", ("--metric", "rmse"), "rmse compares numbers, and x has 'cat'"),
        ("id,x\n1,2\n", ("--metric", "rsme"), "--metric: expected a metric, found 'rsme'"),
        ("id,x\n1,2\n", (), "--metric: expected how the solution is scored"),
        ("id,x\n1,2\n", ("--metric", "rmse", "--target", "y"), "expected a column 'y', found id, x"),
        ("a,b\n1,2\n1,2\n", ("--metric", "rmse"), "found none: name --id"),
        ("id,x\n1,2,3\n", ("--metric", "rmse"), "in row 2 another number of cells"),
        ("", ("--metric", "rmse"), "found fewer columns or rows"),
        ("id,Usage\n1,Public\n", ("--metric", "rmse"), "expected a column with answers beside id"),
    ],
)
def test_solution_that_does_not_fit_is_named(text: str, options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    """What the file lacks, or the metric cannot read, is an error of the command."""
    solution = tmp_path / "solution.csv"
    solution.write_text(text)

    done = laurel("new", str(tmp_path / "made"), "--from", str(solution), *options)

    assert isinstance(done.exception, UsageError)
    assert reason in str(done.exception)
