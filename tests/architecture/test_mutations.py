"""Every mutation fits the code; otherwise only `make mutations` would find that it tests nothing."""

import ast
from collections.abc import Iterator
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


def test_every_mutation_applies() -> None:
    """Each guard exists once, the source without it is a different program, and its tests exist."""
    assert [fault for mutation in MUTATIONS for fault in find_faults(mutation)] == []


def find_faults(mutation: Mutation) -> Iterator[str]:
    """Yield why removing a guard would prove nothing."""
    try:
        path, text = mutation.apply(ROOT)
    except MutationError as error:
        yield str(error)
    else:
        if ast.dump(ast.parse(text)) == dump_program(path):
            yield f"{mutation.name}: is the same program without it"
    for test in mutation.tests:
        if not (ROOT / test.partition("::")[0]).exists():
            yield f"{mutation.name}: there is no {test}"


@cache
def dump_program(path: Path) -> str:
    """Return the program of a file, without its layout."""
    return ast.dump(ast.parse(path.read_text(encoding="utf-8")))


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


@pytest.mark.parametrize(
    ("change", "test", "fault"),
    [
        (("value > 4", "True"), "README.md", "expected one place"),
        (("value > 3", "value>3"), "README.md", "is the same program"),
        (("value > 3", "True"), "tests/test_gone.py::test_it", "there is no tests/test_gone.py::test_it"),
    ],
)
def test_mutation_that_proves_nothing_is_told(
    tree: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], test: str, fault: str
) -> None:
    """Each way in which a mutation does not apply has its message."""
    monkeypatch.setattr("tests.architecture.test_mutations.ROOT", tree)
    (tree / "README.md").touch()

    (told,) = find_faults(Mutation("name", "Store.put", *change, (test,)))

    assert fault in told
