"""Long answers are compressed for clients that read gzip."""

import gzip

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Request, Response

from local.site.compression import MIN_BYTES, compress


@pytest.mark.parametrize(
    ("size", "accepts", "encoding"),
    [(MIN_BYTES, "gzip, br", "gzip"), (MIN_BYTES - 1, "gzip", None), (MIN_BYTES, "gzip;q=0, br", None)],
)
def test_long_answer_is_compressed_for_clients_that_read_it(size: int, accepts: str, encoding: str | None) -> None:
    """A short one stays as it is, and so does one for a client without gzip."""
    request = Request(EnvironBuilder(headers={"Accept-Encoding": accepts}).get_environ())

    answer = compress(request, Response(b"x" * size))

    body = answer.get_data()
    assert (answer.headers.get("Content-Encoding"), answer.headers["Vary"]) == (encoding, "Accept-Encoding")
    assert (gzip.decompress(body) if encoding else body) == b"x" * size
