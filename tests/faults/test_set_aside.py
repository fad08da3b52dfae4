"""One board of ten fails at each step of folding and rendering in turn: the others go on, and it makes up for it."""

import ast
import importlib
import inspect
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from aggregate.decorations import Decorations
from aggregate.paging import Sizes
from aggregate.renderer import BoardRenderer, _Turn
from aggregate.rendering import Rendering
from storage.boards.folding import StandingFolder, _Fold
from storage.boards.reading import BoardReader
from storage.boards.rendering.stalls import StallStore
from storage.boards.snapshots import SnapshotStore
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from storage.submissions.store import SubmissionStore
from tests.faults.faults import FaultInjector
from tests.faults.simulation import Simulation, SimulationFactory
from tests.faults.steps import Publish
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, ROOT, make_benchmark
from tests.harness.tokens import keep_name

READER, SCHEDULE = "AggregateFunction", "RescoreFunction"
BOARDS = [f"board-{number}" for number in range(10)]
VICTIM = BOARDS[2]
SPECIAL = {"corrections", "stall"}
"""Steps with tests of their own: a board has corrections only after a rescore, and a stall once it is set aside."""
SIZES = Sizes(head=4, buffer=2, recent=3, page=4, bucket=4)
RENDERING = [
    "aggregate.board",
    "aggregate.flushing",
    "aggregate.paged_board",
    "aggregate.paging",
    "aggregate.renderer",
    "aggregate.rendering",
    "scoring_core.ranking.improvement_lists",
    "storage.boards.snapshots",
]
FOLDING = [
    "scoring_core.ranking.accumulators",
    "storage.boards.entries",
    "storage.boards.folded_standings",
    "storage.boards.folding",
]
TOOL = 4
"""Number of the tool by which `sys.monitoring` knows these tests."""


class Broken(Exception):
    """The fault: no error that the product knows."""


@dataclass
class BoardFault:
    """Lets a function fail wherever it works for one board.

    Args:
        code: The function that fails; None: none.
        step: The decorating step that fails.
        here: The `board` for which each thread works just now.
        hits: How often it failed.
        left_out: The steps that failed and were left out, by their names.
    """

    code: CodeType | None = None
    step: str = ""
    here: threading.local = field(default_factory=threading.local)
    hits: int = 0
    left_out: list[str] = field(default_factory=list)

    @property
    def board(self) -> str:
        """Return the board for which this thread works."""
        return getattr(self.here, "board", "")

    def arm(self, code: CodeType) -> None:
        """Let a function fail from now on."""
        self.code, self.hits = code, 0
        self.left_out.clear()
        sys.monitoring.set_local_events(TOOL, code, sys.monitoring.events.PY_START)

    def disarm(self) -> None:
        """End the fault."""
        if self.code is not None:
            sys.monitoring.set_local_events(TOOL, self.code, 0)
            self.code = None

    def enter(self, code: CodeType, _: int) -> None:
        """Fail, if the process works for the victim."""
        if code is self.code and self.board == VICTIM:
            self.hits += 1
            raise Broken(code.co_qualname)

    @contextmanager
    def working_for(self, board: str) -> Iterator[None]:
        """Note for which board the process works."""
        before, self.here.board = self.board, board.partition("@")[0]
        try:
            yield
        finally:
            self.here.board = before


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Iterator[BoardFault]:
    """A fault that knows for which board the functions work."""
    fault = BoardFault()

    def note[**Arguments, Result](
        owner: type, name: str, find: Callable[..., Any], original: Callable[Arguments, Result]
    ) -> None:
        def act(*arguments: Any, **named: Any) -> Any:
            with fault.working_for(str(find(*arguments))):
                return original(*arguments, **named)

        monkeypatch.setattr(owner, name, act)

    def run(self: Decorations, step: str, act: Callable[[], Any], default: Any, **named: Any) -> Any:
        with fault.working_for(self.board):
            failed = len(self.failed)
            is_hit = step == fault.step and fault.board == VICTIM
            result = original_run(self, step, fail if is_hit else act, default, **named)
            fault.left_out.extend(self.failed[failed:])
            return result

    def fail() -> None:
        fault.hits += 1
        raise Broken(fault.step)

    original_run = Decorations.run
    note(_Turn, "replace_head", lambda turn, *_: turn.board, _Turn.replace_head)
    note(StandingFolder, "fold", lambda _, version, *__: version.key, StandingFolder.fold)
    monkeypatch.setattr(Decorations, "run", run)
    monkeypatch.setattr("aggregate.dependencies.BoardRenderer", partial(BoardRenderer, sizes=SIZES))
    sys.monitoring.use_tool_id(TOOL, "faults")
    sys.monitoring.register_callback(TOOL, sys.monitoring.events.PY_START, fault.enter)
    yield fault
    fault.disarm()
    sys.monitoring.free_tool_id(TOOL)


