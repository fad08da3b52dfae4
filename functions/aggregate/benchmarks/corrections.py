"""Publishes what a rescore changed in the list of corrections."""

from dataclasses import dataclass, replace

from aggregate.aggregator import Aggregator
from aggregate.benchmarks.changes import compare_boards
from aggregate.board import describe_metrics, order_rows
from aggregate.rebuilder import Rebuilder
from scoring_core.ranking.standings import read_public
from storage.benchmarks.corrections import MAX_FINAL, MAX_LISTED, ChangedRow, CorrectedRow, Correction
from storage.benchmarks.store import Promotion, PublishedBenchmark
from storage.boards.models import Head
from storage.mail.models import DigestKey, DigestKind, PendingMail, to_seconds
from storage.mail.outbox import MailOutbox


@dataclass(frozen=True, slots=True)
class CorrectionPublisher:
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
        compared = compare_boards(before, after, column=metric.id)
        changes = sorted((each for each in compared if each.is_change), key=_weigh)
        stayed = [each for each in changes if each.rank_after is not None]
        listed = stayed[:MAX_LISTED]
        if promotion.is_final:
            listed = [each for each in compared if each.rank_after is not None][:MAX_FINAL]
        named = zip(after.row_ids, after.name, after.verified, strict=True)
        names = {row: {"name": name, "verified": verified} for row, name, verified in named}
        correction = Correction(
            version=published.version,
            replaced=shown.version,
            at=promotion.at,
            reason=promotion.reason,
            metric=metric,
            rows=len(after.player),
            changed=len(stayed),
            moved=sum(each.is_moved for each in stayed),
            left=len(changes) - len(stayed),
            listed=tuple(CorrectedRow(**{**dict(each), **names[each.row_id]}) for each in listed),
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


def _weigh(change: ChangedRow) -> tuple[bool, int]:
    """Return a key that puts changes of ranks first, and of these the best rank."""
    ranks = [rank for rank in (change.rank_before, change.rank_after) if rank is not None]
    return not change.is_moved, min(ranks)
