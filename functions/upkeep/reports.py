"""Reports boards that differ from what they rest on: to the log, and by mail to the administrator."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from handlers import logger
from storage.aws.errors import NotFound
from storage.benchmarks.store import BenchmarkStore
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox
from upkeep.comparison import BoardComparison, Difference

MAX_LINES: Final = 20
"""Differences that a mail names."""


def report_differences(
    benchmark: str, *, benchmarks: BenchmarkStore, comparison: BoardComparison, outbox: MailOutbox, now: datetime
) -> bool:
    """Compare the boards of a benchmark; return whether one differs.

    A pending mail is added for each that does.
    """
    try:
        published = benchmarks.current(benchmark, fresh=True)
    except NotFound:  # being published for the first time
        return False
    digest, differs = DigestKey(DigestKind.COMPARISON, benchmark, occasion=f"{now:%Y-%m-%d}"), False
    for board in (*published.boards, *published.list_kept_windows(now)):
        differences = comparison.compare(board, now.date(), banned=published.bans)
        if differences:
            differs = True
            rows = [difference.row_id for difference in differences[:MAX_LINES]]
            logger.error("board differs", extra={"board": str(board.key), "rows": rows, "count": len(differences)})
            outbox.add(PendingMail(digest, "", str(board.key), to_seconds(now), text=write_text(differences)))
    return differs


def write_text(differences: Sequence[Difference]) -> str:
    """Return a line for each of the first differences."""
    lines = [f"{row_id or 'the whole board'}: {text}" for row_id, text in differences[:MAX_LINES]]
    if len(differences) > MAX_LINES:
        lines.append(f"and {len(differences) - MAX_LINES} more, or more than that")
    return "\n".join(lines)
