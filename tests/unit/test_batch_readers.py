"""The readers of batches against any content: good entries are submitted, bad ones reported."""

import io
from zipfile import ZIP_DEFLATED, ZIP_STORED

import pytest

from scoring_core.io.limits import MAX_BATCH_ENTRIES
from submit.batch_import.entries import Entry, EntryError, Rules, read_file
from submit.batch_import.readers import read_archive, read_lines
from tests.harness.archives import make_zip
from tests.harness.bad_bodies import BAD_BODIES

PLAIN = Rules(max_bytes=1_000)
LEVELS = Rules(max_bytes=1_000, parts=("level-1", "level-2"))
LABELS = Rules(max_bytes=1_000, takes_labels=True)


def lines(content: bytes, rules: Rules = PLAIN) -> list[Entry | EntryError]:
    """Read a JSONL."""
    return list(read_lines(io.BytesIO(content), rules))  # type: ignore[arg-type]  # as good as any file


def unpack(content: bytes, rules: Rules = PLAIN) -> list[Entry | EntryError]:
    """Read a ZIP."""
    return list(read_archive(io.BytesIO(content), rules))


def refusal_of(read: list[Entry | EntryError]) -> str:
    """Return why the one entry was rejected."""
    (entry,) = read
    assert isinstance(entry, EntryError)
    return entry.error


def test_each_line_of_jsonl_is_an_entry() -> None:
    """Each line is a result, byte for byte; blank lines, CRLF and no last newline make no difference."""
    read = lines(b'{"a": 1.10}\r\n\n  \r\n[2]\n{"c":3}')

    assert read == [Entry("line 1", b'{"a": 1.10}'), Entry("line 4", b"[2]"), Entry("line 5", b'{"c":3}')]
    assert lines(b"") == lines(b"\n\n") == lines(b"  ") == []


def test_one_bad_line() -> None:
    """One bad line in 10,000 is reported, the others are submitted."""
    read = lines(b'{"a":1}\n' * 6_172 + b'{"a":\n' + b'{"a":1}\n' * 3_827)

    assert len(read) == 10_000
    (refused,) = [entry for entry in read if isinstance(entry, EntryError)]
    assert refused.name == "line 6173"
    assert refused.error.startswith("expected JSON: ")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        *((bad.body, bad.message) for bad in BAD_BODIES if bad.body.strip() and b"\n" not in bad.body),
        (b'"a"', "expected an object or an array"),
        (b"[" * 65 + b"]" * 65, "nested deeper"),
        (b"[" * 999, "nested deeper"),
    ],
)
def test_line_is_checked_as_a_post_is(line: bytes, message: str) -> None:
    """A line that is no result is reported, and its neighbours are read."""
    first, refused, last = lines(b"[1]\n" + line + b"\n[3]")

    assert isinstance(refused, EntryError)
    assert (message if len(line) <= PLAIN.max_bytes or message == "nested deeper" else "too large") in refused.error
    assert (first, last) == (Entry("line 1", b"[1]"), Entry("line 3", b"[3]"))


@pytest.mark.parametrize("size", [1_001, 1_002, 1_003, 1_004, 100_000_000])
def test_long_line_is_refused_and_the_next_ones_are_read(size: int) -> None:
    """A line that is too long is passed over, and the lines behind it are read."""
    read = lines(b"[1]\n" + b"[" + b"1" * (size - 2) + b"]\r\n[3]")

    assert read == [
        Entry("line 1", b"[1]"),
        EntryError("line 2", "too large: expected at most 1000 bytes"),
        Entry("line 3", b"[3]"),
    ]


def test_a_line_as_long_as_may_be() -> None:
    """A result of exactly the limit is taken, whatever ends its line."""
    line = b"[" + b" " * 998 + b"]"

    assert lines(line) == lines(line + b"\n") == lines(line + b"\r\n") == [Entry("line 1", line)]


def test_too_many_lines() -> None:
    """After the limit of results nothing more is read, and that is reported."""
    read = lines(b"[1]\n" * (MAX_BATCH_ENTRIES + 5))

    assert len(read) == MAX_BATCH_ENTRIES + 1
    assert read[-1] == EntryError("line 10001", "expected at most 10000 results: the rest was not read")


