"""What `laurel new --from solution.csv` makes of the columns that solution files have."""

from pathlib import Path

import pytest
import yaml

from cli.commands.benchmarks.scoring import check_folder
from cli.exit_codes import UsageError
from scoring_core.benchmarks.definition import FinalRules
from tests.harness.command_line import laurel
from tests.harness.moved import make, score

IGNORED = "Id,y,Usage\nr1,1.5,Public\nr2,3.0,Private\nr3,4.5,public\nr4,0,Ignored\nr5,n/a,Ignored\n"
RIGHT = b"Id,y\nr1,1.5\nr2,3.0\nr3,4.5\nr4,37\nr5,12\n"


def make_solution(tmp_path: Path, text: str, *options: str, name: str = "solution.csv") -> str:
    """Move a solution to the folder `made`; return what is printed."""
    (tmp_path / name).write_text(text)
    return make(tmp_path / "made", "--from", str(tmp_path / name), *options)


def read_parameters(tmp_path: Path) -> dict[str, object]:
    """Return the parameters of what was made."""
    definition: dict[str, dict[str, object]] = yaml.safe_load((tmp_path / "made" / "benchmark.yaml").read_text())
    return definition["parameters"]


def test_private_rows_wait_for_the_final_and_others_never_count(tmp_path: Path) -> None:
    """Whatever stands in ignored rows, in the truth and in the result, public rows alone are scored until the final."""
    printed = make_solution(tmp_path, IGNORED, "--metric", "rmse")

    report = check_folder(tmp_path / "made")
    scored = score(tmp_path / "made", RIGHT.replace(b"r2,3.0", b"r2,99"), "perfect.csv").judgement

    assert report.passed, [check.differences for check in report.checks]
    assert scored.scores == {"rmse": 0.0}
    assert read_parameters(tmp_path)["rows"] == {"column": "Usage", "now": "Public", "final": "Private"}
    assert report.benchmark.files["examples/right.csv"] == b"Id,y\nr1,1.5\nr2,1.5\nr3,4.5\nr4,1.5\nr5,1.5\n"
    assert report.benchmark.definition.final == FinalRules(counts="best")
    assert "rows: column Usage, now Public, final Private; 2 rows are neither and never scored" in printed


def test_each_column_that_is_left_alone_is_named_with_the_reason(tmp_path: Path) -> None:
    """What is neither id nor target, and divides no rows, is said, and why."""
    printed = make_solution(tmp_path, ",Id,y,area\n0,r1,1,9\n1,r2,2,8\n", "--metric", "rmse")

    assert "left alone: area, y is the target; name another" in printed
    assert "left alone: a column without a name, numbers of rows" in printed


def test_placeholder_of_an_ignored_row_is_no_class(tmp_path: Path) -> None:
    """A class that only such rows have does not count in the mean of the classes."""
    rows = "".join(f"{n},{'cat' if n % 2 else 'dog'},Private\n" for n in range(6))

    make_solution(tmp_path, f"id,label,Usage\n{rows}9,unknown,Ignored\n", "--metric", "f1_macro")

    assert read_parameters(tmp_path)["labels"] == ["cat", "dog"]
    assert check_folder(tmp_path / "made").passed


@pytest.mark.parametrize(
    ("text", "metric", "id_", "target"),
    [
        ("Usage,Id,y\nPublicTest,1,3\nPrivateTest,2,4\n", "accuracy", "Id", "y"),
        ("USAGE,Id,y\nPUBLIC,1,3\nprivate ,2,4\nPrivate,3,4\n", "accuracy", "Id", "y"),
        ("Usage,Id,y\nPublic,1,3\nIgnored,2,x\nPublic,3,4\n", "spearman", "Id", "y"),
        ("split,Id,y\nprivate,1,3\nignore,2,4\n", "rmse", "Id", "y"),
        ("id,usage\n1,30.5\n2,12\n", "rmse", "id", "usage"),
        ("covid,image,y\n1,a,0\n2,b,1\n", "accuracy", "covid", "image"),
        ("covid,imageId,y\n1,a,0\n2,b,1\n", "rmse", "imageId", "covid"),
        ("paid,row_id,y\n1,a,0\n2,b,1\n", "rmse", "row_id", "paid"),
        ("solid,ID\n1,a\n2,b\n", "rmse", "ID", "solid"),
        ("grid,id_code,y\n1,a,0\n2,b,1\n", "rmse", "id_code", "grid"),
        (",Id,y\n0,1,3.5\n1,2,4\n", "rmse", "Id", "y"),
        ("Unnamed: 0,Id,y\n0,1,3.5\n1,2,4\n", "rmse", "Id", "y"),
    ],
)
def test_split_index_and_word_that_ends_with_id_are_no_id_or_target(
    text: str, metric: str, id_: str, target: str, tmp_path: Path
) -> None:
    """A column that divides rows is neither, whatever its case; pandas' index has no name; `covid` is no id."""
    make_solution(tmp_path, text, "--metric", metric)

    assert {"id": id_, "target": target}.items() <= read_parameters(tmp_path).items()
    assert check_folder(tmp_path / "made").passed


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        (["True", "False"], ["False", "True"]),
        (["10", "9", "1"], ["1", "9", "10"]),
        ([f"c{n}" for n in range(21)], None),
        (["only"], None),
    ],
)
def test_labels_are_written_where_classes_are_few(classes: list[str], labels: list[str] | None, tmp_path: Path) -> None:
    """A result that spells a class otherwise is refused then, with what is expected."""
    rows = "".join(f"{n},{classes[n % len(classes)]}\n" for n in range(50))

    make_solution(tmp_path, f"id,label\n{rows}", "--metric", "accuracy")

    assert read_parameters(tmp_path).get("labels") == labels
    assert check_folder(tmp_path / "made").passed


