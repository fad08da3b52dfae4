"""Records → contributions → standings. Delivered twice, late or out of order: nothing changes."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from scoring_core.outcome import Outcome
from scoring_core.ranking.improvements import find_improvements
from scoring_core.ranking.standings import NO_PART, Contribution, fold_standing
from storage.aws.errors import Busy, Conflict
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.standings import BoardKey, PlayerContribution, StandingStore
from storage.boards.withdrawal_notices import WithdrawalNotice
from storage.keys import ResultKey
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import Withdrawal, WithdrawalStore

MAX_TRIES = 5


@dataclass(frozen=True, slots=True)
class Aggregator:
    """Folds records into the standings of their players."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    submissions: SubmissionStore
    withdrawals: WithdrawalStore

    def add_contributions(self, record: SubmissionRecord) -> bool:
        """Write what a record contributes, a part at a time; False where it contributes nothing.

        Whether the submission is withdrawn is looked up each time: so it stays off the board, whatever comes later.
        """
        if record.outcome is not Outcome.SCORED:
            return False
        submission = record.submission
        board = BoardKey(submission.benchmark, record.version)
        withdrawal = self.withdrawals.find(submission.benchmark, submission=submission.id)
        for one in list_contributions(record, withdrawal):
            self.standings.put_contribution(board, one)
        return True

    def list_records_of(self, withdrawn: ResultKey) -> list[SubmissionRecord]:
        """Give the records of a withdrawn submission, under every version: what they contribute is to be written anew.

        A record that is not among them yet finds the withdrawal when it comes.
        """
        return self.submissions.list_records_of(withdrawn.benchmark, submission=withdrawn.submission)

    def update_standings(self, board: BoardKey, players: Collection[str] | None) -> bool:
        """Fold the contributions of these players into their standings, by the present ranking of the benchmark.

        Args:
            board: The board.
            players: Ids; None: of everybody.

        Returns:
            Whether the board is the one shown. Standings of the next version are folded too, so that its board is
            whole the moment it is shown; those of any other wait until everybody's are.

        Raises:
            NotFound: The benchmark is not published.
            Busy: It was published anew again and again.
        """
        for _ in range(MAX_TRIES):
            # Afresh: a standing that is not there yet cannot tell that a newer ranking has folded all others.
            published = self.benchmarks.current(board.benchmark, fresh=True)
            defined = published.under(board.version)
            if defined is None:
                return False
            try:
                self._fold(board, players, defined)
            except Conflict:
                continue
            # Afresh once more: whoever made it current meanwhile has perhaps read these standings too early.
            return (
                published.version == board.version
                or self.benchmarks.current(board.benchmark, fresh=True).version == board.version
            )
        raise Busy(f"board of {board}: published anew {MAX_TRIES} times while it was folded")

    def _fold(self, board: BoardKey, players: Collection[str] | None, published: PublishedBenchmark) -> None:
        definition = published.definition
        rules: Any = {"ranking": definition.ranking, "score_type": definition.score_type, "parts": published.parts}
        how: Any = {
            "fold": partial(fold_standing, **rules),
            "climb": partial(find_improvements, **rules),
            "revision": published.revision,
        }
        if players is None:
            self.standings.update_standings(board, **how)
            return
        for player in sorted(players):
            self.standings.update_standing(board, player, **how)


def list_contributions(record: SubmissionRecord, withdrawal: Withdrawal | None) -> list[PlayerContribution]:
    """Give what a record contributes, a part at a time; nothing unless it is scored.

    Args:
        record: What became of a submission.
        withdrawal: Of the same submission; its contributions no longer count then, under a higher revision.
    """
    if record.outcome is not Outcome.SCORED:
        return []
    submission = record.submission
    removal = withdrawal and WithdrawalNotice(withdrawal.at, submission.id, withdrawal.reason)
    return [
        PlayerContribution(
            player=submission.player,
            contribution=Contribution(submission.id, one.part or NO_PART, one.scores),
            revision=record.revision + 1 if withdrawal else record.revision,
            withdrawn=withdrawal is not None,
            removal=removal,
        )
        for one in record.evaluations
    ]
