"""The doorway of the submissions table's stream: records in, boards published."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.utilities.typing import LambdaContext

from aggregate.services import BoardService, make_board_service
from storage.access.quotas import QuotaStore
from storage.aws.clients import dynamodb_client, s3_client
from storage.boards.standings import BoardKey
from storage.settings import StreamSettings
from storage.submissions.models import SubmissionRecord, name_item, record_from_item
from storage.submissions.withdrawals import find_withdrawn

logger = Logger()


@cache
def board_service() -> BoardService:
    """Build, once, what aggregates: the environment is read here and nowhere else."""
    settings = StreamSettings.read(os.environ)
    return make_board_service(settings, s3=s3_client(), dynamodb=dynamodb_client(), clock=now)


@cache
def quotas() -> QuotaStore:
    """Build, once, what settles quotas."""
    settings = StreamSettings.read(os.environ)
    return QuotaStore(dynamodb=dynamodb_client(), table=settings.access_table)


def now() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


@dataclass
class BoardChange:
    """Whose standings on a board may have changed by which submissions, and the first stream record that says so."""

    sequence_number: str
    players: set[str] = field(default_factory=set)
    submissions: set[str] = field(default_factory=set)


@logger.inject_lambda_context(clear_state=True)
def lambda_handler(event: dict[str, Any], context: LambdaContext) -> dict[str, list[dict[str, str]]]:  # noqa: ARG001  # Lambda's signature
    """Answer one batch of stream records with the first that failed; Lambda retries from it on."""
    board_service(), quotas()  # a broken environment fails the invocation, loudly, before any record is touched
    touched: dict[BoardKey, BoardChange] = {}
    failed: list[str] = []
    for one in event["Records"]:
        try:
            add_record(one["dynamodb"], touched)
        except Exception:
            logger.exception("a record could not be added, will be retried", extra=name_item(one["dynamodb"]))
            failed.append(one["dynamodb"]["SequenceNumber"])
            break
    for board, change in touched.items():
        try:
            publish_board(board, change)
        except Exception:
            extra = {"board": str(board), "submissions": sorted(change.submissions)}
            logger.exception("a board could not be published, will be retried", extra=extra)
            failed.append(change.sequence_number)
    return {"batchItemFailures": [{"itemIdentifier": one} for one in sorted(failed, key=int)[:1]]}


def add_record(change: Mapping[str, Any], touched: dict[BoardKey, BoardChange]) -> None:
    """Write what a record contributes, or no longer does, and note whom it touches on which board."""
    if "NewImage" not in change:
        return
    for record in read_records(change):
        if board_service().aggregator.add_contributions(record):
            board = BoardKey(record.submission.benchmark, record.version)
            one = touched.setdefault(board, BoardChange(change["SequenceNumber"]))
            one.players.add(record.submission.player.id)
            one.submissions.add(record.submission.id)


def read_records(change: Mapping[str, Any]) -> list[SubmissionRecord]:
    """Give the records whose contributions an item decides: its own, its quota settled, or all of what it withdraws."""
    withdrawn = find_withdrawn(change["NewImage"])
    if withdrawn is not None:
        return board_service().aggregator.list_records_of(withdrawn)
    try:
        record = record_from_item(change["NewImage"])
    except (KeyError, ValueError, TypeError):
        # No retry can mend it; given up in the end, it would take the rest of its batch with it.
        logger.exception("foreign item passed over", extra=name_item(change))
        return []
    if not record.rescored:
        quotas().settle(record.submission, record.outcome)
    return [record]


def publish_board(board: BoardKey, change: BoardChange) -> None:
    """Fold the standings of these players, each once, and publish the board if it is the one shown."""
    if board_service().bring_up(board, change.players):
        told = {"players": len(change.players), "submissions": sorted(change.submissions)}
        logger.info("board published", extra={"board": str(board), **told})
