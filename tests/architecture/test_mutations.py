"""Every mutation fits the code; otherwise only `make mutations` would find that it tests nothing."""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.faults.mutations import MUTATIONS, Mutation, MutationError
from tests.harness.stack import ROOT

SOURCE = '''
class Store:
    """A store."""

    def put(self, value: int) -> str:
        if value > 3 and self.open:
            self.check(value)
        return "é" if value else "none"


def put(value: int) -> None:
    if value > 3:
        pass
'''


@cache
def dump_program(path: Path) -> str:
    """Return the program of a file, without its layout."""
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_mutation_applies(mutation: Mutation) -> None:
    """The guard exists once, the source without it is a different program, and the tests exist."""
    path, text = mutation.apply(ROOT)

    assert ast.dump(ast.parse(text)) != dump_program(path)
    assert [test for test in mutation.tests if not (ROOT / test.partition("::")[0]).exists()] == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with one module."""
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "store.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("where", "before", "after", "line"),
    [
        ("Store.put", "value>3", "True", "        if (True) and self.open:"),
        ("store:put", "value > 3", "value", "    if (value):"),
        ("Store.put", "self.check( value )", "pass", "            pass"),
        ("Store.put", "return 'é' if value else 'none'", "return 'é'", "        return 'é'"),
        ("Store.put", "'none'", "'any'", "        return \"é\" if value else ('any')"),
        ("cli.store", "self.open", "True", "        if value > 3 and (True):"),
    ],
)
def test_guard_is_found_in_any_layout(tree: Path, where: str, before: str, after: str, line: str) -> None:
    """An expression or statements are compared as code, within the function that is named."""
    path, text = Mutation("name", where, before, after, ()).apply(tree)

    assert path == tree / "cli" / "store.py"
    assert line in text.splitlines()


@pytest.mark.parametrize(
    ("where", "before"), [("Store.put", "value > 4"), ("Store.get", "value"), ("Store.put", "value")]
)
def test_guard_in_no_place_or_in_many_is_an_error(tree: Path, where: str, before: str) -> None:
    """A mutation that fits no place, or several, raises an error."""
    with pytest.raises(MutationError, match="expected one place"):
        Mutation("name", where, before, "pass", ()).apply(tree)
