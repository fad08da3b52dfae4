"""Publishes what a rescore changed: in the list of corrections, and by mail if the owner says so."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aggregate.aggregator import Aggregator
from aggregate.board import describe_metrics, order_rows
from aggregate.rebuilder import Rebuilder
from aggregate.versions.changes import PlayerChange, compare_boards
from handlers import logger
from scoring_core.benchmarks.boards import RowId
from storage.benchmarks.boards import PublishedBoard
from storage.benchmarks.corrections import MAX_LISTED, CorrectedRow, Correction, CorrectionStore
from storage.benchmarks.store import Promotion, PublishedBenchmark
from storage.boards.models import Metric, Rows
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox

MAX_MAILED = 500
"""Rows of verified players of one correction that are mailed, the best ranks first."""


@dataclass(frozen=True, slots=True)
class CorrectionPublisher:
    """Compares the main board before a switch of versions with the standings after it."""

    aggregator: Aggregator
    corrections: CorrectionStore
    outbox: MailOutbox

    def publish(self, published: PublishedBenchmark, promotion: Promotion, *, replaced: str) -> None:
        """List a correction and plan its mails, before the board shows it.

        If the process dies before the head is written, the next one does the same again: it replaces the correction,
        and no mail is planned twice.

        Args:
            published: The benchmark, whose main board still shows the version before.
            promotion: What made its version current.
            replaced: The version that the board shows.
        """
        main = published.boards[0]
        rules = main.board.rules
        before, after = Rebuilder(self.aggregator).read_rows(published.id), self._read_next(published, main)
        metric = next(metric for metric in describe_metrics(rules) if metric.primary)
        changes = [each for each in compare_boards(before, after, column=metric.id) if each.is_change]
        changes.sort(key=_weigh)
        stayed = [each for each in changes if each.rank_after is not None]
        names = dict(zip(after.row_ids, zip(after.name, after.verified, strict=True), strict=True))
        correction = Correction(
            version=published.version,
            replaced=replaced,
            at=promotion.at,
            reason=promotion.reason,
            metric=metric,
            rows=len(after.player),
            changed=len(stayed),
            moved=sum(each.is_moved for each in stayed),
            left=len(changes) - len(stayed),
            listed=tuple(_list(each, *names[_row(each)]) for each in stayed[:MAX_LISTED]),
        )
        self.corrections.add(published.id, correction)
        if promotion.notify:
            verified = {*_list_verified(before), *_list_verified(after)}
            moved = [each for each in changes if each.is_moved and each.player in verified]
            self._plan_mails(published, promotion, moved, metric=metric)

    def _read_next(self, published: PublishedBenchmark, main: PublishedBoard) -> Rows:
        """Return the rows that the board will show."""
        rules = main.board.rules
        state = self.aggregator.standings.read_board(main.key, None, rules=rules).without(published.bans)
        return order_rows(list(state.standings.values()), rules=rules)

    def _plan_mails(
        self, published: PublishedBenchmark, promotion: Promotion, moved: Sequence[PlayerChange], *, metric: Metric
    ) -> None:
        occasion = f"{promotion.at.timestamp():.6f}"
        for each in moved[:MAX_MAILED]:
            text = {
                "reason": promotion.reason,
                "metric": metric.label,
                "row": each.name,
                "rank": [each.rank_before, each.rank_after],
                "value": [each.value_before, each.value_after],
            }
            digest = DigestKey(DigestKind.CORRECTION, published.id, player=each.player, occasion=occasion)
            self.outbox.add(
                PendingMail(digest, _row(each), published.version, to_seconds(promotion.at), text=json.dumps(text))
            )
        logger.info(
            "mails about a correction planned", extra={"planned": min(len(moved), MAX_MAILED), "of": len(moved)}
        )


def _list(change: PlayerChange, name: str, verified: bool) -> CorrectedRow:  # noqa: FBT001  # columns of the board
    return CorrectedRow(**change._replace(name=name)._asdict(), verified=verified)


def _list_verified(rows: Rows) -> Iterator[str]:
    return (player for player, verified in zip(rows.player, rows.verified, strict=True) if verified)


def _row(change: PlayerChange) -> str:
    return str(RowId(change.player, change.label))


def _weigh(change: PlayerChange) -> tuple[bool, int]:
    """Return a key that puts changes of ranks first, and of these the best rank."""
    ranks = [rank for rank in (change.rank_before, change.rank_after) if rank is not None]
    return not change.is_moved, min(ranks)
