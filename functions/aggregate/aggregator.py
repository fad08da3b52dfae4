"""From submission records to published boards. Delivered twice, late or out of order: nothing changes."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from aggregate.publisher import Publisher
from scoring_core.outcome import Outcome
from scoring_core.ranking.accumulators import FoldingRules
from scoring_core.ranking.improvements import Improvements, find_improvements
from scoring_core.ranking.standings import NO_PART, Contribution, Standing, fold_standing
from storage.aws.errors import retry_on_conflict
from storage.benchmarks.store import BenchmarkStore
from storage.boards.entries import RecordedEntries
from storage.boards.folding import StandingFolder
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, FoldedFromEntries, PlayerContribution, StandingStore
from storage.boards.withdrawal_notices import WithdrawalNotice
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore


@dataclass(frozen=True, slots=True)
class Aggregator:
    """Folds submission records into standings and publishes boards."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    submissions: SubmissionStore
    withdrawals: WithdrawalStore
    snapshots: SnapshotStore
    publisher: Publisher

    @property
    def entries(self) -> RecordedEntries:
        """What records contribute, as board entries."""
        return RecordedEntries(self.submissions, self.withdrawals)

    @property
    def folder(self) -> StandingFolder:
        """Folds into standings that newer code wrote."""
        return StandingFolder(self.standings.table, self.entries.find)

    def add_contributions(self, record: SubmissionRecord) -> bool:
        """Write what a record contributes, part by part; False if it contributes nothing.

        The withdrawal is read each time, so a withdrawn submission stays off the board, whatever is delivered later.
        """
        if record.outcome is not Outcome.SCORED:
            return False
        submission = record.submission
        board = BoardKey(submission.benchmark, record.version)
        withdrawal = self.withdrawals.find(submission.benchmark, submission=submission.id)
        for contribution in list_contributions(record, withdrawal):
            self.standings.put_contribution(board, contribution)
        return True

    def update(
        self, board: BoardKey, players: Collection[str] | None, records: Sequence[SubmissionRecord] = ()
    ) -> bool:
        """Fold the standings of these players; publish the board if it is current.

        Args:
            board: The board.
            players: Ids; None: everybody.
            records: What was delivered of these players.

        Returns:
            Whether the version is current. Raises NotFound if the benchmark is not published, Busy.
        """
        is_current = self.fold_standings(board, players, records)
        if is_current:
            self.publisher.publish(board.benchmark, version=board.version, players=players)
        return is_current

    def fold_standings(
        self, board: BoardKey, players: Collection[str] | None, records: Iterable[SubmissionRecord] = ()
    ) -> bool:
        """Fold these players' contributions by the present ranking.

        The records are folded into the standings that newer code folded from board entries.

        Standings of the next version are folded too, so that its board is complete when it becomes current. Those of
        other versions are not: they wait until everybody's are folded. Returns whether the version is current.
        """

        def attempt() -> bool:
            # Bypass the cache: a player without a standing has no stored revision that would reveal a newer ranking.
            published = self.benchmarks.current(board.benchmark, fresh=True)
            defined = published.get_version(board.version)
            if defined is None:
                return False
            definition, number = defined.definition, defined.revision
            rules: Any = {"ranking": definition.ranking, "score_type": definition.score_type, "parts": defined.parts}

            def fold(contributions: Sequence[Contribution]) -> tuple[Standing | None, Improvements]:
                return fold_standing(contributions, **rules), find_improvements(contributions, **rules)

            folding = FoldingRules(definition.ranking, definition.score_type, defined.parts)
            if players is None:
                for player in self.standings.update_standings(board, fold=fold, publish_number=number):
                    self.folder.refold(board, player, rules=folding, publish_number=number)
            for player in sorted(players or ()):
                try:
                    self.standings.update_standing(board, player, fold=fold, publish_number=number)
                except FoldedFromEntries:
                    delivered = [record for record in records if record.submission.player.id == player]
                    entries = self.entries.read_all(delivered)
                    self.folder.fold(board, entries, rules=folding, publish_number=number)
            # Bypass the cache again: if this version was promoted since, its board lacks these standings.
            return (
                published.version == board.version
                or self.benchmarks.current(board.benchmark, fresh=True).version == board.version
            )

        return retry_on_conflict(attempt, what=f"standings of {board}")


def list_contributions(record: SubmissionRecord, withdrawal: Withdrawal | None) -> list[PlayerContribution]:
    """Return what a record contributes, part by part; nothing unless it is scored.

    Contributions of a withdrawn submission have a higher revision.
    """
    if record.outcome is not Outcome.SCORED:
        return []
    submission = record.submission
    return [
        PlayerContribution(
            player=submission.player,
            contribution=Contribution(submission.id, evaluation.part or NO_PART, evaluation.scores),
            record_revision=record.revision + 1 if withdrawal else record.revision,
            withdrawn=withdrawal is not None,
            notice=withdrawal and WithdrawalNotice(withdrawal.at, submission.id, withdrawal.reason),
        )
        for evaluation in record.evaluations
    ]
