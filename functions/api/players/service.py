"""Answers how a player ranks on a benchmark, and how many results may still be submitted."""

from collections.abc import Sequence
from datetime import datetime
from http import HTTPStatus

from api.dependencies import ApiServices
from api.players.views import ImprovementView, PlayerPart, PlayerView
from api.submissions.histories import list_records
from handlers.http.auth import PLAYER_KEY_HEADER
from handlers.http.outcomes import find_player
from handlers.http.problems import Problem, not_found
from handlers.http.submitters import SubmitterRequest, identify_submitter
from handlers.http.views import player_members
from scoring_core.benchmarks.terms import SubmissionTerms
from scoring_core.ranking.part_columns import without_parts
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import time_of
from storage.players.players import is_player_id
from storage.players.quotas import QuotaLeft
from storage.submissions.models import Player

MAX_SKIPPED = 10
"""Pages that are read for the player of a history of which one page has only other versions, which are not shown."""


def find_player_view(api: ApiServices, published: PublishedBenchmark, player: str) -> PlayerView:
    """Return a player's rank, and what it rests on.

    Raises Problem 404 if the player has no record on this benchmark, or is erased.
    """
    if not is_player_id(player):
        raise not_found("there is no such player")
    if api.withdrawals.find_all(published.id, [player]):
        raise not_found("this player was erased")
    board = api.boards.find(published.id, version=published.version)
    rank = board.find_row(player) if board else None
    main = published.boards[0]
    own = api.standings.find_own(main.key, rank.row.id, rules=main.board.rules) if rank else None
    kept = own.standing.parts if own else {}
    return PlayerView(
        **player_members(find_player(rank) if rank else _find_player(api, published, player)),
        rank=rank.rank if rank else None,
        banned=published.bans.get(player),
        total=board.head.total if board else None,
        players=board.head.counts.players if board else None,
        submissions=rank.row.submissions if rank else 0,
        scores=without_parts(rank.row.scores) if rank else {},
        parts=[PlayerPart(part=part, scores=kept.get(part)) for part in published.parts if kept],
        improvements=[
            ImprovementView(submission=submission, submitted_at=time_of(submission), value=value)
            for submission, value in (own.improvements if own else ())
        ],
    )


def _find_player(api: ApiServices, published: PublishedBenchmark, player: str) -> Player:
    before = None
    for _ in range(MAX_SKIPPED):
        page = list_records(api, published, player=player, before=before, length=1)
        if page.entries:
            return api.players.name([page.entries[0].submission.player])[0]
        before = page.position
        if before is None:
            break
    raise not_found("there is no such player")


def find_left(
    api: ApiServices, terms: SubmissionTerms, request: SubmitterRequest, now: datetime
) -> Sequence[QuotaLeft]:
    """Return what is left to the player who would submit; nothing without one.

    Raises Problem 401, 409 or 422 if the name or the player key cannot be used.
    """
    names_nobody = request.player is None and PLAYER_KEY_HEADER not in request.headers
    if names_nobody and request.caller.account is None:
        return ()
    try:
        submitter = identify_submitter(api, request, terms)
    except Problem as problem:
        if names_nobody or problem.status is HTTPStatus.FORBIDDEN:
            return ()
        raise
    return api.quotas.find_left(terms, submitter.player.id, submitter.origin, now=now)
