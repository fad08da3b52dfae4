"""Rebuilds and checks that an administrator started."""

import time
from dataclasses import dataclass

from aggregate.benchmarks.changes import compare_boards
from aggregate.benchmarks.windows import WindowKeeper
from aggregate.checking import BoardChecker
from storage.benchmarks.operations import (
    OperationRequest,
    OperationResult,
    OperationStore,
)
from storage.boards.standings import BoardKey

MAX_LISTED = 1_000
RESERVE_SECONDS = 120.0
"""For what follows the last record."""


@dataclass(frozen=True, slots=True)
class BoardOperator:
    """Rebuilds and checks boards."""

    checker: BoardChecker
    operations: OperationStore

    def run(self, operation_id: str, *, seconds: float) -> None:
        """Do an operation within some time, and store its report."""
        until = time.monotonic() + seconds - RESERVE_SECONDS
        self.operations.run(
            operation_id, lambda request: self.check(request) if request.check else self.rebuild(request, until=until)
        )

    def check(self, request: OperationRequest) -> OperationResult:
        """Return where boards differ from their records. Raises NotFound."""
        differences = self.checker.check(request.benchmark or "")
        return OperationResult(differences=tuple(f"{each.board}: {each}" for each in differences))

    def rebuild(self, request: OperationRequest, *, until: float) -> OperationResult:
        """Rebuild a board, and return what that changed. Raises NotFound.

        A rebuild that takes longer than `until`, of the monotonic clock, says where it stopped.
        """
        rebuilder = self.checker.rebuilder
        aggregator = rebuilder.aggregator
        published = aggregator.benchmarks.current(request.benchmark or "", fresh=True)
        board = BoardKey(published.id, published.version)
        before, position = rebuilder.read_rows(published.id), None
        for submission in rebuilder.rebuild(board, after=request.after):
            if time.monotonic() > until:
                position = submission
                break
        aggregator.render_all(board)
        if position is None:
            for _ in WindowKeeper(aggregator).restore_all(published):
                pass
        after = rebuilder.read_rows(published.id)
        column = published.definition.ranking.by[0]
        changes = [change for change in compare_boards(before, after, column=column) if change.is_change]
        return OperationResult(
            version=board.version,
            rows=len(after.player),
            column=column,
            changed=len(changes),
            changes=tuple(changes[:MAX_LISTED]),
            next=position,
        )
