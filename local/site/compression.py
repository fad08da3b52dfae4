"""Compressed answers, as CloudFront gives them, of which the last ones are remembered."""

import gzip
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from werkzeug.wrappers import Request, Response

LEAST_BYTES_TO_COMPRESS: Final = 1000
MAX_BYTES: Final = 64 * 2**20
"""What is remembered: every result makes new snapshots, so it would grow with every result."""


@dataclass
class Compressor:
    """Compresses answers; threads share one.

    Args:
        max_bytes: How much is remembered of what was compressed; what was used longest ago is forgotten first.
    """

    max_bytes: int = MAX_BYTES
    _known: OrderedDict[bytes, bytes] = field(default_factory=OrderedDict, init=False)
    _bytes: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def compress(self, request: Request, response: Response) -> Response:
        """Answer with less: 304 where the visitor has it already, gzip where that is understood."""
        response.make_conditional(request)
        response.headers["Vary"] = "Accept-Encoding"
        content = response.get_data()
        if len(content) < LEAST_BYTES_TO_COMPRESS or request.accept_encodings["gzip"] == 0:
            return response
        response.set_data(self._gzip(content))
        response.headers["Content-Encoding"] = "gzip"
        etag, _ = response.get_etag()
        if etag is not None:
            response.set_etag(etag, weak=True)  # as CloudFront does: other bytes, the same content
        return response

    def _gzip(self, content: bytes) -> bytes:
        key = hashlib.sha256(content).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        compressed = gzip.compress(content, compresslevel=6, mtime=0)
        with self._lock:
            if key not in self._known:
                self._known[key] = compressed
                self._bytes += len(compressed)
            while self._bytes > self.max_bytes:
                _, forgotten = self._known.popitem(last=False)
                self._bytes -= len(forgotten)
        return compressed
