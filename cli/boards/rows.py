"""Reads all rows of a board as CSV, as the API lists them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import httpx

from cli.boards.first_rows import explaining_contents
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.urls import benchmark_url

_END: Final = "\r\n"


def list_csv(
    ask: Callable[[str, Mapping[str, Any]], httpx.Response], benchmark: str, board: str, total: int
) -> Iterator[str]:
    """Yield the lines of a board's CSV, the header first.

    There is no byte order mark. `ask` answers a path with a query; the API is asked part by part. Raises CommandError.
    """
    path, start = f"{benchmark_url(benchmark)}/rows.csv", 1
    while True:
        content = ask(path, {"board": board, "from": start}).content
        with explaining_contents(path):
            header, *lines = content.decode().removeprefix(BYTE_ORDER_MARK).removesuffix(_END).split(_END)
        yield from (f"{line}{_END}" for line in [header] * (start == 1) + lines)
        start += len(lines)
        if not lines or start > total:
            return
