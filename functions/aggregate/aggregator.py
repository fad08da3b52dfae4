"""Records → contributions → standings. Delivered twice, late or out of order: nothing changes."""

from dataclasses import dataclass
from functools import partial

from ledger.benchmark_store import BenchmarkStore
from ledger.errors import Conflict
from ledger.standing_store import BoardKey, PlayerContribution, StandingStore
from ledger.submissions import Record
from scoring_core.judgement import Outcome
from scoring_core.standing import WHOLE, Contribution, fold_standing


@dataclass(frozen=True, slots=True)
class Aggregator:
    """Folds records into the standings of their players."""

    benchmarks: BenchmarkStore
    standings: StandingStore

    def add_contributions(self, record: Record) -> bool:
        """Write what a record contributes, a part at a time; False where it contributes nothing."""
        if record.outcome is not Outcome.SCORED:
            return False
        board = BoardKey(record.submission.benchmark, record.version)
        for one in record.evaluations:
            contribution = Contribution(record.submission.id, one.part or WHOLE, one.scores)
            self.standings.put_contribution(
                board, PlayerContribution(record.submission.player, contribution, record.revision)
            )
        return True

    def update_standing(self, board: BoardKey, player: str) -> bool:
        """Fold a player's contributions into the standing, by the present ranking of the benchmark.

        Returns:
            Whether the board is the one shown. The standings of another version wait until it is published again,
            and `rebuild` folds them then.
        """
        for fresh in (False, True):
            published = self.benchmarks.current(board.benchmark, fresh=fresh)
            if published.version != board.version:
                continue
            fold = partial(
                fold_standing,
                ranking=published.definition.ranking,
                score_type=published.definition.score_type,
                parts=published.parts,
            )
            try:
                self.standings.update_standing(board, player, fold=fold, revision=published.revision)
            except Conflict:
                if fresh:
                    raise
                continue
            return True
        return False

    def rebuild(self, board: BoardKey) -> int:
        """Fold the standings of everybody on a board anew; give how many players that were."""
        players = self.standings.contributors(board)
        for player in players:
            self.update_standing(board, player)
        return len(players)
