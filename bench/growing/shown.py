"""The one place of this bench that knows how the product publishes a board and how its files are read."""

from collections.abc import Collection, Iterator

from growing.crowds import Crowd, ShownRow, make_player

from aggregate.board import order_rows
from scoring_core.ranking.standings import RankOrder
from storage.boards.models import Head, Rows
from storage.boards.pages import decode_changes, decode_directory, decode_page, read_changes
from storage.boards.standings import PlayerStanding
from storage.boards.views import BoardView


def publish(crowd: Crowd, rows: Collection[str] | None) -> None:
    """Publish the board after the standings of these rows, or of all, have changed."""
    assert crowd.aggregator.renderer.render(crowd.board, rows)


def list_shown_rows(crowd: Crowd) -> Iterator[ShownRow]:
    """Yield all rows that the board shows, in order."""
    head = _read_head(crowd)

    def read(name: str) -> bytes:
        return crowd.aggregator.snapshots.read_object(head.folder, name)

    if head.pages is None:
        yield from _spread(head.rows)
        return
    recent = decode_changes(read(head.pages.recent)) if head.pages.recent else {}
    changes = {**recent, **read_changes(head.pages.buffer)}
    directory = decode_directory(read(head.pages.directory))
    view = BoardView(RankOrder(head.ranking.order), directory, changes, lambda name: decode_page(read(name)))
    for rank, tied, row in view.all_rows():
        yield ShownRow(row.player, row.name, rank, tied, dict(row.scores), row.submissions, row.submission)


def list_expected_rows(crowd: Crowd) -> Iterator[ShownRow]:
    """Return the rows that the board should show, in order."""
    standings = [PlayerStanding(make_player(number), crowd.find(number)[0]) for number in range(crowd.size)]
    return _spread(order_rows(standings, rules=crowd.published.boards[0].board.rules))


def read_directory(crowd: Crowd) -> str | None:
    """Return the name of the directory, which changes when waiting changes are worked in; None if none ever wait."""
    pages = _read_head(crowd).pages
    return pages and pages.directory


def _spread(rows: Rows) -> Iterator[ShownRow]:
    for index, player in enumerate(rows.player):
        scores = {name: column[index] for name, column in rows.scores.items()}
        place = rows.rank[index], rows.tied[index]
        yield ShownRow(player, rows.name[index], *place, scores, rows.submissions[index], rows.submission[index])


def _read_head(crowd: Crowd) -> Head:
    head = crowd.aggregator.snapshots.read_head(crowd.board.benchmark, crowd.board.board)
    assert head is not None
    return head.value
