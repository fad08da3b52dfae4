"""Compresses answers as CloudFront does, with a cache."""

import gzip
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from werkzeug.wrappers import Request, Response

MIN_BYTES: Final = 1000
MAX_BYTES: Final = 64 * 2**20
"""Limit of the cache, because every result makes new snapshots."""


@dataclass
class Compressor:
    """Compresses answers; safe to share between threads.

    Args:
        max_bytes: Size of the cache; the least recently used content is removed first.
    """

    max_bytes: int = MAX_BYTES
    _cache: OrderedDict[bytes, bytes] = field(default_factory=OrderedDict, init=False)
    _bytes: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def compress(self, request: Request, response: Response) -> Response:
        """Answer 304 if the client has the content, and with gzip if it accepts it."""
        response.make_conditional(request)
        response.headers["Vary"] = "Accept-Encoding"
        content = response.get_data()
        if len(content) < MIN_BYTES or request.accept_encodings["gzip"] == 0:
            return response
        response.set_data(self._gzip(content))
        response.headers["Content-Encoding"] = "gzip"
        etag, _ = response.get_etag()
        if etag is not None:
            response.set_etag(etag, weak=True)  # as CloudFront does: the same content in other bytes
        return response

    def _gzip(self, content: bytes) -> bytes:
        key = hashlib.sha256(content).digest()
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        compressed = gzip.compress(content, compresslevel=6, mtime=0)
        with self._lock:
            if key not in self._cache:
                self._cache[key] = compressed
                self._bytes += len(compressed)
            while self._bytes > self.max_bytes:
                _, removed = self._cache.popitem(last=False)
                self._bytes -= len(removed)
        return compressed
