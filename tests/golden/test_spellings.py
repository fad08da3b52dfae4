"""One table of values and how all that shows a score writes them; `frontend/test/format.test.ts` reads it, too.

Halves are rounded away from zero, of the digits that name a double: what `Intl.NumberFormat` of browsers does.
"""

import csv
import io
import json
import math
from html import unescape
from pathlib import Path
from typing import Any, Final

import pytest

from api.boards.cards import tell_story, write_story
from api.boards.feeds import write_feed
from api.boards.pictures.badges import draw_badge, draw_row_badge
from api.boards.pictures.drawing import draw_board
from cli.boards.first_rows import read_head
from scoring_core.metrics.spelling import read_time, show_digits, show_number, show_with_unit
from storage.boards.csv_rows import write_lines
from storage.boards.models import Head, HeadImprovements
from storage.boards.reading import RowsAround
from storage.boards.site.board_page import write_board_page
from storage.boards.views import RankedRow
from tests.unit.board_rows import make_row
from tests.unit.heads import make_head_of

TABLE: Final[list[dict[str, Any]]] = json.loads((Path(__file__).parent / "spellings.json").read_text())


def make_head(value: float, decimals: int | None, unit: str | None) -> Head:
    """Make the head of a board with one row, which took the lead with this value."""
    head = make_head_of(["Ada"], score=value, decimals=decimals, unit=unit)
    return head.model_copy(update={"improvements": HeadImprovements(steps=((0, value, "p0", "s"),), total=1)})


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['value']!r} {row['decimals']} {row['unit']}")
def test_value_is_written_alike_wherever_it_is_shown(row: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Served page, card, badges, command, picture and feed have its text; the CSV has the number itself."""
    value, decimals, unit, text = row["value"], row["decimals"], row["unit"], row["text"]
    head, with_unit = make_head(value, decimals, unit), show_with_unit(value, decimals, unit)
    ranked = RankedRow(1, False, make_row("p0", value, number=1)._replace(scores={"Coins": value}))  # noqa: FBT003

    page = write_board_page(head, '"etag"', site="")
    shown = read_head(head.model_dump(mode="json"))
    shown.print_rows(shown.list_rows(1))
    (line,) = csv.reader(io.StringIO("".join(write_lines([ranked], head.metrics)), newline=""))

    story = tell_story(head, RowsAround(ranked, 1, [ranked]))
    assert story is not None
    for served in (page, write_story(story, head, site="")):
        assert f"<td>{text}</td>" in served
    assert f"Ada</tspan> · {with_unit}<" in unescape(draw_badge(head))
    assert f" · {with_unit}<" in unescape(draw_row_badge(head, ranked))
    assert f" {text} " in capsys.readouterr().out
    assert story.value == f"Coins {with_unit}"
    assert f">leads with {with_unit[:9]}" in unescape(draw_board(head, [ranked]))
    assert f"Coins {with_unit}</title>" in write_feed(head, site="")
    assert float(line[6]) == value


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['value']!r} {row['decimals']} {row['unit']}")
def test_table_is_what_the_rule_says(row: dict[str, Any]) -> None:
    """All digits are told where some are lost, and what is shown of a time is read back as it."""
    value, text = row["value"], row["text"]

    assert show_number(value, row["decimals"], row["unit"]) == text
    assert (show_digits(value, row["decimals"]) is None) == (row["digits"] is None)
    assert row["digits"] is None or float(row["digits"]) == value
    if row["unit"] == "h:mm:ss" and "e" not in text and value >= 0:
        seconds = read_time(text)
        assert seconds is not None
        assert math.isclose(seconds, value, abs_tol=10.0 ** -(4 if row["decimals"] is None else row["decimals"]))


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_difference_beyond_a_double_is_infinite(value: float) -> None:
    """The gap between two of the largest doubles has no digits."""
    assert show_number(value, 2) == ("∞" if value > 0 else "−∞")


def test_command_tells_values_apart_that_look_equal(capsys: pytest.CaptureFixture[str]) -> None:
    """Neighbours of different rank show all digits of the primary metric, tied ones and others the usual ones."""
    head = make_head_of(["Ada", "Bea", "Cy", "Di", "Eve"], ranks=[1, 2, 3, 3, 5], decimals=2)
    values = (-3, -3.0000000001, -4.111, -4.111, -5)
    rows = head.rows.model_copy(update={"scores": {"Coins": values}})
    shown = read_head(head.model_copy(update={"rows": rows}).model_dump(mode="json"))

    shown.print_rows(shown.list_rows(5))

    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("│")]
    assert [line[-4] for line in lines] == ["−3.00", "-3.0000000001", "−4.11", "−4.11", "−5.00"]
