"""What the local stack writes to the terminal that it was started in."""

import json
import sys
from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from cli.exit_codes import USAGE
from local.__main__ import Options, main, make_log, make_request_log


@pytest.mark.parametrize("make", [make_log, make_request_log])
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("GET /data/index.json 200 3 ms", "GET /data/index.json 200 3 ms"),
        ("GET /\x1b]0;title\x07\x9b31m 404", r"GET /\x1b]0;title\x07\x9b31m 404"),
        ("GET /x 404 1 ms\nPOST /forged 202 1 ms", r"GET /x 404 1 ms\nPOST /forged 202 1 ms"),
        ("GET /\u202eabc\u2028[bold]x 404", r"GET /\u202eabc\u2028[bold]x 404"),
    ],
)
def test_line_is_shown_as_it_came(line: str, shown: str, make: Callable[[Console], Callable[[str], None]]) -> None:
    """A path is a stranger's text: it gives the terminal no command, and is one line."""
    terminal = StringIO()
    log = make(Console(file=terminal, highlight=False, soft_wrap=True))

    log(line)

    assert terminal.getvalue() == f"{shown}\n"


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ({"host": ["https://laurel.example"]}, "--host: expected a name"),
        ({"url": "laurel.example"}, "--url: expected an address"),
        ({"smtp": "smtp://mail.example"}, "--smtp: name the addresses"),
        ({"smtp": "mail.example"}, "--smtp: expected smtp://"),
    ],
)
def test_wrong_option_is_refused_before_anything_starts(
    option: dict[str, object], reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`laurel local` says which option is wrong, and ends as any command that is typed wrong."""
    options = {**dict.fromkeys(Options._fields), "port": 0, **option}
    monkeypatch.setattr(sys, "argv", ["local", json.dumps(options)])

    assert main() == USAGE
    assert capsys.readouterr().err.startswith(f"error: {reason}")
