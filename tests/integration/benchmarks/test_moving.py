"""`laurel new --from`: what was made for Codabench, EvalAI and Kaggle runs here, and scores as it did there."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from cli.commands.benchmarks.scoring import check_folder
from cli.exit_codes import UsageError
from scoring_core.outcome import Outcome
from tests.harness.archives import zip_files
from tests.harness.command_line import laurel
from tests.harness.moved import BUNDLE, CHALLENGE, copy_case, make, score, write


def test_bundle_runs_with_its_modules_and_its_solution(tmp_path: Path) -> None:
    """A program of several modules scores in the sandbox as at home; the bundle's solution is an example, its page is.

    Two of three right are 2 public, 4 hidden ones, and 3 in the mean.
    """
    added = {"solutions": [{"index": 0, "path": "solution", "tasks": [0]}], "pages": [{"file": "overview.md"}]}
    files = {
        "prog/counting.py": "def count(found, right):\n    return sum(a == b for a, b in zip(found, right))\n",
        "solution/answer.json": "[4711, 815, 1234]",
        "overview.md": "# Numbers\n\nGuess each.\n",
    }
    bundle = copy_case(BUNDLE, tmp_path / "bundle", lambda config: config.update(added), files)
    program = bundle / "prog" / "score.py"
    text = program.read_text().replace("hits = sum(a == b for a, b in zip(res, ref))", "hits = count(res, ref)")
    program.write_text(f"from counting import count\n{text}")
    make(tmp_path / "numbers", "--from", str(bundle))

    report = check_folder(tmp_path / "numbers")
    scored = score(tmp_path / "numbers", zip_files({"answer.json": b"[4711, 815, 1]"}), "result.zip").judgement

    assert [check.outcome for check in report.checks] == [Outcome.SCORED]
    assert report.benchmark.description.startswith("<h3>Numbers</h3>")
    assert (scored.outcome, scored.scores) == (Outcome.SCORED, {"pub": 2.0, "both": 3.0})


@pytest.mark.parametrize(("phase", "splits"), [("dev", [""]), ("test", ["a_split ", "b_split "])])
def test_each_split_of_a_challenge_has_its_columns(phase: str, splits: list[str], tmp_path: Path) -> None:
    """`evaluate` of a package runs unchanged in the sandbox; of several splits each has its columns."""
    split = {"challenge_phase_id": 2, "leaderboard_id": 1, "dataset_split_id": 1}
    challenge = copy_case(
        CHALLENGE, tmp_path / "challenge", lambda config: config["challenge_phase_splits"].append(split)
    )
    make(tmp_path / "evens", "--from", str(challenge), "--phase", phase)

    scored = score(tmp_path / "evens", b"[0, 1, 0, 0]", "result.json").judgement

    metrics = {"Macro F1": 0.25, "F1": 0.75, "Seconds": 3.0}
    assert scored.scores == {f"{name}{metric}": value for name in splits for metric, value in metrics.items()}


PHASES = "phases: [{index: 0, name: Dev, tasks: [0]}, {index: 1, name: Final, tasks: [0]}]\n"


@pytest.mark.parametrize(
    ("files", "options", "reason"),
    [
        ({"competition.yaml": "phases: []\n"}, (), "--phase: expected one of none"),
        ({"competition.yaml": "- no keys\n"}, (), "expected keys and values"),
        ({"competition.yaml": PHASES}, ("--phase", "Semi"), "expected one of Dev, Final, found 'Semi'"),
        ({"notes.txt": ""}, (), "expected competition.yaml or challenge_config.yaml in it"),
        ("id,x\n1,cat\n", ("--metric", "rmse"), "rmse compares numbers, and row 2, column x has 'cat'"),
        ("id,x\n1,2\n", ("--metric", "rsme"), "metric: expected a metric, found 'rsme'"),
        ("id,x\n1,2\n", (), "--metric: expected how the solution is scored"),
        ("id,x\n1,2\n", ("--metric", "rmse", "--target", "y"), "expected a column 'y', found id, x"),
        ("a,b\n1,2\n1,2\n", ("--metric", "rmse"), "found none: name one"),
        ("id,x\n1,2,3\n", ("--metric", "rmse"), "in row 2 another number of cells"),
        ("", ("--metric", "rmse"), "found fewer columns or rows"),
        ("id,Usage\n1,Public\n", ("--metric", "rmse"), "expected a column with answers beside id"),
    ],
)
def test_origin_that_cannot_be_moved_is_named(
    files: Mapping[str, str] | str, options: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    """The first thing that is missing, or that a metric cannot read, is an error, and no folder is made."""
    origin = tmp_path / "origin"
    origin = write(origin, {"a.csv": files}) / "a.csv" if isinstance(files, str) else write(origin, files)
    done = laurel("new", str(tmp_path / "moved"), "--from", str(origin), *options)

    assert isinstance(done.exception, UsageError)
    assert reason in str(done.exception)
    assert not (tmp_path / "moved").exists()


def test_solution_becomes_a_benchmark_that_runs(tmp_path: Path) -> None:
    """Columns, types and direction are guessed and said; the truth itself scores best, and a submission is a row."""
    rows = "".join(f"{1461 + n},{120_000 + 977 * n},Public\n" for n in range(20))
    solution, houses = tmp_path / "solution.csv", tmp_path / "houses"
    solution.write_text(f"Id,SalePrice,Usage\n{rows}")
    printed = make(houses, "--from", str(solution), "--metric", "rmse")
    for guess in ("id: Id, 20 rows", "target: SalePrice, numbers", "direction: lower is better", "left alone: Usage"):
        assert guess in printed
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
        ("row_id,target\na,0\nb,1\nc,1\nd,0\n", "roc_auc"),
        ("id,score\n1,2.5\n2,1.5\n3,0.5\n4,4.5\n", "pearson"),
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
