"""Boards for the browser to draw: of any size, and with hostile names."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from aggregate.board import make_index_entry
from scoring_core.benchmarks.boards import MAIN
from scoring_core.benchmarks.definition import Keep
from scoring_core.io.markdown import render_markdown
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.standings import RankOrder
from storage.benchmarks.corrections import CorrectedRow, Correction, Corrections
from storage.boards.models import (
    Counts,
    Head,
    HeadPages,
    HeadRanking,
    Index,
    Metric,
    Rows,
    WithdrawalNotices,
)
from storage.boards.pages import Change, ObjectKind, Row, Stamp, encode_changes
from storage.boards.site.store import ServedPages
from storage.boards.snapshots import HEAD_CACHE, ROWS_CACHE, SnapshotStore
from storage.boards.standings import Columns
from storage.submissions.models import PlayerKind
from tests.harness.built_boards import BuiltBoard, build

type Changes = Mapping[str, Change]

HEAD_ROWS = 100
"""So many rows a head has."""
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
CORRECTION = "<b>Scene 12</b> had a wrong time: " + "W" * 200
BADGE = b'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><rect width="90" height="20"/></svg>'


@dataclass(frozen=True)
class Shelf:
    """Publishes boards for the browser."""

    store: SnapshotStore

    def put(self, head: Head, rows: Rows | None = None) -> Head:
        """Publish a board, or its next state, and its entry of the index.

        Args:
            head: The board; its rows and what follows from them are set.
            rows: All rows, if not those of the head.
        """
        whole = rows or head.rows
        stored = self._read_head(head)
        sequence = stored["sequence"] + 1 if stored else 1
        board = self._write_objects(head, whole, sequence=sequence)
        shown = board.rows.model_copy(update={"at": whole.at[:HEAD_ROWS]})
        published = head.model_copy(
            update={
                "rows": shown,
                "pages": board.pages,
                "sequence": sequence,
                "total": board.total,
                "counts": board.counts.model_copy(update={"unranked": head.counts.unranked}),
            }
        )
        self.write_head(published)
        if head.board == MAIN:
            self._put_card(published)
            self.serve(head.id)
        return published

    def serve(self, benchmark: str, boards: Sequence[tuple[str, str | None]] = ()) -> None:
        """Write the served page of a main board; with the titles of all, also its card."""
        head = self.store.read_head(benchmark)
        assert head is not None
        if boards:
            self._put_card(head.value)
        ServedPages(self.store.bucket).write_board(head, boards)

    def serve_start(self) -> None:
        """Write the served start page."""
        index = self.store.read_index()
        assert index is not None
        ServedPages(self.store.bucket).write_start(index)

    def put_changes(self, head: Head, *, recent: Changes, buffer: Changes) -> Head:
        """Publish changes that the pages of a board do not show yet; its first rows stay as they are."""
        assert head.pages is not None
        named = Stamp(head.sequence + 1).name(ObjectKind.RECENT, encode_changes(recent))
        self.write_file(head, named.name, named.body)
        stored = {row_id: change.to_json() for row_id, change in buffer.items()}
        pages = head.pages.model_copy(update={"recent": named.name, "buffer": stored})
        left = sum(change.row is None for change in {**recent, **buffer}.values())
        update = {"pages": pages, "sequence": head.sequence + 1, "total": head.total - left}
        changed = head.model_copy(update=update)
        self.write_head(changed)
        return changed

    def write_head(self, head: Head) -> None:
        """Write a head."""
        self.write_file(head, "head.json", head.to_body(), cache=HEAD_CACHE)

    def write_file(self, head: Head, name: str, body: bytes, *, cache: str = ROWS_CACHE) -> None:
        """Write a file into the folder of a board."""
        bucket = self.store.bucket
        bucket.overwrite(head.folder + name, body, content_type="application/json", cache_control=cache)

    def _read_head(self, head: Head) -> dict[str, Any] | None:
        stored = self.store.bucket.find(f"{head.folder}head.json")
        return stored and json.loads(stored.body)

    def _write_objects(self, head: Head, rows: Rows, *, sequence: int) -> BuiltBoard:
        board = build_rows(head, rows, sequence=sequence)
        for name, body in board.objects.items():
            self.write_file(head, name, body)
        return board

    def put_corrected(self, head: Head) -> None:
        """Publish a board whose first rows swapped their ranks in a correction."""
        rows = head.rows
        self.put(head.model_copy(update={"corrected_at": START}))
        listed = tuple(
            CorrectedRow(
                player=rows.player[index],
                name=rows.name[index],
                verified=rows.verified[index],
                rank_before=2 - index,
                rank_after=1 + index,
                value_before=80.0,
                value_after=90.5 - index,
            )
            for index in range(2)
        )
        correction = Correction(
            version=head.version,
            replaced="fedcba9876543210",
            at=START,
            reason=CORRECTION,
            metric=next(metric for metric in head.metrics if metric.primary),
            rows=head.total,
            changed=5,
            moved=2,
            left=1,
            listed=listed,
            final=head.final is not None,
        )
        body = Corrections(id=head.id, corrections=(correction,)).to_body()
        self.write_file(head, "corrections.json", body, cache=HEAD_CACHE)

    def put_first_rows(self, head: Head, *, total: int) -> Head:
        """Publish the head alone of a board with so many rows: the API has the others."""
        pages = HeadPages(directory="directory.1-000000000000.json")
        counts = head.counts.model_copy(update={"players": total, "submissions": 3 * total})
        published = head.model_copy(update={"total": total, "pages": pages, "counts": counts})
        self.write_head(published)
        self.serve(head.id)
        return published

    def _put_card(self, head: Head) -> None:
        index = self.store.read_index()
        entries = {entry.id: entry for entry in index.value.benchmarks} if index else {}
        entries[head.id] = make_index_entry(head, now=START)
        self.store.write_index(Index(benchmarks=tuple(entries[name] for name in sorted(entries))), replacing=index)


def build_rows(head: Head, rows: Rows, *, sequence: int) -> BuiltBoard:
    """Return the objects of a board with these rows, and what its head shows of them."""
    metrics = tuple(metric.id for metric in head.metrics)
    columns = Columns(RankOrder(head.ranking.order), metrics, has_labels=head.ranking.rows == "label")
    return build([row_at(rows, index) for index in range(len(rows.player))], columns, sequence=sequence)


def row_at(rows: Rows, index: int) -> Row:
    """Return a row as pages store it."""
    scores = {metric: value for metric, column in rows.scores.items() if (value := column[index]) is not None}
    label = rows.label[index] if rows.label else None
    kind, submissions = rows.kind[index].value, rows.submissions[index]
    named = (rows.player[index], rows.name[index], kind, rows.verified[index], label)
    return Row(*named, scores, submissions, rows.submission[index])


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
    return Head(
        id=name,
        title=f"Board {name}",
        summary=f"A board with {players} players.",
        tags=("test",),
        description=render_markdown(
            "# What\n\nSome *words*, a [link](https://example.com) and\n\n| a | b |\n|---|---|\n| 1 | 2 |"
        ),
        version="0123456789abcdef",
        publish_number=1,
        sequence=1,
        generated_at=START,
        opens=None,
        closes=None,
        total=players,
        counts=Counts(players=players, submissions=sum(rows.submissions)),
        metrics=METRICS,
        ranking=HeadRanking(
            rule="Of each player the best submission counts; ranked by Score (higher is better).",
            keep=Keep.BEST,
            order=(("Score", Direction.HIGHER),),
        ),
        rows=rows,
    )


def make_other_board(name: str, board: str, title: str, *, players: int) -> Head:
    """Return the head of a board other than the main one, which shows two metrics."""
    head = make_board(name, players=players)
    return head.model_copy(update={"board": board, "board_title": title, "metrics": METRICS[:2]})


def make_hostile_board(name: str) -> Head:
    """Return a board of players with hostile names, each with a withdrawal notice."""
    rows = make_rows(len(HOSTILE_NAMES)).model_copy(update={"name": HOSTILE_NAMES})
    removed = tuple(
        WithdrawalNotices(player=player, name=shown, at=START, reason=f"{shown} is no reason.", submission=submission)
        for player, shown, submission in zip(rows.player, rows.name, rows.submission, strict=True)
    )
    return make_board(name, players=len(HOSTILE_NAMES), rows=rows).model_copy(update={"notices": removed})
