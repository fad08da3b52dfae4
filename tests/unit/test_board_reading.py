"""What a reader of boards returns, against counting all rows; what it reads for that; which version it shows."""

from collections.abc import Sequence

import pytest
from hypothesis import given

from scoring_core.benchmarks.boards import MAIN
from storage.boards.models import Head
from storage.boards.pages import Change, Row
from storage.boards.reading import BoardReader, ShownBoard
from storage.boards.snapshots import DecodedObjects
from storage.gateway.bucket import Versioned
from storage.keys import head_key
from tests.unit.board_rows import (
    ORDER,
    MemoryFiles,
    PagedBoard,
    make_row,
    paged_boards,
    rank_rows,
    show_rows,
    sort_rows,
    split_pages,
    store_board,
)
from tests.unit.heads import rank_by

MAIN_HEAD = head_key("coins")


def show(files: MemoryFiles) -> ShownBoard:
    """Return the main board of these files."""
    shown = BoardReader(files).find("coins")
    assert shown is not None
    return shown


def make_small_board(rows: Sequence[Row]) -> MemoryFiles:
    """Return the files of a board whose rows are all in its head."""
    files = store_board(PagedBoard((), {}, {}, {}, list(rows)))
    ranking = rank_by(ORDER.by, has_labels=any(row.label is not None for row in rows))
    update = {"pages": None, "rows": show_rows(rows), "ranking": ranking}
    files.heads[MAIN_HEAD] = files.heads[MAIN_HEAD].model_copy(update=update)
    return files


@given(paged_boards())
def test_small_board_is_read_from_its_head(board: PagedBoard) -> None:
    """A board whose rows are all in the head is read as one with pages, and nothing but its head is read."""
    files, ranked = make_small_board(board.rows), rank_rows(board.rows)
    shown = show(files)

    assert list(shown.view.all_rows()) == ranked
    for position, (rank, _, row) in enumerate(ranked):
        assert shown.find_position(row.player) == position
        assert shown.rank_of(row.scores) == rank
        around = shown.find_around(row.player, above=1, below=2)
        assert around == (ranked[position], position + 1, ranked[max(0, position - 1) : position + 3])
    assert (shown.find_row("nobody"), files.read) == (None, [])


@pytest.mark.parametrize("is_small", [False, True])
def test_row_of_a_label(*, is_small: bool) -> None:
    """Where each label has a row, a player's row is that of the label, by default the best one."""
    values = {"a": 3, "b": 9, "c": 1}
    rows = [make_row("ada", points, number=n, label=label) for n, (label, points) in enumerate(values.items())]
    rows += [make_row("bob", 5, number=7, label=""), make_row("adam", 99, number=8, label="a")]
    lines, pages = split_pages(sort_rows(rows), [2])
    moved = make_row("ada", 6, number=9, label="c")
    now = [*(row for row in rows if row.id != "ada/c"), moved]
    changes = {moved.id: Change(moved, rows[2].place(ORDER))}
    shown = show(make_small_board(now) if is_small else store_board(PagedBoard(lines, pages, {}, changes, now)))

    ranks = {label: row and row.rank for label in (None, "a", "b", "c", "d") for row in [shown.find_row("ada", label)]}

    assert ranks == {None: 2, "a": 5, "b": 2, "c": 3, "d": None}
    assert [row and row.rank for row in (shown.find_row("bob"), shown.find_row("bob", ""), shown.find_row("al"))] == [
        4, 4, None,
    ]  # fmt: skip


def test_label_says_nothing_where_players_have_rows() -> None:
    """On a board with a row for each player a label does not matter."""
    shown = show(make_small_board([make_row("ada", 3)]))

    assert shown.find_row("ada", "b") == shown.find_row("ada")


