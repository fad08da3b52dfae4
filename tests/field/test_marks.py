"""A byte order mark, as editors of Windows and its PowerShell write it, before JSON and the files of a benchmark."""

import io
import json
import shutil
import unicodedata
from pathlib import Path

import pytest

from scoring_core.benchmarks.examples import check_examples
from scoring_core.benchmarks.loading import load_bundle, load_folder
from scoring_core.errors import StrictJsonError
from scoring_core.io import strict_json
from scoring_core.io.tables import read_table
from submit.batch_import.entries import Entry, Rules
from submit.batch_import.readers import read_lines

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
MARK = "\ufeff".encode()
CASE = Path(__file__).parent / "cases" / "cut-json-mark" / "marked.json"


def test_case_is_read() -> None:
    """One mark before JSON is left out."""
    assert CASE.read_bytes().startswith(MARK)
    assert strict_json.loads(CASE.read_bytes()) == {"a": 1}


def test_first_result_of_lines_is_not_lost() -> None:
    """The mark of a file is before its first line."""
    rules = Rules(100, parts=("x",))
    line = b'{"part": "x", "result": {"a": 1}}\n'

    entries = [*read_lines(io.BytesIO(MARK + line * 2), rules)]

    assert [entry.body for entry in entries if isinstance(entry, Entry)] == [b'{"a": 1}'] * 2


@pytest.mark.parametrize("form", ['[{"id": 1}, {"id": 2}]', '{"id": [1, 2]}', '{"id": 1}\n{"id": 2}\n', "id\n1\n2\n"])
def test_table_of_any_form_may_have_a_mark(form: str) -> None:
    """JSON, JSON lines and CSV are read alike."""
    assert read_table(MARK + form.encode()).columns == {"id": ["1", "2"]}


@pytest.mark.parametrize("name", ["aic-2025", "squad-v2", "iqa", "coin-sprint", "houses", "full-duplex"])
def test_folder_of_a_benchmark_may_have_marks(name: str, tmp_path: Path) -> None:
    """Definition, description, truth and examples as Notepad saves them pass `laurel check`."""
    folder = tmp_path / name
    shutil.copytree(BENCHMARKS / name, folder)
    for path in folder.rglob("*"):
        if path.suffix in {".yaml", ".md", ".json", ".csv"}:
            path.write_bytes(MARK + path.read_bytes())
    benchmark = load_folder(folder)

    assert benchmark.description == load_folder(BENCHMARKS / name).description
    assert not any(check.differences for check in check_examples(benchmark, benchmark.prepare_scorer()))


@pytest.mark.parametrize(
    ("text", "is_comma"),
    [
        ('{"cash": 12,5}', True),
        ('{"a": {"b": -0,75, "c": 1}}', True),
        ('{"x": 1,50,\n"y": 2}', True),
        ('{"a": 1, 5}', False),  # two numbers, or one: nobody knows
        ('{"a": "1,5" "b"}', False),
        ('{"a": 1,}', False),
    ],
)
def test_decimal_comma_in_json_is_named(text: str, *, is_comma: bool) -> None:
    """A game in a German locale reads what it did, as a table does."""
    with pytest.raises(StrictJsonError) as caught:
        strict_json.loads(text.encode())

    assert (caught.value.message == "a decimal comma is written as a point") is is_comma


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (json.dumps({"a": 1}).encode("utf-16"), "this is UTF-16: save it as JSON in UTF-8"),
        (b"\xfd7zXZ\0\0\x04", "this is xz: unpack it first"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "this is an old workbook of Excel (.xls): save it as JSON"),
        (b"\x80\x04\x95", "this is a pickle: save it as JSON"),
        (b'{"name": "Andr\xe9"}', "not UTF-8 (byte 14)"),
    ],
)
def test_foreign_file_instead_of_json_is_named(content: bytes, message: str) -> None:
    """A player reads what the file is, and what to do with it."""
    with pytest.raises(StrictJsonError) as caught:
        strict_json.loads(content)

    assert caught.value.message.endswith(message)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_examples_are_found_in_either_form(form: str, tmp_path: Path) -> None:
    """A ZIP of a Mac spells the names of examples otherwise than `expected.yaml`."""
    folder = tmp_path / "nfd-table"
    shutil.copytree(CASE.parents[1] / "nfd" / "nfd-table", folder)
    (folder / "examples" / "sample.csv").rename(folder / "examples" / unicodedata.normalize(form, "mẫu.csv"))
    (folder / "examples" / "expected.yaml").write_text("mẫu: {scores: {accuracy: 0.25}}\n")
    benchmark = load_bundle(load_folder(folder).pack())

    (check,) = check_examples(benchmark, benchmark.prepare_scorer())

    assert check.differences == ("scores.accuracy: expected 0.25, found 0.3333333333333333",)
