"""Answers how a player ranks on a benchmark, and what the player submitted there."""

from collections.abc import Iterable
from dataclasses import dataclass

from api.players.histories import HistoryLine, HistoryStore
from api.players.views import PlayerPart, PlayerView, view_entry, view_improvement
from api.submissions.sorting import sort_best_first
from handlers.http.auth import Caller
from handlers.http.outcomes import find_row
from handlers.http.problems import not_found
from handlers.http.requests import make_cursor, read_cursor
from handlers.http.views import player_members
from scoring_core.benchmarks.definition import RowKind
from scoring_core.metrics.score_type import Direction, ScoreType
from scoring_core.outcome import Outcome
from storage.access.players import PlayerStore, is_player_id
from storage.access.tokens import Scope
from storage.aws.table import Page
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.reading import BoardReader, find_percentile
from storage.boards.standings import StandingStore
from storage.submissions.models import (
    Player,
)
from storage.submissions.withdrawals import WithdrawalStore

PAGE_LENGTH = 50
MAX_SORTED = 1_000
"""Submissions of a history that are sorted: the newest."""
MAX_SKIPPED = 10
"""Pages that are read for the player of a history of which one page has only other versions, which are not shown."""


@dataclass(frozen=True, slots=True)
class PlayerService:
    """Reads histories, boards and standings."""

    histories: HistoryStore
    boards: BoardReader
    standings: StandingStore
    withdrawals: WithdrawalStore
    players: PlayerStore

    def find(
        self,
        published: PublishedBenchmark,
        player: str,
        cursor: str | None = None,
        *,
        sort: str | None = None,
        caller: Caller | None = None,
    ) -> PlayerView:
        """Return a player's rank and a page of current outcomes, newest first.

        With `sort` they are the best by that metric of the newest 1,000, and there is no other page. The names of files
        are for the player and owners alone.

        Raises:
            Problem: 404, the player has no record on this benchmark; 400, the cursor is not one of this list; 422,
                there is no such metric.
        """
        if not is_player_id(player):
            raise not_found("there is no such player")
        scope = (published.id, player)
        before = None if cursor is None else read_cursor(cursor, scope=scope)
        length = PAGE_LENGTH if sort is None else MAX_SORTED
        sees_names = caller is not None and _may_see_names(caller, published.id, player)
        page = self.histories.list_lines(published, player=player, before=before, length=length)
        withdrawn = self.withdrawals.find_all(published.id, [player, *(line.submission for line in page.entries)])
        if player in withdrawn:
            raise not_found("this player was erased")
        if sort is not None:
            ordered = sort_best_first(
                page.entries,
                sort,
                score_type=published.definition.score_type,
                read=lambda line: None if line.submission in withdrawn else line.scores,
            )
            page = Page(tuple(ordered[:PAGE_LENGTH]), None)
        if page.entries and sees_names:
            page = page._replace(entries=self.histories.name_lines(published, player, page.entries))
        counted = [line for line in page.entries if line.submission not in withdrawn]
        board = self.boards.find(published.id, version=published.version)
        rank = find_row(board, player) if board else None
        main = published.boards[0]
        own = self.standings.find_own(main.key, rank.row_id, rules=main.board.rules) if rank else None
        kept = own.standing.parts if own else {}
        # Where labels have rows, what counts in another row is no part of this one.
        counting = own.counting if own and main.board.rules.ranking.rows is RowKind.PLAYER else None
        return PlayerView(
            **player_members(rank.player if rank else self._find_player(published, player, page.entries)),
            rank=rank.rank if rank else None,
            banned=published.bans.get(player),
            percentile=find_percentile(rank.rank, board.total) if board and rank else None,
            total=board.total if board else None,
            players=board.head.counts.players if board else None,
            submissions=rank.submissions if rank else 0,
            scores=rank.scores if rank else {},
            parts=[PlayerPart(part=part, scores=kept.get(part)) for part in published.parts if kept],
            improvements=[view_improvement(*improvement) for improvement in own.improvements] if own else [],
            best=find_bests(counted, published.definition.score_type),
            history=[view_entry(line, withdrawn.get(line.submission), counting) for line in page.entries],
            next=page.position and make_cursor(page.position, scope=scope),
        )

    def _find_player(self, published: PublishedBenchmark, player: str, lines: tuple[HistoryLine, ...]) -> Player:
        if lines:
            return self._name(lines[0].player)
        before = None
        for _ in range(MAX_SKIPPED):
            page = self.histories.list_lines(published, player=player, before=before, length=PAGE_LENGTH)
            if page.entries:
                return self._name(page.entries[0].player)
            before = page.position
            if before is None:
                break
        raise not_found("there is no such player")

    def _name(self, player: Player) -> Player:
        return self.players.name([player])[0]


def _may_see_names(caller: Caller, benchmark: str, player: str) -> bool:
    """Return whether a caller may see a player's names of files."""
    is_own = caller.account is not None and caller.account.player.id == player
    return (is_own and caller.may(Scope.SUBMIT, benchmark)) or caller.owns(benchmark)


def find_bests(lines: Iterable[HistoryLine], score_type: ScoreType) -> dict[str, int | float]:
    """Return the best value of each metric among these submissions."""
    scored = [line.scores for line in lines if line.outcome is Outcome.SCORED]
    bests = {}
    for metric in score_type.headers:
        values = [scores[metric.name] for scores in scored if metric.name in scores]
        if values:
            bests[metric.name] = max(values) if metric.direction is Direction.HIGHER else min(values)
    return bests
