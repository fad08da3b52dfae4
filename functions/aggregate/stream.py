"""Lambda handler of the submissions table's stream: updates standings and renders boards.

On a schedule it does the same with what Lambda discarded.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from aggregate.dependencies import discarded_batches, stream_dependencies
from handlers.loops import logger, read_record, redelivering, stream_handler
from scoring_core.outcome import Outcome
from storage.boards.standings import BoardKey
from storage.gateway.errors import Refused, UnknownObject
from storage.submissions.decisions import find_decided
from storage.submissions.models import SubmissionRecord


def collect(change: Mapping[str, Any]) -> Iterator[tuple[BoardKey, SubmissionRecord]]:
    """Yield the records that a change decides, with the main board of their version."""
    aggregator, quotas = stream_dependencies()
    decided = find_decided(change["NewImage"])
    record = None if decided else read_record(change, detailed=False)
    if decided is not None:
        # Fold them again. A record that does not exist yet finds this decision when it is delivered.
        try:
            records = aggregator.list_decided(decided)
        except (KeyError, TypeError, ValueError) as error:
            # Its boards are known from its records alone, so the stall of the main one stands for all.
            main = BoardKey(decided.benchmark, aggregator.benchmarks.latest(decided.benchmark).version)
            aggregator.set_aside(main, error, first=decided.submission)
            records = []
    else:
        records = [] if record is None else [record]
    for each in records:
        if each.outcome is Outcome.SCORED:
            yield BoardKey(each.submission.benchmark, each.version), each
    if record is not None and not record.rescored:  # last: a quota that cannot be settled keeps no row back
        try:
            in_all = aggregator.counts_in_all(record)
            quotas.settle(record.submission, record.outcome, in_all=in_all)
        except (KeyError, TypeError, ValueError, UnknownObject, Refused) as error:
            main = BoardKey(record.submission.benchmark, record.version)
            aggregator.set_aside(main, error, first=record.submission.id)


def render_boards(board: BoardKey, records: list[SubmissionRecord]) -> None:
    """Fold records of a version and render its boards."""
    if stream_dependencies().aggregator.update(board, records):
        players = {record.submission.player.id for record in records}
        submissions = sorted({record.submission.id for record in records})
        extra = {"board": str(board), "players": len(players), "submissions": submissions}
        logger.info("board rendered", extra=extra)


lambda_handler = redelivering(
    stream_handler(build=stream_dependencies, collect=collect, finish=render_boards, key_name="board"),
    build=discarded_batches,
)