@dataclass
class TenBoards:
    """Ten benchmarks whose records arrive interleaved, and what each must show."""

    simulation: Simulation
    boards: Sequence[str] = tuple(BOARDS)
    expected: dict[str, dict[str, int]] = field(default_factory=lambda: {board: {} for board in BOARDS})
    number: int = 0

    @cached_property
    def store(self) -> SubmissionStore:
        """Where `evaluate` would record results."""
        cloud, name_of = self.simulation.cloud, self.simulation.name_of
        table = Table(cloud.dynamodb, name_of("SubmissionsTable"))
        return SubmissionStore(table, Bucket(cloud.objects, name_of("ResultsBucket")))

    @cached_property
    def access(self) -> Table:
        """Where names of players are."""
        return Table(self.simulation.cloud.dynamodb, self.simulation.name_of("AccessTable"))

    @cached_property
    def published(self) -> dict[str, Any]:
        """The benchmarks, published."""
        benchmarks = {board: make_benchmark(COINS, id=board, title=board) for board in self.boards}
        for benchmark in benchmarks.values():
            Publish(benchmark).act(self.simulation)
        return {board: _Published(board, benchmark.version) for board, benchmark in benchmarks.items()}

    @property
    def stalls(self) -> StallStore:
        """The boards that are set aside."""
        return StallStore(Table(self.simulation.cloud.dynamodb, self.simulation.name_of("BoardsTable")))

    def record(self, players: int) -> None:
        """Record a result of each of some new players, and of one who was there, for every board, interleaved."""
        names = [f"p{self.number + index}" for index in range(players)]
        for name in [*names, "p0"]:
            self.number += 1
            for board in self.boards:
                scores = {"Coins": self.number, "Time": float(self.number % 7)}
                number = self.number * len(BOARDS) + BOARDS.index(board)
                record = make_guest_record(self.published[board], name, scores, number=number)
                keep_name(self.access, record.submission.player)
                self.store.put_record(record)
                self.expected[board][name] = self.number

    def deliver(self, *, size: int | None = None) -> None:
        """Deliver a batch of the stream."""
        self.simulation.deliver_records(READER, size=size)

    @property
    def left(self) -> int:
        """How many records of the stream wait."""
        return len(self.simulation.read_stream(READER)) - self.simulation.positions.get(READER, 0)

    def run_schedule(self) -> bool:
        """Run the schedule, ten minutes later; return whether it reports no failure."""
        self.simulation.clock.advance(minutes=10)
        try:
            self.simulation.invoke(SCHEDULE, {})
        except ExceptionGroup:
            return False
        return True

    def shown(self, board: str) -> dict[str, int]:
        """Return what a board shows: player → coins."""
        bucket = Bucket(self.simulation.cloud.objects, self.simulation.name_of("SiteBucket"))
        shown = BoardReader(SnapshotStore(bucket)).find(board)
        rows = [ranked.row for ranked in shown.view.all_rows()] if shown else []
        return {row.name: int(row.scores["Coins"]) for row in rows}

    def head(self, board: str = VICTIM) -> Any:
        """Read a head."""
        bucket = Bucket(self.simulation.cloud.objects, self.simulation.name_of("SiteBucket"))
        shown = BoardReader(SnapshotStore(bucket)).find(board)
        assert shown is not None
        return shown.head

    def list_behind(self) -> list[str]:
        """Return the boards that do not show what they must."""
        return [board for board in self.boards if self.shown(board) != self.expected[board]]


@dataclass(frozen=True)
class _Published:
    """What a record needs of a benchmark."""

    id: str
    version: str


def list_steps(modules: list[str]) -> dict[str, CodeType]:
    """Return every function and method of these modules, by its name."""
    steps: dict[str, CodeType] = {}
    for name in modules:
        module = importlib.import_module(name)
        for function in _list_functions(module):
            if function.__code__.co_filename == module.__file__:
                steps[f"{name.rpartition('.')[2]}.{function.__qualname__}"] = function.__code__
    return steps


def _list_functions(owner: ModuleType | type) -> Iterator[FunctionType]:
    for value in vars(owner).values():
        if inspect.isclass(value) and value.__module__ == getattr(owner, "__name__", ""):
            yield from _list_functions(value)
        plain = (
            getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", None) or value
        )
        if isinstance(plain, FunctionType):
            yield plain


