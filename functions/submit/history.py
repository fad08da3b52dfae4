"""Tells what a player has handed in, newest first, a page at a time, and where the player stands."""

from collections.abc import Iterable
from dataclasses import dataclass

from ledger.benchmark_store import Published
from ledger.player_store import is_player_id
from ledger.snapshot_store import SnapshotStore
from ledger.submission_store import SubmissionStore
from ledger.submissions import Player, Record
from ledger.withdrawals import WithdrawalStore
from scoring_core.outcome import Outcome
from scoring_core.score_type import Direction, ScoreType
from submit.cursors import make_cursor, read_cursor
from submit.places import find_head, find_place
from submit.problems import not_found
from submit.views.players import PlayerView, view_player

PAGE_LENGTH = 50


@dataclass(frozen=True, slots=True)
class HistoryDesk:
    """Answers for one player."""

    submissions: SubmissionStore
    snapshots: SnapshotStore
    withdrawals: WithdrawalStore

    def find(self, published: Published, player: str, cursor: str | None) -> PlayerView:
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
        place = find_place(self.snapshots, head, player) if head else None
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

    def _find_player(self, published: Published, player: str, records: tuple[Record, ...]) -> Player:
        latest = records[0] if records else self.submissions.find_latest_of(published.id, player=player)
        if latest is None:
            raise not_found("there is no such player")
        return latest.submission.player


def find_bests(records: Iterable[Record], score_type: ScoreType) -> dict[str, int | float]:
    """Give the best value of each column among these records."""
    scored = [one.scores for one in records if one.outcome is Outcome.SCORED]
    bests = {}
    for header in score_type.headers:
        values = [scores[header.name] for scores in scored if header.name in scores]
        if values:
            bests[header.name] = max(values) if header.direction is Direction.HIGHER else min(values)
    return bests
