"""The examples in docstrings hold."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATHS = ("layers/scoring_core", "layers/storage", "functions/sandbox", "functions", ".")
"""Where Python finds modules, a folder before those that it lies in."""
FILES = [
    file.relative_to(ROOT)
    for folder in ("layers", "functions", "cli", "local", "sandbox")
    for file in sorted((ROOT / folder).rglob("*.py"))
    if ">>> " in file.read_text()
]


@pytest.mark.parametrize("file", FILES, ids=str)
def test_examples_of_a_module_hold(file: Path) -> None:
    """What an example prints is what its docstring says."""
    root = next(path for path in PATHS if file.is_relative_to(path))
    name = ".".join(file.relative_to(root).with_suffix("").parts).removesuffix(".__init__")

    results = doctest.testmod(import_module(name))

    assert results.attempted > 0
    assert results.failed == 0
