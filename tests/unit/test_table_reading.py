"""The reader of tables: what it accepts, and that each way of writing gives the same columns."""

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.errors import TableError
from scoring_core.io.tables import MAX_CELL_LENGTH, MAX_COLUMNS, Faults, read_table
from scoring_core.judgement import MAX_MESSAGE_LENGTH

COLUMNS = {"id": ["a", "b"], "price": ["1.5", "2"]}
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff\r"), max_size=8)


@pytest.mark.parametrize(
    ("content", "first_row"),
    [
        ("id,price\na,1.5\nb,2\n", 2),
        ("id,price\r\na,1.5\r\nb,2\r\n", 2),
        ("id,price\ra,1.5\rb,2", 2),
        ("\ufeffid,price\na,1.5\nb,2\n\n\n", 2),
        ('"id","price"\n"a","1.5"\nb,2', 2),
        ("id\tprice\na\t1.5\nb\t2\n", 2),
        ('id\t"price"\na\t"1.5"\nb\t2\n', 2),
        ('[{"id": "a", "price": 1.5}, {"price": 2, "id": "b"}]', 1),
        ('{"id": ["a", "b"], "price": [1.5, "2"]}', 1),
        ('{"id": "a", "price": 1.5}\n{"id": "b", "price": 2}\n', 1),
    ],
)
def test_each_form_gives_the_same_columns(content: str, first_row: int) -> None:
    """The beginning of a file says how it is written."""
    table = read_table(content.encode())

    assert (table.columns, table.first_row) == (COLUMNS, first_row)
    assert table.rows == 2


def test_other_columns_are_left_out_if_some_are_needed() -> None:
    """What nobody asked for takes no memory."""
    assert read_table(b"note,id,price\nx,a,1.5\ny,b,2\n", need=("id", "price")).columns == COLUMNS
    assert read_table(b'[{"id": "a", "x": 1}]', need=("id",)).columns == {"id": ["a"]}


def test_cells_of_json_are_texts() -> None:
    """Numbers, words, nothing and lists have one text each."""
    content = b'{"c": [true, null, 1e3, -0.0, 12345678901234567890, ["x", 1]]}'

    assert read_table(content).columns == {"c": ["true", "", "1000.0", "-0.0", "12345678901234567890", "x 1"]}


def test_one_object_alone_is_a_table_of_columns() -> None:
    """It is no single row, as a line of JSON lines would be."""
    with pytest.raises(TableError, match="a member 'id' that is the string 'a'"):
        read_table(b'{"id": "a"}\n')


@given(
    rows=st.lists(st.tuples(cells, cells), max_size=6),
    separator=st.sampled_from(",\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_csv_writes_is_read_as_it_was(rows: list[tuple[str, str]], separator: str, quoting: int, end: str) -> None:
    """Cells with separators, quotes and line breaks come back unchanged."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=separator, quoting=quoting, lineterminator=end)  # type: ignore[arg-type]  # an int
    writer.writerows([("left", "right"), *rows, ("", "x")])

    table = read_table(buffer.getvalue().encode())

    assert [*zip(*table.columns.values(), strict=True)] == [*rows, ("", "x")]


@given(rows=st.lists(st.fixed_dictionaries({"a": cells, "b": cells}), min_size=2, max_size=6), lines=st.booleans())
def test_what_json_writes_is_read_as_it_was(rows: list[dict[str, str]], *, lines: bool) -> None:
    """Rows of texts come back unchanged, as one array or one a line."""
    content = "".join(json.dumps(row) + "\n" for row in rows) if lines else json.dumps(rows)

    table = read_table(content.encode())

    assert [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)] == rows


@given(content=st.binary(max_size=60) | st.text("a1,\t\n\r\"'{}[]: \ufeff", max_size=60).map(str.encode))
def test_any_bytes_are_a_table_or_have_a_mistake(content: bytes) -> None:
    """Nothing but TableError is raised, and the columns are of one length."""
    faults: tuple[str, ...] = ()
    table = None
    try:
        table = read_table(content)
    except TableError as error:
        faults = error.faults

    assert (table is None) == (1 <= len(faults) <= 20)
    assert table is None or {len(column) for column in table.columns.values()} == {table.rows}


def test_named_mistakes_leave_room_for_their_count() -> None:
    """A record holds 4,000 characters: of long sentences fewer are named, and the others are counted."""
    faults = Faults()
    for row in range(40):
        faults.add("row {}: {}", row, "x" * 500)

    with pytest.raises(TableError) as caught:
        faults.check()

    assert caught.value.message.endswith("\nand 34 more")
    assert len(caught.value.message) < MAX_MESSAGE_LENGTH


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b",".join(b"c%d" % n for n in range(MAX_COLUMNS + 1)), "row 1: expected at most 1000 columns, found 1001"),
        (b"id\n" + b"x" * (MAX_CELL_LENGTH + 1), "row 2: expected at most 100000 characters in a cell"),
        (b'id\n"' + b"x" * 200_000 + b'"', "row 2: expected at most 100000 characters in a cell"),
        (b'[{"id": "%b"}]' % (b"x" * (MAX_CELL_LENGTH + 1)), "row 1: expected at most 100000 characters in a cell"),
        (b'{"%b": 1}' % b'":[],"'.join(b"c%d" % n for n in range(MAX_COLUMNS + 1)).replace(b": 1", b":[]"), "1000"),
        (b'id\n"a\nb"c', "expected the end of the cell behind its last quote, found 'c' (a quote that begins here"),
        (b"[]", "the file is empty: expected at least one row"),
        (b"[1]", "row 1: expected an object, found the number 1"),
        (b'[{"a": 1}, {"a": 1, "b": 2}]', "row 2: expected the column 'a', found 'a' and 'b'"),
        (b'[{"a": ["x y"]}]', "row 1, column 'a': expected a list of items without spaces"),
        (b'{"a": 1}\n{"a": 2}{"a": 3}\n', "row 2: expected JSON: extra data at column 9"),
        (b"%PDF-1.7", "found a PDF"),
    ],
)
def test_limit_is_named(content: bytes, sentence: str) -> None:
    """What is too large, or beside the corpus, is named too."""
    with pytest.raises(TableError) as caught:
        read_table(content)

    assert sentence in caught.value.message
