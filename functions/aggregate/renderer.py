"""Renders boards: new immutable objects first, then by compare-and-swap the head that names them."""

import os
from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple

from aggregate.board import make_index_entry, name_boards, takes_back
from aggregate.decorations import Decorations
from aggregate.paged_board import TornPage
from aggregate.paging import SIZES, Sizes
from aggregate.rendering import Rendering
from scoring_core.benchmarks.boards import MAIN
from storage.benchmarks.corrections import CorrectionStore, is_due
from storage.benchmarks.progress import ProgressStore, Reached
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.models import Head, HeadFrozen, Index, IndexEntry
from storage.boards.pages import MAX_WHOLE_ROWS
from storage.boards.published import PublishedBoard
from storage.boards.rendering.lease import BUILD_SECONDS, BoardLease, HeldLease, Word
from storage.boards.site.store import ServedPages
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.gateway.bucket import Versioned
from storage.gateway.errors import MAX_TRIES, Busy, Conflict, NotFound
from storage.gateway.table import retry_on_conflict
from storage.keys import Clock, Randomness, first_id
from storage.submissions.decisions import ReviewStore
from storage.submissions.models import NAMELESS

MAX_REPORTED = 100


class _Attempted(NamedTuple):
    """What became of an attempt: whether the board is rendered, and whether a new head was written for it."""

    is_rendered: bool
    is_written: bool = False


class ReadState(NamedTuple):
    """The definition and the standings of the rows to render, as a process read or wrote them.

    They serve only above a head that the same process wrote before, if it is still there: then they are not older than
    what it shows, and another process that folded since renders after.
    """

    published: PublishedBenchmark
    state: BoardState


