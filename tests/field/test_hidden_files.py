"""Hidden files are left alone wherever files come in, by one rule; ZIPs of Windows PowerShell are read as meant."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from cli.packing import NothingToSubmit, make_batches, open_batch
from scoring_core.benchmarks.bundle import unpack
from scoring_core.errors import BenchmarkError, ZipError
from scoring_core.io.safe_zip import HIDDEN_NAMES, ZipReader, check_archive
from submit.batch_import.entries import Entry, Rules, UnreadableBatch
from submit.batch_import.readers import read_archive
from tests.harness.archives import make_zip
from tests.harness.stack import ROOT

HIDDEN = (
    ".draft.json",
    "._run.json",
    ".ipynb_checkpoints/run-checkpoint.json",
    "Thumbs.db",
    "desktop.ini",
    "level-1/.DS_Store",
    "level-1/__MACOSX/._a.json",
    "__MACOSX/a.json",
    "__pycache__/a.json",
    "THUMBS.DB",
)
RULES = Rules(parts=None, takes=("json",), max_bytes=1_000)


def read_names(content: bytes) -> list[str]:
    """Return the names of all entries of a batch, those with an error too."""
    return [entry.name for entry in read_archive(io.BytesIO(content), RULES)]


def test_a_folder_is_dropped_without_what_nobody_sees(tmp_path: Path) -> None:
    """Neither hidden files nor links, which may lead out of the folder; how many they were is said."""
    folder = tmp_path / "runs"
    for name in (*HIDDEN, "run.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps({"a": name}))
    (tmp_path / "secret.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")

    ((batch,), left) = make_batches([folder], takes=["json"])
    with open_batch(batch) as content:
        packed = zipfile.ZipFile(io.BytesIO(content.read())).namelist()

    assert packed == ["run.json"]
    assert left == len([name for name in HIDDEN if name.endswith(".json")]) + 1
    (folder / "run.json").unlink()
    with pytest.raises(NothingToSubmit):
        make_batches([folder], takes=["json"])


@pytest.mark.parametrize("around", ["", "runs/"])
def test_a_batch_has_no_hidden_entry(around: str) -> None:
    """Of a ZIP of Finder, of a notebook's folder or of Windows the visible results are submitted; nothing fails."""
    entries = [(f"{around}{name}", b"{}") for name in (*HIDDEN, "run.json")]

    assert read_names(make_zip(*entries)) == [f"{around}run.json"]


def test_a_bundle_has_no_hidden_file() -> None:
    """As those of batches."""
    files = unpack(make_zip(*((f"mine/{name}", b"") for name in (*HIDDEN, "benchmark.yaml"))))

    assert list(files) == ["benchmark.yaml"]


def test_the_site_hides_the_same_names() -> None:
    """The table is written twice, in Python and for the browser."""
    source = (ROOT / "frontend/src/ui/lib/folder.ts").read_text()
    (table,) = re.findall(r"HIDDEN_NAMES = new Set\((\[.*?\])\)", source)

    assert set(json.loads(table)) == HIDDEN_NAMES


@pytest.mark.parametrize("names", [(), ("runs/",), HIDDEN])
def test_a_zip_in_which_nothing_is_a_result_is_refused(names: tuple[str, ...]) -> None:
    """Its player would else read that all is done."""
    with pytest.raises(UnreadableBatch, match="expected a ZIP with results, found folders and hidden files at most"):
        read_names(make_zip(*((name, b"") for name in names)))


@pytest.mark.parametrize("names", [["runs\\run.json", "runs\\b\\c.json"], ["runs\\", "runs\\run.json"]])
def test_a_zip_of_windows_powershell_is_read_as_meant(names: list[str]) -> None:
    """Where no entry has a slash, a backslash is one; the content is found under the name that the ZIP has."""
    content = make_zip(*((name, b"" if name.endswith("\\") else b"{}") for name in names))

    entries = list(read_archive(io.BytesIO(content), RULES))

    expected = [name.replace("\\", "/") for name in names if not name.endswith("\\")]
    assert [(entry.name, isinstance(entry, Entry)) for entry in entries] == [(name, True) for name in expected]
    assert list(unpack(make_zip(("mine\\benchmark.yaml", b"a"), ("mine\\examples\\b.json", b"b")))) == [
        "benchmark.yaml",
        "examples/b.json",
    ]


@pytest.mark.parametrize("names", [["..\\a.json"], ["C:\\a.json"], ["\\a.json"], ["a\\b.json", "a/b.json"]])
def test_a_backslash_that_leads_elsewhere_or_may_be_a_letter_is_refused(names: list[str]) -> None:
    """So is one in a ZIP that is itself a result, whose reader is the owner's script."""
    content = make_zip(*((name, b"{}") for name in names))

    assert not all(isinstance(entry, Entry) for entry in read_archive(io.BytesIO(content), RULES))
    with pytest.raises(BenchmarkError):
        unpack(content)
    with pytest.raises(ZipError):
        check_archive(content)
    assert [entry.filename for entry in ZipReader(io.BytesIO(content), max_bytes=9).entries] == names
