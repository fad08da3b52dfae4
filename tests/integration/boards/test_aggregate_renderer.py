"""Rendering: races are lost without losing rows, what is replaced goes in time, a new definition shows at once."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from aggregate import rendering, rescore
from aggregate.benchmarks.keeper import is_outdated
from aggregate.benchmarks.promoter import INTERVAL, publish_phases
from aggregate.renderer import BoardRenderer, ReadState
from local.schedules import list_schedules
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.gateway.errors import MAX_TRIES, Busy
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.clock import Clock
from tests.harness.factories import make_guest, make_guest_record, make_withdrawal
from tests.harness.stack import COINS, InProcess, StackHarness, build_aggregator, make_benchmark, watching


@dataclass
class Interrupted:
    """An S3 client that lets somebody else go first, once for each of these, before a key is written."""

    s3: Any
    key: str
    others: list[Callable[[], None]] = field(default_factory=list)

    def put_object(self, **parameters: Any) -> Any:
        """Put an object, perhaps too late."""
        if parameters["Key"] == self.key and self.others:
            self.others.pop(0)()
        return self.s3.put_object(**parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.s3, name)


SCHEDULE = InProcess(rescore.lambda_handler, "RescoreFunction")
HEAD = "data/b/coins/head.json"
INDEX = "data/index.json"


def test_head_that_this_process_wrote_is_not_read(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A process that published a board publishes it again without reading the head, if nobody else did."""
    renderer = build_aggregator(stack, stack.aggregator.renderer.clock).renderer
    _score(stack, published, "Ada", 5, renderer=renderer)

    with watching(stack.cloud.s3, "GetObject") as reads:
        _score(stack, published, "Bob", 3, renderer=renderer)

    assert [read["Key"] for read in reads if read["Key"] == HEAD] == []
    assert stack.rows().name == ("Ada", "Bob")


