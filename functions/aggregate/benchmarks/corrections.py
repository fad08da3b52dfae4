"""Publishes what a rescore changed in the list of corrections."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from aggregate.aggregator import Aggregator
from aggregate.board import describe_metrics, order_rows
from aggregate.rebuilder import Rebuilder
from scoring_core.ranking.standings import read_public
from storage.benchmarks.corrections import MAX_FINAL, MAX_LISTED, CorrectedRow, Correction
from storage.benchmarks.store import Promotion, PublishedBenchmark
from storage.boards.models import Head, Rows
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox


class CorrectionPublisher(NamedTuple):
    """Compares the main board before a switch of versions with the standings after it."""

    aggregator: Aggregator
    outbox: MailOutbox

    def publish(self, published: PublishedBenchmark, promotion: Promotion, *, shown: Head) -> None:
        """List a correction before the board shows it.

        If the process dies before the head is written, the next one does the same again: it replaces the correction.

        Args:
            published: The benchmark, whose main board still shows the version before.
            promotion: What made its version current.
            shown: What the board shows.
        """
        main = published.boards[0]
        rules = main.board.rules
        state = self.aggregator.standings.read_board(main.key, None, rules=rules).without(published.bans)
        rebuilder, after = Rebuilder(self.aggregator), order_rows(state.standings.values(), rules=rules)
        if promotion.is_final:  # the board may have been frozen
            ranking = main.board.ranking.model_copy(update={"keep": shown.ranking.keep})
            entries = (
                entry._replace(scores={part: read_public(scores) for part, scores in entry.scores.items()})
                for entry in self.aggregator.folder.entries.list_all(main.key)
            )
            public = main._replace(board=replace(main.board, ranking=ranking))
            before = rebuilder.fold(public, entries, published.bans)
        else:
            before = rebuilder.read_rows(published.id)
        metric = next(metric for metric in describe_metrics(rules) if metric.primary)
        compared = compare_rows(before, after, column=metric.id)
        changed = sorted((each for each in compared if each.is_change), key=_weigh)
        correction = Correction(
            version=published.version,
            replaced=shown.version,
            at=promotion.at,
            reason=promotion.reason,
            metric=metric,
            rows=len(after.player),
            changed=len(changed),
            moved=sum(each.is_moved for each in changed),
            left=len(set(before.row_ids).difference(after.row_ids)),
            listed=tuple(compared[:MAX_FINAL] if promotion.is_final else changed[:MAX_LISTED]),
            final=promotion.is_final,
        )
        self.aggregator.renderer.corrections.change(published.id, lambda listed: listed.add(correction))
        if promotion.is_final:
            self.mail_final(published.id, published.version)

    def mail_final(self, benchmark: str, version: str, waits: str = "") -> None:
        """Plan the one mail to the owner about a final, or about what it waits for."""
        digest = DigestKey(DigestKind.FINALS, benchmark, occasion=f"{version}-waits" if waits else version)
        now = to_seconds(self.aggregator.renderer.clock())
        self.outbox.add(PendingMail(digest, "", f"{benchmark}/{version}", now, text=waits))


def compare_rows(before: Rows, after: Rows, *, column: str) -> list[CorrectedRow]:
    """Return all rows of a board in their order, with what they were before.

    A board without the column has no values.
    """
    old = dict(zip(before.row_ids, zip(before.rank, _values(before, column), strict=True), strict=True))
    labels = after.label or (None,) * len(after.player)
    now = zip(after.player, after.name, labels, after.verified, after.rank, _values(after, column), strict=True)
    compared = []
    for row, (player, name, label, verified, rank_after, value_after) in zip(after.row_ids, now, strict=True):
        rank_before, value_before = old.get(row, (None, None))
        compared.append(
            CorrectedRow(
                player=player,
                name=name,
                label=label,
                verified=verified,
                rank_before=rank_before,
                rank_after=rank_after,
                value_before=value_before,
                value_after=value_after,
            )
        )
    return compared


def _values(rows: Rows, column: str) -> Sequence[float | None]:
    return rows.scores.get(column) or (None,) * len(rows.player)


def _weigh(change: CorrectedRow) -> tuple[bool, int]:
    """Return a key that puts changes of ranks first, and of these the best rank."""
    return not change.is_moved, min(change.rank_before or change.rank_after, change.rank_after)
