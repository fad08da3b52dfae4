"""From submission records to rendered boards. Delivered twice, late or out of order: nothing changes."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from aggregate.renderer import BoardRenderer, ReadState
from handlers.loops import logger
from scoring_core.benchmarks.boards import MAIN
from scoring_core.outcome import Outcome
from storage.benchmarks.board_lists import BoardListStore
from storage.benchmarks.progress import ProgressStore
from storage.benchmarks.store import BenchmarkStore, PublishedBenchmark
from storage.boards.entries import RecordedEntries
from storage.boards.folding import StandingFolder
from storage.boards.reading import BoardReader
from storage.boards.rendering.stalls import StallStore
from storage.boards.snapshots import SnapshotStore
from storage.boards.standings import BoardKey, BoardState, StandingStore
from storage.gateway.errors import Busy, Conflict
from storage.gateway.table import retry_on_conflict
from storage.keys import ResultKey, is_submission_id
from storage.submissions.models import SubmissionRecord
from storage.submissions.store import SubmissionStore


class Folded(NamedTuple):
    """The boards that are to be rendered, with which of their rows, and what was seen of these.

    There are none unless the version was current in `published`, which was read before its standings were folded.
    """

    published: PublishedBenchmark
    rows: Mapping[BoardKey, Collection[str]]
    states: Mapping[BoardKey, BoardState | None]
    failed: Mapping[BoardKey, Exception]
    """Why records could not be folded into boards. What is of no board in particular is the main one's."""


