"""`boards.json`: the boards of a benchmark that has several, and which earlier ones are still to be deleted."""

from collections.abc import Collection
from typing import NamedTuple

from pydantic import Field

from scoring_core.benchmarks.boards import MAIN
from storage.boards.published import PublishedBoard, PublishedWindow
from storage.boards.snapshots import HEAD_CACHE
from storage.boards.standings import BoardKey
from storage.gateway.bucket import Bucket, Versioned
from storage.gateway.models import FrozenModel, StoredModel
from storage.gateway.schema import Schema
from storage.keys import boards_key


class ListedBoard(FrozenModel):
    """A board; the title of the main one is null."""

    id: str
    title: str | None
    since: int = 0


class RetiredBoard(FrozenModel):
    """A board that is no longer published: its standings, and files if no board has its id, are to be deleted."""

    id: str
    version: str
    since: int


class BoardsFile(StoredModel):
    """The boards of a benchmark in the order of its definition, the main one first, and its windows."""

    kind = Schema.SNAPSHOT

    id: str
    version: str
    boards: tuple[ListedBoard, ...]
    windows: tuple[ListedBoard, ...] = Field(default=(), exclude_if=lambda windows: not windows)
    retired: tuple[RetiredBoard, ...] = Field(default=(), exclude_if=lambda retired: not retired)

    def follow(
        self, version: str, boards: Collection[PublishedBoard], windows: Collection[PublishedWindow] = ()
    ) -> "BoardsFile":
        """Return the list that follows; what it lacks of this one is retired.

        The standings of other versions are kept, as those of the main board are: such a version may be published again.
        The main board then begins under its first key, so what is stored under that is never deleted.
        """
        listed = tuple(_list(each.key, each.board.title) for each in boards)
        spans = tuple(_list(each.key, each.window.title) for each in windows)
        kept = {(board.id, board.since) for board in (*listed, *spans)}
        ids = {board.id for board in (*listed, *spans)}
        gone = [
            RetiredBoard(id=board.id, version=self.version, since=board.since)
            for board in (*self.boards, *self.windows)
            if board.id not in ids or (self.version == version and (board.id, board.since) not in {*kept, (MAIN, 0)})
        ]
        retired = (*self.retired, *(board for board in gone if board not in self.retired))
        return BoardsFile(id=self.id, version=version, boards=listed, windows=spans, retired=retired)


class BoardListStore(NamedTuple):
    """The lists of boards in the site bucket."""

    bucket: Bucket

    def find(self, benchmark: str) -> Versioned[BoardsFile] | None:
        """Read the list of a benchmark; None if it has only the main board."""
        return self.bucket.find_model(boards_key(benchmark), BoardsFile)

    def put(self, boards: BoardsFile, *, replacing: Versioned[BoardsFile] | None) -> None:
        """Replace the list that was read. Raises Conflict if it changed since."""
        etag = replacing and replacing.etag
        self.bucket.put(boards_key(boards.id), boards.to_body(), replacing=etag, cache_control=HEAD_CACHE)

    def delete(self, benchmark: str) -> None:
        """Delete the list of a benchmark that has only the main board."""
        self.bucket.delete(boards_key(benchmark))


def _list(key: BoardKey, title: str | None) -> ListedBoard:
    return ListedBoard(id=key.board, title=title, since=key.since)


def key_of(benchmark: str, retired: RetiredBoard) -> BoardKey:
    """Return what a retired board was stored under."""
    return BoardKey(benchmark, retired.version, retired.id, retired.since)
