"""Routes of boards: their rows, a player's neighbours, and rows as CSV, badge and page."""

import base64
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from api.boards import service as boards
from api.boards.cards import find_site, write_profile, write_story
from api.boards.feeds import write_feed
from api.boards.pictures.drawing import make_etag, render_png
from api.boards.service import RowsRequest, read_players
from api.boards.views import AroundView, BoardList, RowsView, view_boards
from api.dependencies import find_published, read_headers, services
from api.players import own_data
from api.submissions.service import find_status
from handlers.http import auth, paths
from handlers.http.problems import Problem, unprocessable
from handlers.http.submission_views import SubmissionView
from scoring_core.benchmarks.boards import MAIN
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.site.board_page import write_board_page
from storage.boards.site.markup import BARE, PageMeta, write_page
from storage.boards.site.start_page import SUMMARY
from storage.boards.snapshots import HEAD_CACHE

CSV, SVG, HTML = "text/csv; charset=utf-8", "image/svg+xml", "text/html; charset=utf-8"
PAGE_FILE = "index.html"
PNG, ATOM = "image/png", "application/atom+xml; charset=utf-8"
OfPlayer = Annotated[str | None, Query(description="Whose row it is about; default: the board.")]
OfSubmission = Annotated[str | None, Query(description="Which submission it is about; default: the board.")]
_BARE_PAGE = write_page(PageMeta("", SUMMARY, "/"), BARE)
router = APIGatewayHttpRouter()  # type: ignore[no-untyped-call]  # Powertools leaves it untyped

BoardId = Annotated[str, Query(description="The board; a window: its present one; default: the main one.")]
Label = Annotated[str | None, Query(description="Where each label has a row; default: the player's best.")]


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
    view = boards.find_rows(services(), published, board, request)
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
    text = boards.write_csv(services(), published, board, start)
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
    svg = boards.draw_badge(services(), find_published(benchmark), board, player, label)
    return Response(HTTPStatus.OK, SVG, svg, headers={"Cache-Control": HEAD_CACHE})


@router.get(paths.ROWS_PNG, tags=["boards"])
def get_picture(
    benchmark: str, *, board: BoardId = MAIN, player: OfPlayer = None, submission: OfSubmission = None
) -> Response[str]:
    """Draw a board, player or submission as a picture, for previews."""
    published = find_published(benchmark)
    about = player if submission is None else _find_public(published, submission)
    svg = boards.draw_picture(services(), published, board, about)
    headers = {"Cache-Control": HEAD_CACHE, "ETag": make_etag(svg)}
    if read_headers().get("if-none-match") == headers["ETag"]:
        return Response(HTTPStatus.NOT_MODIFIED, PNG, "", headers=headers)
    response = Response(HTTPStatus.OK, PNG, base64.b64encode(render_png(svg)).decode(), headers=headers)
    response.base64_encoded = True  # Powertools would check bytes as UTF-8
    return response


@router.get(paths.ROWS_ATOM, tags=["boards"])
def get_feed(benchmark: str, board: BoardId = MAIN) -> Response[str]:
    """Return who took the lead of a board, and when, as an Atom feed."""
    head = boards.find_head(services(), find_published(benchmark), board)
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
        story = boards.find_story(services(), published, about)
        if story is None:
            return _write_board(published, MAIN)
        main, site = boards.find_head(services(), published, MAIN), find_site(read_headers())
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
    head = boards.find_head(services(), published, board)
    return write_board_page(head, "", site=find_site(read_headers()), is_listed=published.is_listed)


@router.get(paths.VERSION_FILE, include_in_schema=False)
@router.get(paths.BOARD_FILE, include_in_schema=False)
def find_board_file(benchmark: str, board: str, file: str, version: str | None = None) -> Response[str]:
    """Lead to a board's file of today, or answer with its page.

    The site asks this where the address of another version, or of none, has no file.
    """
    if file == PAGE_FILE and version is None:
        return _answer_page(lambda: _write_board(find_published(benchmark), board))
    published = find_published(benchmark)
    url = boards.locate_file(services(), published, board, file, version=version)
    return Response(HTTPStatus.FOUND, "text/plain", "", headers={"Location": url, "Cache-Control": HEAD_CACHE})


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
    return boards.find_around(services(), published, board, player, label, above=above, below=below)
