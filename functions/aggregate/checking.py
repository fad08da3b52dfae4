"""Rebuilds boards from the records of their submissions, or checks them against these, for `laurel rebuild`.

Results may arrive meanwhile, so a difference counts only if each of three looks, a minute apart, finds the same.
"""

import time
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from aggregate.benchmarks.windows import WindowKeeper
from aggregate.rebuilder import Rebuilder
from storage.benchmarks.operations import OperationRequest, OperationResult, OperationStore
from storage.boards.models import Rows
from storage.boards.reading import ShownBoard
from storage.boards.standings import BoardKey
from storage.keys import Clock

MAX_FOUND: Final = 1_000
"""Differences of a look; more than that have one reason."""
LOOKS: Final = 3
LOOK_SECONDS: Final = 60.0
"""Between two looks: longer than a change takes to the board, a renderer that dies included."""
RESERVE_SECONDS: Final = 120.0
"""For what follows the last record of a rebuild."""


class Difference(NamedTuple):
    """What differs of a row, or of the board as a whole if `row_id` is empty."""

    board: BoardKey
    row_id: str
    text: str

    def __str__(self) -> str:
        """Return the difference in one line."""
        return f"{self.row_id or 'the whole board'}: {self.text}"


class _Facts(NamedTuple):
    """What a row says of a player's results."""

    scores: dict[str, int | float]
    submission: str
    submissions: int

    def __str__(self) -> str:
        scores = ", ".join(f"{metric} {value}" for metric, value in sorted(self.scores.items()))
        return f"{scores or 'no scores'} of {self.submission}, {self.submissions} submissions"


class BoardOperator(NamedTuple):
    """Rebuilds boards, or checks them and writes nothing of them."""

    rebuilder: Rebuilder
    operations: OperationStore
    clock: Clock
    sleep: Callable[[float], None]

    def run(self, operation_id: str, *, seconds: float) -> None:
        """Do an operation within some time, and store its report."""
        until = time.monotonic() + seconds - RESERVE_SECONDS

        def act(request: OperationRequest) -> OperationResult:
            if not request.check:
                return self.rebuild(request, until=until)
            differences = self.check(request.benchmark or "")
            return OperationResult(differences=tuple(f"{each.board}: {each}" for each in differences))

        self.operations.run(operation_id, act)

    def check(self, benchmark: str) -> list[Difference]:
        """Return where boards differ from the records of the current version.

        These are all boards, and the windows of the last day, that were rendered since they were defined. Raises
        NotFound.
        """
        left = list(islice(self._look(benchmark), MAX_FOUND))
        for _ in range(LOOKS - 1):
            if left:
                self.sleep(LOOK_SECONDS)
                again = set(self._look(benchmark))
                left = [difference for difference in left if difference in again]
        return left

    def _look(self, benchmark: str) -> Iterator[Difference]:
        reader = self.rebuilder.aggregator.reader
        published = self.rebuilder.aggregator.benchmarks.current(benchmark, fresh=True)
        # The records come first: what a head shows that is read later is not older.
        entries = self.rebuilder.list_entries(BoardKey(benchmark, published.version))
        for board in (*published.boards, *published.list_kept_windows(self.clock())):
            shown = reader.find(benchmark, board.board.id, version=published.version)
            if shown and shown.head.publish_number >= board.publish_number and not shown.head.is_incomplete:
                due = self.rebuilder.fold(board, entries, published.bans)
                for row_id, text in _compare(shown, due):
                    yield Difference(board.key, row_id, text)

    def rebuild(self, request: OperationRequest, *, until: float) -> OperationResult:
        """Rebuild a board, and return how many rows it has. Raises NotFound.

        A rebuild that takes longer than `until`, of the monotonic clock, says where it stopped.
        """
        aggregator = self.rebuilder.aggregator
        published = aggregator.benchmarks.current(request.benchmark or "", fresh=True)
        board = BoardKey(published.id, published.version)
        position = None
        for submission in self.rebuilder.rebuild(board, after=request.after):
            if time.monotonic() > until:
                position = submission
                break
        aggregator.render_all(board)
        if position is None:
            WindowKeeper(aggregator).restore_all(published)
        shown = aggregator.reader.find(published.id)
        return OperationResult(version=board.version, rows=shown.head.total if shown else 0, next=position)


def _compare(shown: ShownBoard, due: Rows) -> Iterator[tuple[str, str]]:
    """Yield the rows that differ, or "" for the board, and what differs."""
    yield from _check_pages(shown)
    rows, submissions, facts = 0, 0, dict[str, _Facts]()
    for ranked in shown.view.all_rows():
        row = ranked.row
        rows, submissions = rows + 1, submissions + row.submissions
        facts[row.id] = _Facts(dict(row.scores), row.submission, row.submissions)
    if (rows, submissions) != (shown.head.total, shown.head.counts.submissions):
        stated = f"{shown.head.total} rows and {shown.head.counts.submissions} submissions"
        yield "", f"the head counts {stated}, the rows are {rows} with {submissions}"
    for index, row_id in enumerate(due.row_ids):
        columns = ((name, due.scores[name][index]) for name in shown.head.rows.scores if name in due.scores)
        scores = {name: value for name, value in columns if value is not None}
        expected, on_board = _Facts(scores, due.submission[index], due.submissions[index]), facts.pop(row_id, None)
        if on_board != expected:
            yield row_id, f"the board shows {on_board or 'nothing'}, the records say {expected}"
    for row_id, on_board in facts.items():
        yield row_id, f"the board shows {on_board}, the records say nothing"


def _check_pages(shown: ShownBoard) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the order of pages, on which readers rely."""
    before = None
    for line in shown.view.directory.pages:
        places = [row.place(shown.view.order) for row in shown.view.read_page(line.name)]
        if (line.rows, line.first, line.last) != (len(places), places[0], places[-1]):
            yield "", f"the directory has other rows of {line.name or 'the head'} than the page"
        for place in places:
            if before is not None and place <= before:
                yield place.row, "the row is not after the one before it"
            before = place
