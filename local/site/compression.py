"""Compresses answers as CloudFront does."""

import gzip
from typing import Final

from werkzeug.wrappers import Request, Response

MIN_BYTES: Final = 1000


def compress(request: Request, response: Response) -> Response:
    """Answer 304 if the client has the content, and with gzip if it accepts it."""
    response.make_conditional(request)
    response.headers["Vary"] = "Accept-Encoding"
    content = response.get_data()
    if len(content) < MIN_BYTES or request.accept_encodings["gzip"] == 0:
        return response
    response.set_data(gzip.compress(content, compresslevel=6, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)  # as CloudFront does: the same content in other bytes
    return response
