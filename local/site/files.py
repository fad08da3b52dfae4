"""The built frontend as CloudFront serves it: rewritten paths, unknown pages, cache headers."""

import mimetypes
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote, unquote

from werkzeug.wrappers import Request, Response

from local.layout import IS_INSTALLED
from local.site import command
from scoring_core.benchmarks.boards import MAIN
from storage.keys import START_PAGE_KEY, board_page_key

HASHED_CACHE: Final = "public, max-age=31536000, immutable"
APP_CACHE: Final = "public, max-age=0, s-maxage=3600"
"""Of the first script and the styles, whose names stay: browsers ask again, and a deployment invalidates the rest."""
APP: Final = "app/"
API_PAGE: Final = "/api/docs"
START: Final = "index.html"
EMBED: Final = "embed.html"
"""The one page that pages of other origins may show in a frame."""
_PAGE: Final = re.compile(
    r"|about|join|owners|tokens|api/docs|p/[a-z0-9][a-z0-9-]{0,63}"
    r"|docs/(?:agents|benchmarks|contest|fair-play|game-boards|games|owners|players|scripts|several-boards|tables)"
    r"|b/[a-z0-9-]{1,64}(|/submit|/wall|/owners|/p/[a-z0-9][a-z0-9-]{0,63}|/s/[0-9a-f-]{36})",
    re.ASCII,
)
_FRAMED: Final = re.compile(r"embed/b/[a-z0-9-]{1,64}", re.ASCII)
_STORY: Final = re.compile(r"(?:b/[a-z0-9-]+/)?[ps]/[^/]+")
_OWN_PAGE: Final = re.compile(r"(?:b/([a-z0-9-]{1,64})(?:/wall)?)?", re.ASCII)
_VIEW: Final = frozenset(("players", "sort", "dir", "q", "kind", "from", "cols", "parts", "tag", "state"))
"""Parameters of another view than the plain one of a board."""
_BOARD: Final = re.compile(r"[a-z0-9-]{1,32}")
_MISSING: Final = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
    "<title>Page not found · Laurel</title><main><h1>Page not found</h1>"
    '<p>No page has this address. <a href="/">All boards</a></p></main></html>'
)


def is_page(path: str) -> bool:
    """Return whether a path belongs to the site, not to `/data/` or the API."""
    return path == API_PAGE or not path.startswith(("/api/", "/data/"))


def find_file(path: str) -> str | None:
    """Return the file for a path, START or EMBED for a page; None if no page has it."""
    if "." in PurePosixPath(path).name:
        return path.removeprefix("/")
    page = _canonical(path)
    if _FRAMED.fullmatch(page):
        return EMBED
    return START if _PAGE.fullmatch(page) else None


def find_served(path: str, query: Mapping[str, str]) -> str | None:
    """Return the key of a page beside the boards; None if none is there.

    Where it has no file, the API writes it.

    Args:
        path: Of a request.
        query: Its parameters.
    """
    page = _canonical(path)
    if _STORY.fullmatch(page):
        return f"data/{page}"
    own, board = _OWN_PAGE.fullmatch(page), MAIN if page.endswith("/wall") else query.get("board", MAIN)
    if own is None or not _VIEW.isdisjoint(query) or not _BOARD.fullmatch(board):
        return None
    if not own[1]:
        return START_PAGE_KEY if board == MAIN else None
    return board_page_key(own[1]) if board == MAIN else f"data/b/{own[1]}/boards/{board}/index.html"


def _canonical(path: str) -> str:
    """Return the segments of a path, decoded, without empty ones."""
    return "/".join(unquote(segment) for segment in path.split("/") if segment)


def find_media_type(name: str) -> str:
    """Return the media type of a file of the built site."""
    if name.endswith(".webmanifest"):
        return "application/manifest+json"
    if name.endswith(".woff2"):  # few systems know it
        return "font/woff2"
    if name.endswith(".d.ts"):  # the system takes it for a film
        return "text/plain"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def find_cache(name: str) -> str:
    """Return Cache-Control of a file: a name with a hash never changes."""
    if name.startswith(APP):
        return APP_CACHE
    return HASHED_CACHE if name.startswith("assets/") else "no-cache"


def answer_page(request: Request, folder: Path) -> Response | None:
    """Answer with a file of the built site; None if it does not exist."""
    if request.method not in {"GET", "HEAD"}:
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    path = quote(request.path)
    name = find_file(path)
    if name is None:
        return Response(_MISSING, HTTPStatus.NOT_FOUND, mimetype="text/html", headers={"Cache-Control": "no-store"})
    # The name is only looked up, never made into a path, so that no request can leave the folder.
    file = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}.get(name)
    if file is not None:
        content = file.read_bytes()
    elif IS_INSTALLED and name == command.NAME:
        content = command.pack_wheel()
    else:
        return None
    response = Response(content, mimetype=find_media_type(name))
    response.headers["Cache-Control"] = find_cache(name)
    response.add_etag()
    return response
