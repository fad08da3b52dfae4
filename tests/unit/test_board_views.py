"""Ranks, ties and rows of a board that lies in pages and changes, against counting all of its rows."""

from hypothesis import given
from hypothesis import strategies as st

from scoring_core.ranking.standings import end_of, start_of
from storage.boards.pages import Directory, PageRows
from storage.boards.views import BoardView
from tests.unit.board_rows import METRICS, ORDER, PagedBoard, make_row, paged_boards, rank_rows, sort_rows, split_pages


def view(board: PagedBoard, read: list[str] | None = None) -> BoardView:
    """Return the view of a board; `read` takes the name of each page that is read."""

    def read_page(name: str) -> PageRows:
        if read is not None:
            read.append(name)
        return board.pages[name]

    return BoardView(ORDER, Directory(board.lines, (), METRICS), board.recent | board.buffer, read_page)


@given(paged_boards())
def test_all_rows_are_ranked_as_by_counting(board: PagedBoard) -> None:
    """Every row is in order, with its rank, and marked as tied where another row has that rank."""
    viewed = view(board)

    assert list(viewed.all_rows()) == rank_rows(board.rows)
    assert viewed.total == len(board.rows)


@given(paged_boards(), st.data())
def test_places_are_counted(board: PagedBoard, data: st.DataObject) -> None:
    """The rows before a row, before its ties and behind them are counted, one page is read at most."""
    places = [row.place(ORDER) for row in sort_rows(board.rows)]
    absent = make_row("new", data.draw(st.none() | st.integers(-1, 4)), number=data.draw(st.integers(0, 5)))
    for place in [*places, absent.place(ORDER)]:
        for bound in (place, start_of(place.key), end_of(place.key)):
            read: list[str] = []
            assert view(board, read).count_before(bound) == sum(other < bound for other in places)
            assert len(read) <= 1


@given(paged_boards(), st.none() | st.integers(-1, 4))
def test_rank_that_a_score_would_have(board: PagedBoard, points: int | None) -> None:
    """A score that is not on the board would have the rank after all better ones."""
    key = ORDER.key({} if points is None else {"points": points})

    assert view(board).rank(key) == 1 + sum(ORDER.key(row.scores) < key for row in board.rows)


def test_rank_among_ties_over_many_pages_reads_no_page() -> None:
    """Where a tie begins and ends is told by the directory, however many pages it covers."""
    rows = [make_row(f"p{number}", 7, number=number) for number in range(40)]
    lines, pages = split_pages(sort_rows(rows), [4])
    read: list[str] = []
    viewed = view(PagedBoard(lines, pages, {}, {}, rows), read)

    assert [viewed.rank(ORDER.key({"points": points})) for points in (8, 7, 6)] == [1, 1, 41]
    assert read == []