@dataclass(frozen=True, slots=True)
class BoardRenderer:
    """Writes what the browser reads. An older head never replaces a newer one, and all that a head names exists.

    Args:
        benchmarks: The published benchmarks.
        standings: The boards table.
        snapshots: The site bucket.
        clock: The time.
        sizes: How many rows and changes fit where.
        pages: What is served of boards to programs, and to readers without scripts.
        corrections: The lists of corrections.
        progress: Says which windows have begun.
        reviews: Counts what came while a board is frozen.
        randomness: Makes the names of objects unlike those of other attempts.
        max_whole_rows: Rows of a board that the stream may make from all standings.
        written: The heads that this process wrote last. Where one is still there, it does not have to be read.
        reports: What failed of what only decorates boards.
    """

    benchmarks: BenchmarkStore
    standings: StandingStore
    snapshots: SnapshotStore
    clock: Clock
    pages: ServedPages
    corrections: CorrectionStore
    progress: ProgressStore
    reviews: ReviewStore
    sizes: Sizes = SIZES
    randomness: Randomness = os.urandom
    max_whole_rows: int = MAX_WHOLE_ROWS
    written: dict[BoardKey, Versioned[Head]] = field(default_factory=dict, compare=False)
    reports: deque[str] = field(default_factory=partial(deque, maxlen=MAX_REPORTED), compare=False)

    def render(
        self,
        board: BoardKey,
        rows: Collection[str] | None,
        *,
        name: str | None = None,
        seen: "ReadState | None" = None,
    ) -> bool:
        """Render a board after the standings of these rows have changed.

        Args:
            board: The board; nothing is rendered unless its version is current.
            rows: Whose standings may have changed; None: all. If the board is new, or ranks differently than before,
                all standings are read.
            name: The name of the batch that changed them, if it is delivered again until it is rendered.
            seen: What this process saw just now, after it last rendered the board.

        Returns:
            False if this is left to others: to a process that renders the board just now, or to the schedule, if all
            standings of a large board must be read, or if a board begins, or switches versions with others.

        Raises:
            NotFound: The benchmark is not published.
            Busy: Other renderers won too often.
        """
        turn = self._begin(board, name)
        is_rendered = turn.build_board() if rows is None else turn.render(rows, seen)
        if rows is None:
            self.decorate(board).run("index", lambda: self.update_index([board.benchmark]), None)
        return is_rendered

    def take_up_words(self, board: BoardKey) -> None:
        """Render what was left to a holder of the lease who is gone.

        Raises as `render` does.
        """
        self._begin(board, None).take_up_words()

    def take_reports(self) -> list[str]:
        """Return what failed of what only decorates boards, each once."""
        return [self.reports.popleft() for _ in range(len(self.reports))]

    def decorate(self, board: BoardKey | str) -> Decorations:
        """Return what runs the steps that only decorate a board."""
        return Decorations(str(board), self.reports)

    def update_index(self, benchmarks: Sequence[str]) -> None:
        """Bring entries and served pages of these benchmarks up to date.

        The start page follows. A benchmark that is archived or not listed has no entry and no page. Entries are not
        written with each result: the schedule does it, and a process that renders a whole board or its first row. A
        benchmark whose entry cannot be made keeps the one before.
        """
        behind: list[Head] = []
        latest: list[Versioned[Index]] = []

        def attempt() -> None:
            before = self.snapshots.read_index()
            latest[:] = [before] if before else []
            entries = {entry.id: entry for entry in before.value.benchmarks} if before else {}
            behind.clear()
            heads = self.snapshots.run(self._find_shown, benchmarks)  # after the index: no entry gets older
            for benchmark, shown in zip(benchmarks, heads, strict=True):
                if shown is None:
                    continue
                before_entry = entries.pop(benchmark, None)
                entry = self.decorate(benchmark).run("index", partial(self._make_entry, shown.value), before_entry)
                is_listed = entry is not None
                if entry != before_entry or not self._is_served(shown, is_listed=is_listed):
                    behind.append(shown.value)
                    serve = partial(self._serve_page, shown, is_listed=is_listed)
                    self.decorate(benchmark).run("page", serve, None)
                if entry is not None:
                    entries[benchmark] = entry
            if behind:
                index = Index(benchmarks=tuple(entries[name] for name in sorted(entries)))
                if before and len(index.benchmarks) < len(before.value.benchmarks):
                    self.pages.delete_start()
                latest[:] = [self.snapshots.write_index(index, replacing=before)]

        retry_on_conflict(attempt, what="index")
        for index in latest:
            self.decorate("all benchmarks").run("page", partial(self._serve_start, index), None)

    def _is_served(self, shown: Versioned[Head], *, is_listed: bool) -> bool:
        """Return whether the page is as it must be.

        A process may have died beside it, or have deleted it for a head that another one wrote.
        """
        shows = partial(self.pages.shows_board, shown, is_listed=is_listed)
        return self.decorate(shown.value.id).run("page", shows, False)  # noqa: FBT003  # what to return if it fails

    def _serve_page(self, shown: Versioned[Head], *, is_listed: bool) -> None:
        """Write the page of a main board, or delete that of one that is not listed.

        The index is written after it. A process with a later head writes it too, so one of the two looks again.
        """
        if not is_listed:
            self.pages.delete_board(shown.value.id)
            return
        # Read just now for the entry.
        self.pages.write_board(shown, name_boards(self.benchmarks.current(shown.value.id), self.clock()))

    def _serve_start(self, index: Versioned[Index]) -> None:
        """Write the start page, unless it shows this index.

        Another writer may write an older one at the same time.
        """
        if self.pages.shows_index(index):
            return
        for _ in range(MAX_TRIES):
            self.pages.write_start(index)
            latest = self.snapshots.read_index()
            if latest is None or latest.etag == index.etag:
                return
            index = latest
        self.pages.delete_start()

    def _find_shown(self, benchmark: str) -> Versioned[Head] | None:
        return self.decorate(benchmark).run("index", lambda: self.snapshots.read_head(benchmark), None)

    def _make_entry(self, head: Head) -> IndexEntry | None:
        is_listed = self.benchmarks.latest(head.id).is_listed
        return make_index_entry(head, now=self.clock()) if is_listed else None

    def _begin(self, board: BoardKey, name: str | None) -> "_Turn":
        holder = name or self.randomness(8).hex()
        lease = BoardLease(self.standings.table, str(board), holder, self.clock)
        return _Turn(self, board, lease, comes_again=name is not None)

    def read_head(self, board: BoardKey) -> Versioned[Head] | None:
        """Read the head of a board; None if it was never published."""
        return self.snapshots.read_head(board.benchmark, board.board, version=board.version)

    def mark_head(self, board: BoardKey, **marks: bool | datetime) -> None:
        """Write marks into the head of a board, if its version has one that lacks them."""

        def attempt() -> None:
            before = self.read_head(board)
            if before is None or before.value.version != board.version:
                return
            marked = before.value.model_copy(update=marks)
            if marked != before.value:
                head = marked.model_copy(update={"sequence": marked.sequence + 1})
                self.snapshots.write_head(head, replacing=before)

        retry_on_conflict(attempt, what=f"head of {board}")

    def find_frozen(self, published: PublishedBenchmark) -> HeadFrozen | None:
        """Return since when the boards of a benchmark are frozen; None: they are not."""
        if (since := published.definition.frozen_since(self.clock())) is None:
            return None
        # Count what came since then, while anybody had time.
        until, came = published.takes_until, self.reviews.list_since(published.id, published.version, first_id(since))
        return HeadFrozen(since=since, count=sum(until is None or submission < first_id(until) for submission in came))