class Aggregator(NamedTuple):
    """Folds submission records into standings and renders boards."""

    benchmarks: BenchmarkStore
    standings: StandingStore
    submissions: SubmissionStore
    entries: RecordedEntries
    folder: StandingFolder
    snapshots: SnapshotStore
    reader: BoardReader
    lists: BoardListStore
    progress: ProgressStore
    renderer: BoardRenderer
    stalls: StallStore

    def counts_in_all(self, record: SubmissionRecord) -> bool:
        """Return whether a record has no score, and its benchmark limits tries in all."""
        if record.outcome is Outcome.SCORED:
            return False
        published = self.benchmarks.find(record.submission.benchmark)
        return published is not None and published.terms.in_all is not None

    def update(self, main: BoardKey, records: Sequence[SubmissionRecord]) -> bool:
        """Fold records into the standings of a version; render it if it is current.

        Args:
            main: The main board of the version.
            records: What was delivered of it, at least one.

        Returns:
            Whether the version is current and no board of it is set aside. Others may have some rows left to render.

        Raises:
            ExceptionGroup: Storage was out of reach for some boards, and the records must be delivered again. Boards
                that failed otherwise are set aside; they keep no other board back.
        """
        changed: Mapping[BoardKey, Collection[str]] = {}
        frozen: frozenset[BoardKey] = frozenset()
        try:
            published, changed, states, unfolded = self.fold_standings(main, records)
            failed = dict(unfolded)
            # What waits changes no row, but how many came while the board is frozen.
            frozen = self._list_frozen(main) if any(record.in_review for record in records) else frozen
        except Exception as error:  # noqa: BLE001  # its board is set aside
            # This is of no board in particular, so the stall of the main one stands for all.
            failed, changed = {main: error}, {}
        # The batch has the same first record, and so the same name, when its stream delivers it again.
        name = records[0].submission.id
        for key in sorted(changed.keys() | frozen, key=lambda key: key.board == MAIN):
            rows = changed.get(key, ())
            if not rows and key not in frozen:
                continue
            state = states.get(key)
            seen = None if state is None else ReadState(published, state)
            try:
                self.renderer.render(key, rows, name=name, seen=seen)
            except Exception as error:  # noqa: BLE001  # its board is set aside
                failed.setdefault(key, error)
        # A store that is out of reach fails for every board, and not again.
        busy = [fault for fault in failed.values() if isinstance(fault, Busy)]
        for key, fault in failed.items():
            if not isinstance(fault, Busy):
                self.set_aside(key, fault, first=min(record.submission.id for record in records))
        if busy:
            raise ExceptionGroup("not all boards could be rendered", busy)
        return bool(changed) and not failed

    def set_aside(self, board: BoardKey, error: Exception, *, first: str) -> None:
        """Note that a board failed, and from which submission on it may lack results.

        Its head says since when, until all rows are published again. Raises Busy if that cannot be noted.
        """
        reason = f"{type(error).__name__}: {error}"
        stall = self.stalls.note(board, first=first, reason=reason, now=self.renderer.clock())
        logger.error("a board is set aside", exc_info=error, extra={"board": str(board), "failures": stall.failures})
        mark = self.renderer.mark_head
        self.renderer.decorate(board).run("stall", lambda: mark(board, stalled_since=stall.since), None)

    def _list_frozen(self, main: BoardKey) -> frozenset[BoardKey]:
        """Return the boards of a version, if they are frozen now."""
        published = self.benchmarks.current(main.benchmark)
        boards = published.boards if published.definition.frozen_since(self.renderer.clock()) else ()
        return frozenset(board.key for board in boards if board.key.version == main.version)

    def fold_standings(
        self,
        main: BoardKey,
        records: Sequence[SubmissionRecord],
    ) -> Folded:
        """Fold records by the present rules of a version; what fails keeps no other back.

        The next version is folded too, so that its boards are complete when it becomes current. Others are not: if one
        is published again, every record is folded before it becomes current.

        Args:
            main: The main board of the version.
            records: As of `update`.

        Raises NotFound if the benchmark is not published, Busy.
        """

        def attempt() -> Folded:
            # Withdrawals are read each time, so a withdrawn submission stays off, whatever is delivered later.
            entries = self.entries.read_all(records)
            # Look at what is published now: a player without a standing has no number that would reveal newer boards.
            published = self.benchmarks.latest(main.benchmark)
            defined = published.get_version(main.version)
            if defined is None:
                return Folded(published, {}, {}, {})
            entries = list(map(defined.judge_entry, entries))
            rows = self.folder.fold(defined.all_boards, entries)
            # An erasure folds what entries it finds, and may have missed these.
            if self.entries.find_erased(main.benchmark, entries):
                raise Conflict(f"a player of {main} was erased while results were folded")
            # Look again: if this version was promoted since, or a board began, its boards lack these standings.
            if rows.is_new or published.version != main.version:
                before, published = published, self.benchmarks.latest(main.benchmark)
                if rows.is_new and published.publish_number != before.publish_number:
                    raise Conflict(f"{main.benchmark} was published again while first results were folded")
            states = {key: rows.read_state(key) for key in rows.rows}
            return Folded(published, rows.rows if published.version == main.version else {}, states, rows.failed)

        return retry_on_conflict(attempt, what=f"standings of {main}")

    def render_all(self, main: BoardKey) -> None:
        """Fold everybody by the present rules of a version, and render all rows.

        Raises NotFound if the benchmark is not published, Busy.
        """
        for key in sorted(self.refold(main), key=lambda key: key.board == MAIN):
            self.renderer.render(key, None)

    def refold(
        self, main: BoardKey, only: Collection[BoardKey] | None = None, *, anyway: bool = False
    ) -> list[BoardKey]:
        """Fold everybody by the present rules of a version, and return the boards.

        Args:
            main: The main board of the version.
            only: Which boards and instances of windows are folded; None: all boards.
            anyway: Whether all entries of everybody are read, even if the rules are those of before.

        Raises NotFound if the benchmark is not published, Busy.
        """

        def attempt() -> list[BoardKey]:
            defined = self.benchmarks.latest(main.benchmark).get_version(main.version)
            if defined is None:
                return []
            boards = [board for board in defined.boards if only is None or board.key in only]
            instances = (defined.find_board(key.board) for key in only or ())
            boards += (board for board in instances if board and board.board.span and board.key in (only or ()))
            for board in boards:
                self.folder.refold_all(defined.all_boards.key, board, anyway=anyway)
            return [board.key for board in boards]

        return retry_on_conflict(attempt, what=f"standings of {main}")

    def list_decided(self, decided: ResultKey) -> list[SubmissionRecord]:
        """Return the records of what was decided: a submission, or an erased player.

        Of a player only what boards have that are current or next: others read the decision when they are folded.
        """
        if is_submission_id(decided.submission):
            return self.submissions.list_records_of(decided.benchmark, submission=decided.submission)
        records: list[SubmissionRecord] = []
        for version in self.benchmarks.latest(decided.benchmark).active_versions:
            entries = self.folder.entries.list_player(version.all_boards.key, decided.submission)
            names = [entry.submission for entry in entries]
            records += self.submissions.find_records(decided.benchmark, names, version=version.version)
        return records

    def begin_boards(self, main: BoardKey, players: Sequence[str]) -> None:
        """Fold the rows of players on boards that have begun. Raises NotFound, Busy."""

        def attempt() -> None:
            defined = self.benchmarks.latest(main.benchmark).get_version(main.version)
            if defined is not None:
                self.folder.begin(defined.all_boards, players)

        retry_on_conflict(attempt, what=f"rows of boards of {main}")
