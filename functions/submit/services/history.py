"""Tells what a player has handed in, newest first, a page at a time, and where the player stands."""

from collections.abc import Iterable
from dataclasses import dataclass

from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.outcome import Outcome
from storage.access.players import is_player_id
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.snapshots import SnapshotStore
from storage.submissions.models import Player, SubmissionRecord
from storage.submissions.store import SubmissionStore
from storage.submissions.withdrawals import WithdrawalStore
from submit.cursors import make_cursor, read_cursor
from submit.problems import not_found
from submit.schemas.players import PlayerView, view_player
from submit.services.ranks import find_head, find_rank

PAGE_LENGTH = 50


@dataclass(frozen=True, slots=True)
class HistoryService:
    """Answers for one player."""

    submissions: SubmissionStore
    snapshots: SnapshotStore
    withdrawals: WithdrawalStore

    def find(self, published: PublishedBenchmark, player: str, cursor: str | None) -> PlayerView:
        """Give a player's place and a page of the history: outcomes under the present version, newest first.

        Args:
            published: The benchmark.
            player: The player's id, from the path.
            cursor: `next` of the page before; None: the first page.

        Raises:
            Problem: 404, nothing of such a player was ever recorded here; 400, the cursor is not one of this list.
        """
        if not is_player_id(player):
            raise not_found("there is no such player")
        before = None if cursor is None else read_cursor(cursor, scope=(published.id, player))
        page = self.submissions.list_records(
            published.id, player=player, version=published.version, before=before, length=PAGE_LENGTH
        )
        withdrawn = self.withdrawals.find_all(published.id, [one.submission.id for one in page.entries])
        head = find_head(self.snapshots, published.id, version=published.version)
        place = find_rank(self.snapshots, head, player) if head else None
        return view_player(
            place.player if place else self._find_player(published, player, page.entries),
            place=place,
            players=head.total if head else None,
            records=page.entries,
            withdrawn=withdrawn,
            best=find_bests(
                [one for one in page.entries if one.submission.id not in withdrawn], published.definition.score_type
            ),
            cursor=page.position and make_cursor(page.position, scope=(published.id, player)),
        )

    def _find_player(self, published: PublishedBenchmark, player: str, records: tuple[SubmissionRecord, ...]) -> Player:
        latest = records[0] if records else self.submissions.find_latest_of(published.id, player=player)
        if latest is None:
            raise not_found("there is no such player")
        return latest.submission.player


def find_bests(records: Iterable[SubmissionRecord], score_type: ScoreType) -> dict[str, int | float]:
    """Give the best value of each column among these records."""
    scored = [one.scores for one in records if one.outcome is Outcome.SCORED]
    bests = {}
    for header in score_type.headers:
        values = [scores[header.name] for scores in scored if header.name in scores]
        if values:
            bests[header.name] = max(values) if header.direction is Direction.HIGHER else min(values)
    return bests
