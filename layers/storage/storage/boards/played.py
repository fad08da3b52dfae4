"""Which instances of a window were played: those that have a folder in the site bucket."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from scoring_core.benchmarks.boards import Board, Window
from storage.gateway.bucket import Bucket
from storage.gateway.table import Page
from storage.keys import board_prefix, boards_prefix, parse_result_key, results_prefix, time_of

PAGE_LENGTH: Final = 50


@dataclass(frozen=True, slots=True)
class PlayedWindowStore:
    """Lists folders of boards, and finds a benchmark's first result."""

    site: Bucket
    results: Bucket

    def list_page(self, benchmark: str, window: Window, *, before: str | None) -> Page[Board]:
        """Return a page of the instances that were played, the latest first.

        One request to S3 lists a thousand: nearly three years of days.

        Args:
            benchmark: The benchmark.
            window: Whose instances.
            before: Only those before this one; None: all.
        """
        prefix = f"{boards_prefix(benchmark)}{window.id}"
        ids = [f"{window.id}{rest}" for rest in self.site.list_folders(prefix)]
        played = (window.find(board) for board in sorted(ids, reverse=True) if before is None or board < before)
        boards = [board for board in played if board is not None]
        page = tuple(boards[:PAGE_LENGTH])
        return Page(page, page[-1].id if len(boards) > PAGE_LENGTH else None)

    def list_versions(self, benchmark: str, board: str) -> list[str]:
        """Return the versions of which an instance has files."""
        return self.site.list_folders(board_prefix(benchmark, board))

    def find_first(self, benchmark: str) -> datetime | None:
        """Return when the first result of a benchmark was submitted; None without results."""
        key = self.results.find_first(results_prefix(benchmark))
        parsed = None if key is None else parse_result_key(key)
        return parsed and time_of(parsed.submission)
