"""Answers what boards show: rows from any rank, a player's neighbours, search, CSV."""

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from api.boards.cards import ROWS as STORY_ROWS
from api.boards.cards import Story, tell_story
from api.boards.pictures.drawing import draw_board, draw_story
from api.boards.views import AroundView, RowsView, view_row, view_span
from api.dependencies import ApiServices
from handlers.http.problems import Problem, not_found, unprocessable
from handlers.http.submission_views import SubmissionView
from handlers.http.views import MAX_CONTENT_BYTES
from scoring_core.benchmarks.boards import MAIN
from scoring_core.io.text import list_some
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Head, HeadWindow
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.reading import ShownBoard, show_nobody
from storage.boards.site import badges
from storage.boards.views import RankedRow
from storage.keys import HEAD_FILE
from storage.players.bans import name_subject
from storage.players.players import is_player_id

_BOARD_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")


MAX_PLAYERS = 50
"""So many players' rows are returned by their ids: each may be in a page of its own."""


class RowsRequest(NamedTuple):
    """Which rows of a board: `limit` from number `start` on, of those whose name has `query`.

    `players` are ids of players: then it is their rows alone.
    """

    start: int
    limit: int
    query: str = ""
    players: Sequence[str] = ()


def find_rows(api: ApiServices, published: PublishedBenchmark, board: str, request: RowsRequest) -> RowsView:
    """Return rows of a board. Raises Problem 404, 422."""
    shown = _find(api, published, board)
    if request.players or request.query:
        matching = _search(api, shown, request)
        rows, matches = matching[request.start - 1 :][: request.limit], len(matching)
    else:
        rows, matches = shown.rows_from(request.start, request.limit), shown.head.total
    following = request.start + len(rows)
    return RowsView(
        **_board_members(shown.head, published),
        matches=matches,
        rows=list(map(view_row, rows)),
        next=following if rows and following <= matches else None,
    )


def find_around(
    api: ApiServices,
    published: PublishedBenchmark,
    board: str,
    player: str,
    label: str | None,
    *,
    above: int,
    below: int,
) -> AroundView:
    """Return a player's row between its neighbours; no rows without one.

    A player who has not played yet is no error: browsers log each 404. Raises Problem 404.
    """
    if not is_player_id(player):
        raise not_found("there is no such player")
    shown = _find(api, published, board)
    around = shown.find_around(player, label, above=above, below=below)
    own = around and around.own
    return AroundView(
        **_board_members(shown.head, published),
        player=player,
        label=own and own.row.label,
        rank=own and own.rank,
        number=around and around.number,
        rows=list(map(view_row, around.rows)) if around else [],
    )


def write_csv(api: ApiServices, published: PublishedBenchmark, board: str, start: int | None = None) -> str:
    """Return all rows of a board as CSV, or from a number on what fits.

    Raises Problem 404, 422.
    """
    shown = _find(api, published, board)
    metrics, parts, marked = shown.head.metrics, shown.head.parts, shown.head.baseline_rows
    if start is None and shown.head.total > MAX_WHOLE_ROWS:
        raise _too_many_rows(shown)
    rows = shown.view.all_rows() if start is None else shown.rows_from(start, MAX_WHOLE_ROWS)
    text = write_header(metrics, has_labels=shown.head.ranking.rows == "label", parts=parts, baselines=marked)
    lines, left = [text], MAX_CONTENT_BYTES - len(json.dumps(text))
    for line in write_lines(rows, metrics, parts=parts, baselines=marked):
        left -= len(json.dumps(line)) - 2
        if left < 0 and start is None:
            raise _too_many_rows(shown)
        if left < 0:
            break
        lines.append(line)
    return "".join(lines)


def locate_file(api: ApiServices, published: PublishedBenchmark, board: str, file: str, *, version: str | None) -> str:
    """Return the address of a board's file today.

    `version` is the one in whose address it was asked for, None if there was none. Raises Problem 404.
    """
    shown = _find_published(api, published, published.name_present(board, api.clock()))
    if shown is None or shown.head.version == version or file != HEAD_FILE:
        raise not_found("there is no such file")
    return f"/{shown.head.folder}{file}"


