"""Prints all rows of a board as CSV, as the API lists them."""

import sys

import httpx

from cli.boards.first_rows import explaining_contents, read_head
from cli.client import get, make_error
from cli.console import print_note
from scoring_core.io.csv_text import BYTE_ORDER_MARK
from scoring_core.urls import benchmark_url, head_url

PAGE_ROWS = 100
_END = "\r\n"


def print_csv(client: httpx.Client, benchmark: str, board: str) -> None:
    """Print every row as CSV, part by part.

    A program reads it: a byte order mark, which tells spreadsheets the encoding of a file, would be in its first name.
    """
    (total, sequence), start = _read_state(client, benchmark, board), 1
    path = f"{benchmark_url(benchmark)}/rows.csv"
    while True:
        answer = client.get(path, params={"board": board, "from": start})
        if not answer.is_success:
            raise make_error(answer, path)
        with explaining_contents(path):
            header, *lines = answer.content.decode().removeprefix(BYTE_ORDER_MARK).removesuffix(_END).split(_END)
        sys.stdout.buffer.write("".join(f"{line}{_END}" for line in ([header] * (start == 1) + lines)).encode())
        start += len(lines)
        if not lines or start > total:
            break
    if total > PAGE_ROWS and _read_state(client, benchmark, board)[1] != sequence:
        print_note("the board changed meanwhile: a row may be there twice, or be missing; run the command again")


def _read_state(client: httpx.Client, benchmark: str, board: str) -> tuple[int, int]:
    """Return the number of rows of a board, and its sequence. Raises ApiError."""
    path = head_url(benchmark, board)
    with explaining_contents(path):
        head = read_head(get(client, path))
        return head.total, int(head.answer["sequence"])