def test_player_costs_five_reads_at_most_on_a_large_board() -> None:
    """Directory, recent changes, a bucket of places, two pages; the next player two or three."""
    rows = [make_row(f"p{number}", number * 7919 % 5_000, number=number) for number in range(10_000)]
    lines, pages = split_pages(sort_rows(rows), [100])
    late = make_row("late", 2_500, number=10_001)
    files = store_board(PagedBoard(lines, pages, {"late": Change(late, None)}, {}, [*rows, late]), buckets=8)
    reader = BoardReader(files)
    ranks = {row.id: rank for rank, _, row in reader.find("coins").view.all_rows()}  # type: ignore[union-attr]
    costs = []
    for player in ("p17", "p4711", "late", "p9999"):
        files.read.clear()
        if not costs:
            files.kept, reader = DecodedObjects(), BoardReader(files)
        shown = reader.find("coins")
        assert shown is not None
        row = shown.find_row(player)
        assert row is not None
        assert row.rank == ranks[player]
        around = shown.find_around(player, above=3, below=3)
        assert around is not None
        assert len(around.rows) == 7
        costs.append([name.partition(".")[0] for name in files.read])

    assert set(costs[0][:2]) == {"directory", "recent"}
    assert costs[0].count("places") == 1
    assert costs[0].count("page") <= 2
    assert len(costs[0]) <= 5


def test_changed_head_is_shown_at_once() -> None:
    """A reader that has read a board shows its next head, and the one before no more; it keeps a few boards."""
    reader = BoardReader(make_small_board([make_row("ada", 3)]))
    later = make_small_board([make_row("ada", 3), make_row("bob", 5)])
    files = reader.snapshots
    assert isinstance(files, MemoryFiles)
    before = reader.find("coins")
    again = reader.find("coins")

    files.heads |= later.heads | {head_key(f"other-{n}"): later.heads[MAIN_HEAD] for n in range(9)}
    after = reader.find("coins")

    assert before is again
    assert [board and board.head.total for board in (before, after)] == [1, 2]
    assert [reader.find(f"other-{n}") is not None for n in range(9)] == [True] * 9


def test_boards_show_the_version_of_the_main_one() -> None:
    """Another board is read in the version that the main one shows, whichever others there are."""
    files = make_small_board([make_row("ada", 3)])
    main = files.heads[MAIN_HEAD]
    for version in ("old", "new"):
        head = main.model_copy(update={"board": "easy", "version": version})
        files.heads[head_key("coins", "easy", version=version)] = head
    shown = []

    for version in ("old", "new", "newest"):
        files.heads[MAIN_HEAD] = main.model_copy(update={"version": version})
        board = BoardReader(files).find("coins", "easy")
        shown.append(board and board.head.version)

    assert shown == ["old", "new", None]


def test_board_is_read_again_if_the_main_one_switches_meanwhile() -> None:
    """Where the head of the main board's version is gone by the time it is read, that of the next version is read."""
    files = make_small_board([make_row("ada", 3)])
    main = files.heads[MAIN_HEAD]
    next_main = main.model_copy(update={"version": "new"})
    files.heads[head_key("coins", "easy", version="new")] = next_main.model_copy(update={"board": "easy"})

    class SwitchingFiles(MemoryFiles):
        """The files of a site whose main board switches after its head was read for the first time."""

        def read_head(self, benchmark: str, board: str = MAIN, *, version: str | None = None) -> Versioned[Head] | None:
            """Return a head."""
            head = super().read_head(benchmark, board, version=version)
            self.heads[MAIN_HEAD] = next_main
            return head

    switching = SwitchingFiles()
    switching.heads = files.heads
    board = BoardReader(switching).find("coins", "easy")

    assert board is not None
    assert board.head.version == "new"


def test_newest_version() -> None:
    """Of the versions that have a head the one that was published last is shown, and without one nothing."""
    files = make_small_board([make_row("ada", 3)])
    for version, number in (("b", 7), ("c", 5)):
        update = {"board": "day", "version": version, "publish_number": number}
        files.heads[head_key("coins", "day", version=version)] = files.heads[MAIN_HEAD].model_copy(update=update)
    reader = BoardReader(files)

    board = reader.find_newest("coins", "day")

    assert board is not None
    assert board.head.version == "b"
    assert reader.find_newest("coins", "night") is None


def test_board_that_is_not_there() -> None:
    """There is no board without a head, nor of another version."""
    files = make_small_board([make_row("ada", 3)])
    head = files.heads[MAIN_HEAD]
    reader = BoardReader(files)

    assert reader.find("coins", version=head.version) is not None
    assert [reader.find("none"), reader.find("coins", "easy"), reader.find("coins", version="1")] == [None] * 3
