"""Publishes boards by compare-and-swap: rows first, head last, then the index. A lost race starts over."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from aggregate.board import make_head, make_index_entry, order_rows, read_rows
from ledger.benchmark_store import BenchmarkStore, Published
from ledger.errors import Busy, Conflict, NotFound
from ledger.snapshot_store import SnapshotStore, Versioned
from ledger.snapshots import Head, Index, Replaced, Rows
from ledger.standing_store import BoardKey, StandingStore
from ledger.submission_id import Clock

MAX_TRIES = 20
KEEP_REPLACED = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes what the browser reads. An older head never replaces a newer one, and no reader sees a torn pair."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    snapshots: SnapshotStore
    clock: Clock

    def publish(self, benchmark: str, *, version: str, players: Collection[str] | None) -> None:
        """Bring the board up to date with the standings of these players.

        Args:
            benchmark: The benchmark's id.
            version: The version that the standings belong to; a board of another version is not shown.
            players: Whose standings may have changed; None: everybody's. Everybody's are read, too, where the board
                is new or was defined anew.

        Raises:
            NotFound: The benchmark is not published.
            Busy: The race was lost too often.
        """
        orphan: str | None = None
        for _ in range(MAX_TRIES):
            before = self.snapshots.read_head(benchmark)
            self._delete_orphan(orphan, before)
            published = self._current(benchmark, version=version, before=before)
            if published.version != version:
                return
            known = self._known_rows(published, before)
            rows = self._bring_up(published, known, players)
            if before is not None and rows == known:
                self._publish_index(before.value, published)
                return
            head = self._write_rows(published, before, rows)
            try:
                self.snapshots.write_head(head, replacing=before)
            except Conflict:
                orphan = head.rows_url
                continue
            self._publish_index(head, published)
            return
        raise Busy(f"board of {benchmark}: lost {MAX_TRIES} races")

    def _current(self, benchmark: str, *, version: str, before: Versioned[Head] | None) -> Published:
        published = self.benchmarks.current(benchmark)
        outdated = before is not None and before.value.revision > published.revision
        if outdated or published.version != version:
            return self.benchmarks.current(benchmark, fresh=True)
        return published

    def _known_rows(self, published: Published, before: Versioned[Head] | None) -> Rows | None:
        """Give the rows that the head shows; None where they are of another definition, or cannot be read."""
        if before is None or before.value.revision != published.revision:
            return None
        head = before.value
        if len(head.rows.player) == head.total:
            return head.rows
        try:
            return self.snapshots.read_rows(head.rows_url)
        except NotFound:
            return None

    def _bring_up(self, published: Published, known: Rows | None, players: Collection[str] | None) -> Rows:
        """Give the rows as they are now. The head was read first: standings are never older than it."""
        board = BoardKey(published.id, published.version)
        if known is None or players is None:
            standings = self.standings.all_standings(board)
        else:
            touched = self.standings.find_standings(board, players)
            standings = {player: one for player, one in read_rows(known).items() if player not in players} | touched
        definition = published.definition
        return order_rows(standings.values(), ranking=definition.ranking, score_type=definition.score_type)

    def _write_rows(self, published: Published, before: Versioned[Head] | None, rows: Rows) -> Head:
        """Write the rows and give the head that names them."""
        sequence = before.value.sequence + 1 if before else 1
        rows_url = self.snapshots.write_rows(published.id, rows, sequence=sequence)
        now = self.clock()
        replaced = self._delete_replaced(before.value, now) if before else []
        return make_head(published, rows, rows_url=rows_url, sequence=sequence, generated_at=now, replaced=replaced)

    def _delete_replaced(self, before: Head, now: datetime) -> list[Replaced]:
        """Delete the rows files that were replaced long ago, and name those that must be deleted later."""
        due = [one for one in before.replaced if now - one.at >= KEEP_REPLACED]
        for one in due:
            self.snapshots.delete_rows(one.key)
        waiting = [one for one in before.replaced if one not in due]
        return [*waiting, Replaced(key=before.rows_url.removeprefix("/"), at=now)]

    def _delete_orphan(self, rows_url: str | None, head: Versioned[Head] | None) -> None:
        """Delete the rows file of a lost race: no head will ever name it, unless the winner wrote the very same one."""
        if rows_url is None:
            return
        key = rows_url.removeprefix("/")
        named = head is not None and (
            head.value.rows_url == rows_url or key in {one.key for one in head.value.replaced}
        )
        if not named:
            self.snapshots.delete_rows(key)

    def _publish_index(self, head: Head, published: Published) -> None:
        entry = make_index_entry(head, published)
        for _ in range(MAX_TRIES):
            before = self.snapshots.read_index()
            entries = {one.id: one for one in before.value.benchmarks} if before else {}
            if entry.id in entries and entries[entry.id].sequence >= entry.sequence:
                return
            entries[entry.id] = entry
            index = Index(benchmarks=tuple(entries[name] for name in sorted(entries)))
            try:
                self.snapshots.write_index(index, replacing=before)
            except Conflict:
                continue
            return
        raise Busy(f"index: lost {MAX_TRIES} races")
