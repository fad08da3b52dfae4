"""Routes of boards: their rows, a player's neighbours, and rows as CSV, badge, picture, feed and page."""

import base64
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Annotated, NamedTuple

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.boards.cards import ROWS as STORY_ROWS
from api.boards.cards import Story, find_site, tell_story, write_profile, write_story
from api.boards.feeds import write_feed
from api.boards.pictures.badges import draw_badge, draw_row_badge
from api.boards.pictures.drawing import draw_board, draw_story, make_etag, render_png
from api.boards.views import AroundView, BoardList, RowsView, view_boards, view_row, view_span
from api.dependencies import ApiServices, find_published, make_router, read_headers, services
from api.players import own_data
from api.submissions.routes import find_status
from handlers.http import auth, paths
from handlers.http.problems import Problem, not_found, unprocessable
from handlers.http.submission_views import SubmissionView
from handlers.http.views import MAX_CONTENT_BYTES
from scoring_core.benchmarks.boards import MAIN
from scoring_core.benchmarks.definition import RowKind
from scoring_core.io.text import list_some
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.csv_rows import write_header, write_lines
from storage.boards.models import Head, HeadWindow
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.reading import ShownBoard, show_nobody
from storage.boards.site.board_page import write_board_page
from storage.boards.site.markup import BARE, PageMeta, write_page
from storage.boards.site.start_page import SUMMARY
from storage.boards.snapshots import HEAD_CACHE
from storage.boards.views import RankedRow
from storage.keys import HEAD_FILE
from storage.players.bans import name_subject
from storage.players.players import is_player_id

router = make_router()
CSV, SVG, HTML = "text/csv; charset=utf-8", "image/svg+xml", "text/html; charset=utf-8"
PNG, ATOM = "image/png", "application/atom+xml; charset=utf-8"
PAGE_FILE = "index.html"
OfPlayer = Annotated[str | None, Query(description="Whose row it is about; default: the board.")]
OfSubmission = Annotated[str | None, Query(description="Which submission it is about; default: the board.")]
BoardId = Annotated[str, Query(description="The board; a window: its present one; default: the main one.")]
Label = Annotated[str | None, Query(description="Where each label has a row; default: the player's best.")]
_BARE_PAGE = write_page(PageMeta("", SUMMARY, "/"), BARE)
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


@router.get(paths.BOARDS, tags=["boards"])
def list_boards(benchmark: str) -> BoardList:
    """List the boards of a benchmark and its windows."""
    return view_boards(find_published(benchmark), services().clock())


@router.get(paths.ROWS, tags=["boards"])
def list_rows(
    benchmark: str,
    *,
    board: BoardId = MAIN,
    start: Annotated[int, Query(alias="from", ge=1, description="Number of the first row; the leader's is 1.")] = 1,
    limit: Annotated[int, Query(ge=1, le=100, description="Number of rows.")] = 50,
    q: Annotated[
        str,
        Query(
            max_length=64,
            description="Only rows whose name has this text, in any case, else those whose player's id starts so; on a "
            "board of more than 20,000 rows only a player's whole id, or the whole name of a verified player.",
        ),
    ] = "",
    players: Annotated[
        str, Query(max_length=4000, description="Only the rows of these players: up to 50 ids, separated by commas.")
    ] = "",
) -> Response[RowsView]:
    """List rows of a board from any rank on, of a name, or of some players."""
    published = find_published(benchmark)
    chosen = read_players(players)
    if chosen and q:
        detail = "players: expected no q beside it"
        raise unprocessable("unexpected-parameter", detail, parameter="players")
    request = RowsRequest(start, limit, q.strip(), chosen)
    view = find_rows(services(), published, board, request)
    return Response(HTTPStatus.OK, "application/json", view, headers={"Cache-Control": HEAD_CACHE})