def list_decorations() -> list[str]:
    """Return the names of all decorating steps that the code has."""
    calls = (
        node
        for path in (ROOT / "functions").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and len(node.args) == 3 and isinstance(node.args[0], ast.Constant)
    )
    names = {"run", "decorate"}
    return sorted(
        {
            str(call.args[0].value)
            for call in calls
            if isinstance(call.args[0], ast.Constant)
            and (getattr(call.func, "attr", "") in names or getattr(call.func, "id", "") in names)
        }
    )


def test_decoration_that_fails_stops_no_row(simulations: SimulationFactory, fault: BoardFault) -> None:
    """Every board shows every row at once, whatever decorates one of them fails; afterwards the schedule makes up."""
    with simulations.simulation(FaultInjector()) as simulation:
        ten, told = TenBoards(simulation), []
        steps = [step for step in list_decorations() if step not in SPECIAL]
        ten.record(players=6)
        ten.deliver()
        assert ten.list_behind() == []

        for fault.step in steps:
            simulation.clock.advance(hours=25)  # so that there is another baseline
            fault.hits = 0
            ten.record(players=SIZES.buffer + 1)  # so that the end of the bars is read again
            if fault.step in {"index", "page"}:
                ten.run_schedule()
            ten.deliver()
            told.append((fault.step, fault.hits > 0, ten.left, ten.list_behind(), ten.head().is_incomplete))
            if fault.step in {"index", "page"}:
                told[-1] = (*told[-1][:-1], True)  # the schedule writes it anyway
        is_reported = not ten.run_schedule()
        fault.step = ""
        ten.run_schedule()

        assert told == [(step, True, 0, [], True) for step in steps]
        assert is_reported
        assert ten.stalls.list_all() == []
        head = ten.head()
        assert not head.is_incomplete
        assert head.total == len(ten.expected[VICTIM])


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(_Fold._fold_row, id="folding"),
        pytest.param(Rendering._make_head, id="rendering"),
        pytest.param(Rendering.change, id="what the schedule does without"),
    ],
)
def test_board_that_fails_is_set_aside(
    simulations: SimulationFactory, fault: BoardFault, step: Callable[..., Any]
) -> None:
    """Nine boards show everything at once, the tenth once the fault is over."""
    with simulations.simulation(FaultInjector()) as simulation:
        ten = TenBoards(simulation)
        ten.record(players=6)
        ten.deliver()

        assert "\n".join(_tell(ten, fault, step.__code__)) == ""


@pytest.mark.long
@pytest.mark.parametrize("module", [*RENDERING, *FOLDING])
def test_board_that_fails_anywhere_stops_no_other(
    simulations: SimulationFactory, fault: BoardFault, module: str
) -> None:
    """The others show everything at once, and the board without a decoration, or once the fault is over."""
    with simulations.simulation(FaultInjector()) as simulation:
        ten = TenBoards(simulation, BOARDS[:4])
        ten.record(players=6)
        ten.deliver()
        problems, hit = [], set()
        for name, code in list_steps([module]).items():
            problems += [f"{name}: {problem}" for problem in _tell(ten, fault, code)]
            hit |= {name} if fault.hits else set()
    assert "\n".join(problems) == ""
    assert hit


def _tell(ten: TenBoards, fault: BoardFault, code: CodeType) -> Iterator[str]:
    """Let a step fail, and yield what was lost, doubled or kept back."""
    ten.simulation.clock.advance(hours=25)  # so that there is another baseline
    fault.arm(code)
    for players in (2, 1):
        ten.record(players=players)
        ten.deliver()
        if behind := set(ten.list_behind()) - {VICTIM}:
            yield f"others are behind at once: {behind}"
        if ten.left:
            yield "the stream stands still"
    if not fault.hits:
        fault.disarm()
        return
    is_behind = VICTIM in ten.list_behind()
    is_set_aside = bool(ten.stalls.list_all())
    can_say = code is not SnapshotStore.write_head.__code__  # then the schedule alone says so
    if is_behind and not (is_set_aside and (ten.head().stalled_since or not can_say)):
        yield "the board is behind, and nothing says so"
    if ten.run_schedule() and ten.stalls.list_all():
        yield "set aside, and the schedule reports no failure"
    fault.disarm()
    ten.run_schedule()
    yield from _list_faults(ten)


def _list_faults(ten: TenBoards) -> Iterator[str]:
    """Yield what is wrong after a fault is over and the schedule has run."""
    if behind := ten.list_behind():
        yield f"behind after the fault: {behind}"
    if ten.stalls.list_all():
        yield f"still set aside: {ten.stalls.list_all()}"
    head = ten.head()
    if head.stalled_since is not None or head.is_incomplete or head.counts.submissions != ten.number:
        yield f"head: {head.stalled_since} {head.is_incomplete} {head.counts} instead of {ten.number}"
