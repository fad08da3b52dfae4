"""Compressed answers are remembered, and the memory of them has a bound."""

import gzip
import random
from collections.abc import Iterator

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

from local.site import compression
from local.site.compression import MAX_REMEMBERED_BYTES, REMEMBERED, compress

GZIP = Request(EnvironBuilder("/", headers={"Accept-Encoding": "gzip"}).get_environ())


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """The contents that were compressed, from none that is remembered on."""
    compression._remember.cache_clear()
    contents: list[bytes] = []
    real = gzip.compress
    monkeypatch.setattr(gzip, "compress", lambda content, **named: contents.append(content) or real(content, **named))
    yield contents
    compression._remember.cache_clear()


def make_content(seed: int, size: int = 4_000) -> bytes:
    """Make bytes that become hardly less."""
    return random.Random(seed).randbytes(size)  # noqa: S311  # no secret


def test_recently_used_content_is_not_compressed_again(made: list[bytes]) -> None:
    """The content that was asked for least lately is forgotten first."""
    contents = [make_content(seed) for seed in range(REMEMBERED + 1)]

    bodies = [compress(GZIP, Response(content)).get_data() for content in (*contents, contents[-1], contents[0])]

    assert [gzip.decompress(body) for body in bodies] == [*contents, contents[-1], contents[0]]
    assert made == [*contents, contents[0]]


def test_large_content_is_not_remembered(made: list[bytes]) -> None:
    """A content beyond the limit is compressed each time."""
    content = make_content(0, MAX_REMEMBERED_BYTES + 1)

    assert [gzip.decompress(compress(GZIP, Response(content)).get_data()) for _ in range(2)] == [content, content]
    assert made == [content, content]
