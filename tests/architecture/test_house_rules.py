"""Each house rule reports its violations, and nothing else."""

import ast
from pathlib import Path

import pytest

from scripts.checks import house_rules as rules
from scripts.checks.line_ceilings import check_ceilings
from scripts.tools import ROOT

GLOSSARY = """# Glossary

| word | what it is | not |
|---|---|---|
| batch | many results | `parcel`, drop |
| again | | `anew`, `in vain` |
"""
WORDS = ["parcel", "anew", "in vain"]


def check_words(folder: Path, text: str, allowed: dict[str, dict[str, str]] | None = None) -> list[str]:
    """Return the retired words that the rule finds in a file."""
    (folder / "file.py").write_text(text)
    return list(rules.find_retired_words(folder, ["file.py"], WORDS, allowed or {}))


def parse(**sources: str) -> dict[str, ast.Module]:
    """Return the trees of modules, each named by its keyword."""
    return {f"{name}.py": ast.parse(source) for name, source in sources.items()}


def test_retired_words_are_read_from_the_glossary() -> None:
    """Only words in code font in a last column are retired."""
    assert rules.read_retired_words(GLOSSARY) == WORDS


@pytest.mark.parametrize("row", ["| parcel, batch | again | |", "| parcel | of many | |"])
def test_word_has_one_meaning(row: str) -> None:
    """A word is defined once, and not while another one retires it."""
    assert not list(rules.find_glossary_faults(GLOSSARY))
    assert {violation.partition(" is")[2] for violation in rules.find_glossary_faults(f"{GLOSSARY}{row}\n")} == (
        {" defined 2 times", " defined and retired"} if "batch" in row else {" defined and retired"}
    )


def test_retired_word_is_found_alone_in_the_plural_and_in_names(tmp_path: Path) -> None:
    """What only contains one passes, and so does an exception in its own files."""
    found = (
        "# read anew",
        "def open_parcel(): ...",
        "class ParcelReader: ...",
        "MAX_PARCELS = 1",
        '"""Tried in vain."""',
    )
    for line in found:
        assert [each[:11] for each in check_words(tmp_path, f"x = 1\n{line}\n")] == ["file.py:2: "], line
    for line in ("# a manewver", "invain = 1", "# a parcelled one"):
        assert check_words(tmp_path, line) == []
    assert check_words(tmp_path, "parcel = 1", {"*.py": {"parcel": "a wire name"}}) == []
    assert check_words(tmp_path, "parcel = 1", {"other.py": {"parcel": "a wire name"}}) != []


def test_variable_without_a_thing_is_found() -> None:
    """The rule checks loops, parameters, assignments and comprehensions, and no name that is only read."""
    for source in ("for one in []: ...", "def f(told): ...", "found = 1", "x = [here for here in []]"):
        assert len(list(rules.find_variables(parse(module=source)))) == 1, source
    assert list(rules.find_variables(parse(module="print(one.where)"))) == []


def test_docstring_with_a_wrong_start_or_a_long_summary_is_found() -> None:
    """The rule checks methods like functions, and of a docstring only its summary."""
    method, right = 'class A:\n    def f(self):\n        """{}"""\n', f"Return the name.\n\n    {'x' * 100}\n    "
    for docstring in ("Give the name.", "Tell whether it is.", "Let it pass.", "Return " + "x" * rules.MAX_SUMMARY):
        assert len(list(rules.find_docstrings(parse(module=method.format(docstring))))) == 1, docstring
    assert list(rules.find_docstrings(parse(module=f'def f():\n    """{right}"""\n'))) == []


def test_public_class_name_is_unique() -> None:
    """Two modules may share a private name, and no public one."""
    assert len(list(rules.find_shared_class_names(parse(a="class A: ...", b="class A: ...")))) == 1
    assert list(rules.find_shared_class_names(parse(a="class _A: ...", b="class _A: ..."))) == []


def test_person_without_a_noun_is_found() -> None:
    """A sentence begins with a noun and a clause follows one; a question about a person is neither."""
    faults = ('"""{} waits gets nothing."""', '"""Leave it. {} waits gets it."""', "# left to {} waits")
    for fault in (*faults, '"""What {} waits reads."""'):
        assert len(list(rules.find_nameless_people({"file.py": fault.format("Who")}))) == 1, fault
    text = '"""Find out who waits. The player who waits gets it."""\n# who waits?\n'
    assert list(rules.find_nameless_people({"file.py": text, "page.md": "Who may read it"})) == []


def test_circle_of_imports_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that import each other late, or as types alone, are named; without the last import there is none."""
    (tmp_path / "ring").mkdir()
    for name, source in {
        "a": "import ring.b\n",
        "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ring.c import g\n",
        "c": "def g() -> None:\n    from ring import a\n",
        "__init__": "",
    }.items():
        (tmp_path / f"ring/{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)

    (violation,) = rules.find_circles("ring")

    assert set(violation.partition(":")[0].split(" → ")) == {"ring.a", "ring.b", "ring.c"}
    (tmp_path / "ring/c.py").write_text("")
    assert list(rules.find_circles("ring")) == []


def test_product_and_tests_keep_their_ceilings() -> None:
    """Lines of code count, in all rooms together; types that are generated and data do not."""
    code, ceilings = b"x = 1\n" * 3, {"product": 6, "tests": 3}
    files = {
        "functions/submit/http.py": code,
        "cli/main.py": code,
        "cli/generated/types.ts": code,
        "cli/words.txt": code,
        "tests/test_main.py": code,
    }

    assert list(check_ceilings(files, ceilings)) == []
    (violation,) = check_ceilings({**files, "sdk/more.js": code}, ceilings)
    assert violation.startswith("product: 9 lines, at most 6")


def test_repeated_block_is_found(tmp_path: Path) -> None:
    """The report of a repeated block names both places."""
    body = "".join(f"    value_{index} = compute_{index}(first, second, third) + {index}\n" for index in range(12))
    for name in ("cli", "local"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "module.py").write_text(f"def {name}(first, second, third):\n{body}")

    (violation,) = rules.find_repeats(tmp_path)

    assert violation.startswith(("cli/module.py:", "local/module.py:"))


@pytest.mark.parametrize("room", ["functions", "layers"])
def test_stores_are_handed_in(room: str) -> None:
    """Only dependencies make stores, so a method works with no table or bucket that its caller cannot replace."""
    modules = [file for file in (ROOT / room).rglob("*.py") if file.name != "dependencies.py"]
    calls = (
        (file, node.func)
        for file in modules
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )

    assert len(modules) > 100
    assert [f"{file}: {name.id}" for file, name in calls if name.id.endswith("Store")] == []
