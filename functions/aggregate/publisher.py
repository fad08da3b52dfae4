"""Publishes boards by compare-and-swap: rows first, head last, then the index. A lost race starts over."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from aggregate.badge import make_badge
from aggregate.board import compare_rows, make_head, make_index_entry, order_rows, read_ranks, read_rows, trim_head
from aggregate.updates import join_improvements, update_improvements, update_notices
from scoring_core.ranking.improvements import downsample
from storage.aws.bucket import Versioned
from storage.aws.errors import Busy, Conflict, NotFound
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.models import Baseline, Head, Index, Rows, StaleRowsFile, Step, WithdrawalNotices
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.ids import Clock

MAX_TRIES = 20
KEEP_REPLACED = timedelta(minutes=10)
MAX_REPLACED = 100
"""More would swell the head of a board that is published every second; the oldest go early."""


class _Board(NamedTuple):
    """What a board shows: its rows, still without deltas, its records, none left out, and what was taken off it.

    `revision` is that of the oldest publishing whose ranking a standing was folded by.
    """

    revision: int
    rows: Rows
    records: tuple[Step, ...]
    removed: tuple[WithdrawalNotices, ...]


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
            # Afresh, after the head: never older than what that was made by, whatever revision it could claim.
            published = self.benchmarks.current(benchmark, fresh=True)
            if published.version != version:
                return
            known = self._known_rows(published, before)
            board = self._bring_up(published, before, known, players)
            if before is not None and known is not None and _is_shown(board, before.value, known):
                self._publish_rest(before.value, published)
                return
            head = self._write_rows(published, before and before.value, board)
            try:
                self.snapshots.write_head(head, replacing=before)
            except Conflict:
                orphan = head.rows_url
                continue
            self._publish_rest(head, published)
            return
        raise Busy(f"board of {benchmark}: lost {MAX_TRIES} races")

    def _known_rows(self, published: PublishedBenchmark, before: Versioned[Head] | None) -> Rows | None:
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

    def _bring_up(
        self,
        published: PublishedBenchmark,
        before: Versioned[Head] | None,
        known: Rows | None,
        players: Collection[str] | None,
    ) -> _Board:
        """Give the board as it is now. The head was read first: standings are never older than it."""
        board = BoardKey(published.id, published.version)
        ranking, score_type = published.definition.ranking, published.definition.score_type
        direction = score_type.metric(ranking.by[0]).direction
        if before is not None and known is not None and players is not None and _has_all_records(before.value):
            touched = self.standings.read_board(board, players)
            records = update_improvements(
                before.value.best_over_time, touched.standings, players=players, direction=direction
            )
            if records is not None:
                others = {player: one for player, one in read_rows(known).items() if player not in players}
                standings = (others | touched.standings).values()
                removed = update_notices(before.value.removed, touched.removed, players=players)
                rows = order_rows(standings, ranking=ranking, score_type=score_type)
                return _Board(_least_revision(published, touched), rows, records, removed)
        everything = self.standings.read_board(board, None)
        everybody = everything.standings.values()
        rows = order_rows(everybody, ranking=ranking, score_type=score_type)
        records, removed = join_improvements(everybody, direction), update_notices((), everything.removed, players=())
        return _Board(_least_revision(published, everything), rows, records, removed)

    def _write_rows(self, published: PublishedBenchmark, before: Head | None, board: _Board) -> Head:
        """Write the rows and give the head that names them."""
        sequence = before.sequence + 1 if before else 1
        now = self.clock()
        baseline = choose_baseline(before, published.version, now)
        rows = compare_rows(board.rows, self._read_ranks(baseline))
        rows_url = self.snapshots.write_rows(published.id, rows, sequence=sequence)
        head = make_head(
            published,
            rows,
            revision=board.revision,
            improvements=board.records,
            notices=board.removed,
            baseline=baseline,
            rows_url=rows_url,
            sequence=sequence,
            generated_at=now,
            stale_files=self._delete_replaced(before, baseline, now) if before else [],
        )
        return trim_head(head)

    def _read_ranks(self, baseline: Baseline | None) -> dict[str, int] | None:
        if baseline is None:
            return None
        try:
            return read_ranks(self.snapshots.read_rows(baseline.rows_url))
        except NotFound:
            return None

    def _delete_replaced(self, before: Head, baseline: Baseline | None, now: datetime) -> list[StaleRowsFile]:
        """Delete the rows files that were replaced long ago, and name those that must be deleted later."""
        left = {before.rows_url, *([before.baseline.rows_url] if before.baseline else [])}
        if baseline is not None:
            left.discard(baseline.rows_url)
        added = [StaleRowsFile(key=rows_url.removeprefix("/"), at=now) for rows_url in sorted(left)]
        waiting = [one for one in before.replaced if now - one.at < KEEP_REPLACED]
        kept = [*waiting, *added][-MAX_REPLACED:]
        kept_keys = {one.key for one in kept}  # to compare a hundred models with a hundred costs 8 ms
        for one in before.replaced:
            if one.key not in kept_keys:
                self.snapshots.delete_rows(one.key)
        return kept

    def _delete_orphan(self, rows_url: str | None, head: Versioned[Head] | None) -> None:
        """Delete the rows file of a lost race: no head will ever name it, unless the winner wrote the very same one."""
        if rows_url is not None and (head is None or rows_url not in _named_rows(head.value)):
            self.snapshots.delete_rows(rows_url.removeprefix("/"))

    def _publish_rest(self, head: Head, published: PublishedBenchmark) -> None:
        self._publish_badge(head)
        self._publish_index(head, published)  # last: a card of an older head tells that somebody fell before this

    def _publish_index(self, head: Head, published: PublishedBenchmark) -> None:
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

    def _publish_badge(self, head: Head) -> None:
        """Write the badge; where the head has moved meanwhile a newer badge may have been replaced, so do it again."""
        for _ in range(MAX_TRIES):
            self.snapshots.write_badge(head.id, make_badge(head))
            latest = self.snapshots.read_head(head.id)
            if latest is None or latest.value.sequence == head.sequence:
                return
            head = latest.value
        raise Busy(f"badge of {head.id}: the head moved {MAX_TRIES} times")


def choose_baseline(before: Head | None, version: str, now: datetime) -> Baseline | None:
    """Give what deltas are counted from: the rows that stood at the end of the last day that saw a publishing.

    Args:
        before: The head that is replaced.
        version: The benchmark version that is published; another one than before starts without a baseline.
        now: The time of this publishing, in UTC.
    """
    if before is None or before.version != version:
        return None
    last_day = before.generated_at.date()
    return Baseline(date=last_day, rows_url=before.rows_url) if last_day < now.date() else before.baseline


def _least_revision(published: PublishedBenchmark, state: BoardState) -> int:
    return published.revision if state.revision is None else min(published.revision, state.revision)


def _has_all_records(head: Head) -> bool:
    return head.records == len(head.best_over_time)


def _is_shown(board: _Board, head: Head, known: Rows) -> bool:
    """Tell whether a head, whose rows are known, shows this board; deltas follow from both and the day."""
    return (
        board.revision == head.revision
        and board.rows == known.model_copy(update={"delta": ()})
        and head.records == len(board.records)
        and head.best_over_time == downsample(board.records, len(head.best_over_time))
        and head.removed == board.removed
    )


def _named_rows(head: Head) -> set[str]:
    baseline = {head.baseline.rows_url} if head.baseline else set()
    return {head.rows_url, *baseline, *(f"/{one.key}" for one in head.replaced)}