@pytest.mark.parametrize("metric", ["log_loss", "top_k_accuracy@2", "roc_auc_macro"])
def test_truth_with_a_column_for_each_class_is_read_as_it_is(metric: str, tmp_path: Path) -> None:
    """A contest of breeds has 1 in the column of a row's class; a half may hide."""
    rows = "".join(
        f"{n},{int(n % 3 == 0)},{int(n % 3 == 1)},{int(n % 3 == 2)},{'Public' * (n < 6) or 'Private'}\n"
        for n in range(12)
    )

    printed = make_solution(tmp_path, f"id,cat,dog,eel,Usage\n{rows}", "--metric", metric)

    assert read_parameters(tmp_path)["one_hot"] == ["cat", "dog", "eel"]
    assert "one_hot: cat, dog, eel, 1 in rows of the class" in printed
    assert check_folder(tmp_path / "made").passed


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nId;größe\r\n1;3,5\r\n2;4\r\n",
        "Id\tgröße\n1\t3.5\n2\t4\n",
        "Id\tgröße\n1\t3,5\n2\t4\n",
        "sep=,\nId,größe\n1,3.5\n2,4\n",
    ],
)
def test_solution_is_read_as_a_spreadsheet_saved_it(text: str, encoding: str, tmp_path: Path) -> None:
    """Whatever is between cells and in decimals; what is kept is plain CSV, in UTF-8."""
    (tmp_path / "solution.csv").write_bytes(text.encode(encoding))

    laurel("new", str(tmp_path / "made"), "--from", str(tmp_path / "solution.csv"), "--metric", "rmse")

    assert (tmp_path / "made" / "solution.csv").read_text() == "Id,größe\n1,3.5\n2,4\n"
    assert check_folder(tmp_path / "made").passed


@pytest.mark.parametrize(
    ("text", "metric", "reason"),
    [
        ("id,y,y\n1,2,3\n", "rmse", "found 'y' twice"),
        (",y\n0,2\n1,3\n", "rmse", "a column without a name"),
        ("id,y\n1,2\n2,\n", "rmse", "y has ''"),
        ("id,y\n1,nan\n2,3\n", "rmse", "y has 'nan'"),
        ("id,y\n1,cat\n2,dog\n3,cow\n4,dog\n", "f1", "f1 is of two classes, found 3"),
        ("id,cat,dog\n1,0.5,0.5\n2,0,1\n", "log_loss", "expected 1 in the column of each row's class and 0 in the"),
        ('id,y\n1,"' + "x" * 140_000 + '"\n', "exact_match", "field larger than field limit"),
        ("id,y\n1,2\n", "RMSE", "did you mean 'rmse'?"),
        ("id,y\n1,2\n", "MAE", "did you mean 'mae'?"),
        ("id,y\n1,2\n", "ROC-AUC", "did you mean 'roc_auc'?"),
    ],
)
def test_solution_that_cannot_be_read_is_answered_by_a_sentence(
    text: str, metric: str, reason: str, tmp_path: Path
) -> None:
    """What stands in the way is named, with the cure, and no folder is made."""
    (tmp_path / "solution.csv").write_text(text)

    done = laurel("new", str(tmp_path / "made"), "--from", str(tmp_path / "solution.csv"), "--metric", metric)

    assert isinstance(done.exception, UsageError)
    assert reason in str(done.exception)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("metric", ["f1", "roc_auc"])
@pytest.mark.parametrize(("classes", "positive"), [(("no", "yes"), "yes"), (("0", "1"), None), (("-1", "1"), None)])
def test_positive_class_is_chosen_and_said(
    metric: str, classes: tuple[str, str], positive: str | None, tmp_path: Path
) -> None:
    """Where two classes do not say which one counts, the later one does, and a note names it."""
    rows = "".join(f"{n},{classes[n % 2]}\n" for n in range(6))

    printed = make_solution(tmp_path, f"id,label\n{rows}", "--metric", metric)

    assert read_parameters(tmp_path).get("positive") == positive
    assert (f"positive: {positive} is the class" in printed) == (positive is not None)
    assert check_folder(tmp_path / "made").passed
