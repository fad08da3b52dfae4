"""The version of a benchmark: it changes with what decides scores, and with nothing else."""

import json
from copy import replace
from pathlib import Path
from typing import Any

import pytest

from scoring_core.benchmarks.loading import Benchmark, load_folder
from scoring_core.scorers import script

FILES = {
    "evaluate.py": b"print(1)\n",
    "truth.json": b"{}",
    "other.json": b"{}",
    "description.md": b"Text.",
    "examples/sample.json": b"{}",
    "examples/expected.yaml": b"{}",
}
COINS, TIME = 0, 1


@pytest.fixture
def base(game: dict[str, Any]) -> dict[str, Any]:
    """A definition in which every kind of key is there."""
    game["score_type"]["headers"].append({"name": "Pace", "type": "float", "expression": "Coins / Time"})
    return game | {
        "tags": ["game"],
        "parameters": {"timeout_seconds": 10},
        "ground_truth": "truth.json",
        "parts": ["a", "b"],
        "submissions": {"per_day": 5},
        "opens": "2026-01-01T00:00:00Z",
        "closes": "2026-12-31T00:00:00Z",
    }


@pytest.fixture
def folder(base: dict[str, Any], write_folder: Any) -> Path:
    """The folder of that definition."""
    written: Path = write_folder(base, FILES)
    return written


def rewrite(folder: Path, base: dict[str, Any]) -> Benchmark:
    """Load the folder with another definition."""
    (folder / "benchmark.yaml").write_text(json.dumps(base))
    return load_folder(folder)


def with_header(base: dict[str, Any], index: int, **changes: object) -> dict[str, Any]:
    """Return the definition with one header changed."""
    base["score_type"]["headers"][index] |= changes
    return base


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"timeout_seconds": 11}},
        {"parameters": {"timeout_seconds": 10, "memory_mib": 1024}},
        {"ground_truth": None},
        {"ground_truth": "other.json"},  # the same bytes, but a script opens them by name
    ],
)
def test_keys_that_decide(folder: Path, base: dict[str, Any], change: dict[str, Any]) -> None:
    """Parameters and ground truth decide scores."""
    before = load_folder(folder).version

    assert rewrite(folder, base | change).version != before


@pytest.mark.parametrize(
    ("index", "change"),
    [
        (COINS, {"type": "float"}),
        (COINS, {"min": 1}),
        (COINS, {"min": None}),
        (COINS, {"max": 99}),
        (2, {"name": "Speed"}),
        (2, {"expression": "Time / Coins"}),
    ],
)
def test_headers_that_decide(folder: Path, base: dict[str, Any], index: int, change: dict[str, Any]) -> None:
    """Name, type, bounds and expression of a header decide which scores there are."""
    before = load_folder(folder).version

    assert rewrite(folder, with_header(base, index, **change)).version != before


def test_revision_of_the_scorer_decides(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scorer that scores otherwise makes another version; its first revision is not part of a version."""
    before = load_folder(folder).version
    for revision in (1, 2):
        monkeypatch.setattr(script, "SPEC", replace(script.SPEC, revision=revision))

        assert (load_folder(folder).version == before) is (revision == 1)


@pytest.mark.parametrize("path", ["evaluate.py", "truth.json"])
def test_files_that_decide(folder: Path, path: str) -> None:
    """One more byte of the script or of the ground truth is another version."""
    before = load_folder(folder).version
    (folder / path).write_bytes(FILES[path] + b" ")

    assert load_folder(folder).version != before


def test_another_scorer_is_another_version(game: dict[str, Any], folder: Path) -> None:
    """Another scorer is another version, though all else is the same."""
    (folder / "evaluate.py").unlink()
    # Computed from nothing, this column fits any scorer.
    headers = [{"name": "One", "type": "float", "expression": "1"}]
    game |= {"score_type": {"headers": headers}, "ranking": {"by": ["One"]}, "ground_truth": "truth.json"}
    first = rewrite(folder, game | {"scorer": "iqa_fusion", "parameters": {"missing": "error"}})
    second = rewrite(folder, game | {"scorer": "squad_v2", "parameters": {"missing": "error"}})

    assert first.version != second.version


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Coin Sprint"},
        {"links": [{"label": "Play", "url": "https://example.com/play"}]},
        {"baselines": ["ada", "ada/large"]},
        {"parts": ["a"]},
        {"ranking": {"by": ["Time"], "keep": "latest", "combine": "mean"}},
        {"submissions": {"per_day": 6, "anonymous": False}},
        {"opens": "2026-02-01T00:00:00Z"},
        {"contacts": {"owner": "other@example.com"}},
        {"parameters": {"timeout_seconds": 10.0, "memory_mib": 512}},  # the same, with a default written out
    ],
)
def test_keys_that_do_not_decide(folder: Path, base: dict[str, Any], change: dict[str, Any]) -> None:
    """Texts, limits, dates, parts and ranking decide no score."""
    before = load_folder(folder).version

    assert rewrite(folder, base | change).version == before


@pytest.mark.parametrize(
    "change",
    [
        {"direction": "lower"},
        {"unit": "c"},
        {"decimals": 1},
        {"label": "C"},
        {"help": "H"},
        {"min": 0.0},
        {"max": 100.0},
    ],
)
def test_headers_that_do_not_decide(folder: Path, base: dict[str, Any], change: dict[str, Any]) -> None:
    """How a column is shown and sorted, and how its bounds are written, decides no score."""
    before = load_folder(folder).version

    assert rewrite(folder, with_header(base, COINS, **change)).version == before


def test_order_of_headers_does_not_decide(folder: Path, base: dict[str, Any]) -> None:
    """Columns may change places."""
    before = load_folder(folder).version
    base["score_type"]["headers"].reverse()

    assert rewrite(folder, base).version == before


@pytest.mark.parametrize("path", ["description.md", "examples/sample.json", "examples/expected.yaml", "other.json"])
def test_files_that_do_not_decide(folder: Path, path: str) -> None:
    """Texts, examples and stray files decide no score."""
    before = load_folder(folder).version
    (folder / path).write_bytes(FILES[path] + b" ")

    assert load_folder(folder).version == before


def test_name_of_the_truth_is_nothing_to_a_built_in_scorer(game: dict[str, Any], folder: Path) -> None:
    """No scorer but a script sees what the ground truth's file is called."""
    (folder / "evaluate.py").unlink()
    game |= {
        "scorer": "iqa_fusion",
        "score_type": {"headers": [{"name": "SRCC", "type": "float"}]},
        "ranking": {"by": ["SRCC"]},
    }
    first = rewrite(folder, game | {"ground_truth": "truth.json"})
    second = rewrite(folder, game | {"ground_truth": "other.json"})

    assert first.version == second.version


def test_version_is_16_hexadecimal_digits_and_stays(folder: Path) -> None:
    """A version is 16 hexadecimal digits, and stays what it was when this was written."""
    assert load_folder(folder).version == "b405ee9a73b122d1"
