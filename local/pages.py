"""The built frontend as CloudFront serves it: rewritten paths, cache headers, security headers."""

import gzip
import mimetypes
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final

from werkzeug.wrappers import Request, Response

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
PERMISSIONS_POLICY: Final = "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
PAGE_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": PERMISSIONS_POLICY,
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
    }
)
# A snapshot opened on its own is data: nothing in it runs, and any page may read it.
DATA_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Access-Control-Allow-Origin": "*",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
        "X-Content-Type-Options": "nosniff",
    }
)
HASHED_CACHE: Final = "public, max-age=31536000, immutable"
API_PAGE: Final = "/api/docs"
START: Final = "index.html"
LEAST_BYTES_TO_COMPRESS: Final = 1000


def is_page(path: str) -> bool:
    """Tell whether a path is one of the site's, and not of `/data/` or the API."""
    return path == API_PAGE or not path.startswith(("/api/", "/data/"))


def find_file(path: str) -> str:
    """Give the file that answers for a path: one without an extension is a view of the one page."""
    return START if "." not in PurePosixPath(path).name else path.removeprefix("/")


def find_media_type(name: str) -> str:
    """Give the media type of a file of the built site, by its name."""
    if name.endswith(".webmanifest"):
        return "application/manifest+json"
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def find_cache(name: str) -> str:
    """Give what a file of the built site says of caching: one whose name has its hash never changes."""
    return HASHED_CACHE if name.startswith("assets/") else "no-cache"


def answer_page(request: Request, folder: Path) -> Response | None:
    """Answer with a file of the built site; None where there is no such file.

    Args:
        request: For a path that `is_page`.
        folder: The built site.
    """
    if request.method not in {"GET", "HEAD"}:
        return Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
    name = find_file(request.path)
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        return None
    response = Response(file.read_bytes(), mimetype=find_media_type(name))
    response.headers["Cache-Control"] = find_cache(name)
    response.headers.update(PAGE_HEADERS)
    response.add_etag()
    return compress(request, response)


def compress(request: Request, response: Response) -> Response:
    """Answer with less: 304 where the visitor has it already, gzip where that is understood."""
    response.make_conditional(request)
    response.headers["Vary"] = "Accept-Encoding"
    content = response.get_data()
    if len(content) < LEAST_BYTES_TO_COMPRESS or request.accept_encodings["gzip"] == 0:
        return response
    response.set_data(_gzip(content))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)  # as CloudFront does: other bytes, the same content
    return response


@cache
def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=6, mtime=0)
