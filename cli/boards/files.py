"""The files of boards as a site serves them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

import httpx
from pydantic import ValidationError

from cli.boards.first_rows import explaining_contents
from cli.client import ApiError, PathNotFound, get, make_error
from storage.boards.models import Head
from storage.boards.reading import BoardFiles, BoardReader, ShownBoard
from storage.boards.snapshots import DecodedObjects
from storage.keys import MAIN_BOARD, board_prefix, head_key

MAX_CACHE_BYTES: Final = 4_000_000
"""Directory and recent changes of a board of a million rows, and some pages."""


@dataclass(frozen=True, slots=True)
class HttpFiles:
    """The files of boards behind a site's address."""

    client: httpx.Client

    def find_head(self, benchmark: str, board: str = MAIN_BOARD, *, version: str | None = None) -> Head | None:
        """Read the head of a board's version; None if there is none. Raises ApiError.

        The site leads from a version that is gone to that of today, and from one that is not made yet to that before.
        """
        name = f"/{head_key(benchmark, board, version=version)}"
        try:
            return Head.model_validate(get(self.client, name))
        except PathNotFound:
            return None
        except ValidationError as error:
            position = "/".join(map(str, error.errors(include_url=False)[0]["loc"]))
            raise ApiError(f"{name}: expected a board, found something else at {position}") from error

    def read_object(self, folder: str, name: str) -> bytes:
        """Read an object that a head in a folder names. Raises ApiError."""
        path = f"/{folder}{name}"
        answer = self.client.get(path)
        if answer.status_code != HTTPStatus.OK:
            raise make_error(answer, path)
        return answer.content


@contextmanager
def reading_board(files: BoardFiles, benchmark: str, board: str) -> Iterator[ShownBoard]:
    """Yield a board; what is read of it is checked. Raises ApiError."""
    reader = BoardReader(files, DecodedObjects(MAX_CACHE_BYTES))
    with explaining_contents(board_prefix(benchmark, board)):
        shown = reader.find(benchmark, board)
        if shown is None:
            raise PathNotFound(f"/{head_key(benchmark, board)}: no such board")
        yield shown
