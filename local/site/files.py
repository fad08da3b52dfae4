"""The built frontend as CloudFront serves it: rewritten paths, unknown pages, cache headers."""

import mimetypes
import re
from collections.abc import Collection
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote, unquote

from werkzeug.wrappers import Request, Response

from local.layout import IS_INSTALLED
from local.site import command
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
_SHARED: Final = re.compile(r"b/([a-z0-9-]+)(?:/p/([a-z0-9-]+)|/s/([0-9a-f-]+))?")
_OWN_PAGE: Final = re.compile(r"(?:b/([a-z0-9-]{1,64}))?", re.ASCII)
_VIEW: Final = frozenset(
    ("board", "group", "sort", "dir", "q", "kind", "from", "cols", "parts", "pick", "tag", "state")
)
"""Parameters of another view than the plain one."""
_BOARD: Final = re.compile(r"[a-z0-9-]{1,32}")
_PREVIEWS: Final = re.compile(
    r"facebookexternalhit|twitterbot|slackbot|discordbot|linkedinbot|whatsapp|telegrambot|skypeuripreview|redditbot"
    r"|pinterest|mastodon|bluesky|embedly|iframely",
    re.IGNORECASE,
)
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


def find_served(path: str, view: Collection[str]) -> str | None:
    """Return the key of the page that is written beside the boards; None if none is.

    Args:
        path: Of a request.
        view: The names of the query's parameters.
    """
    own = _OWN_PAGE.fullmatch(_canonical(path))
    if own is None or not _VIEW.isdisjoint(view):
        return None
    return board_page_key(own[1]) if own[1] else START_PAGE_KEY


def find_preview(path: str, board: str | None, agent: str) -> str | None:
    """Return the page without scripts for a program that previews a link.

    Args:
        path: Of a page.
        board: The query's board.
        agent: The `User-Agent`; None is returned for that of a person's browser.
    """
    shared = _SHARED.fullmatch(_canonical(path))
    if shared is None or not _PREVIEWS.search(agent):
        return None
    query = f"?board={board}" if board and _BOARD.fullmatch(board) else ""
    if shared[2] or shared[3]:
        query = f"?player={shared[2]}" if shared[2] else f"?submission={shared[3]}"
    return f"/api/benchmarks/{shared[1]}/rows.html{query}"


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
    preview = find_preview(path, request.args.get("board"), request.headers.get("User-Agent", ""))
    if preview is not None:
        return Response(status=HTTPStatus.FOUND, headers={"Location": preview})
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