def test_publisher_that_loses_every_race_is_busy(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A renderer that loses every race gives up as busy, and is retried."""
    others = [lambda n=n: _score(stack, published, f"P{n}", n) for n in range(1 + MAX_TRIES)]
    slow = Interrupted(stack.cloud.s3, HEAD, [*others])

    with pytest.raises(Busy, match="lost 20 races"):
        _score(stack, published, "Ada", 5, s3=slow)

    assert len(stack.rows().name) == 1 + MAX_TRIES


def test_people_and_models_without_a_name_are_counted_together(
    stack: StackHarness, published: PublishedBenchmark
) -> None:
    """Whichever of the two submits, the head counts both, as a board that is made from all standings does."""
    for number, kind in enumerate([PlayerKind.HUMAN, PlayerKind.MODEL, PlayerKind.MODEL, PlayerKind.HUMAN], start=1):
        record = _make_nameless(published, kind, number=number)
        stack.submissions.put_record(record)
        stack.aggregator.update(BoardKey(published.id, published.version), [record])
        assert (stack.head().counts.unranked, stack.head().total) == (number, 0)

    stack.aggregator.render_all(BoardKey(published.id, published.version))
    assert stack.head().counts.unranked == 4


def test_results_leave_the_index_alone(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The index is the schedule's work, but for the first row: a result costs one write, of its board's head."""
    _score(stack, published, "Ada", 5)
    first = stack.aggregator.snapshots.read_index()
    assert first is not None
    assert (first.value.benchmarks[0].players, first.value.benchmarks[0].top[0].name) == (1, "Ada")

    with watching(stack.cloud.s3, "PutObject") as writes:
        _score(stack, published, "Bob", 4)

    assert [write["Key"] for write in writes] == [HEAD]
    assert stack.index().benchmarks[0].players == 2


def test_racing_index_entries_are_both_kept(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """Where another board's entry was published between reading and writing, the index has both."""
    other = stack.publish(make_benchmark(COINS, id="other"))
    for name, coins in (("Zoe", 1), ("Ada", 5)):
        _score(stack, published, name, coins)
    for name, coins in (("Zoe", 1), ("Bob", 7)):
        _score(stack, other, name, coins)
    renderer = stack.aggregator.renderer
    slow = Interrupted(stack.cloud.s3, INDEX, [lambda: renderer.update_index(["other"])])

    build_aggregator(stack, clock, s3=slow).renderer.update_index(["coins"])

    assert slow.others == []
    index = stack.aggregator.snapshots.read_index()
    assert index is not None
    assert [(entry.id, entry.top[0].name) for entry in index.value.benchmarks] == [("coins", "Ada"), ("other", "Bob")]


def test_older_index_entry_replaces_no_newer_one(
    stack: StackHarness, published: PublishedBenchmark, clock: Clock
) -> None:
    """An entry of an older head never replaces that of a newer one."""
    _score(stack, published, "Zoe", 1)
    _score(stack, published, "Ada", 5)

    def overtake() -> None:
        _score(stack, published, "Bob", 7)
        stack.aggregator.renderer.update_index(["coins"])

    slow = Interrupted(stack.cloud.s3, INDEX, [overtake])

    build_aggregator(stack, clock, s3=slow).renderer.update_index(["coins"])

    index = stack.aggregator.snapshots.read_index()
    assert index is not None
    (entry,) = index.value.benchmarks
    assert entry.top[0].name == "Bob"
    assert entry.sequence == stack.head().sequence == 4


def test_board_with_pages_costs_one_write_a_result(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A result on a board with pages is one PUT, and two GETs where the process knows the pages already."""
    _score_many(stack, published, 103)
    aggregator = build_aggregator(stack, stack.aggregator.renderer.clock)
    for number in (500, 501):
        with (
            watching(stack.cloud.s3, "PutObject") as writes,
            watching(stack.cloud.s3, "GetObject") as reads,
        ):
            record = _record(published, "P090", 10, number=number)
            aggregator.update(BoardKey("coins", published.version), [record])

    assert [write["Key"] for write in writes] == [HEAD]
    assert [read["Key"] for read in reads if read["Key"].startswith("data/b/")] == []


def test_a_page_that_is_gone(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A board whose pages cannot be read is made again from the standings."""
    _score_many(stack, published, 102)
    for key in stack.keys(stack.site_bucket, "data/b/coins/p"):
        stack.cloud.s3.delete_object(Bucket=stack.site_bucket, Key=key)

    _score(stack, published, "Ada", 5000)

    assert len(stack.rows().name) == 103


def test_a_page_of_a_large_board_that_is_gone(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The stream says in the head that the schedule has to make the board again, and the schedule does."""
    _score_many(stack, published, 102)
    for key in stack.keys(stack.site_bucket, "data/b/coins/p"):
        stack.cloud.s3.delete_object(Bucket=stack.site_bucket, Key=key)
    board = BoardKey(published.id, published.version)
    stack.aggregator.fold_standings(board, [_record(published, "Ada", 5000, number=5000)])

    is_published = replace(stack.aggregator.renderer, max_whole_rows=1).render(board, {"guest-ada"})

    assert not is_published
    assert is_outdated(stack.head(), published.boards[0])
    SCHEDULE.invoke({})
    assert not is_outdated(stack.head(), published.boards[0])
    assert len(stack.rows().name) == 103


def test_what_was_seen_serves_only_above_the_own_head(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A process reads nothing again for the head that it wrote, and takes no row back that another one published."""
    board = BoardKey(published.id, published.version)
    first, second = (build_aggregator(stack, stack.aggregator.renderer.clock) for _ in range(2))
    first.update(board, [_record(published, "Ada", 0, number=1)])
    with watching(stack.cloud.dynamodb, "BatchGetItem") as reads:
        first.update(board, [_record(published, "Ada", 1, number=2)])
    definition, _, states, _ = first.fold_standings(board, [_record(published, "Ada", 2, number=3)])
    second.update(board, [_record(published, "Ada", 3, number=4)])

    first.renderer.render(board, {"guest-ada"}, seen=ReadState(definition, states[board]))

    of_board = [read for read in reads if stack.aggregator.standings.table.name in read["RequestItems"]]
    assert len(of_board) == 1  # of the fold
    assert stack.rows().submissions == (4,)


def test_large_board_is_left_to_the_schedule(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The stream does not read all standings of a large board: the schedule finds it out of date and does."""
    _score(stack, published, "Ada", 5, time=1.0)
    _score(stack, published, "Bob", 7, time=9.0)
    again = stack.aggregator.benchmarks.publish(
        make_benchmark(COINS, ranking={"keep": "best", "combine": "sum", "by": ["Time"]})
    )
    key = again.boards[0].key

    is_published = replace(stack.aggregator.renderer, max_whole_rows=1).render(key, {"guest-ada"})

    assert not is_published
    assert is_outdated(stack.head(), again.boards[0])
    stack.aggregator.render_all(key)
    assert not is_outdated(stack.head(), again.boards[0])
    assert stack.rows().name == ("Ada", "Bob")


def test_improvements_below_a_withdrawn_one_come_with_the_schedule(
    stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large board says that improvements may be missing; the schedule reads all standings for them, once."""
    ada, bob = (_record(published, name, coins, number=coins) for name, coins in (("Ada", 2000), ("Bob", 2001)))
    for record in (ada, bob):
        stack.submissions.put_record(record)
    _score_many(stack, published, 103)
    stack.aggregator.update(BoardKey("coins", published.version), [ada, bob])
    late = _record(published, "Cy", 1500, number=5_000)
    stack.aggregator.update(BoardKey("coins", published.version), [late])
    monkeypatch.setattr(rendering, "MAX_WHOLE_ROWS", 1)
    for record in (ada, bob):
        stack.withdrawals.put(make_withdrawal(record))
        stack.aggregator.update(BoardKey("coins", published.version), [record])
    before = stack.head()

    SCHEDULE.invoke({})

    head = stack.head()
    assert before.is_incomplete
    assert [step[1] for step in before.improvements.steps] == [1000]
    assert not head.is_incomplete
    assert [step[1] for step in head.improvements.steps] == [1000, 1500]
    SCHEDULE.invoke({})
    assert stack.head() == head


def test_bars_end_at_nine_tenths_of_a_board_with_pages(stack: StackHarness, published: PublishedBenchmark) -> None:
    """The head says where bars end, between flushes and after them, when a tenth more of the rows is at the bottom."""
    _score_many(stack, published, 103)
    shown = [stack.head().pages]
    late = [_record(published, f"Late {number}", number, number=200 + number) for number in range(60)]
    aggregator, key = stack.aggregator, BoardKey("coins", published.version)
    acts = [partial(aggregator.update, key, each) for each in (late[:20], late[20:])]
    for act in (*acts, partial(aggregator.render_all, key)):
        act()
        shown.append(stack.head().pages)

    assert [pages and pages.end for pages in shown] == [1000 - 92, 1000 - 92, 16, 16]
    assert [bool(pages and pages.recent) for pages in shown] == [False, False, True, False]


def test_a_new_title(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A changed text shows at once, on the board and in the index, and changes no row; none changes nothing."""
    _score(stack, published, "Ada", 5)
    rows, before = stack.rows(), stack.head()
    stack.publish(make_benchmark(COINS))
    assert stack.head() == before

    anew = stack.publish(make_benchmark(COINS, title="Coins, anew"))

    assert anew.version == published.version
    assert (stack.head().title, stack.index().benchmarks[0].title) == ("Coins, anew", "Coins, anew")
    assert stack.rows() == rows


def test_a_new_ranking(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A changed ranking is applied to the standings that are there, at once."""
    _score(stack, published, "Ada", 5, time=1.0)
    _score(stack, published, "Bob", 7, time=9.0)

    stack.publish(make_benchmark(COINS, ranking={"keep": "best", "combine": "sum", "by": ["Time"]}))

    assert stack.rows().name == ("Ada", "Bob")
    assert stack.index().benchmarks[0].primary.id == "Time"
    assert "ranked by Time (lower is better)" in stack.head().ranking.rule


def test_outdated_publisher_publishes_nothing(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A function that still remembers the former definition does not bring it back."""
    outdated = build_aggregator(stack, clock)
    outdated.benchmarks.current("coins")
    stack.publish(make_benchmark(COINS, title="Anew", ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]}))

    records = [_record(published, "Ada", coins, number=number) for number, coins in enumerate((9, 4))]
    outdated.update(BoardKey("coins", published.version), records)

    assert stack.head().title == "Anew"
    assert stack.rows().scores["Coins"] == (4,)


def test_published_while_records_come(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> None:
    """A board that a record published in the middle of a rebuild, half of it folded, is right when that ends."""
    _score(stack, published, "Ada", 5, time=1.0)
    _score(stack, published, "Ada", 3, time=1.0, number=2)
    anew = stack.aggregator.benchmarks.publish(
        make_benchmark(COINS, ranking={"keep": "latest", "combine": "sum", "by": ["Coins"]})
    )
    _score(stack, anew, "Bob", 1)
    half, is_half = stack.rows().scores["Coins"], is_outdated(stack.head(), anew.boards[0])

    stack.aggregator.render_all(BoardKey("coins", anew.version))

    assert (half, is_half) == ((5, 1), True)
    assert (stack.rows().scores["Coins"], is_outdated(stack.head(), anew.boards[0])) == ((3, 1), False)


def _score_many(stack: StackHarness, published: PublishedBenchmark, players: int) -> None:
    """Publish a board of so many players, the first of whom leads with 1000 coins."""
    records = [_record(published, f"P{number:03}", 1000 - number, number=number) for number in range(players)]
    stack.aggregator.update(BoardKey("coins", published.version), records)


def _record(published: PublishedBenchmark, player: str, coins: int, *, number: int, time: float = 1.0) -> Any:
    return make_guest_record(published, player, {"Coins": coins, "Time": time}, number=number)


def _score(
    stack: StackHarness,
    published: PublishedBenchmark,
    player: str,
    coins: int,
    *,
    time: float = 1.0,
    number: int = 1,
    s3: Any = None,
    renderer: BoardRenderer | None = None,
) -> None:
    """Let a player score, and publish the board."""
    record = _record(published, player, coins, number=number, time=time)
    stack.aggregator.fold_standings(BoardKey(published.id, published.version), [record])
    _render(stack, published, player, s3=s3, renderer=renderer)


def _render(
    stack: StackHarness,
    published: PublishedBenchmark,
    player: str,
    *,
    s3: Any = None,
    renderer: BoardRenderer | None = None,
) -> None:
    renderer = renderer or build_aggregator(stack, stack.aggregator.renderer.clock, s3=s3).renderer
    renderer.render(BoardKey(published.id, published.version), {f"guest-{player.lower()}"})


def _make_nameless(published: PublishedBenchmark, kind: PlayerKind, *, number: int) -> SubmissionRecord:
    """Make what a guest without a name scored."""
    record = make_guest_record(published, "guest", {"Coins": 5, "Time": 1.0}, number=number, kind=kind)
    player = "guest" if kind is PlayerKind.HUMAN else "guest-model"
    return record._replace(submission=record.submission._replace(player=make_guest("guest", kind, player_id=player)))


def test_index_is_true_when_a_benchmark_closes(stack: StackHarness, clock: Clock) -> None:
    """The schedule waits for the moments before its next run, and for no others."""
    closes = clock() + timedelta(seconds=90)
    stack.publish(make_benchmark(COINS, closes=closes.isoformat()))
    stack.publish(make_benchmark(COINS, id="later", closes=(closes + timedelta(hours=1)).isoformat()))
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds=seconds)

    due = list(publish_phases(stack.aggregator, ["coins", "later", "gone"], sleep=sleep))

    index = stack.aggregator.snapshots.read_index()
    assert index is not None
    assert {entry.id: entry.state for entry in index.value.benchmarks} == {"coins": "closed", "later": "open"}
    assert (due, waits) == ([["coins"]], [90.0])
    (schedule,) = [
        each for each in list_schedules(stack.template) if each.function == "RescoreFunction" and each.input == "{}"
    ]
    assert schedule.seconds == INTERVAL.total_seconds()
