"""What is stored of the instances of windows, and when the first of them was played."""

from dataclasses import dataclass
from datetime import datetime

from storage.gateway.bucket import Bucket
from storage.keys import board_prefix, parse_result_key, results_prefix, time_of


@dataclass(frozen=True, slots=True)
class PlayedWindowStore:
    """Lists versions of boards, and finds a benchmark's first result."""

    site: Bucket
    results: Bucket

    def list_versions(self, benchmark: str, board: str) -> list[str]:
        """Return the versions of which an instance has files."""
        return self.site.list_folders(board_prefix(benchmark, board))

    def find_first(self, benchmark: str) -> datetime | None:
        """Return when the first result of a benchmark was submitted; None without results."""
        key = self.results.find_first(results_prefix(benchmark))
        parsed = None if key is None else parse_result_key(key)
        return parsed and time_of(parsed.submission)