def draw_badge(
    api: ApiServices, published: PublishedBenchmark, board: str, player: str | None, label: str | None
) -> str:
    """Return the badge of a row, or of a board, as an SVG. Raises Problem 404."""
    shown = _find(api, published, board)
    if player is None:
        return badges.draw_badge(shown.head)
    return badges.draw_row_badge(shown.head, _find_row(shown, player, label))


def find_head(api: ApiServices, published: PublishedBenchmark, board: str) -> Head:
    """Return the head of a board. Raises Problem 404."""
    return _find(api, published, board).head


def find_story(api: ApiServices, published: PublishedBenchmark, about: str | SubmissionView) -> Story | None:
    """Return the story of a player, whose id this is, or of a submission.

    None of a player who is banned, of what waits, was withdrawn or came late, and of an archived benchmark.
    """
    view = None if isinstance(about, str) else about
    player = about if isinstance(about, str) else about.player
    subject = name_subject(view.name) if view and not view.verified else player
    if published.archived is not None or not published.bans.keys().isdisjoint((player, subject)):
        return None
    parts = tuple(each.part for each in (view and view.parts) or ())
    label = (view.label or "") if view else None
    near, first = STORY_ROWS - 1, None
    for each in published.boards if is_player_id(player) else ():
        board = each.board
        if view and board.id != MAIN and (board.parts != parts or board.condition.kind is not None):
            continue
        shown = _find_published(api, published, board.id)
        if shown is None:
            continue
        around = shown.find_around(player, label, above=near, below=near)
        story = tell_story(shown.head, around, view)
        if story and story.place:
            return story
        first = first or story
    return first


def draw_picture(
    api: ApiServices, published: PublishedBenchmark, board: str, about: str | SubmissionView | None
) -> str:
    """Return the picture of a board, or of a player or submission, as an SVG.

    Raises Problem 404, also if the benchmark is archived or there is nothing that everybody may see.
    """
    story = None if about is None else find_story(api, published, about)
    if story is not None:
        return draw_story(story)
    if published.archived is not None or about is not None:
        raise not_found("there is no picture of this")
    shown = _find(api, published, board)
    return draw_board(shown.head, shown.rows_from(1, STORY_ROWS))


def _find_row(shown: ShownBoard, player: str, label: str | None) -> RankedRow:
    row = shown.find_row(player, label) if is_player_id(player) else None
    if row is None:
        raise not_found("this board has no row of that player")
    return row


def _find(api: ApiServices, published: PublishedBenchmark, board: str) -> ShownBoard:
    board = published.name_present(board, api.clock())
    return _find_published(api, published, board) or _show_nobody(api, published, board)


def _find_published(api: ApiServices, published: PublishedBenchmark, board: str) -> ShownBoard | None:
    """Return a board that has files.

    A closed window has those of a version before until its turn comes.
    """
    shown = api.boards.find(published.id, board) if _BOARD_ID.fullmatch(board) else None
    if shown is not None:
        return shown
    instance = published.find_board(board)
    span = instance and instance.board.span
    if span is None or span.ends > api.clock():
        return None
    return api.boards.find_newest(published.id, board)


def _show_nobody(api: ApiServices, published: PublishedBenchmark, board: str) -> ShownBoard:
    """Return the board of a window in which nobody has played. Raises Problem 404."""
    instance = published.find_board(board)
    if instance is None or instance.board.span is None:
        hint = f"; windows have ids such as {_list_present(api, published)}" if published.windows else ""
        raise not_found(f"there is no such board{hint}")
    span = instance.board.span
    if span.starts > api.clock():
        expected = f"it begins at {span.starts.isoformat()}; the latest are {_list_present(api, published)}"
        raise not_found(f"there is no board {board} yet: {expected}")
    window = next(window for window in published.windows if window.window.id == span.window)
    first = api.benchmarks.find_first_result(published.id)
    begun = api.clock() if first is None else first
    earliest = window.window.find_at(begun)
    # On the first day yesterday has no rows, and no day before it.
    is_eve = earliest is not None and earliest.span is not None and span.ends == earliest.span.starts
    if span.ends <= begun and not is_eve:
        begins = "nobody has played yet" if first is None else f"the first result came at {first.isoformat()}"
        raise not_found(f"there is no board {board}: {begins}")
    if is_eve:
        span = span._replace(before=None)
    base = api.boards.find(published.id, window.window.base.id)
    if base is None:
        raise not_found("there is no such board")
    return show_nobody(base, board=board, title=instance.board.title, window=HeadWindow(**span._asdict()))


