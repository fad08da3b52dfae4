"""Rows as CSV: no cell is run by a spreadsheet, and every value comes back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring_core.metrics.score_type import Direction
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import HeadParts, Metric
from storage.boards.views import RankedRow
from tests.unit.board_rows import METRICS, make_row

SHOWN = tuple(
    Metric(id=name, label=name.title(), unit=None, direction=Direction.HIGHER, decimals=2, help=None, primary=False)
    for name in METRICS
)


def write(*rows: RankedRow) -> str:
    """Return rows as a file."""
    has_labels = any(ranked.row.label is not None for ranked in rows)
    return write_header(SHOWN, has_labels=has_labels) + "".join(write_lines(rows, SHOWN))


def test_columns_of_a_row() -> None:
    """A row has rank, player, scores at full precision, and the moment of its submission."""
    row = make_row("ada", 0.1 + 0.2, number=4)

    header, line, end = write(RankedRow(3, True, row)).split("\r\n")  # noqa: FBT003  # tied

    assert (
        header
        == "\ufeffrank,tied,player,player_id,kind,verified,Points,Time,Extra,submissions,last,submission,taken_over"
    )
    assert (
        line == f"3,true,Ada,ada,human,false,0.30000000000000004,,4,5,2026-03-01T12:00:00.000Z,{row.submission},false"
    )
    assert end == ""


def test_columns_of_parts_come_last() -> None:
    """How many parts are done, and the values that count; what is missing is empty."""
    row = make_row("ada", 3, number=4)
    row = row._replace(scores={**row.scores, "#done": 2, "#level-1/points": 0.5})
    parts = HeadParts(total=3, noun="levels", names=("level-1", "level-2"), metrics=("points",))

    header = write_header(SHOWN, has_labels=False, parts=parts)
    (line,) = write_lines([RankedRow(1, tied=False, row=row)], SHOWN, parts=parts)

    assert header.removesuffix("\r\n").endswith(",last,submission,taken_over,levels_done,level-1 Points,level-2 Points")
    assert line.removesuffix("\r\n").endswith(f",{row.submission},false,2,0.5,")


def test_label_has_a_column_where_labels_have_rows() -> None:
    """The column of the label follows those of the player."""
    text = write(RankedRow(1, tied=False, row=make_row("ada", 1, label="step 12")))

    assert [line.split(",")[6] for line in text.splitlines()] == ["label", "step 12"]


def test_a_board_with_baselines_has_a_column_of_them() -> None:
    """It follows the label; it names rows, so another label of the player is none."""
    rows = [RankedRow(1, tied=False, row=make_row("ada", 1, label=label)) for label in ("step 12", "b")]

    header = write_header(SHOWN, has_labels=True, baselines={"ada/step%2012"})
    lines = write_lines(rows, SHOWN, baselines={"ada/step%2012"})

    cells = [line.split(",")[6:8] for line in (header, *lines)]
    assert cells == [["label", "baseline"], ["step 12", "true"], ["b", "false"]]


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =1", "＝1", "＋1", "－1", "＠a", "\r=1", '=a"b']
)
def test_no_name_is_a_formula(name: str) -> None:
    """A name that a spreadsheet would run begins with an apostrophe."""
    ranked = RankedRow(1, tied=False, row=make_row("ada", 1)._replace(name=name, label=name))

    (_, read) = csv.reader(io.StringIO(write(ranked), newline=""))

    assert (read[2], read[6]) == (f"'{name}", f"'{name}")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_name_comes_back(name: str) -> None:
    """A reader of CSV gets the name, perhaps behind an apostrophe, and the same number of cells."""
    text = write(RankedRow(1, tied=False, row=make_row("ada", 1)._replace(name=name)))

    header, read = csv.reader(io.StringIO(text, newline=""))

    assert len(header) == len(read)
    assert read[2] in {name, f"'{name}"}