@dataclass(slots=True)
class _Turn:
    """What one process does to get a board rendered: at once, or after others, or by others.

    Args:
        renderer: Where everything is.
        board: The board.
        lease: Its lease, to be held under the name of this turn.
        comes_again: Whether the work is delivered again if this turn fails.
    """

    renderer: BoardRenderer
    board: BoardKey
    lease: BoardLease
    comes_again: bool
    words: Sequence[Word] = ()
    """What the builder of a large board read before its standings."""
    is_builder: bool = False
    must_take_up: bool = False
    """Whether words may be waiting for this turn."""
    torn: str | None = None

    def render(self, rows: Collection[str], seen: ReadState | None) -> bool:
        """Render these rows, or leave them to the holder of the lease."""
        try:
            is_rendered = self.replace_own_head(rows, seen) or self.try_to_render(rows)
        except Conflict:
            is_left = False
        else:
            if is_rendered:
                return not (self.must_take_up and self.lease.take()) or self.render_with_words(())
            is_left = True
        if is_left or not self.lease.take():
            # The holder looks for words once more after it lets the lease go. A word from before the second try is
            # there by then.
            self.lease.leave_word(rows, nonce=self.renderer.randomness(8).hex())
            if not self.lease.take():
                return False
            rows = ()
        return self.render_with_words(rows)

    def render_with_words(self, rows: Collection[str]) -> bool:
        """Render these rows and those of words, as the holder, until none is left."""
        for _ in range(MAX_TRIES):
            words = self.lease.find_words()
            left = frozenset(rows).union(*(word.rows for word in words))
            work = partial(self.try_to_render, left, holds=True)
            if not retry_on_conflict(work, what=f"board {self.board}"):
                if rows:
                    self.lease.leave_word(rows, nonce=self.renderer.randomness(8).hex())
                self.lease.end()
                return False
            self.lease.forget(words)
            if not self.pass_lease_on():
                return True
            rows = ()
        if self.comes_again:  # with the lease, which the others know it to have
            raise Busy(f"board {self.board}: others left words {MAX_TRIES} times")
        self.lease.release()
        return True

    def build_board(self) -> bool:
        """Render all standings. Others leave it alone meanwhile if that takes long."""
        try:
            is_rendered = retry_on_conflict(lambda: self.try_to_render(None), what=f"board {self.board}")
        except Exception:
            if self.is_builder:
                self.lease.release()
            raise
        if not self.is_builder:
            return is_rendered
        self.lease.forget(self.words)
        return self.render_with_words(()) if self.pass_lease_on() else is_rendered

    def take_up_words(self) -> None:
        """Render the rows of words, if there are any and nobody is at it."""
        if self.take_lease_for_words():
            self.render_with_words(())

    def pass_lease_on(self) -> bool:
        """Release the lease; return whether it is taken again, for late words."""
        self.lease.release()
        if not (is_taken := self.take_lease_for_words()):
            self.lease.end()
        return is_taken

    def take_lease_for_words(self) -> bool:
        """Return whether words are left, and the lease to render them is taken."""
        return bool(self.lease.find_words()) and self.lease.take()

    def replace_own_head(self, rows: Collection[str], seen: ReadState | None) -> bool:
        """Replace the head that this process wrote last; return whether it did."""
        written = self.renderer.written.pop(self.board, None)
        if written is not None:
            with suppress(Conflict, NotFound, TornPage):  # another process has rendered since
                return self.replace_head(rows, written, seen=seen).is_written
        return False

    def try_to_render(self, rows: Collection[str] | None, *, holds: bool = False) -> bool:
        """Try once; return False if it is left to the schedule.

        Raises Conflict if somebody else won, or will.
        """
        before = self.renderer.read_head(self.board)
        is_torn = before is not None and before.etag == self.torn
        try:
            is_rendered = self.replace_head(rows, before, from_all=is_torn, holds=holds).is_rendered
        except (NotFound, TornPage) as error:
            if is_torn or before is None:
                raise
            self.torn = before.etag  # has moved on meanwhile, or is wrong: then it is made from all standings
            raise Conflict(str(error)) from error
        if is_torn and not is_rendered:  # nothing else tells the schedule that this head names what is gone
            self.renderer.mark_head(self.board, is_incomplete=True)
        return is_rendered

    def replace_head(
        self,
        rows: Collection[str] | None,
        before: Versioned[Head] | None,
        *,
        seen: ReadState | None = None,
        from_all: bool = False,
        holds: bool = False,
    ) -> _Attempted:
        """Replace a head, which was read or written; from all standings if so asked.

        Raises Conflict, NotFound, TornPage.
        """
        renderer, board = self.renderer, self.board
        # Bypass the cache, and read after the head: the definition must not be older than the head's.
        published = seen.published if seen else renderer.benchmarks.latest(board.benchmark)
        shown = published.find_board(board.board)
        if shown is None or shown.key != board:
            return _Attempted(is_rendered=True)
        if rows is not None and self.is_left_to_keeper(published, shown, before and before.value):
            return _Attempted(is_rendered=False)
        decorations = renderer.decorate(board)
        rendering = Rendering(
            renderer.standings,
            renderer.snapshots,
            renderer.sizes,
            renderer.clock(),
            renderer.randomness(6).hex(),
            published=published,
            shown=shown,
            before=before and before.value,
            frozen=renderer.find_frozen(published),
            is_whole=rows is None,
            decorations=decorations,
        )
        must_build = from_all or not rendering.goes_on
        is_large = before is not None and before.value.total > renderer.max_whole_rows
        if must_build and rows is not None and is_large:
            return _Attempted(is_rendered=False)
        if rows is None and is_large:
            # Take the lease, if it is free, and read words, before the standings.
            self.is_builder = True
            self.lease.take(seconds=BUILD_SECONDS, is_exclusive=True)
            self.words = self.lease.find_words()
        if rows is None or must_build:
            self.make_way_for_builder(None if rows is None else self.lease.find(), holds=holds)
            head, left = rendering.build(), None
        else:
            # Guests without a name are counted together, so their standings are read together.
            is_seen = seen is not None and NAMELESS.isdisjoint(rows)
            state = seen.state if seen and is_seen else rendering.read(rows)
            self.make_way_for_builder(state.lease, holds=holds)
            head, left = rendering.change(rows, state)
        is_main = shown.board.id == MAIN
        takes = is_main and before is not None and head is not None and takes_back(before.value, head, left)
        if is_main:
            head = self.clear_main_board(rendering, left, head, is_taken_back=takes)
        latest = before
        if head is not None:
            latest = renderer.written[board] = renderer.snapshots.write_head(head, replacing=before)
        if is_main:
            self.update_index(rendering, head, is_taken_back=takes)
        if decorations.failed and latest is not None and not latest.value.is_incomplete:
            renderer.mark_head(board, is_incomplete=True)  # the schedule renders it again
        return _Attempted(is_rendered=True, is_written=head is not None)

    def is_left_to_keeper(self, published: PublishedBenchmark, shown: PublishedBoard, before: Head | None) -> bool:
        """Return whether the keeper must begin, correct or switch a board."""
        if before is not None and (before.version, before.since) == (shown.key.version, shown.key.since):
            return False
        if before is None and shown.board.span is not None:
            return not self.may_begin_window(shown)
        if before is not None and is_due(published.promotion, version=shown.key.version, shown=before.version):
            return True  # with the correction that it is
        return shown.key.since > 0 or len(published.boards) > 1 or published.definition.has_windows

    def may_begin_window(self, shown: PublishedBoard) -> bool:
        """Return whether an instance of a window may begin with the rows of a batch.

        It may not before its window has the rows of all players, nor before the main board has switched to the version,
        nor if it has a head of a version before: its turn comes.
        """
        board, snapshots = self.board, self.renderer.snapshots
        main = snapshots.read_head(board.benchmark)
        is_switched = main is not None and main.value.version == shown.key.version
        key = BoardKey(board.benchmark, board.version)
        begun = self.renderer.progress.read(Reached.BEGUN_BOARDS, key) if is_switched else None
        return begun is not None and begun.publish_number >= board.since and not snapshots.has_other_version(board)

    def clear_main_board(
        self, rendering: Rendering, left: Collection[str] | None, head: Head | None, *, is_taken_back: bool
    ) -> Head | None:
        """Delete what is not shown any more beside the main board, before its next head.

        If that fails, the head that is returned says so, and the schedule renders the board again.
        """
        run, failed = rendering.decorations.run, rendering.decorations.failed
        if rendering.published.promotion is not None:
            run("corrections", lambda: self.strike_corrections(rendering, left), None)
        if is_taken_back:
            # It is written again after the head; until then the API answers with a page that has no content.
            run("page", lambda: self.renderer.pages.delete_board(self.board.benchmark), None)
        return head.model_copy(update={"is_incomplete": True}) if head is not None and failed else head

    def update_index(self, rendering: Rendering, head: Head | None, *, is_taken_back: bool) -> None:
        """Bring the index up to date where rows begin or something is taken back."""
        before = rendering.before
        begins = head is not None and head.total > 0 and not (before and before.total)
        if begins or is_taken_back:
            rendering.decorations.run("index", lambda: self.renderer.update_index([self.board.benchmark]), None)

    def strike_corrections(self, rendering: Rendering, rows: Collection[str] | None) -> None:
        """Take rows that left the board out of its corrections; None: look at all.

        That is done before the head is written. The list is read before the standings: a row that leaves later is
        looked at when that is rendered.
        """
        if rows is not None and not rows:
            return
        corrections = self.renderer.corrections
        listed = corrections.find(self.board.benchmark)
        named = listed.list_rows() if listed else set()
        if rows is None and named:
            rows = named - rendering.read(named).without(rendering.published.bans).standings.keys()
        if gone := named.intersection(rows or ()):
            corrections.change(self.board.benchmark, lambda listed: listed.strike(gone))

    def make_way_for_builder(self, lease: HeldLease | None, *, holds: bool) -> None:
        """Raise Conflict if somebody builds the board; note what is left to this turn."""
        if lease is None or holds:
            return
        self.must_take_up = lease.holder == self.lease.name or lease.is_over(self.renderer.clock())
        if lease.is_exclusive and not self.must_take_up:
            raise Conflict(f"board {self.board}: {lease.holder} makes it from all standings")