@router.get(paths.ROWS_CSV, tags=["boards"])
def get_csv(
    benchmark: str,
    *,
    board: BoardId = MAIN,
    start: Annotated[
        int | None,
        Query(alias="from", ge=1, description="Number of the first row: as many rows as fit follow; default: all."),
    ] = None,
) -> Response[str]:
    """Download all rows of a board as CSV, or from any number on as many as fit."""
    published = find_published(benchmark)
    text = write_csv(services(), published, board, start)
    named = (benchmark, "" if board == MAIN else board, "final" if published.is_final else "")
    name = "-".join(filter(None, named))
    headers = {"Cache-Control": HEAD_CACHE, "Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(HTTPStatus.OK, CSV, text, headers=headers)


@router.get(paths.ROWS_SVG, tags=["boards"])
def get_badge(
    benchmark: str,
    *,
    player: Annotated[str | None, Query(description="Whose row; default: the leader's.")] = None,
    board: BoardId = MAIN,
    label: Label = None,
) -> Response[str]:
    """Draw the badge of a player, with rank, name and score, or of a board."""
    shown = _find(services(), find_published(benchmark), board)
    row = shown.find_row(player, label) if player is not None and is_player_id(player) else None
    if player is not None and row is None:
        raise not_found("this board has no row of that player")
    svg = draw_badge(shown.head) if row is None else draw_row_badge(shown.head, row)
    return Response(HTTPStatus.OK, SVG, svg, headers={"Cache-Control": HEAD_CACHE})


@router.get(paths.ROWS_PNG, tags=["boards"])
def get_picture(
    benchmark: str, *, board: BoardId = MAIN, player: OfPlayer = None, submission: OfSubmission = None
) -> Response[str]:
    """Draw a board, player or submission as a picture, for previews.

    Raises Problem 404, also if the benchmark is archived or there is nothing that everybody may see.
    """
    api, published = services(), find_published(benchmark)
    about = player if submission is None else _find_public(published, submission)
    story = None if about is None else find_story(api, published, about)
    if story is None and (published.archived is not None or about is not None):
        raise not_found("there is no picture of this")
    if story is not None:
        svg = draw_story(story)
    else:
        shown = _find(api, published, board)
        svg = draw_board(shown.head, shown.rows_from(1, STORY_ROWS))
    headers = {"Cache-Control": HEAD_CACHE, "ETag": make_etag(svg)}
    if read_headers().get("if-none-match") == headers["ETag"]:
        return Response(HTTPStatus.NOT_MODIFIED, PNG, "", headers=headers)
    response = Response(HTTPStatus.OK, PNG, base64.b64encode(render_png(svg)).decode(), headers=headers)
    response.base64_encoded = True  # Powertools would check bytes as UTF-8
    return response


@router.get(paths.ROWS_ATOM, tags=["boards"])
def get_feed(benchmark: str, board: BoardId = MAIN) -> Response[str]:
    """Return who took the lead of a board, and when, as an Atom feed."""
    head = _find_head(services(), find_published(benchmark), board)
    text = write_feed(head, site=find_site(read_headers()))
    return Response(HTTPStatus.OK, ATOM, text, headers={"Cache-Control": HEAD_CACHE})


def _find_public(published: PublishedBenchmark, submission: str) -> SubmissionView:
    """Return of a submission what everybody may see, for answers are cached."""
    return find_status(services(), published, submission, auth.identify(services(), {}))


@router.get(paths.START_PAGE, include_in_schema=False)
@router.get(paths.BOARD_PAGE, include_in_schema=False)
def get_page(benchmark: str | None = None) -> Response[str]:
    """Answer with the page of a board, or one that the app fills.

    The site asks this where no page is written: of a benchmark that is new, archived, not listed, or not published.
    """
    return _answer_page(lambda: _write_board(find_published(benchmark), MAIN) if benchmark else _BARE_PAGE)


@router.get(paths.PLAYER_PAGE, include_in_schema=False)
@router.get(paths.SUBMISSION_PAGE, include_in_schema=False)
def get_story_page(benchmark: str, player: str = "", submission: str | None = None) -> Response[str]:
    """Answer with the page of a player or submission, which the app takes over.

    It is that of the board if there is nothing to say of it.
    """

    def write() -> str:
        published = find_published(benchmark)
        about = player if submission is None else _find_public(published, submission)
        story = find_story(services(), published, about)
        if story is None:
            return _write_board(published, MAIN)
        main, site = _find_head(services(), published, MAIN), find_site(read_headers())
        return write_story(story, main, site=site, is_listed=published.is_listed)

    return _answer_page(write)


@router.get(paths.PROFILE_PAGE, include_in_schema=False)
def get_profile_page(player: str) -> Response[str]:
    """Answer with the page of a player over all benchmarks, which the app takes over."""
    return _answer_page(lambda: write_profile(own_data.show(services(), player), site=find_site(read_headers())))


def _answer_page(write: Callable[[], str]) -> Response[str]:
    """Answer with a page; where there is none, with one that the app fills."""
    status, cache = HTTPStatus.OK, HEAD_CACHE
    try:
        html = write()
    except Problem as problem:
        status, cache, html = problem.status, "no-store", _BARE_PAGE
    return Response(status, HTML, html, headers={"Cache-Control": cache})


def _write_board(published: PublishedBenchmark, board: str) -> str:
    is_new = board == MAIN and services().boards.find(published.id) is None
    if is_new or published.archived is not None:
        return _BARE_PAGE
    head = _find_head(services(), published, board)
    return write_board_page(head, "", site=find_site(read_headers()), is_listed=published.is_listed)


@router.get(paths.VERSION_FILE, include_in_schema=False)
@router.get(paths.BOARD_FILE, include_in_schema=False)
def find_board_file(benchmark: str, board: str, file: str, version: str | None = None) -> Response[str]:
    """Lead to a board's file of today, or answer with its page.

    The site asks this where the address of another version, or of none, has no file.
    """
    if file == PAGE_FILE and version is None:
        return _answer_page(lambda: _write_board(find_published(benchmark), board))
    api, published = services(), find_published(benchmark)
    shown = _find_published(api, published, published.name_present(board, api.clock()))
    if shown is None or shown.head.version == version or file != HEAD_FILE:
        raise not_found("there is no such file")
    headers = {"Location": f"/{shown.head.folder}{file}", "Cache-Control": HEAD_CACHE}
    return Response(HTTPStatus.FOUND, "text/plain", "", headers=headers)


@router.get(paths.AROUND, tags=["players"])
def get_around(
    benchmark: str,
    player: str,
    *,
    board: BoardId = MAIN,
    label: Label = None,
    above: Annotated[int, Query(ge=0, le=50, description="Number of rows before the player's.")] = 3,
    below: Annotated[int, Query(ge=0, le=50, description="Number of rows after it.")] = 3,
) -> AroundView:
    """Show a player's row between its neighbours, with its rank."""
    published = find_published(benchmark)
    return find_around(services(), published, board, player, label, above=above, below=below)


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


def _find_head(api: ApiServices, published: PublishedBenchmark, board: str) -> Head:
    """Return the head of a board. Raises Problem 404."""
    return _find(api, published, board).head


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

    Of a long board it is the first row of an id, or of the verified player with a name. Raises Busy.
    """
    if request.players and shown.head.ranking.rows is RowKind.LABEL and shown.head.total <= MAX_WHOLE_ROWS:
        return [each for each in shown.view.all_rows() if each.row.player in request.players]
    if request.players:
        rows = list(filter(None, map(shown.find_row, request.players)))
        return sorted(rows, key=lambda each: each.row.place(shown.view.order))
    if shown.head.total <= MAX_WHOLE_ROWS:
        return search_rows(list(shown.view.all_rows()), request.query)
    row = shown.find_row(request.query) if is_player_id(request.query) else None
    if row is None:
        namesake = api.players.find_namesake(request.query)
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
