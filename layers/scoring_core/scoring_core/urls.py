"""The addresses of the API, of the site's pages and of boards, as paths from the site's root."""

from typing import Final

MAIN_BOARD: Final = "main"
"""The board that every benchmark has."""


def benchmark_url(benchmark: str) -> str:
    """Return the path of a benchmark."""
    return f"/api/benchmarks/{benchmark}"


def submission_url(benchmark: str, submission: str) -> str:
    """Return the path of a submission."""
    return f"{benchmark_url(benchmark)}/submissions/{submission}"


def upload_url(benchmark: str, upload: str) -> str:
    """Return the path of an upload."""
    return f"{benchmark_url(benchmark)}/uploads/{upload}"


def publication_url(benchmark: str, publication: str) -> str:
    """Return the path of a publication."""
    return f"{benchmark_url(benchmark)}/publications/{publication}"


def board_url(benchmark: str) -> str:
    """Return the path of the page of a benchmark's boards."""
    return f"/b/{benchmark}"


def report_page_url(benchmark: str, upload: str) -> str:
    """Return the path of the page with the report of an upload."""
    return f"{board_url(benchmark)}/submit?upload={upload}"


def page_url(benchmark: str, submission: str) -> str:
    """Return the path of the page about a submission."""
    return f"/b/{benchmark}/s/{submission}"


def head_url(benchmark: str, board: str = MAIN_BOARD) -> str:
    """Return the path of the head of a board today."""
    return f"/data/b/{benchmark}/head.json" if board == MAIN_BOARD else f"/data/b/{benchmark}/boards/{board}/head.json"
