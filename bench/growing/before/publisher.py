"""The publisher as it was: it read and wrote all rows for each change, then head and index by compare-and-swap."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from growing.before.board import (
    cut_rows,
    join_improvements,
    make_head,
    order_rows,
    read_rows,
    trim_head,
    update_improvements,
)
from growing.before.models import Card, Cards, Head, Rows, RowsFile, StaleFile, Step
from growing.before.standings import ContributionStore

from scoring_core.ranking.improvements import downsample
from storage.aws.bucket import Bucket
from storage.aws.errors import retry_on_conflict
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.ids import Clock

KEEP_STALE = timedelta(minutes=10)
MAX_STALE = 100
INDEX = "before/index.json"


class _ShownHead(NamedTuple):
    head: Head
    etag: str


@dataclass(frozen=True, slots=True)
class WholePublisher:
    """Publishes a board; badge, withdrawal notices and deltas of the original are left out, which makes it faster."""

    benchmarks: BenchmarkStore
    standings: ContributionStore
    bucket: Bucket
    clock: Clock

    def publish(self, board: str, *, players: Collection[str] | None) -> None:
        """Publish a board after the standings of these players, or of all, have changed."""
        retry_on_conflict(lambda: self._attempt(board, players), what=f"board {board}")

    def read_rows(self, board: str) -> Rows:
        """Return all rows that the board shows."""
        shown = self._read_head(board)
        assert shown is not None
        return self._read_all_rows(shown.head)

    def read_head(self, board: str) -> Head:
        """Return the head."""
        shown = self._read_head(board)
        assert shown is not None
        return shown.head

    def _attempt(self, board: str, players: Collection[str] | None) -> None:
        shown = self._read_head(board)
        published = self.benchmarks.current(board.partition("@")[0], fresh=True)
        ranking, score_type = published.definition.ranking, published.definition.score_type
        direction = score_type.metric(ranking.by[0]).direction
        improvements, before = None, None
        if shown is not None and players is not None:
            before = self._read_all_rows(shown.head)
            changed = self.standings.read(board, players)
            if shown.head.records == len(shown.head.best_over_time):
                improvements = update_improvements(
                    shown.head.best_over_time, changed, players=players, direction=direction
                )
            others = {player: entry for player, entry in read_rows(before).items() if player not in players}
            standings = others | changed
        if improvements is None:
            standings = self.standings.read(board, None)
            improvements = join_improvements(standings.values(), direction)
        rows = order_rows(standings.values(), ranking=ranking, score_type=score_type)
        if shown is None or not _is_shown(rows, improvements, shown.head, before):
            head = self._write(board, published, shown, rows, improvements)
        else:
            head = shown.head
        self._publish_index(head)

    def _write(
        self,
        board: str,
        published: PublishedBenchmark,
        shown: _ShownHead | None,
        rows: Rows,
        improvements: tuple[Step, ...],
    ) -> Head:
        sequence, now = shown.head.sequence + 1 if shown else 1, self.clock()
        body = RowsFile(rows=rows).to_body()
        rows_key = f"before/{board}/rows.{sequence}-{hashlib.sha256(body).hexdigest()[:12]}.json"
        self.bucket.overwrite(rows_key, body)
        head = make_head(
            published,
            rows,
            improvements,
            rows_url=rows_key,
            sequence=sequence,
            generated_at=now,
            stale_files=self._delete_stale(shown.head, now) if shown else (),
        )
        head = trim_head(head)
        self.bucket.put(_head_key(board), head.to_body(), replacing=shown and shown.etag)
        return head

    def _delete_stale(self, before: Head, now: datetime) -> list[StaleFile]:
        """Delete old rows files, and return those to delete later."""
        waiting = [file for file in before.replaced if now - file.at < KEEP_STALE]
        kept = [*waiting, StaleFile(key=before.rows_url, at=now)][-MAX_STALE:]
        kept_keys = {file.key for file in kept}
        for file in before.replaced:
            if file.key not in kept_keys:
                self.bucket.delete(file.key)
        return kept

    def _publish_index(self, head: Head) -> None:
        stored = self.bucket.find(INDEX)
        cards = {card.id: card for card in Cards.model_validate_json(stored.body).benchmarks} if stored else {}
        if head.id in cards and cards[head.id].sequence >= head.sequence:
            return
        leaders = cut_rows(head.rows, 3)
        cards[head.id] = Card(
            id=head.id,
            title=head.title,
            players=head.counts.players,
            submissions=head.counts.submissions,
            best=next((column[0] for column in leaders.scores.values() if column), None),
            leader=leaders.name,
            updated_at=head.generated_at,
            sequence=head.sequence,
        )
        body = Cards(benchmarks=tuple(cards[name] for name in sorted(cards))).to_body()
        self.bucket.put(INDEX, body, replacing=stored and stored.etag)

    def _read_head(self, board: str) -> _ShownHead | None:
        stored = self.bucket.find(_head_key(board))
        return stored and _ShownHead(Head.model_validate_json(stored.body), stored.etag)

    def _read_all_rows(self, head: Head) -> Rows:
        if len(head.rows.player) == head.total:
            return head.rows
        return RowsFile.model_validate_json(self.bucket.get(head.rows_url).body).rows


def _head_key(board: str) -> str:
    return f"before/{board}/head.json"


def _is_shown(rows: Rows, improvements: tuple[Step, ...], head: Head, shown: Rows | None) -> bool:
    return (
        rows == shown
        and head.records == len(improvements)
        and head.best_over_time == downsample(improvements, len(head.best_over_time))
    )
