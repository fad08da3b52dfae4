"""Where the served pages are stored, beside the boards."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from storage.boards.models import Head, Index
from storage.boards.site.board_page import write_board_page
from storage.boards.site.croissant import write_croissant
from storage.boards.site.markup import write_mark
from storage.boards.site.start_page import write_start_page
from storage.boards.snapshots import HEAD_CACHE
from storage.gateway.bucket import Bucket, Versioned
from storage.keys import START_PAGE_KEY, board_page_key, croissant_key

_HTML: Final = "text/html; charset=utf-8"
_JSON_LD: Final = "application/ld+json"


class ServedPages(NamedTuple):
    """Pages in the site bucket. One that is missing is answered by the API without content.

    Args:
        bucket: The site bucket.
        site: Scheme and host of the site; "" if they are not known.
    """

    bucket: Bucket
    site: str = ""

    def write_board(self, head: Versioned[Head], boards: Sequence[tuple[str, str | None]] = ()) -> None:
        """Write the page of a main board, and the description of its data if that changed.

        `boards` are ids and titles of all boards of the benchmark.
        """
        described = write_croissant(head.value, site=self.site).encode()
        key = croissant_key(head.value.id)
        stored = self.bucket.find(key)
        if stored is None or stored.body != described:
            self.bucket.overwrite(key, described, content_type=_JSON_LD, cache_control=HEAD_CACHE)
        boards = boards if len(boards) > 1 else ()
        page = write_board_page(head.value, head.etag, site=self.site, boards=boards)
        self._write(board_page_key(head.value.id), page)

    def delete_board(self, benchmark: str) -> None:
        """Delete the page of a board."""
        self.bucket.delete(board_page_key(benchmark))

    def write_start(self, index: Versioned[Index]) -> None:
        """Write the start page."""
        page = write_start_page(index.value, index.etag, site=self.site)
        self._write(START_PAGE_KEY, page)

    def shows_board(self, head: Versioned[Head], *, is_listed: bool) -> bool:
        """Return whether the page of a board shows its head in the form of today.

        One that is not listed must have no page. The process that had to write or delete it may have died before.
        """
        stored = self.bucket.find(board_page_key(head.value.id))
        if stored is None or not is_listed:
            return (stored is None) != is_listed
        return write_mark(head.etag).encode() in stored.body

    def shows_index(self, index: Versioned[Index]) -> bool:
        """Return whether the start page shows an index in the form of today.

        The process that wrote the index may have died before the page.
        """
        stored = self.bucket.find(START_PAGE_KEY)
        return stored is not None and write_mark(index.etag).encode() in stored.body

    def delete_start(self) -> None:
        """Delete the start page."""
        self.bucket.delete(START_PAGE_KEY)

    def _write(self, key: str, page: str) -> None:
        self.bucket.overwrite(key, page.encode(), content_type=_HTML, cache_control=HEAD_CACHE)
