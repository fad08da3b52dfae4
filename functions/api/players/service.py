"""Answers how a player ranks on a benchmark."""

from dataclasses import dataclass

from api.players.views import PlayerPart, PlayerView, view_improvement
from api.submissions.histories import HistoryStore
from handlers.http.outcomes import find_player
from handlers.http.problems import not_found
from handlers.http.views import player_members
from scoring_core.ranking.part_columns import without_parts
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.reading import BoardReader
from storage.boards.standings import StandingStore
from storage.players.players import PlayerStore, is_player_id
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.models import Player

MAX_SKIPPED = 10
"""Pages that are read for the player of a history of which one page has only other versions, which are not shown."""


@dataclass(frozen=True, slots=True)
class PlayerService:
    """Reads boards and standings."""

    histories: HistoryStore
    boards: BoardReader
    standings: StandingStore
    withdrawals: WithdrawalStore
    players: PlayerStore

    def find(self, published: PublishedBenchmark, player: str) -> PlayerView:
        """Return a player's rank, and what it rests on.

        Raises Problem 404 if the player has no record on this benchmark, or is erased.
        """
        if not is_player_id(player):
            raise not_found("there is no such player")
        if self.withdrawals.find_all(published.id, [player]):
            raise not_found("this player was erased")
        board = self.boards.find(published.id, version=published.version)
        rank = board.find_row(player) if board else None
        main = published.boards[0]
        own = self.standings.find_own(main.key, rank.row.id, rules=main.board.rules) if rank else None
        kept = own.standing.parts if own else {}
        return PlayerView(
            **player_members(find_player(rank) if rank else self._find_player(published, player)),
            rank=rank.rank if rank else None,
            banned=published.bans.get(player),
            total=board.total if board else None,
            players=board.head.counts.players if board else None,
            submissions=rank.row.submissions if rank else 0,
            scores=without_parts(rank.row.scores) if rank else {},
            parts=[PlayerPart(part=part, scores=kept.get(part)) for part in published.parts if kept],
            improvements=[view_improvement(*improvement) for improvement in own.improvements] if own else [],
        )

    def _find_player(self, published: PublishedBenchmark, player: str) -> Player:
        before = None
        for _ in range(MAX_SKIPPED):
            page = self.histories.list_records(published, player=player, before=before, length=1)
            if page.entries:
                return self.players.name([page.entries[0].submission.player])[0]
            before = page.position
            if before is None:
                break
        raise not_found("there is no such player")
