"""Publishes boards by compare-and-swap: rows first, then the head, then badge and index. A lost race starts over."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from aggregate.badge import make_badge
from aggregate.board import (
    BoardContent,
    compare_rows,
    make_head,
    make_index_entry,
    order_rows,
    read_ranks,
    read_rows,
    trim_head,
)
from aggregate.updates import join_improvements, update_improvements, update_notices
from scoring_core.ranking.improvements import downsample
from storage.aws.bucket import Versioned
from storage.aws.errors import MAX_TRIES, Busy, NotFound, retry_on_conflict
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.models import Baseline, Head, Index, Rows, StaleRowsFile
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.ids import Clock

KEEP_STALE = timedelta(minutes=10)
MAX_STALE = 100
"""More would swell the head of a board that is published every second; the oldest files are deleted early."""


@dataclass(frozen=True, slots=True)
class Publisher:
    """Writes what the browser reads. An older head never replaces a newer one, and head and rows always match."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    snapshots: SnapshotStore
    clock: Clock

    def publish(self, benchmark: str, *, version: str, players: Collection[str] | None) -> None:
        """Publish a board after the standings of these players have changed.

        Args:
            benchmark: The benchmark's id.
            version: The version of the standings; nothing is published unless it is current.
            players: Whose standings may have changed; None: everybody's. If the board is new, or the benchmark was
                published again, all standings are read.

        Raises:
            NotFound: The benchmark is not published.
            Busy: Other publishers won too often.
        """
        orphan: str | None = None

        def attempt() -> None:
            nonlocal orphan
            before = self.snapshots.read_head(benchmark)
            self._delete_orphan(orphan, before)
            # Bypass the cache, and read after the head: the definition must not be older than the head's.
            published = self.benchmarks.current(benchmark, fresh=True)
            if published.version != version:
                return
            shown = self._read_shown_rows(published, before)
            board = self._compute_board(published, before, shown, players)
            if before is None or shown is None or not _is_shown(board, before.value, shown):
                head = self._write_rows(published, before and before.value, board)
                orphan = head.rows_url
                self.snapshots.write_head(head, replacing=before)
            else:
                head = before.value
            self._publish_badge(head)
            self._publish_index(head, published)  # last: an old index entry shows that a crash left the board behind

        retry_on_conflict(attempt, what=f"board of {benchmark}")

    def _read_shown_rows(self, published: PublishedBenchmark, before: Versioned[Head] | None) -> Rows | None:
        """Return all rows of the head; None if they no longer apply or are gone."""
        if before is None or before.value.revision != published.revision:
            return None
        head = before.value
        if len(head.rows.player) == head.total:
            return head.rows
        try:
            return self.snapshots.read_rows(head.rows_url)
        except NotFound:
            return None

    def _compute_board(
        self,
        published: PublishedBenchmark,
        before: Versioned[Head] | None,
        shown: Rows | None,
        players: Collection[str] | None,
    ) -> BoardContent:
        """Return the board from its standings, which are read after the head."""
        board = BoardKey(published.id, published.version)
        ranking, score_type = published.definition.ranking, published.definition.score_type
        direction = score_type.metric(ranking.by[0]).direction
        improvements = None
        if before is not None and shown is not None and players is not None and _has_all_improvements(before.value):
            head, state = before.value, self.standings.read_board(board, players)
            improvements = update_improvements(
                head.best_over_time, state.standings, players=players, direction=direction
            )
            others = {player: entry for player, entry in read_rows(shown).items() if player not in players}
            standings = others | state.standings
            notices = update_notices(head.removed, state.notices, players=players)
        if improvements is None:
            state = self.standings.read_board(board, None)
            standings = state.standings
            improvements = join_improvements(standings.values(), direction)
            notices = update_notices((), state.notices, players=())
        rows = order_rows(standings.values(), ranking=ranking, score_type=score_type)
        return BoardContent(_least_revision(published, state), rows, improvements, notices)

    def _write_rows(self, published: PublishedBenchmark, before: Head | None, board: BoardContent) -> Head:
        """Write the rows file and return the head that names it."""
        sequence = before.sequence + 1 if before else 1
        now = self.clock()
        baseline = choose_baseline(before, published.version, now)
        rows = compare_rows(board.rows, self._read_ranks(baseline))
        rows_url = self.snapshots.write_rows(published.id, rows, sequence=sequence)
        head = make_head(
            published,
            board,
            rows,
            baseline=baseline,
            rows_url=rows_url,
            sequence=sequence,
            generated_at=now,
            stale_files=self._delete_stale_files(before, baseline, now) if before else [],
        )
        return trim_head(head)

    def _read_ranks(self, baseline: Baseline | None) -> dict[str, int] | None:
        if baseline is None:
            return None
        try:
            return read_ranks(self.snapshots.read_rows(baseline.rows_url))
        except NotFound:
            return None

    def _delete_stale_files(self, before: Head, baseline: Baseline | None, now: datetime) -> list[StaleRowsFile]:
        """Delete old rows files, and return those to delete later."""
        unused = {before.rows_url, *([before.baseline.rows_url] if before.baseline else [])}
        if baseline is not None:
            unused.discard(baseline.rows_url)
        added = [StaleRowsFile(key=rows_url.removeprefix("/"), at=now) for rows_url in sorted(unused)]
        waiting = [file for file in before.replaced if now - file.at < KEEP_STALE]
        kept = [*waiting, *added][-MAX_STALE:]
        kept_keys = {file.key for file in kept}  # comparing a hundred models with a hundred takes 8 ms
        for file in before.replaced:
            if file.key not in kept_keys:
                self.snapshots.delete_rows(file.key)
        return kept

    def _delete_orphan(self, rows_url: str | None, head: Versioned[Head] | None) -> None:
        """Delete the rows file of a lost race, unless the winner wrote the same one."""
        if rows_url is not None and (head is None or rows_url not in _named_rows(head.value)):
            self.snapshots.delete_rows(rows_url.removeprefix("/"))

    def _publish_index(self, head: Head, published: PublishedBenchmark) -> None:
        entry = make_index_entry(head, published)

        def attempt() -> None:
            before = self.snapshots.read_index()
            entries = {other.id: other for other in before.value.benchmarks} if before else {}
            if entry.id in entries and entries[entry.id].sequence >= entry.sequence:
                return
            entries[entry.id] = entry
            index = Index(benchmarks=tuple(entries[name] for name in sorted(entries)))
            self.snapshots.write_index(index, replacing=before)

        retry_on_conflict(attempt, what="index")

    def _publish_badge(self, head: Head) -> None:
        """Write the badge, and again if the head has changed since."""
        for _ in range(MAX_TRIES):
            self.snapshots.write_badge(head.id, make_badge(head))
            latest = self.snapshots.read_head(head.id)
            if latest is None or latest.value.sequence == head.sequence:
                return
            head = latest.value
        raise Busy(f"badge of {head.id}: the head changed {MAX_TRIES} times")


def choose_baseline(before: Head | None, version: str, now: datetime) -> Baseline | None:
    """Return the baseline of deltas: the rows at the end of the last earlier day.

    A version that was not published before starts without one; days are those of UTC.
    """
    if before is None or before.version != version:
        return None
    last_day = before.generated_at.date()
    return Baseline(date=last_day, rows_url=before.rows_url) if last_day < now.date() else before.baseline


def _least_revision(published: PublishedBenchmark, state: BoardState) -> int:
    return published.revision if state.publish_number is None else min(published.revision, state.publish_number)


def _has_all_improvements(head: Head) -> bool:
    return head.records == len(head.best_over_time)


def _is_shown(board: BoardContent, head: Head, rows: Rows) -> bool:
    """Return whether a head with these rows shows this board, deltas aside."""
    return (
        board.revision == head.revision
        and board.rows == rows.model_copy(update={"delta": ()})
        and head.records == len(board.improvements)
        and head.best_over_time == downsample(board.improvements, len(head.best_over_time))
        and head.removed == board.notices
    )


def _named_rows(head: Head) -> set[str]:
    baseline = {head.baseline.rows_url} if head.baseline else set()
    return {head.rows_url, *baseline, *(f"/{file.key}" for file in head.replaced)}
