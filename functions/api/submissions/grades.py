"""The route of a benchmark's grades: a line for each player who was invited or has a row."""

from collections import defaultdict
from http import HTTPStatus
from typing import Annotated, Final, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.dependencies import ApiServices, find_published, identify, make_router, services
from handlers.http import paths
from handlers.http.problems import not_found
from handlers.http.submission_views import view_extension
from scoring_core.io.csv_text import write_table
from storage.boards.views import RankedRow
from storage.keys import time_of
from storage.players.invitations import Invitation, holder_of_benchmark
from storage.players.tokens import Scope
from storage.submissions.models import Player, PlayerKind, Submission

_OF_STUDENTS: Final = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
"""The columns by which Canvas knows a file of grades; Moodle asks which of its columns has the addresses."""
router = make_router()


@router.get(paths.GRADES, tags=["submissions"])
def get_grades(
    benchmark: str,
    decimal: Annotated[
        Literal["point", "comma"], Query(description="`comma`: cells are separated by `;`, decimals have a comma.")
    ] = "point",
) -> Response[str]:
    """Write a row for each player who was invited or has a row, as CSV, for owners.

    Those with a row come first, in their order. A name, address and number are those of the list by which the player
    was invited. Rank and value are of the main board as it is shown. Nothing in it is of players who are erased.

    Raises:
        Problem: 401 or 403, the caller does not own the benchmark; 404, it has no board yet.
    """
    api, published = services(), find_published(benchmark)
    identify().check_owner(published.id)
    board = api.boards.find(published.id)
    if board is None:
        raise not_found("this benchmark has no board yet")
    head, rows = board.head, dict[str, RankedRow]()
    for ranked in board.view.all_rows():
        rows.setdefault(ranked.row.player, ranked)  # of a player's labels the first one counts
    joined, waiting = _find_invited(api, published.id)
    ids = [*rows, *(player for player in joined if player not in rows)]
    erased = api.withdrawals.find_all(published.id, ids)
    players = [Player(player, player, PlayerKind.HUMAN) for player in ids if player not in erased]
    people = [(player, joined.get(player.id)) for player in api.players.name(players)]
    tries: defaultdict[str, list[Submission]] = defaultdict(list)
    for record in api.records.all_records(published.id, version=head.version):  # oldest first
        tries[record.submission.player.id].append(published.judge_late(record.submission))
    is_final = head.final is not None and head.final.is_shown
    stored = api.corrections.find(published.id) if is_final else None
    finals = [each.listed for each in reversed(stored.corrections) if each.final] if stored else []
    public = {row.player: (row.rank_before, row.value_before) for listed in finals for row in reversed(listed)}
    metric = head.primary.id
    columns = [f"{name} {which}" for which in ("public", "final") for name in ("rank", metric)]
    header = [*_OF_STUDENTS, "name", "player", *columns, "best (UTC)", "last (UTC)", "tries", "late", "extended"]
    lines: list[list[object]] = [list(header)]
    for player, invitation in [*people, *((Player("", "", PlayerKind.HUMAN), each) for each in waiting)]:
        row, own = rows.get(player.id), tries[player.id]
        shown = [row.rank, row.row.scores.get(metric)] if row else [None, None]
        ranks = [*public.get(player.id, (None, None)), *shown] if is_final else [*shown, None, None]
        times = [row and time_of(row.row.submission), own[-1].submitted_at if own else None]
        late, has_time = sum(each.late for each in own), view_extension(published, player.id) is not None
        counts = [*(each and f"{each:%F %T}" for each in times), len(own) - late, late, has_time]
        lines.append([*_describe(player, invitation), player.name, player.id, *ranks, *counts])
    text = write_table(lines, decimal_comma=decimal == "comma")
    return Response(HTTPStatus.OK, "text/csv; charset=utf-8", text)


def _find_invited(api: ApiServices, benchmark: str) -> tuple[dict[str, Invitation], list[Invitation]]:
    """Return player → its invitation, and those that nobody came by, one an address."""
    invited = api.invitations.list_of(holder_of_benchmark(benchmark))
    joined: dict[str, Invitation] = {}
    for each in sorted(invited, key=lambda each: (each.address is None, each.made_at)):
        for player in each.used:
            joined.setdefault(player, each)
    came = {each.address for each in joined.values()}
    waiting = {
        each.address: each for each in invited if each.address not in {None, *came} and Scope.SUBMIT in each.scopes
    }
    return joined, sorted(waiting.values(), key=lambda each: (each.note, each.address))


def _describe(player: Player, invitation: Invitation | None) -> list[object]:
    """Return the cells that say who it is.

    Without an address the login is the player's id: of a line without one, Moodle would grade the person above.
    """
    if invitation is None or invitation.address is None:
        return [player.name, None, None, player.id, None]
    return [invitation.note or player.name, None, invitation.number, invitation.address, None]