@pytest.mark.parametrize(
    "wrapper",
    [
        b'{"part":"level-2","result":{"t": 1.10, "part": "x"}}',
        b' { "part" : "level-2" , "result" : {"t": 1.10, "part": "x"} } ',
        b'{"result":{"t": 1.10, "part": "x"},"part":"level-2"}',
        b'{"re\\u0073ult" : {"t": 1.10, "part": "x"}\t,"p\\u0061rt":"level-\\u0032"}',
    ],
)
def test_wrapper_names_the_part(wrapper: bytes) -> None:
    """Where results name a part a wrapper names it, and the result is kept as it came."""
    assert lines(wrapper, LEVELS) == [Entry("line 1", b'{"t": 1.10, "part": "x"}', "level-2")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"coins": 1}', 'expected {"part"'),
        (b'{"part": "level-1", "result": {}, "more": 1}', 'expected {"part"'),
        (b"[1]", 'expected {"part"'),
        (b'{"part": "level-9", "result": {}}', "one of level-1, level-2, found 'level-9'"),
        (b'{"part": 1, "result": {}}', "one of level-1, level-2"),
        (b'{"part": "level-1", "result": 1}', "expected an object or an array"),
        (b'{"part": "level-1", "result": "' + b"x" * 1_000 + b'"}', "too large"),
    ],
)
def test_wrapper_with_other_keys_is_refused(line: bytes, message: str) -> None:
    """A wrapper holds a known part and a result, nothing else."""
    assert message in refusal_of(lines(line, LEVELS))


def test_json_file_is_one_entry() -> None:
    """A JSON file is one result, whose part is its name, as in a ZIP."""
    assert read_file("a.json", b"\n[1]\n", PLAIN) == Entry("a.json", b"\n[1]\n")
    assert read_file("level-1.json", b"[1]", LEVELS) == Entry("level-1.json", b"[1]", "level-1")


def test_file_of_a_format_that_is_taken_is_one_entry() -> None:
    """It is one result as it is, with the part and label that its path gives; what does not fit is rejected."""
    content, table = make_zip(("a", b"a")), b"id,x\r\n1,2\r\n"
    rules = LEVELS._replace(takes=("csv", "zip"), takes_labels=True)

    assert read_file("level-1/run.zip", content, rules) == Entry("level-1/run.zip", content, "level-1", "run", "zip")
    assert read_file("level-2.CSV", table, rules) == Entry("level-2.CSV", table, "level-2", None, "csv")
    assert refusal_of([read_file("a.csv", table, rules)]).startswith("expected its folder, or the file itself")
    assert refusal_of([read_file("level-2.json", b"[]", rules)]) == "expected a name that ends in .csv, .zip"
    assert "found something else" in refusal_of([read_file("level-2.zip", b"[1]", rules)])
    assert "too large" in refusal_of([read_file("level-2.zip", content, rules._replace(max_bytes=10))])


def test_batch_of_other_files_than_json() -> None:
    """In a ZIP of results each file is of a format that is taken, and is stored as it came."""
    rules = PLAIN._replace(takes=("csv", "json"))

    read = unpack(make_zip(("a.csv", b"id\n1\n"), ("b.json", b"[1]"), ("c.csv", b"\xff"), ("d.tsv", b"id\n")), rules)

    assert read[:2] == [Entry("a.csv", b"id\n1\n", file_format="csv"), Entry("b.json", b"[1]")]
    assert [entry.error for entry in read[2:] if isinstance(entry, EntryError)] == [
        "expected CSV in UTF-8, found the byte 0xff in line 1; save the file as UTF-8",
        "expected a name that ends in .json, .csv",
    ]


@pytest.mark.parametrize("how", [ZIP_STORED, ZIP_DEFLATED])
def test_each_file_of_an_archive_is_an_entry(how: int) -> None:
    """Each file is a result, named by its path; folders and what macOS adds are passed over."""
    content = make_zip(
        ("runs/", b""), ("runs/ä.json", b"[1]"), ("__MACOSX/runs/._a.json", b"x"), ("b.JSON", b"[2]"), method=how
    )

    assert unpack(content) == [Entry("runs/ä.json", b"[1]"), Entry("b.JSON", b"[2]")]


@pytest.mark.parametrize("path", ["level-2.json", "level-2/anything.json", "a/level-2/level-1.json", "x/level-2.json"])
def test_part_of_a_path(path: str) -> None:
    """The folder that holds a file names the part, else the file itself."""
    assert unpack(make_zip((path, b"[1]")), LEVELS) == [Entry(path, b"[1]", "level-2")]


