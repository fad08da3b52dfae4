"""YAML that is refused: what would be lost, multiplied or endless."""

import pytest

from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_yaml import read_yaml


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id: a\ntitle: b\nid: c\n", "f.yaml, line 3, column 1: the key 'id' is there twice"),
        (b"ranking:\n  by: [A]\n  by: [B]\n", "f.yaml, line 3, column 3: the key 'by' is there twice"),
        (b"headers: [{name: A, name: B}]", "f.yaml, line 1, column 21: the key 'name' is there twice"),
        (b"1: a\n1: b\n", "f.yaml, line 2, column 1: the key 1 is there twice"),
        (b"a: &x [1]\nb: *x\n", "f.yaml, line 2, column 4: aliases (*name) are not read here"),
        (b"a: [1\n", "f.yaml, line 2, column 1: "),
        (b"a: b: c", "f.yaml, line 1, column 5: "),
        (b"a: !!python/object:os.system x", "f.yaml, line 1, column 4: tags (!!python/object:os.system) are not"),
        (b"%TAG ! tag:yaml.org,2002:\n---\na: !int ''", "f.yaml, line 3, column 4: tags (!!int) are not read here"),
        (b"a: 0b_", "f.yaml, line 1, column 4: invalid literal"),
        (b'a: "\\U00110000"', "f.yaml: chr() arg not in range"),
        (b"a: =", "f.yaml, line 1, column 4: could not determine"),
        (b"? [a]\n: b\n", "f.yaml, line 1, column 3: "),
        (b"a: 1\n---\nb: 2\n", "f.yaml, line 2, column 1: "),
        (b"a: 2026-02-31T00:00:00Z", "f.yaml, line 1, column 4: day"),
        (b"a: \xff", "f.yaml: "),
        (b"a: \x00", "f.yaml: "),
        (b"a: 59:59:59:59.5", "f.yaml, line 1, column 4: 59:59:59:59.5 is a number in base 60; put it into quotes"),
        (b"a: 12:30", "f.yaml, line 1, column 4: 12:30 is a number in base 60; put it into quotes"),
        (b"a: -1_0:0", "f.yaml, line 1, column 4: -1_0:0 is a number in base 60; put it into quotes"),
        (b"a: " + b":".join([b"59"] * 200) + b".5", "f.yaml, line 1, column 4: 59:59:"),
        (b"a:\n  " + b"9" * 1001, "f.yaml, line 2, column 3: a number of 1001 characters: at most 1000"),
        (b"a: 0x" + b"f" * 5000, "f.yaml, line 1, column 4: a number of 5002 characters: at most 1000"),
        (b"a: 0b" + b"1" * 50_000, "f.yaml, line 1, column 4: a number of 50002 characters: at most 1000"),
        (b"a: !!int ''", "f.yaml, line 1, column 4: tags (!!int) are not read here"),
        (b"a: !!bool maybe", "f.yaml, line 1, column 4: tags (!!bool) are not read here"),
        (b"a: !!timestamp soon", "f.yaml, line 1, column 4: tags (!!timestamp) are not read here"),
        (b"a: !!binary aGk=", "f.yaml, line 1, column 4: tags (!!binary) are not read here"),
        (b"!!set {a, b}", "f.yaml, line 1, column 1: tags (!!set) are not read here"),
        (b"- !!omap [a: 1]", "f.yaml, line 1, column 3: tags (!!omap) are not read here"),
        (b"a: ! 5", "f.yaml, line 1, column 4: tags (!) are not read here"),
        (b"a: !x" + b"y" * 1000 + b" 5", "f.yaml, line 1, column 4: tags (!xyyy"),
        (b"[" * 5000, "f.yaml, line 1, column 65: brackets nested deeper than 64"),
        (b"{a: " * 65, "f.yaml, line 1, column 257: brackets nested deeper than 64"),
        (b"- " * 5000, "f.yaml: nested too deeply"),
        (b"a: 1" + b":59" * 400, "f.yaml, line 1, column 4: a number of 1201 characters: at most 1000"),
        (b"a: 1" + b":59" * 400 + b".5", "f.yaml, line 1, column 4: a number of 1203 characters: at most 1000"),
        (b"a: 0b" + b"1" * 999, "f.yaml, line 1, column 4: a number of 1001 characters: at most 1000"),
    ],
)
def test_yaml_is_rejected_with_its_place(content: bytes, message: str) -> None:
    """The message names the file, and the place where there is one."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(content, "f.yaml")

    assert caught.value.message.startswith(message)
    assert len(caught.value.message) < 500


def test_same_key_in_two_mappings() -> None:
    """A key may be there again in another mapping."""
    assert read_yaml(b"[{a: 1}, {a: 2}]", "f.yaml") == [{"a": 1}, {"a": 2}]


def test_long_key_is_cut_in_the_message() -> None:
    """A key that is there twice is quoted by its beginning."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(b'"%b": 1\n"%b": 2\n' % (b"k" * 900, b"k" * 900), "f.yaml")

    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("text", "number"), [(b"1_0", 10), (b"017", 15), (b"0x1f", 31), (b"0b11", 3), (b"-1.5e+3", -1500.0)]
)
def test_numbers_are_those_of_yaml(text: bytes, number: float) -> None:
    """Every number of YAML 1.1 is read, but those in base 60."""
    assert read_yaml(text, "f.yaml") == number
