"""Keeps the replays of a benchmark what the first rows of its main board rest on."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from scoring_core.ranking.accumulators import Accumulator
from storage.aws.errors import MAX_TRIES, Busy, Conflict
from storage.aws.schema import Schema
from storage.benchmarks.boards import PublishedBoard
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.folded_standings import read_folded_standing
from storage.boards.reading import BoardReader
from storage.boards.rendering.replays import Replay, ReplayList, ReplayStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import StandingStore, read_standing_row, standing_key
from storage.boards.views import RankedRow

FIRST: Final = 1
"""The number of the leader's row."""


class _Wanted(NamedTuple):
    """The replays that a head asks for, and its sequence; 0 without a head."""

    replays: tuple[Replay, ...]
    sequence: int

    def list(self, benchmark: str, submissions: Collection[str], changing: Sequence[str] = ()) -> ReplayList:
        """Return the list of those of these submissions."""
        replays = tuple(replay for replay in self.replays if replay.submission in submissions)
        return ReplayList(id=benchmark, replays=replays, changing=tuple(changing))


@dataclass(frozen=True, slots=True)
class ReplayKeeper:
    """Brings the replays of a benchmark up to date with the head that its main board has.

    A copy is listed as changing before it is made or deleted, and until that is done. So nothing exists that the list
    does not name, nothing is shown that does not exist, and the next process finishes what was begun.

    Args:
        store: The replays.
        snapshots: Has the heads.
        standings: Say which submissions a row with parts rests on.
        reader: Reads the first rows.
    """

    store: ReplayStore
    snapshots: SnapshotStore
    standings: StandingStore
    reader: BoardReader

    def keep(self, published: PublishedBenchmark) -> None:
        """Delete and make copies. Raises Busy if others changed the list every time."""
        copied: set[str] = set()
        for _ in range(MAX_TRIES):
            try:
                if self._attempt(published, copied):
                    return
            except Conflict:
                continue
        raise Busy(f"replays of {published.id}: the list or the board changed {MAX_TRIES} times")

    def _attempt(self, published: PublishedBenchmark, copied: set[str]) -> bool:
        """Try once; return whether the board still is as it was read.

        The list is read first, so the head is not older than that of the process that wrote it. `copied` has what
        this process copied in earlier tries: somebody else may have taken it off the list before it was there.
        """
        benchmark, store = published.id, self.store
        before = store.find(benchmark)
        listed = before.value if before else ReplayList(id=benchmark, replays=())
        wanted = self._list_wanted(published)
        submissions = frozenset(replay.submission for replay in wanted.replays)
        gone = (listed.submissions | copied) - submissions
        coming = [each for each in sorted(submissions - listed.shown) if store.fits(benchmark, each)]
        if gone or coming:
            shown = listed.shown & submissions
            before = store.put(wanted.list(benchmark, shown, changing=(*coming, *sorted(gone))), replacing=before)
            store.delete_copies(benchmark, gone)
            copied.update(coming)
            self.snapshots.map(lambda submission: store.copy(benchmark, submission), coming)
        after = wanted.list(benchmark, listed.shown.union(coming))
        if before is None or after.replays != before.value.replays or before.value.changing:
            store.put(after, replacing=before)
        if not coming:
            return True
        # A row may have left the board after its head was read, before its copy was listed: nobody else deletes that.
        head = self.snapshots.read_head(benchmark)
        return head is not None and head.value.sequence == wanted.sequence

    def _list_wanted(self, published: PublishedBenchmark) -> _Wanted:
        shown = self.reader.find(published.id)
        if shown is None or shown.head.replays is None:
            return _Wanted((), 0)
        main, rows = published.boards[0], shown.rows_from(FIRST, shown.head.replays)
        kept = self._read_kept(main, rows) if main.board.parts else None
        replays = tuple(replay for ranked in rows for replay in _list_of_row(ranked, main, kept))
        return _Wanted(replays, shown.head.sequence)

    def _read_kept(self, main: PublishedBoard, rows: list[RankedRow]) -> Mapping[str, Accumulator]:
        """Return row → what its standing rests on, where that is stored."""
        rules, keys = main.board.rules, [standing_key(ranked.row.id) for ranked in rows]
        items = self.standings.table.get_many({"board": str(main.key), "item": key} for key in keys)
        plains = map(Schema.STANDING.read, items)
        read = ((read_standing_row(plain), read_folded_standing(plain).read_accumulator(rules)) for plain in plains)
        return {row: accumulator for row, accumulator in read if accumulator is not None}


def _list_of_row(ranked: RankedRow, main: PublishedBoard, kept: Mapping[str, Accumulator] | None) -> Iterator[Replay]:
    """Yield the replay of a row, or of each part that counts, in their order."""
    row = ranked.row
    about = {"rank": ranked.rank, "player": row.player, "name": row.name, "label": row.label}
    if kept is None:
        yield Replay(submission=row.submission, **about)
    elif row.id in kept:
        parts = kept[row.id].parts
        for part in main.board.parts:
            if part in parts:
                yield Replay(submission=parts[part].submission, part=part, **about)
