"""Boards for the browser to draw: of any size, and with hostile names."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scoring_core.metrics.score_type import Direction
from storage.boards.models import Counts, Head, Histogram, Index, IndexEntry, Metric, Rows, WithdrawalNotices
from storage.boards.snapshots import SnapshotStore
from storage.submissions.models import PlayerKind

HEAD_ROWS = 100
SHARERS = {2: 2, 3: 2, 6: 6, 7: 6, 8: 6, 9: 6}
"""Index → rank it shares, from the third player on: ranks 1, 2, 2 …, 6, 6, 6, 6 …"""
HOSTILE_NAMES = (
    "<img src=x onerror=alert(1)>",
    "\u202eevil reversed\u202c",
    "Ｗ" * 64,
    "a" * 64,
    "=cmd|' /C calc'!A0",
    'quote " comma , and \\ back',
    "ก็็็ Thai marks",
    "{{constructor.constructor('alert(1)')()}}",
)
METRICS = (
    Metric(
        id="Score",
        label="Score",
        unit=None,
        direction=Direction.HIGHER,
        decimals=2,
        help="Points of 1000.",
        primary=True,
    ),
    Metric(id="Time", label="Time", unit="s", direction=Direction.LOWER, decimals=1, help=None, primary=False),
    Metric(id="Errors", label="Errors", unit=None, direction=Direction.LOWER, decimals=0, help=None, primary=False),
)
START = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Shelf:
    """Publishes boards for the browser."""

    store: SnapshotStore

    def put(self, head: Head, rows: Rows | None = None) -> Head:
        """Publish a board, or its next state, and its entry of the index.

        Args:
            head: The board; its `rows` are cut, its `sequence` and `rows_url` set.
            rows: All rows, if the head has only some.
        """
        whole = rows or head.rows
        before = self.store.read_head(head.id)
        sequence = before.value.sequence + 1 if before else 1
        url = self.store.write_rows(head.id, whole, sequence=sequence)
        published = head.model_copy(
            update={"rows": cut(whole, HEAD_ROWS), "rows_url": url, "sequence": sequence, "total": len(whole.player)}
        )
        self.store.write_head(published, replacing=before)
        badge = b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><rect width="90" height="20"/></svg>'
        key = f"data/b/{head.id}/badge.svg"
        self.store.bucket.overwrite(key, badge, content_type="image/svg+xml")
        self._put_card(published)
        return published

    def _put_card(self, head: Head) -> None:
        index = self.store.read_index()
        entries = {entry.id: entry for entry in index.value.benchmarks} if index else {}
        entries[head.id] = IndexEntry(
            id=head.id,
            title=head.title,
            summary=head.summary,
            tags=head.tags,
            state="open",
            opens=None,
            closes=None,
            players=head.total,
            submissions=head.counts.submissions,
            primary=head.metrics[0],
            best=next(iter(head.rows.scores["Score"]), None),
            leader=head.rows.name[:1],
            leader_verified=head.rows.verified[:1],
            updated_at=head.generated_at,
            sequence=head.sequence,
        )
        self.store.write_index(Index(benchmarks=tuple(entries[name] for name in sorted(entries))), replacing=index)


def make_rows(players: int) -> Rows:
    """Return rows with ties at ranks 2 and 6 and, from the fourth player on, every seventh time missing."""
    order = range(players)
    ranks = [SHARERS.get(index + 1, index + 1) if index > 0 else 1 for index in order]
    scores = [1000.0 - rank / 16 for rank in ranks]
    times = [None if index % 7 == 3 else 10 + (index * 37 % 100) / 4 for index in order]
    return Rows(
        player=tuple(f"player-{index + 1}" for index in order),
        name=tuple(f"Player {index + 1}" for index in order),
        kind=tuple(PlayerKind.MODEL if index % 3 == 1 else PlayerKind.HUMAN for index in order),
        verified=tuple(index % 4 == 0 for index in order),
        rank=tuple(ranks),
        tied=tuple(ranks.count(rank) > 1 if players < 100 else rank in {2, 6} for rank in ranks),
        scores={"Score": tuple(scores), "Time": tuple(times), "Errors": tuple(index % 5 for index in order)},
        submissions=tuple(1 + index % 9 for index in order),
        at=tuple(int((START + timedelta(minutes=index)).timestamp() * 1000) for index in order),
        submission=tuple(f"01a1fb00-0000-7000-8000-{index:012x}" for index in order),
    )


def make_board(name: str, *, players: int, rows: Rows | None = None) -> Head:
    """Return the head of a board with all rows."""
    rows = rows or make_rows(players)
    histogram = {
        name: count_values([value for value in column if value is not None])
        for name, column in rows.scores.items()
        if any(value is not None for value in column)
    }
    return Head(
        id=name,
        title=f"Board {name}",
        summary=f"A board with {players} players.",
        tags=("test",),
        description="# What\n\nSome *words*, a [link](https://example.com) and\n\n| a | b |\n|---|---|\n| 1 | 2 |",
        version="0123456789abcdef",
        revision=1,
        sequence=1,
        generated_at=START,
        opens=None,
        closes=None,
        total=players,
        counts=Counts(players=players, submissions=sum(rows.submissions)),
        metrics=METRICS,
        rank_rule="Of each player the best submission counts; ranked by Score (higher is better).",
        rows=rows,
        rows_url="/data/none",
        histogram=histogram,
    )


def count_values(values: list[float]) -> Histogram:
    """Count values in 20 equal bins, or in one bin if all are equal."""
    low, high = min(values), max(values)
    if low == high:
        return Histogram(min=low, max=high, counts=(len(values),))
    bins = Counter(min(19, int((value - low) / (high - low) * 20)) for value in values)
    return Histogram(min=low, max=high, counts=tuple(bins[index] for index in range(20)))


def make_hostile_board(name: str) -> Head:
    """Return a board of players with hostile names, each with a withdrawal notice."""
    rows = make_rows(len(HOSTILE_NAMES)).model_copy(update={"name": HOSTILE_NAMES})
    removed = tuple(
        WithdrawalNotices(player=player, name=shown, at=START, reason=f"{shown} is no reason.", submission=submission)
        for player, shown, submission in zip(rows.player, rows.name, rows.submission, strict=True)
    )
    return make_board(name, players=len(HOSTILE_NAMES), rows=rows).model_copy(update={"removed": removed})


def cut(rows: Rows, length: int) -> Rows:
    """Return the first rows."""
    columns = {name: getattr(rows, name)[:length] for name in Rows.model_fields if name != "scores"}
    return Rows(**columns, scores={name: column[:length] for name, column in rows.scores.items()})
