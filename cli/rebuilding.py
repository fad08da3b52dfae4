"""Rebuilding from a terminal: contributions, standings and snapshots made anew from the records of submissions."""

from typing import Any, NamedTuple

from aggregate.rebuilder import Rebuilder
from cli.comparison import Change, compare_boards
from cli.progress import show_progress
from storage.boards.standings import BoardKey


class RebuildReport(NamedTuple):
    """What a rebuild did to the board, or would do.

    Args:
        benchmark: The id.
        version: The version whose board it is.
        written: Whether anything was written.
        players: How many players the board has, then.
        column: The column that `changes` tell the values of.
        changes: The players whose rank or value changes.
    """

    benchmark: str
    version: str
    written: bool
    players: int
    column: str
    changes: list[Change]

    def as_json(self) -> dict[str, Any]:
        """Give what `laurel rebuild --json` prints."""
        return {**self._asdict(), "changes": [one._asdict() for one in self.changes]}


def rebuild(rebuilder: Rebuilder, benchmark: str, *, dry_run: bool) -> RebuildReport:
    """Remake a board, or tell what that would change. Raises NotFound."""
    published = rebuilder.workshop.benchmarks.current(benchmark, fresh=True)
    board = BoardKey(benchmark, published.version)
    before = rebuilder.read_rows(benchmark)
    if dry_run:
        after = rebuilder.preview(board)
    else:
        with show_progress() as progress:
            task = progress.add_task("reading records", total=None)
            for _ in rebuilder.add_contributions(board):
                progress.advance(task)
            task = progress.add_task("folding standings", total=None)
            rebuilder.workshop.rebuild(board)
            progress.update(task, total=1, completed=1)
        after = rebuilder.read_rows(benchmark)
    column = published.definition.ranking.by[0]
    changes = [one for one in compare_boards(before, after, column=column) if one.is_change]
    return RebuildReport(benchmark, board.version, not dry_run, len(after.player), column, changes)
