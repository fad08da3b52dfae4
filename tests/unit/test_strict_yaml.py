"""YAML that is refused: what would be lost, multiplied or endless."""

import pytest

from scoring_core.errors import BenchmarkError
from scoring_core.io.strict_yaml import read_yaml


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id: a\ntitle: b\nid: c\n", "f.yaml, line 3, column 1: the key 'id' is there twice"),
        (b"headers: [{name: A, name: B}]", "f.yaml, line 1, column 21: the key 'name' is there twice"),
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
        (b"a: " + b":".join([b"59"] * 200) + b".5", "f.yaml, line 1, column 4: 59:59:"),
        (b"a:\n  " + b"9" * 1001, "f.yaml, line 2, column 3: a number of 1001 characters: at most 1000"),
        (b"a: 0b" + b"1" * 50_000, "f.yaml, line 1, column 4: a number of 50002 characters: at most 1000"),
        (b"a: !!int ''", "f.yaml, line 1, column 4: tags (!!int) are not read here"),
        (b"!!set {a, b}", "f.yaml, line 1, column 1: tags (!!set) are not read here"),
        (b"a: ! 5", "f.yaml, line 1, column 4: tags (!) are not read here"),
        (b"a: !x" + b"y" * 1000 + b" 5", "f.yaml, line 1, column 4: tags (!xyyy"),
        (b"[" * 5000, "f.yaml, line 1, column 65: brackets nested deeper than 64"),
        (b"{a: " * 65, "f.yaml, line 1, column 257: brackets nested deeper than 64"),
        (b"- " * 5000, "f.yaml: nested too deeply"),
        (b"a: 1" + b":59" * 400 + b".5", "f.yaml, line 1, column 4: a number of 1203 characters: at most 1000"),
    ],
)
def test_yaml_is_rejected_with_its_place(content: bytes, message: str) -> None:
    """The message names the file, and the place where there is one."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(content, "f.yaml")

    assert caught.value.message.startswith(message)
    assert len(caught.value.message) < 500


def test_what_is_no_fault_is_read() -> None:
    """A key may be there again in another mapping; true and false are the same in all versions of YAML."""
    assert read_yaml(b"[{a: 1}, {a: 2}]", "f.yaml") == [{"a": 1}, {"a": 2}]
    assert read_yaml(b"[true, false, True, FALSE]", "f.yaml") == [True, False, True, False]


def test_long_key_is_cut_in_the_message() -> None:
    """A key that is there twice is quoted by its beginning."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(b'"%b": 1\n"%b": 2\n' % (b"k" * 900, b"k" * 900), "f.yaml")

    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"-7", -7),
        (b"1_000", 1000),
        (b"0o17", 15),
        (b"0x1f", 31),
        (b"0b11", 3),
        (b"1e-3", 0.001),
        (b"1e3", 1000.0),
        (b"-1.5e+3", -1500.0),
        (b".5", 0.5),
        (b"+.5e1", 5.0),
        (b"5.", 5.0),
        (b"00.5", 0.5),
    ],
)
def test_numbers_are_read_as_everybody_writes_them(text: bytes, number: float) -> None:
    """The numbers of YAML 1.2 are read, and those of YAML 1.1 that cannot be anything else."""
    value = read_yaml(text, "f.yaml")

    assert (value, type(value)) == (number, type(number))


@pytest.mark.parametrize("text", ["e3", "1e", "1e-", "1e3x", "a1e3", ".", "1.2.3", "v1_0", "1e3_", "y", "n", "NO1"])
def test_what_is_no_number_is_text(text: str) -> None:
    """Names and versions stay as they are written."""
    assert read_yaml(f"a: {text}".encode(), "f.yaml") == {"a": text}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("017", "017: a number that begins with 0 is read in two ways; put it into quotes, or leave out the 0"),
        ("08", "08: a number that begins with 0 is read in two ways"),
        ("-00", "-00: a number that begins with 0 is read in two ways"),
        ("no", "'no' is false to some readers and a text to others; write false, or put it into quotes"),
        ("Yes", "'Yes' is true to some readers and a text to others; write true, or put it into quotes"),
        ("ON", "'ON' is true to some readers and a text to others; write true, or put it into quotes"),
        ("off", "'off' is false to some readers and a text to others; write false, or put it into quotes"),
    ],
)
@pytest.mark.parametrize("form", ["a: {}", "{}: a", "[x, {}]"])
def test_what_yaml_reads_in_two_ways_is_rejected(text: str, message: str, form: str) -> None:
    """YAML 1.1 and 1.2 differ there, so the owner says which is meant; in quotes it is text."""
    with pytest.raises(BenchmarkError) as caught:
        read_yaml(form.replace("{}", text).encode(), "f.yaml")

    assert message in caught.value.message
    assert text in str(read_yaml(form.replace("{}", f"'{text}'").encode(), "f.yaml"))
