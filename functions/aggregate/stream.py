"""Lambda handler of the submissions table's stream: updates standings and publishes boards."""

from collections.abc import Iterator, Mapping
from typing import Any

from aggregate.dependencies import stream_dependencies
from handlers import logger, read_record, stream_handler
from storage.boards.standings import BoardKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.withdrawals import find_withdrawn


def collect(change: Mapping[str, Any]) -> Iterator[tuple[BoardKey, SubmissionRecord]]:
    """Write what the records of a change contribute, and yield the boards that they change."""
    for record in read_records(change):
        if stream_dependencies().aggregator.add_contributions(record):
            yield BoardKey(record.submission.benchmark, record.version), record


def read_records(change: Mapping[str, Any]) -> list[SubmissionRecord]:
    """Return the changed record, its quota settled, or all records of the submission that the change withdraws."""
    aggregator, quotas = stream_dependencies()
    withdrawn = find_withdrawn(change["NewImage"])
    if withdrawn is not None:
        return aggregator.list_records_of(withdrawn)
    record = read_record(change)
    if record is None:
        return []
    if not record.rescored:
        quotas.settle(record.submission, record.outcome)
    return [record]


def publish_board(board: BoardKey, records: list[SubmissionRecord]) -> None:
    """Update the standings of the records' players, each once, and publish the board if its version is current."""
    players = {record.submission.player.id for record in records}
    if stream_dependencies().aggregator.update(board, players):
        submissions = sorted({record.submission.id for record in records})
        extra = {"board": str(board), "players": len(players), "submissions": submissions}
        logger.info("board published", extra=extra)


lambda_handler = stream_handler(build=stream_dependencies, collect=collect, finish=publish_board, key_name="board")
