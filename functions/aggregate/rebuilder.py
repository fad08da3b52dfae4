"""Remakes a board from the records of submissions: contributions, standings, snapshots. Safe beside live traffic."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import batched, groupby

from aggregate.aggregator import list_contributions
from aggregate.board import order_rows
from aggregate.services import BoardService
from scoring_core.ranking.standings import fold_standing
from storage.aws.errors import NotFound
from storage.boards.models import Rows
from storage.boards.standings import BoardKey, PlayerContribution, PlayerStanding
from storage.submissions.store import SubmissionStore

BATCH = 100
"""Records whose withdrawals are looked up at once."""


@dataclass(frozen=True, slots=True)
class Rebuilder:
    """Brings contributions back that were lost, and folds everything anew; takes nothing away."""

    workshop: BoardService
    submissions: SubmissionStore

    def add_contributions(self, board: BoardKey) -> Iterator[str]:
        """Write what every record of a board contributes, where that is not there yet; gives each submission."""
        aggregator = self.workshop.aggregator
        standing = {_key(one): one.revision for one in aggregator.standings.all_contributions(board)}
        records = self.submissions.all_records(board.benchmark, version=board.version)
        for batch in batched(records, BATCH, strict=False):
            withdrawn = aggregator.withdrawals.find_all(board.benchmark, [one.submission.id for one in batch])
            for record in batch:
                for one in list_contributions(record, withdrawn.get(record.submission.id)):
                    if standing.get(_key(one), 0) < one.revision:
                        aggregator.standings.put_contribution(board, one)
                yield record.submission.id

    def preview(self, board: BoardKey) -> Rows:
        """Give the rows that the board would have after `rebuild`, and write nothing. Raises NotFound."""
        published = self.workshop.benchmarks.current(board.benchmark, fresh=True).under(board.version)
        if published is None:
            raise NotFound(f"{board}: this version is neither current nor next")
        records = list(self.submissions.all_records(board.benchmark, version=board.version))
        withdrawn = self.workshop.aggregator.withdrawals.find_all(
            board.benchmark, [record.submission.id for record in records]
        )
        recorded = (
            one for record in records for one in list_contributions(record, withdrawn.get(record.submission.id))
        )
        kept = _keep_newest([*self.workshop.aggregator.standings.all_contributions(board), *recorded])
        ranking, score_type = published.definition.ranking, published.definition.score_type
        standings = []
        for _, group in groupby(kept, key=lambda one: one.player.id):
            mine = list(group)
            counted = [one.contribution for one in mine if not one.withdrawn]
            folded = fold_standing(counted, ranking=ranking, score_type=score_type, parts=published.parts)
            if folded is not None:
                standings.append(PlayerStanding(mine[-1].player, folded))
        return order_rows(standings, ranking=ranking, score_type=score_type)

    def read_rows(self, benchmark: str) -> Rows:
        """Give all rows that a board shows now; none where it was never published."""
        head = self.workshop.publisher.snapshots.read_head(benchmark)
        return self.workshop.publisher.snapshots.read_rows(head.value.rows_url) if head else Rows()


def _keep_newest(contributions: Iterable[PlayerContribution]) -> list[PlayerContribution]:
    """Give of each contribution its highest revision, the first of these, by player and in order of submission."""
    newest: dict[tuple[str, str, str], PlayerContribution] = {}
    for one in contributions:
        key = _key(one)
        if key not in newest or newest[key].revision < one.revision:
            newest[key] = one
    return [newest[key] for key in sorted(newest)]


def _key(one: PlayerContribution) -> tuple[str, str, str]:
    return one.player.id, one.contribution.submission, one.contribution.part
