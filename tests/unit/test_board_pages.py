"""Boards made of pages: what a reader sees is the order of all rows, whatever the pages and changes are."""

import random

import pytest

from aggregate.paging import LeadingRows, Sizes, choose_first_rows, rank_rows
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.standings import Place, RankOrder, start_of
from storage.boards.pages import (
    Change,
    Row,
    bucket_of,
    decode_changes,
    decode_directory,
    decode_page,
    decode_places,
    encode_changes,
    find_placed_row,
    list_row_ids,
)
from storage.boards.standings import Columns
from storage.boards.views import BoardView
from tests.harness.built_boards import build

ORDER = RankOrder((("points", Direction.HIGHER), ("time", Direction.LOWER)))
SIZES = Sizes(head=5, buffer=3, recent=7, page=4, bucket=3)
POINTS = (1, 2, 3, None, 2**60, 2**60 + 1)


def submission(number: int) -> str:
    """Return the id of a submission."""
    return f"01a1fb00-0000-7000-8000-{number:012x}"


def make_rows(randomness: random.Random, columns: Columns) -> list[Row]:
    """Return rows with many ties, absent scores, and labels that look like JSON."""
    rows = []
    for number in range(randomness.randint(6, 60)):
        drawn = {"points": randomness.choice(POINTS), "time": randomness.choice((1.5, 2, None))}
        scores = {name: value for name, value in drawn.items() if value is not None}
        player, label = (f"p{number // 3}", f'"l":{number}\\') if columns.has_labels else (f"p{number}", None)
        rows.append(Row(player, "N", "human", False, label, scores, 1, submission(randomness.randint(0, 5))))  # noqa: FBT003  # verified
    return rows


def change_rows(randomness: random.Random, rows: list[Row], columns: Columns) -> dict[str, Change]:
    """Return changes of a third of the rows, and of some new ones."""
    changes = {}
    for row in randomness.sample(rows, len(rows) // 3):
        moved = row._replace(scores={"points": randomness.choice((1, 2, 3, 4)), "time": 1})
        changes[row.id] = Change(None if randomness.random() < 0.3 else moved, row.place(ORDER))
    for number in range(randomness.randint(0, 5)):
        row = Row(f"q{number}", "N", "model", True, "" if columns.has_labels else None, {"points": 2}, 1, submission(1))  # noqa: FBT003
        changes[row.id] = Change(row, None)
    return changes


@pytest.mark.parametrize("seed", range(60))
def test_a_reader_sees_the_order_of_all_rows(seed: int) -> None:
    """Pages with changes show each row once, with exact ranks and ties; so do parts of them."""
    randomness = random.Random(seed)  # noqa: S311  # reproducible
    columns = Columns(ORDER, ("points", "time"), has_labels=randomness.random() < 0.3)
    rows = make_rows(randomness, columns)
    board = build(rows, columns, sequence=3, sizes=SIZES)
    assert board.pages is not None
    changes = change_rows(randomness, rows, columns)
    left = [row for row in rows if row.id not in changes]
    now = [*left, *(change.row for change in changes.values() if change.row)]
    expected = rank_rows(sorted(now, key=lambda row: row.place(ORDER)), ORDER)

    view = BoardView(
        ORDER,
        decode_directory(board.objects[board.pages.directory]),
        decode_changes(encode_changes(changes)),
        lambda name: decode_page(board.objects[name]),
    )

    assert list(view.all_rows()) == expected
    start = randomness.randint(0, len(expected))
    assert view.rows_from(start, 7) == expected[start : start + 7]
    for ranked in expected:
        assert view.count_before(start_of(ORDER.key(ranked.row.scores))) == ranked.rank - 1


def test_first_rows_are_unknown_once_the_row_after_them_moved() -> None:
    """Only the pages say which row follows then; another row that moves below it changes nothing."""
    first, following, below = (
        Row(player, "N", "human", False, None, {"points": points}, 1, submission(points))  # noqa: FBT003  # verified
        for player, points in (("ada", 9), ("bea", 5), ("cleo", 3))
    )
    place, fallen = following.place(ORDER), following._replace(scores={"points": 1})

    assert choose_first_rows([first], place, {fallen.id: fallen}, ORDER, length=1) is None
    assert choose_first_rows([first], place, {below.id: below}, ORDER, length=1) == LeadingRows([first], place)


@pytest.mark.parametrize("seed", range(30))
def test_places_say_where_the_pages_have_a_row(seed: int) -> None:
    """Each row's place follows from what its bucket says, and all rows of a player are in one bucket."""
    randomness = random.Random(seed)  # noqa: S311  # reproducible
    columns = Columns(ORDER, ("points", "time"), has_labels=randomness.random() < 0.5)
    rows = make_rows(randomness, columns)
    board = build(rows, columns, sequence=3, sizes=SIZES)
    assert board.pages is not None
    directory = decode_directory(board.objects[board.pages.directory])

    for row in rows:
        places = decode_places(board.objects[directory.places[bucket_of(row.id, len(directory.places))]])
        placed = find_placed_row(places, row.id, directory.metrics)
        assert placed is not None
        assert ORDER.place(placed.scores, placed.submission, row.id) == row.place(ORDER)
        assert sorted(list_row_ids(places, row.player)) == sorted(each.id for each in rows if each.player == row.player)
        assert find_placed_row(places, f"{row.id}x", directory.metrics) is None


def test_places_are_stored_with_null_for_an_absent_score() -> None:
    """An absent score sorts after every value, and is null in JSON."""
    place = ORDER.place({"points": 3}, submission(1), "anna")

    assert place.to_json() == ((-3, None), submission(1), "anna")
    assert Place.from_json(place.to_json()) == place
    assert ORDER.place({"points": 3, "time": 1e308}, submission(2), "anna") < place
