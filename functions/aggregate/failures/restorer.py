"""Renders by schedule, from the stored records and entries, the boards that were set aside."""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import batched
from typing import Final, NamedTuple

from aggregate.aggregator import Aggregator
from handlers.loops import logger
from scoring_core.benchmarks.boards import MAIN
from storage.boards.rendering.stalls import MAX_FAILURES, Stall
from storage.boards.standings import BoardKey
from storage.gateway.errors import Busy
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox

RESTORE_SECONDS: Final = 120.0
"""After so long one run of the schedule begins no further board, and folds no further records."""
BATCH: Final = 100


class _FoldedRecords(NamedTuple):
    """The rows whose records were folded, and the last error of a record that could not be read or folded."""

    rows: Mapping[BoardKey, Collection[str]]
    failure: Exception | None


@dataclass(frozen=True, slots=True)
class BoardRestorer:
    """Renders boards that failed, from the stored records and entries.

    Args:
        aggregator: Folds and renders.
        outbox: Where the administrator's mails wait.
        seconds: How long one call may take, about.
        monotonic: Measures that time.
    """

    aggregator: Aggregator
    outbox: MailOutbox
    seconds: float = RESTORE_SECONDS
    monotonic: Callable[[], float] = time.monotonic

    def restore_all(self) -> list[Exception]:
        """Try every board that failed again, and return the errors of those that still do.

        Each of these is set aside, whatever its stream has tried, and the administrator gets a mail.
        """
        guard, errors = self.aggregator.guard, list[Exception]()
        until = self.monotonic() + self.seconds
        # What has failed for long comes last.
        for stall in sorted(guard.stalls.list_all(), key=lambda stall: stall.failures):
            if self.monotonic() > until:
                break
            try:
                self._restore(stall, until)
            except Exception as error:
                logger.exception("a board that is set aside failed again", extra={"board": str(stall.board)})
                errors.append(error)
                if isinstance(error, Busy):
                    continue
                try:
                    self._plan_mail(guard.note(stall.board, error, first=stall.first, least_failures=MAX_FAILURES))
                except Exception as unnoted:  # a mail that cannot be planned keeps no other board back
                    logger.exception("a failure could not be noted", extra={"board": str(stall.board)})
                    errors.append(unnoted)
        return errors

    def _restore(self, stall: Stall, until: float) -> None:
        """Fold the records that a board lacks, and render all of its rows.

        Then its stall is forgotten. A failure meanwhile keeps the stall: it has changed then. A record that cannot be
        folded keeps no other one off the board.
        """
        board, renderer = stall.board, self.aggregator.renderer
        folded = self._fold_records(stall, until)
        if folded is None:
            return
        for key, rows in folded.rows.items() if board.board == MAIN else ():
            if key != board and rows:  # the stall of a main board may stand for all boards of its version
                renderer.render(key, rows)
        if folded.failure is not None:
            if folded.rows.get(board):
                renderer.render(board, folded.rows[board])
            raise folded.failure
        renderer.render(board, None)
        if self.aggregator.guard.stalls.forget(stall):
            logger.info("a board is rendered again", extra={"board": str(board), "failures": stall.failures})

    def _fold_records(self, stall: Stall, until: float) -> _FoldedRecords | None:
        """Fold the records that a board lacks; None: the next call goes on."""
        board, guard = stall.board, self.aggregator.guard
        rows: dict[BoardKey, set[str]] = {}
        failures: list[Exception] = []
        records = self.aggregator.submissions.all_records(
            board.benchmark, version=board.version, since=stall.first, errors=failures
        )
        for batch in batched(records, BATCH, strict=False):
            if self.monotonic() > until:
                if failures:
                    break
                guard.stalls.move_on(stall, batch[0].submission.id)
                return None
            failed: dict[BoardKey, Exception] = {}
            folded = self.aggregator.fold_standings(BoardKey(board.benchmark, board.version), batch, failed=failed)
            failures += [failed.pop(board)] if board in failed else []
            for key, error in failed.items():
                if isinstance(error, Busy):  # is not counted, so nothing else would say what the board lacks
                    raise error
                guard.note(key, error, first=batch[0].submission.id)
            for key, changed in folded.rows.items():
                rows.setdefault(key, set()).update(changed or ())
        return _FoldedRecords(rows, failures[-1] if failures else None)

    def _plan_mail(self, stall: Stall) -> None:
        """Add the mail about a board: one for each time that it is set aside."""
        digest = DigestKey(DigestKind.STALLS, stall.board.benchmark, occasion=f"{stall.since:%Y-%m-%d}")
        self.outbox.add(PendingMail(digest, "", str(stall.board), to_seconds(stall.since), text=stall.reason))
