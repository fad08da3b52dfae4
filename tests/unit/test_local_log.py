"""What the local stack writes to the terminal that it was started in."""

from io import StringIO

import pytest
from rich.console import Console

from local.__main__ import make_log


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("GET /data/index.json 200 3 ms", "GET /data/index.json 200 3 ms"),
        ("GET /\x1b]0;title\x07\x9b31m 404", r"GET /\x1b]0;title\x07\x9b31m 404"),
        ("GET /x 404 1 ms\nPOST /forged 202 1 ms", r"GET /x 404 1 ms\nPOST /forged 202 1 ms"),
        ("GET /\u202eabc\u2028[bold]x 404", r"GET /\u202eabc\u2028[bold]x 404"),
    ],
)
def test_line_is_shown_as_it_came(line: str, shown: str) -> None:
    """A path is a stranger's text: it gives the terminal no command, and is one line."""
    terminal = StringIO()
    log = make_log(Console(file=terminal, highlight=False, soft_wrap=True))

    log(line)

    assert terminal.getvalue() == f"{shown}\n"