@pytest.mark.parametrize("path", ["a.json", "level-2/a/b.json", "level-2-fast.json"])
def test_path_without_a_part_is_refused(path: str) -> None:
    """A path that names no part is rejected, with the parts that there are."""
    assert "named one of level-1, level-2" in refusal_of(unpack(make_zip((path, b"[1]")), LEVELS))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("../a.json", "plain relative path"),
        ("a\nb.json", "printable"),
        ("a\u202eb.json", "printable"),
        ("a" * 300 + ".json", "printable"),
        ("notes.txt", "ends in .json"),
        ("inner.zip", "ends in .json"),
    ],
)
def test_entry_with_an_unsafe_name_is_refused(path: str, message: str) -> None:
    """A name that leads elsewhere, hides its type or is no JSON file's is rejected alone."""
    first, last = unpack(make_zip((path, b"[1]"), ("good.json", b"[2]")))

    assert isinstance(first, EntryError)
    assert message in first.error
    assert first.name.isprintable()
    assert last == Entry("good.json", b"[2]")


@pytest.mark.parametrize("character", [b"\\", b"\0"])
def test_name_that_zipfile_would_not_write(character: bytes) -> None:
    """NUL in a name is rejected, and a backslash beside a name with a slash."""
    content = make_zip(("a!b.json", b"[1]"), ("c/d.json", b"[1]")).replace(b"a!b", b"a" + character + b"b")

    assert "expected a" in refusal_of(unpack(content)[:1])


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_second_entry_of_a_name_is_refused() -> None:
    """Of two entries with one name the first counts, and the second is reported."""
    first, second = unpack(make_zip(("a.json", b"[1]"), ("a.json", b"[2]")))

    assert first == Entry("a.json", b"[1]")
    assert isinstance(second, EntryError)
    assert "twice" in second.error


def test_junk_before_the_first_entry() -> None:
    """Bytes before the first entry are skipped."""
    assert unpack(b"#!/bin/sh\n" * 50 + make_zip(("a.json", b"[1]"))) == [Entry("a.json", b"[1]")]


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("step-1200.json", "step-1200"),
        ("runs/step-1200.json", "step-1200"),
        ("Schritt  12 ✓.json", "Schritt 12 ✓"),
        ("v1.2.json", "v1.2"),
    ],
)
def test_file_in_a_zip_is_named_by_its_label(path: str, label: str) -> None:
    """Where labels are taken, the name of the file without its ending is the label, as it would be shown."""
    content = make_zip((path, b"[1]"))

    assert unpack(content, LABELS) == [Entry(path, b"[1]", label=label)]
    assert unpack(content) == [Entry(path, b"[1]")]


@pytest.mark.parametrize(
    ("path", "part", "label"),
    [
        ("level-1/step-12.json", "level-1", "step-12"),
        ("step-12/level-2.json", "level-2", "step-12"),
        ("all/step-12/level-2.json", "level-2", "step-12"),
        ("level-1.json", "level-1", None),
        ("level-1/level-1.json", "level-1", None),
    ],
)
def test_label_is_what_does_not_name_the_part(path: str, part: str, label: str | None) -> None:
    """If the file names the part, the folder is the label, unless it names the part, too."""
    rules = LEVELS._replace(takes_labels=True)

    assert unpack(make_zip((path, b"[1]")), rules) == [Entry(path, b"[1]", part, label)]


def test_name_that_cannot_be_a_label_is_reported() -> None:
    """An entry whose label could not be shown is rejected, and the others are not."""
    read = unpack(make_zip((f"{'x' * 65}.json", b"[1]"), ("b.json", b"[2]")), LABELS)

    assert refusal_of(read[:1]) == "its name is its label: expected at most 64 characters, found 65"
    assert read[1:] == [Entry("b.json", b"[2]", label="b")]


def test_single_file_has_a_label_and_a_line_has_none() -> None:
    """A file that is one result has its name as label, whether JSON or a bundle; lines have no names."""
    bundle = make_zip(("1.json", b"[1]"))

    assert read_file("step-1.json", b"[1]", LABELS) == Entry("step-1.json", b"[1]", label="step-1")
    assert read_file("step-2.zip", bundle, LABELS._replace(takes=("zip",))) == Entry(
        "step-2.zip", bundle, label="step-2", file_format="zip"
    )
    assert lines(b"[1]", LABELS) == [Entry("line 1", b"[1]")]
    assert refusal_of([read_file("a\u200b.json", b"[1]", LABELS)]).startswith("its name is its label: ")
