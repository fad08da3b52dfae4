"""Tables of earlier boards: read rightly, or rejected by name, and never read wrongly."""

import pytest

from cli.boards.old_rows import OldRow, read_rows
from scoring_core.errors import TableError
from scoring_core.metrics.score_type import MetricType

METRICS = {
    "accuracy": MetricType(name="accuracy", type="float", max=100, unit="%", label="Acc"),
    "params": MetricType(name="params", type="int"),
}
README = """# Results
<table><tr><td colspan=2>Pictures</td></tr><tr><td>one</td></tr></table>

| Model | Acc | Size |
|:--|--:|--:|
| [**Heron**](https://example.org/heron) | 91.5% | 7B |

<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
"""


def read(content: bytes | str, **given: str | int) -> tuple[list[OldRow], list[str]]:
    """Read a file of a board that ranks by accuracy."""
    content = content.encode() if isinstance(content, str) else content
    renamed = {"Size": "params"} if given.pop("sized", "") else {}
    number = given.pop("number", None)
    date = str(given.pop("date", "2024-05-31"))
    return read_rows(content, METRICS, primary="accuracy", renamed=renamed, number=number and int(number), date=date)


@pytest.mark.parametrize(
    "content",
    [
        "name,accuracy\nHeron,91.5\n",
        "\ufeffname\taccuracy\r\nHeron\t91.5\r\n",
        '[{"name": "Heron", "accuracy": 91.5}]',
        "| Method | Acc |\r\n|---|---|\r\n| *Heron* | 91.5 % |\r\n",
        "<!doctype html><table><tr><th>Team</th><th>Acc</th></tr><tr><td>Heron</td><td>91.5</td></table>",
    ],
)
def test_every_form_of_a_row_is_the_same_row(content: bytes | str) -> None:
    """Tables of files and of pages are read as what they say."""
    assert read(content)[0] == [OldRow("Heron", "2024-05-31", {"accuracy": 91.5}, None, None)]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('name,params,accuracy\nHeron,"1,234",3\n', "expected a number, as 1234.5, found '1,234'"),
        ("name;accuracy\nHeron;91,5\n", "row 1: expected commas (or tabs) between the columns, found semicolons"),
        ("name,accuracy\nWänd,91.5\n".encode("cp1252"), "expected UTF-8, found the byte 0xE4"),
        ("name,accuracy\nHeron,191.5\n", "'accuracy': 191.5 is above the maximum 100"),
        ("name,params,accuracy\nHeron,7.5,3\n", "expected a whole number, found 7.5"),
        ("name,accuracy,date\nHeron,91.5,05/06/2024\n", "row 2: expected a day from 1970 until today"),
        ("name,accuracy,date\nHeron,91.5,2999-01-01\n", "as 2024-05-31, maybe by --date, found '2999-01-01'"),
        ("name,accuracy,link\nHeron,91.5,Smith et al.\n", "row 2: expected a link as https://example.org"),
        (f"name,accuracy,note\nHeron,91.5,{'n' * 301}\n", "row 2: expected a note of at most 300 characters"),
        ("|Model|Acc|\n|--|--|\n|Wänd|91.5|\n".encode("cp1252"), "row 3: expected UTF-8, found the byte 0xE4"),
        ("name\taccuracy\nHeron\t91.5\n".encode("utf-16"), "found UTF-16: save it as CSV in UTF-8"),
        ("name,accuracy\n", "expected a row below the header, found 'name', 'accuracy' alone"),
        ("name,accuracy\n,91.5\n", "row 2: expected a name and a score, found an empty cell"),
        ("name,accuracy\nHeron,91.5 ± 0.2\n", "expected a number, as 1234.5, found '91.5 ± 0.2'"),
        ("name,score\nHeron,91.5\n", "columns of a name and of 'accuracy', maybe by --column; found table 1"),
        ("|Model|Acc|\n|--|--|\n|Heron|9<sup>2</sup>|\n", "expected a number, as 1234.5, found '9 2'"),
        ("|Model|Acc|\n|--|--|\n|Heron|9<br>3|\n", "expected a number, as 1234.5, found '9 3'"),
        ("|Model|Acc|\n|--|--|\n|Heron|<del>9</del>3|\n", "expected a number, as 1234.5, found '9 3'"),
        ('# Results\n\nSee the paper, "Kites".\n', "found no table"),
        (README + "\n" + README, "--table, for several fit"),
        ("<table><tr><th>Team<th>Acc</tr><tr><td rowspan=2>A<td>1</tr><tr><td>2</tr></table>", "none of which spans"),
    ],
)
def test_what_may_mean_two_things_is_named(content: bytes | str, fault: str) -> None:
    """Nothing is guessed, and nothing else is read then."""
    with pytest.raises(TableError) as error:
        read(content)

    assert fault in str(error.value)


def test_a_readme_says_what_was_not_read() -> None:
    """The link is that of the name; other tables and columns, and metrics without a column, are named."""
    rows, notes = read(README)

    assert rows == [OldRow("Heron", "2024-05-31", {"accuracy": 91.5}, "https://example.org/heron", None)]
    assert notes == [
        "table 1 was not read: 'Pictures'",
        "table 3 was not read: 'a', 'b'",
        "columns that were not read: 'Size'",
        "no column has params: the rows are without",
    ]
    with pytest.raises(TableError, match="column 'Size': expected a number"):
        read(README, sized="yes")
    with pytest.raises(TableError, match="Size=params: expected one of 'name', 'Acc' as one of accuracy, params, name"):
        read("name,Acc\nHeron,91.5\n", sized="yes")


@pytest.mark.parametrize("text", ["2024-05-31", "2024/05/31", "31.05.2024", "May 31, 2024", "31 May 2024"])
def test_a_day_is_read_as_people_write_it(text: str) -> None:
    """Where the month has no doubt; a row keeps its own day."""
    (row,), _ = read(f'name,accuracy,date,note\nHeron,91.5,"{text}",by hand\n', date="2020")

    assert (row.date, row.note) == ("2024-05-31", "by hand")
    assert read("name,accuracy,Year\nHeron,91.5,2021\n")[0][0].date == "2021-01-01"
