"""Makes, by schedule, the boards that were set aside, from the stored records and entries."""

import random
import time
from itertools import batched
from typing import Final, NamedTuple

from aggregate.aggregator import Aggregator
from handlers.loops import logger
from scoring_core.benchmarks.boards import MAIN
from storage.boards.rendering.stalls import Stall
from storage.boards.standings import BoardKey
from storage.gateway.errors import Busy

RESTORE_SECONDS: Final = 120.0
"""After so long one run of the schedule begins no further board, and folds no further records."""
BATCH: Final = 100


class BoardRestorer(NamedTuple):
    """Makes boards that failed, from the stored records and entries."""

    aggregator: Aggregator

    def restore_all(self) -> list[Exception]:
        """Try boards that are set aside again, and return the errors of those that fail."""
        errors, until = list[Exception](), time.monotonic() + RESTORE_SECONDS
        stalls = self.aggregator.stalls.list_all()
        # In a fixed order, boards that take all of the time could always be before the others.
        for stall in random.sample(stalls, len(stalls)):
            if time.monotonic() > until:
                break
            try:
                self._restore(stall, until)
            except Exception as error:
                logger.exception("a board that is set aside failed again", extra={"board": str(stall.board)})
                errors.append(error)
        return errors

    def _restore(self, stall: Stall, until: float) -> None:
        """Fold the records that a board lacks, and render all of its rows.

        Then its stall is forgotten. It stays if the board has failed meanwhile.
        """
        board, aggregator, stalls = stall.board, self.aggregator, self.aggregator.stalls
        main = BoardKey(board.benchmark, board.version)
        records = aggregator.submissions.all_records(board.benchmark, version=board.version, since=stall.first)
        rows: dict[BoardKey, set[str]] = {}
        for batch in batched(records, BATCH, strict=False):
            if time.monotonic() > until:
                stalls.move_on(stall, batch[0].submission.id)
                return
            folded = aggregator.fold_standings(main, batch)
            for key, changed in folded.rows.items():
                rows.setdefault(key, set()).update(changed)
            for key, error in folded.failed.items():
                if key == board or isinstance(error, Busy):  # is not noted, so nothing else would say what it lacks
                    raise error
                aggregator.set_aside(key, error, first=batch[0].submission.id)
        aggregator.renderer.render(board, None)
        for key in rows.keys() - {board} if board.board == MAIN else ():
            aggregator.renderer.render(key, rows[key])  # the stall of a main board may stand for all of its version
        if stalls.forget(stall):
            logger.info("a board is rendered again", extra={"board": str(board), "failures": stall.failures})
