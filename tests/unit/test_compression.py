"""Compressed answers are remembered, and the memory of them has a bound."""

import gzip
import random
import threading

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

from local.site.compression import Compressor

GZIP = Request(EnvironBuilder("/", headers={"Accept-Encoding": "gzip"}).get_environ())


def make_content(seed: int) -> bytes:
    """Make 4,000 bytes that become hardly less."""
    return random.Random(seed).randbytes(4_000)  # noqa: S311  # no secret


def compress(compressor: Compressor, content: bytes) -> bytes:
    """Return the body of a compressed answer."""
    return compressor.compress(GZIP, Response(content)).get_data()


def test_cache_size_is_limited() -> None:
    """The oldest content is removed first."""
    compressor = Compressor(max_bytes=20_000)

    bodies = [compress(compressor, make_content(seed)) for seed in range(100)]

    assert [gzip.decompress(body) for body in bodies] == [make_content(seed) for seed in range(100)]
    assert sum(map(len, compressor._cache.values())) == compressor._bytes <= 20_000
    assert len(compressor._cache) == 4


def test_recently_used_content_stays_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Content that was requested lately is not compressed again."""
    compressor, made = Compressor(max_bytes=20_000), []
    real = gzip.compress
    monkeypatch.setattr(gzip, "compress", lambda content, **named: made.append(content) or real(content, **named))

    for seed in range(1, 20):
        compress(compressor, make_content(0))
        compress(compressor, make_content(seed))

    assert made.count(make_content(0)) == 1


def test_too_large_content_is_not_cached() -> None:
    """Content beyond the limit is compressed, and leaves nothing in the cache."""
    compressor = Compressor(max_bytes=1_000)

    assert gzip.decompress(compress(compressor, make_content(0))) == make_content(0)
    assert (len(compressor._cache), compressor._bytes) == (0, 0)


def test_content_compressed_by_two_threads_counts_once() -> None:
    """Two threads may compress the same content at once."""
    compressor = Compressor()
    threads = [threading.Thread(target=compress, args=(compressor, make_content(seed % 3))) for seed in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(map(len, compressor._cache.values())) == compressor._bytes
    assert len(compressor._cache) == 3
