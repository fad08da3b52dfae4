"""The built frontend as CloudFront serves it: rewritten paths, cache headers."""

import mimetypes
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from typing import Final

from werkzeug.wrappers import Request, Response

HASHED_CACHE: Final = "public, max-age=31536000, immutable"
API_PAGE: Final = "/api/docs"
START: Final = "index.html"


def is_page(path: str) -> bool:
    """Return whether a path belongs to the site, not to `/data/` or the API."""
    return path == API_PAGE or not path.startswith(("/api/", "/data/"))


def find_file(path: str) -> str:
    """Return the file for a path; without an extension, the single page."""
    return START if "." not in PurePosixPath(path).name else path.removeprefix("/")


def find_media_type(name: str) -> str:
    """Return the media type of a file of the built site."""
    if name.endswith(".webmanifest"):
        return "application/manifest+json"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def find_cache(name: str) -> str:
    """Return Cache-Control of a file: a name with a hash never changes."""
    return HASHED_CACHE if name.startswith("assets/") else "no-cache"


def answer_page(request: Request, folder: Path) -> Response | None:
    """Answer with a file of the built site; None if it does not exist."""
    if request.method not in {"GET", "HEAD"}:
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    name = find_file(request.path)
    # The name is only looked up, never made into a path, so that no request can leave the folder.
    file = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}.get(name)
    if file is None:
        return None
    response = Response(file.read_bytes(), mimetype=find_media_type(name))
    response.headers["Cache-Control"] = find_cache(name)
    response.add_etag()
    return response