def _list_present(api: ApiServices, published: PublishedBenchmark) -> str:
    present = (window.find_at(api.clock()) for window in published.windows)
    return list_some([instance.board.id for instance in present if instance]) or "none at present"


def _search(api: ApiServices, shown: ShownBoard, request: RowsRequest) -> list[RankedRow]:
    """Return the rows of some players, or of a name.

    Of a long board it is the row of an id, or of the verified player with a name. Raises Busy.
    """
    if request.players:
        rows = list(filter(None, map(shown.find_row, request.players)))
        return sorted(rows, key=lambda each: each.row.place(shown.view.order))
    if shown.head.total <= MAX_WHOLE_ROWS:
        return search_rows(list(shown.view.all_rows()), request.query)
    row = shown.find_row(request.query) if is_player_id(request.query) else None
    if row is None:
        namesake = min(api.players.find_owners(request.query), default=None)
        row = None if namesake is None else shown.find_row(namesake)
    return [] if row is None else [row]


def read_players(text: str) -> list[str]:
    """Return the ids in a list of players, each once. Raises Problem 422."""
    players = [*dict.fromkeys(filter(None, map(str.strip, text.split(","))))]
    wrong = next((each for each in players if not is_player_id(each)), None)
    if wrong is not None:
        detail = f"players: expected ids of players, as `player` of a row, found {wrong[:64]!r}"
        raise unprocessable("invalid-players", detail, parameter="players")
    if len(players) > MAX_PLAYERS:
        detail = f"players: expected at most {MAX_PLAYERS} ids, found {len(players)}"
        raise unprocessable("invalid-players", detail, parameter="players")
    return players


def fold_name(name: str) -> str:
    """Return a name without case, width, accents and further spaces.

    By lower case first, so that `ẞ` is `ß`, then by upper case, in which `ß` is `SS`: the site's pages do the same.

    >>> fold_name("ＡDÉLE  2"), fold_name("Straẞe"), fold_name("İlker Işık")
    ('ADELE 2', 'STRASSE', 'ILKER ISIK')
    """
    decomposed = unicodedata.normalize("NFKD", name)
    letters = "".join(letter for letter in decomposed if not unicodedata.category(letter).startswith("M"))
    return " ".join(letters.lower().upper().split())


def search_rows(rows: Sequence[RankedRow], text: str) -> list[RankedRow]:
    """Return rows whose names have a text, or else whose players' ids start so."""
    query = fold_name(text)
    by_name = [ranked for ranked in rows if query in fold_name(ranked.row.name)]
    return by_name or [ranked for ranked in rows if fold_name(ranked.row.player).startswith(query)]


def _too_many_rows(shown: ShownBoard) -> Problem:
    board = "" if shown.head.board == MAIN else f" --board {shown.head.board}"
    advice = f"`laurel board {shown.head.id}{board} --csv` and the button CSV of the board's page write all of them"
    return unprocessable("too-many-rows", f"this board has {shown.head.total} rows, too many for one answer; {advice}")


def _board_members(head: Head, published: PublishedBenchmark) -> dict[str, object]:
    window = head.window
    span = window and view_span(head.board, window)
    return {
        "window": span,
        "is_outdated": window is not None and head.version != published.version,
        "benchmark": head.id,
        "board": head.board,
        "version": head.version,
        "sequence": head.sequence,
        "total": head.total,
    }
