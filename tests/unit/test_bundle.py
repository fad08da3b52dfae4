"""Bundles: packed always alike, unpacked with care."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.benchmarks import bundle
from scoring_core.benchmarks.loading import load_bundle, load_folder
from scoring_core.errors import BenchmarkError
from tests.harness.archives import make_zip

STRANGE = (
    "../evil.py",
    "/etc/passwd",
    "examples/../../evil",
    "examples/a/b",
    "..",
    "a\\b",
    "../",
    "/.hidden",
    "C:/x",
    "a\n",
)
NAMES = st.from_regex(r"(examples/)?[A-Za-zé_][A-Za-z0-9 ._-]{0,20}", fullmatch=True)


@given(files=st.dictionaries(NAMES, st.binary(max_size=200), max_size=6), data=st.data())
def test_bundle_is_unpacked_as_it_was_packed(files: dict[str, bytes], data: st.DataObject) -> None:
    """What was packed is unpacked, and the order of the files leaves no trace."""
    shuffled = dict(data.draw(st.permutations(list(files.items()))))

    packed = bundle.pack(files)

    assert bundle.unpack(packed) == files
    assert bundle.pack(shuffled) == packed


def test_benchmark_round_trip(game: dict[str, Any], write_folder: Any) -> None:
    """A benchmark is the same after it was published, and packed again gives the same bytes."""
    files = {"truth.json": b"{}", "description.md": "Größe".encode(), "examples/sample.json": b"{}"}
    before = load_folder(write_folder(game | {"ground_truth": "truth.json", "parts": ["a"]}, files))

    after = load_bundle(before.pack())

    assert after == before
    assert after.version == before.version
    assert after.pack() == before.pack()


def test_time_leaves_no_trace(game: dict[str, Any], write_folder: Any) -> None:
    """Files touched later give the same bundle."""
    folder: Path = write_folder(game)
    before = load_folder(folder).pack()
    os.utime(folder / "evaluate.py", (2_000_000_000, 2_000_000_000))

    assert load_folder(folder).pack() == before


def test_what_is_packed(game: dict[str, Any], write_folder: Any) -> None:
    """Hidden files, links, folders and files that nobody names stay at home."""
    files = {
        ".env": b"secret",
        "notes.txt": b"",
        "examples/.hidden.json": b"",
        "examples/a.json": b"",
        "truth.json": b"",
    }
    folder: Path = write_folder(game | {"ground_truth": "truth.json"}, files)
    (folder / "examples/link.json").symlink_to(folder / "notes.txt")
    (folder / "examples/deep").mkdir()
    (folder / "examples/deep/b.json").touch()
    (folder / "description.md").symlink_to(folder / "notes.txt")

    assert set(load_folder(folder).files) == {"benchmark.yaml", "evaluate.py", "truth.json", "examples/a.json"}


@pytest.mark.parametrize(
    ("truth", "paths", "text"),
    [
        ("lib", ["evaluate/lib/a.py", "lib"], "evaluate/lib: would be a file and a folder"),
        (None, ["evaluate/a", "evaluate/a/b.py"], "evaluate/a: would be a file and a folder"),
        (None, ["evaluate/evaluate.py/b.py"], r"evaluate/evaluate\.py: would be a file and a folder"),
        (None, ["evaluate/" + "\U0001f600" * 64], "which is no file of a benchmark"),
    ],
)
def test_files_that_cannot_be_beside_the_script_are_refused(
    game: dict[str, Any], truth: str | None, paths: list[str], text: str
) -> None:
    """When they are loaded, not when the first result is scored."""
    definition = json.dumps(game | ({"ground_truth": truth} if truth else {})).encode()
    files = {"benchmark.yaml": definition, "evaluate/evaluate.py": b"", **dict.fromkeys(paths, b"x")}

    with pytest.raises(BenchmarkError, match=text):
        load_bundle(bundle.pack(files))


def test_linked_folder_of_examples_is_not_followed(game: dict[str, Any], write_folder: Any, tmp_path: Path) -> None:
    """A folder of examples that is a link is not followed."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.json").touch()
    folder: Path = write_folder(game)
    (folder / "examples").symlink_to(elsewhere)

    assert load_folder(folder).examples == {}


def test_linked_ground_truth(game: dict[str, Any], write_folder: Any, tmp_path: Path) -> None:
    """A ground truth that is a link is not there."""
    (tmp_path / "shadow").write_bytes(b"{}")
    folder: Path = write_folder(game | {"ground_truth": "truth.json"})
    (folder / "truth.json").symlink_to(tmp_path / "shadow")

    with pytest.raises(BenchmarkError, match=r"no plain file 'truth\.json'"):
        load_folder(folder)


def test_stray_files_are_not_read(game: dict[str, Any], write_folder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that nobody names, however large, is not even opened."""
    folder: Path = write_folder(game, {"huge.bin": b"x"})
    read: list[str] = []
    real = Path.read_bytes

    def read_and_note(path: Path) -> bytes:
        read.append(path.name)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read_and_note)

    load_folder(folder)

    assert sorted(set(read)) == ["benchmark.yaml", "evaluate.py"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "a"), "'a' twice"),
        (("quiz/benchmark.yaml", "other/a"), "which is no file of a benchmark"),
        *(((name,), "no file of a benchmark") for name in STRANGE),
    ],
)
def test_names_that_lead_elsewhere(names: tuple[str, ...], words: str) -> None:
    """A name that is not one of the folder or of its examples, is there twice, or is of another folder is refused."""
    with pytest.raises(BenchmarkError, match=words):
        bundle.unpack(make_zip(*((name, b"") for name in names)))


def test_bundle_without_definition() -> None:
    """The error of a sound ZIP that is no benchmark names what is missing."""
    with pytest.raises(BenchmarkError, match=r"benchmark\.yaml: missing"):
        load_bundle(make_zip(("a", b"")))
