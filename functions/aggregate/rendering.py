"""One attempt to render a board: the next head, and the objects that it names."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import batched
from typing import NamedTuple

from aggregate.board import (
    UpdatedImprovements,
    choose_beat,
    describe_board,
    join_improvements,
    trim_head,
    update_improvements,
    update_notices,
)
from aggregate.decorations import Decorations
from aggregate.flushing import Flush
from aggregate.paged_board import PagedBoard, RowChange
from aggregate.paging import (
    LeadingRows,
    Sizes,
    choose_first_rows,
    count_rows,
    make_objects,
    rank_rows,
    show_rows,
)
from scoring_core.metrics.score_type import Direction
from scoring_core.ranking.improvement_lists import downsample
from scoring_core.ranking.standings import Place
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import (
    Counts,
    Head,
    HeadBaseline,
    HeadFrozen,
    HeadImprovements,
    HeadPages,
    Step,
    WithdrawalNotices,
)
from storage.boards.pages import (
    MAX_WHOLE_ROWS,
    ObjectKind,
    Row,
    Stamp,
    decode_improvements,
    encode_changes,
    encode_improvements,
    read_rows,
)
from storage.boards.published import PublishedBoard
from storage.boards.reading import show_board
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardState, Columns, StandingStore
from storage.boards.views import BoardView
from storage.keys import files_prefix
from storage.submissions.models import NAMELESS

FEWEST_IMPROVEMENTS = 10
"""So many improvements fit into every head."""
BARS = 0.9
"""So much of the rows has a bar on the page of a board."""
WRITTEN_AT_ONCE = 64


class _Update(NamedTuple):
    """What of a board follows from the standings that were read.

    `may_return`: a row may have become again what it was, since a submission of it was withdrawn or restored. Another
    renderer may have read what was between, and would show that over a head that stayed: so none stays.
    """

    publish_number: int
    counts: Counts
    improvements: UpdatedImprovements
    notices: tuple[WithdrawalNotices, ...]
    is_incomplete: bool
    may_return: bool = False


class ChangedBoard(NamedTuple):
    """What follows from changed standings: the next head, None if it is shown; and which rows leave the board."""

    head: Head | None
    left: frozenset[str]


@dataclass(frozen=True)
class Rendering:
    """One attempt to render a board: the next head from the one before and the standings, which are read after it.

    Args:
        standings: The boards table.
        snapshots: The site bucket.
        sizes: How many rows and changes fit where.
        now: When it is published.
        nonce: A random text, another one for each attempt.
        published: The benchmark, read after the head.
        shown: The board.
        before: The head before, if there is one.
        frozen: Since when the board is frozen, counted after the head before was read; None: it is not.
        is_whole: Whether all rows are published, as the schedule does once it has folded what the board lacked.
        decorations: Runs what only decorates the board. If a step fails, the head says that it is incomplete, and the
            schedule makes it again from all standings.
    """

    standings: StandingStore
    snapshots: SnapshotStore
    sizes: Sizes
    now: datetime
    nonce: str
    published: PublishedBenchmark
    shown: PublishedBoard
    before: Head | None
    frozen: HeadFrozen | None
    is_whole: bool
    decorations: Decorations

    @cached_property
    def columns(self) -> Columns:
        """What the rows of the board have."""
        return Columns.of(self.shown.board.rules)

    @property
    def folder(self) -> str:
        """Where its head and objects are."""
        key = self.shown.key
        return files_prefix(key.benchmark, key.board, version=key.version)

    @property
    def sequence(self) -> int:
        """The sequence of the next head."""
        return self.before.sequence + 1 if self.before else 1

    @property
    def stamp(self) -> Stamp:
        """What the names of its objects have in them."""
        return Stamp(self.sequence, self.nonce)

    @property
    def goes_on(self) -> bool:
        """Return whether the head before shows the same version, order and columns."""
        head = self.before
        return (
            head is not None
            and (head.version, head.since) == (self.shown.key.version, self.shown.key.since)
            and head.ranking.order == self.columns.order.by
            and tuple(metric.id for metric in head.metrics) == self.columns.metrics
            and tuple(head.rows.scores) == self.columns.all
            and head.ranking.rows == self.shown.board.ranking.rows
        )

    def build(self) -> Head | None:
        """Return the head of all standings; None if that is what is shown."""
        state = self.standings.read_board(self.shown.key, None, rules=self.shown.board.rules)
        state = state.without(self.published.bans)
        rows = sorted(map(self.columns.read_row, state.standings.values()), key=self._place)
        improvements = self.decorations.run(
            "improvements",
            lambda: UpdatedImprovements(join_improvements(state.standings, self._direction), is_incomplete=False),
            self._last_improvements,
        )
        update = _Update(
            publish_number=self._least_publish_number(state, self.shown.publish_number),
            counts=count_rows(rows).model_copy(update={"unranked": state.unranked}),
            improvements=improvements,
            notices=self.decorations.run("notices", lambda: update_notices((), state.notices), self._last_notices),
            is_incomplete=False,
        )
        return self._show_all(rows, update)

    def read(self, row_ids: Collection[str]) -> BoardState:
        """Read the standings that `change` needs, and the lease of the board."""
        return self.standings.read_board(self.shown.key, _join_nameless(row_ids), rules=self.shown.board.rules)

    def change(self, row_ids: Collection[str], state: BoardState) -> ChangedBoard:
        """Return the board after these standings have changed."""
        before, state = self._before, state.without(self.published.bans)
        row_ids = _join_nameless(row_ids)
        now = {
            row_id: self.columns.read_row(state.standings[row_id]) if row_id in state.standings else None
            for row_id in sorted(row_ids)
            if row_id not in NAMELESS
        }
        paged = None
        if before.pages is not None:
            paged = PagedBoard(self.snapshots, show_board(self.snapshots, before), self.columns)
            changed = paged.find_changed(now)
        else:
            in_head = {row.id: row for row in read_rows(dict(before.rows))}
            changed = {
                row_id: RowChange(in_head.get(row_id), row) for row_id, row in now.items() if in_head.get(row_id) != row
            }
        left = frozenset(row_id for row_id, each in changed.items() if each.before and each.now is None)
        update = self._update(state, row_ids, changed, paged)
        if not changed and self._shows(update):
            return ChangedBoard(None, left)
        if update.improvements.is_incomplete and before.total <= MAX_WHOLE_ROWS:
            return ChangedBoard(self.build(), left)
        if paged is None:
            kept = (row for row_id, row in in_head.items() if row_id not in changed)
            came = (each.now for each in changed.values() if each.now)
            return ChangedBoard(self._show_all(sorted([*kept, *came], key=self._place), update), left)
        return ChangedBoard(self._show_changed(paged, changed, update), left)

    @property
    def _before(self) -> Head:
        assert self.before is not None  # noqa: S101  # only asked where the rows before go on
        return self.before

    @property
    def _last_improvements(self) -> UpdatedImprovements:
        """The improvements that the head before shows: better than none."""
        return UpdatedImprovements(self.before.improvements.steps if self.before else (), is_incomplete=False)

    @property
    def _last_notices(self) -> tuple[WithdrawalNotices, ...]:
        return self.before.notices if self.before else ()

    @property
    def _stalled_since(self) -> datetime | None:
        """Since when the board may lack results: until all rows are published."""
        return self.before.stalled_since if self.before and self.goes_on and not self.is_whole else None

    @property
    def _direction(self) -> Direction:
        return self.shown.board.rules.primary_direction

    def _place(self, row: Row) -> Place:
        return row.place(self.columns.order)

    def _least_publish_number(self, state: BoardState, *others: int) -> int:
        return min(*others, self.shown.publish_number if state.publish_number is None else state.publish_number)

    def _update(
        self,
        state: BoardState,
        row_ids: Collection[str],
        changed: Mapping[str, RowChange],
        paged: PagedBoard | None,
    ) -> _Update:
        """Return what follows from some standings and the head before."""
        before = self._before

        def follow_improvements() -> UpdatedImprovements:
            shown = before.improvements.steps
            if paged and before.pages and before.pages.improvements:
                shown = self._read_improvements(before.pages.improvements)
            improvements = update_improvements(shown, state.standings, rows=row_ids, direction=self._direction)
            is_thinned = paged is None and before.improvements.total != len(before.improvements.steps)
            return improvements._replace(is_incomplete=improvements.is_incomplete or is_thinned)

        # A board without labels has as many players as rows, and all rows of a small one are counted.
        players = paged.count_players(changed) if paged and self.columns.has_labels else 0
        submissions = sum(
            (each.now.submissions if each.now else 0) - (each.before.submissions if each.before else 0)
            for each in changed.values()
        )
        improvements = self.decorations.run("improvements", follow_improvements, self._last_improvements)
        return _Update(
            publish_number=self._least_publish_number(state, before.publish_number, self.shown.publish_number),
            counts=Counts(
                players=before.counts.players + players,
                submissions=before.counts.submissions + submissions,
                unranked=before.counts.unranked if NAMELESS.isdisjoint(row_ids) else state.unranked,
            ),
            improvements=improvements,
            notices=self.decorations.run(
                "notices", lambda: update_notices(before.notices, state.notices), self._last_notices
            ),
            is_incomplete=improvements.is_incomplete or before.is_incomplete,  # until all standings are read
            may_return=bool(state.notices),
        )

    def _shows(self, update: _Update) -> bool:
        """Return whether the head before shows this, if its rows are the same."""
        head = self._before
        return (
            not update.may_return
            and (head.counts, head.notices) == (update.counts, update.notices)
            and head.publish_number == update.publish_number == self.shown.publish_number
            and head.improvements.total == len(update.improvements.improvements)
            and head.improvements.steps == downsample(update.improvements.improvements, len(head.improvements.steps))
            and head.is_incomplete == update.is_incomplete
            and (head.stalled_since, head.frozen) == (self._stalled_since, self.frozen)
        )

    def _show_all(self, rows: Sequence[Row], update: _Update) -> Head | None:
        """Return the head of these rows, which are in order; None if it is shown."""
        counts = count_rows(rows).model_copy(update={"unranked": update.counts.unranked})
        update = update._replace(counts=counts)
        is_same = self.goes_on and self._before.pages is None and rows == read_rows(dict(self._before.rows))
        if is_same and self._shows(update):
            return None
        length = self.sizes.head
        first = LeadingRows(rows[:length], self._place(rows[length]) if len(rows) > length else None)
        if first.following is None:
            head = self._make_head(first, None, update, total=len(rows))
            if len(head.rows.player) == len(rows):
                return head
        directory = ""
        objects = make_objects(rows, self.columns, stamp=self.stamp, sizes=self.sizes)
        for some in batched(objects, WRITTEN_AT_ONCE, strict=False):
            self.snapshots.run(lambda named: self.snapshots.write_object(self.folder, named), some)
            directory = some[-1].name
        pages = HeadPages(directory=directory, end=self._find_end(len(rows), rows.__getitem__))
        return self._make_head(first, pages, update, total=len(rows))

    def _show_changed(self, paged: PagedBoard, changed: Mapping[str, RowChange], update: _Update) -> Head:
        """Return the head of a board with pages after some rows have changed."""
        before = self._before
        assert before.pages is not None  # noqa: S101  # that is what `paged` was read from
        fresh = {row_id: each.change for row_id, each in changed.items()}
        changes = {**paged.changes, **fresh}
        total = before.total + sum((each.now is not None) - (each.before is not None) for each in changed.values())
        after = replace(paged.shown.view, changes=changes)
        if total <= self.sizes.head:
            rows = [ranked.row for ranked in after.all_rows()]
            head = self._make_head(LeadingRows(rows, None), None, update, total=total)
            if len(head.rows.player) == total:
                return head
        buffer = {row_id: change.to_json() for row_id, change in fresh.items()}
        pages = before.pages.model_copy(update={"buffer": {**before.pages.buffer, **buffer}})
        if len(pages.buffer) <= self.sizes.buffer:
            first = self._choose_first_rows(after, changed, len(before.rows.player))
            head = self._make_head(first, pages, update, total=total)
            if len(head.rows.player) == len(first.rows):
                return head
        # The buffer is full, or a head with it is too large.
        first = self._choose_first_rows(after, changed, self.sizes.head)
        if len(changes) <= self.sizes.recent_changes(total):
            body = encode_changes(changes)
            pages = HeadPages(directory=before.pages.directory, recent=self._write(ObjectKind.RECENT, body, changes))
        else:
            pages = HeadPages(directory=Flush(paged, changes, self.stamp, self.sizes).run())
        end = self._find_end(total, lambda index: after.rows_from(index, 1)[0].row)
        return self._make_head(first, pages.model_copy(update={"end": end}), update, total=total)

    def _choose_first_rows(self, after: BoardView, changed: Mapping[str, RowChange], length: int) -> LeadingRows:
        """Return the first rows; pages are read only if the head before does not say."""
        pages = self._before.pages
        following = pages and pages.next and Place.from_json(pages.next)
        now = {row_id: each.now for row_id, each in changed.items()}
        length = length if following else self.sizes.head
        first = choose_first_rows(
            read_rows(dict(self._before.rows)), following or None, now, self.columns.order, length=length
        )
        if first is not None:
            return first
        rows = [ranked.row for ranked in after.rows_from(0, length + 1)]
        return LeadingRows(rows[:length], self._place(rows[length]) if len(rows) > length else None)

    def _make_head(
        self,
        first: LeadingRows,
        pages: HeadPages | None,
        update: _Update,
        *,
        total: int,
    ) -> Head:
        """Return a head small enough, with as many of the first rows as fit."""
        rows = show_rows(rank_rows(first.rows, self.columns.order, first.following), self.columns)
        decorate, improvements = self.decorations.run, update.improvements
        if pages is not None:
            name = decorate("improvements", lambda: self._write_improvements(improvements), None)
            pages = pages.model_copy(update={"improvements": name})
        unmarked: tuple[HeadBaseline, ...] = ()
        baselines = decorate("baselines", lambda: self._find_baselines(first), unmarked, waits=True)
        beat = 0.0
        if self.goes_on:
            beat = decorate("beat", lambda: choose_beat(self._before, update.counts, now=self.now), 0.0)
        whole = Head(
            **describe_board(self.published, self.shown),
            baselines=baselines,
            publish_number=update.publish_number,
            sequence=self.sequence,
            generated_at=self.now,
            beat=beat,
            total=total,
            counts=update.counts if self.columns.has_labels else update.counts.model_copy(update={"players": total}),
            rows=rows,
            pages=pages,
            improvements=HeadImprovements(steps=improvements.improvements, total=len(improvements.improvements)),
            is_incomplete=update.is_incomplete,
            notices=update.notices,
            stalled_since=self._stalled_since,
            frozen=self.frozen,
        )
        head = decorate("size", lambda: trim_head(whole, self.before), whole)
        if self.decorations.failed:
            head = head.model_copy(update={"is_incomplete": True})
        if head.pages is None:
            return head
        shown = len(head.rows.player)
        following = self._place(first.rows[shown]) if shown < len(first.rows) else first.following
        next_place = following and following.to_json()
        return head.model_copy(update={"pages": head.pages.model_copy(update={"next": next_place})})

    def _find_end(self, total: int, read: Callable[[int], Row]) -> int | float | None:
        """Return the primary value of the last row with a bar.

        `read` returns the row of an index.
        """
        primary = self.shown.board.ranking.by[0]
        return self.decorations.run("bars", lambda: read(math.ceil(BARS * total) - 1).scores.get(primary), None)

    def _find_baselines(self, first: LeadingRows) -> tuple[HeadBaseline, ...]:
        """Return the rows that the owner marks.

        Those below the first ones are read, and may be newer than these.
        """
        ids = self.shown.board.find_baselines(self.published.definition.baselines)
        rows = {row.id: row for row in first.rows}
        below = {row_id for row_id in ids if row_id not in rows} if first.following else set()
        if below:
            standings = self.standings.read_board(self.shown.key, below, rules=self.shown.board.rules).standings
            bans = self.published.bans
            read = (self.columns.read_row(each) for each in standings.values() if each.player.id not in bans)
            rows |= {row.id: row for row in read}
        metrics = frozenset(self.columns.metrics)
        return tuple(
            HeadBaseline(
                player=row.player,
                label=row.label,
                name=row.name,
                verified=row.verified,
                scores={name: value for name, value in row.scores.items() if name in metrics},
            )
            for row in (rows[row_id] for row_id in ids if row_id in rows)
        )

    def _write_improvements(self, improvements: UpdatedImprovements) -> str | None:
        """Return the object with all improvements; None if every head has room."""
        if len(improvements.improvements) <= FEWEST_IMPROVEMENTS:
            return None
        before = self.before and self.before.pages and self.before.pages.improvements
        if before and self._read_improvements(before) == improvements.improvements:
            return before
        body = encode_improvements(improvements.improvements)
        return self._write(ObjectKind.IMPROVEMENTS, body, improvements.improvements)

    def _read_improvements(self, name: str) -> tuple[Step, ...]:
        return self.snapshots.decode_object(self.folder, name, decode_improvements)

    def _write(self, kind: ObjectKind, body: bytes, decoded: object) -> str:
        """Write an object, which this process keeps decoded, and return its name."""
        named = self.stamp.name(kind, body)
        self.snapshots.write_object(self.folder, named, decoded=decoded)
        return named.name


def _join_nameless(row_ids: Collection[str]) -> Collection[str]:
    """Return all guests without a name for any of them: the head has one count of all."""
    return row_ids if NAMELESS.isdisjoint(row_ids) else {*row_ids, *NAMELESS}
