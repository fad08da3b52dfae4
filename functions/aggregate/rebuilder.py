"""Rebuilds a board from its submission records. Safe while results come in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import batched, groupby

from aggregate.aggregator import Aggregator, list_contributions
from aggregate.board import order_rows
from scoring_core.ranking.standings import fold_standing
from storage.aws.errors import NotFound
from storage.boards.models import Rows
from storage.boards.standings import BoardKey, PlayerContribution, PlayerStanding
from storage.submissions.models import SubmissionRecord

BATCH = 100
"""Records whose withdrawals are read at once."""


@dataclass(frozen=True, slots=True)
class Rebuilder:
    """Restores lost contributions; it takes none away."""

    aggregator: Aggregator

    def restore_contributions(self, board: BoardKey) -> Iterator[str]:
        """Write missing contributions, and yield the submission of each record."""
        standings = self.aggregator.standings
        revisions = {_key(stored): stored.record_revision for stored in standings.all_contributions(board)}
        folded = standings.list_folded(board)
        for record, contributions in self._read_records(board):
            for contribution in contributions:
                if revisions.get(_key(contribution), 0) < contribution.record_revision:
                    standings.put_contribution(board, contribution)
            player = record.submission.player.id
            if contributions and player in folded:
                self.aggregator.fold_standings(board, [player], [record])
            yield record.submission.id

    def preview(self, board: BoardKey) -> Rows:
        """Return the rows after a rebuild, and write nothing. Raises NotFound."""
        published = self.aggregator.benchmarks.current(board.benchmark, fresh=True).get_version(board.version)
        if published is None:
            raise NotFound(f"{board}: this version is neither current nor next")
        recorded = [contribution for _, contributions in self._read_records(board) for contribution in contributions]
        kept = _keep_newest([*self.aggregator.standings.all_contributions(board), *recorded])
        ranking, score_type = published.definition.ranking, published.definition.score_type
        standings = []
        for _, group in groupby(kept, key=lambda contribution: contribution.player.id):
            contributions = list(group)
            counted = [contribution.contribution for contribution in contributions if not contribution.withdrawn]
            standing = fold_standing(counted, ranking=ranking, score_type=score_type, parts=published.parts)
            if standing is not None:
                standings.append(PlayerStanding(contributions[-1].player, standing))
        return order_rows(standings, ranking=ranking, score_type=score_type)

    def read_rows(self, benchmark: str) -> Rows:
        """Return all rows that a board shows now; none if it was never published."""
        snapshots = self.aggregator.snapshots
        head = snapshots.read_head(benchmark)
        if head is None:
            return Rows()
        try:
            return snapshots.read_rows(head.value.rows_url)
        except NotFound:  # newer code wrote the head, or the rows file is lost
            return head.value.rows

    def _read_records(self, board: BoardKey) -> Iterator[tuple[SubmissionRecord, list[PlayerContribution]]]:
        """Yield every record of a board, with its contributions."""
        records = self.aggregator.submissions.all_records(board.benchmark, version=board.version)
        for batch in batched(records, BATCH, strict=False):
            ids = [record.submission.id for record in batch]
            withdrawals = self.aggregator.withdrawals.find_all(board.benchmark, ids)
            for record in batch:
                yield record, list_contributions(record, withdrawals.get(record.submission.id))


def _keep_newest(contributions: Iterable[PlayerContribution]) -> list[PlayerContribution]:
    """Return the highest revision of each contribution, sorted; first wins a tie."""
    newest: dict[tuple[str, str, str], PlayerContribution] = {}
    for contribution in contributions:
        key = _key(contribution)
        if key not in newest or newest[key].record_revision < contribution.record_revision:
            newest[key] = contribution
    return [newest[key] for key in sorted(newest)]


def _key(contribution: PlayerContribution) -> tuple[str, str, str]:
    return contribution.player.id, contribution.contribution.submission, contribution.contribution.part
