"""Windows through the real path: midnight, late results, a rescore of closed days, withdrawals, rebuilding, removal."""

import math
import os
from collections.abc import Callable
from copy import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from aggregate.benchmarks import windows
from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.benchmarks.promoter import VersionPromoter
from aggregate.benchmarks.windows import WindowKeeper
from aggregate.checking import BoardOperator
from aggregate.dependencies import make_promoter
from aggregate.rebuilder import Rebuilder
from api.boards import routes as boards
from api.boards.routes import RowsRequest
from api.boards.views import view_boards
from api.dependencies import ApiServices, services
from handlers.http.problems import Problem
from storage.benchmarks.operations import OperationRequest, OperationStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head
from storage.boards.standings import BoardKey
from storage.keys import utc_now
from storage.settings import RescoreSettings
from storage.submissions.models import SubmissionRecord
from tests.harness.clock import Clock
from tests.harness.factories import make_guest_record, make_withdrawal
from tests.harness.stack import COINS, StackHarness, make_benchmark, watching

LEVEL_1 = {"id": "l1", "title": "Level 1", "parts": ["level-1"], "windows": ["daily"]}
WINDOWS: list[Any] = ["daily", "weekly"]
MIDNIGHT = 12 * 60
"""Records are so many minutes after noon of 28 February; this is the first one of 1 March, a Sunday, in UTC."""
DAY = 24 * 60

type Publish = Callable[..., PublishedBenchmark]
type Play = Callable[..., SubmissionRecord]


@pytest.fixture
def publish(stack: StackHarness) -> Publish:
    """Publish the game with two levels and windows."""

    def publish(*windows: Any, **changes: Any) -> PublishedBenchmark:
        definition = {"parts": ["level-1", "level-2"], **changes}
        return stack.publish(make_benchmark(COINS, **definition, windows=list(windows)))

    return publish


@pytest.fixture
def play(stack: StackHarness) -> Play:
    """Record a result of a guest so many minutes after noon of 28 February, and fold it, or not."""

    def play(
        player: str, coins: int, minute: int, *, part: str = "level-1", delivered: bool = True
    ) -> SubmissionRecord:
        published = stack.aggregator.benchmarks.current("coins", fresh=True)
        record = make_guest_record(published, player, {"Coins": coins, "Time": 1.0}, number=minute, part=part)
        stack.submissions.put_record(record)
        stack.submissions.put_result(record.submission, b"{}")
        if delivered:
            stack.aggregator.update(BoardKey("coins", published.version), [record])
        return record

    return play


@pytest.fixture
def promoter(stack: StackHarness, clock: Clock) -> VersionPromoter:
    """What the schedule runs."""
    cloud, settings = stack.cloud, RescoreSettings.read(os.environ)
    return make_promoter(settings, s3=cloud.objects, dynamodb=cloud.dynamodb, sqs=cloud.messages, clock=clock)


def find_head(stack: StackHarness, board: str = "main") -> Head | None:
    """Read the head of a board."""
    return stack.find_head("coins", board)


def serve(clock: Clock) -> ApiServices:
    """Return what the API's requests are answered with."""
    api = services()
    api.clock = clock
    return api


def names(stack: StackHarness, board: str) -> tuple[str, ...] | None:
    """Return the names that a board shows, in order; None without a head."""
    head = find_head(stack, board)
    return None if head is None else head.rows.name


def read_rows(stack: StackHarness) -> dict[str, object]:
    """Return the rows that the heads of all windows show, by board."""
    folders = stack.aggregator.snapshots.bucket.list_folders("data/b/coins/boards/")
    return {board: (head.rows, head.version) for board in folders if (head := find_head(stack, board))}


def test_results_stand_in_the_days_of_their_ids(stack: StackHarness, publish: Publish, play: Play) -> None:
    """One before midnight that is scored after it is yesterday's; days, weeks and parts of them are apart."""
    publish(*WINDOWS, {"id": "cup", "title": "Cup", "from": "2026-03-01T00:00:00Z", "to": "2026-03-02T00:00:00Z"},
            boards=[LEVEL_1])  # fmt: skip

    play("Bea", 7, MIDNIGHT)
    play("Ada", 5, MIDNIGHT - 1)
    play("Cy", 9, MIDNIGHT + 1, part="level-2")

    assert names(stack, "daily-2026-02-28") == ("Ada",)
    assert names(stack, "daily-2026-03-01") == ("Cy", "Bea")
    assert names(stack, "weekly-2026-w09") == ("Cy", "Bea", "Ada")
    assert names(stack, "l1-daily-2026-03-01") == ("Bea",)
    assert names(stack, "cup") == ("Cy", "Bea")
    head = find_head(stack, "l1-daily-2026-03-01")
    assert head is not None
    assert head.window is not None
    assert head.board_title == "Level 1, 1 March 2026"
    assert (head.window.window, head.window.before) == ("l1-daily", "l1-daily-2026-02-28")
    assert stack.head().rows.name == ("Cy", "Bea", "Ada")

    live = read_rows(stack)
    table = stack.aggregator.standings.table.name
    for item in stack.items("BoardsTable"):
        if item["board"]["S"].partition("/")[2] not in ("", "main", "l1"):
            key = {name: item[name] for name in ("board", "item")}
            stack.cloud.dynamodb.delete_item(TableName=table, Key=key)
    stack.aggregator.snapshots.bucket.delete_all(stack.keys(stack.site_bucket, "data/b/coins/boards/"))
    operator = BoardOperator(Rebuilder(stack.aggregator), OperationStore(stack.trail.bucket), utc_now, print)
    operator.rebuild(OperationRequest(operation="rebuild", benchmark="coins"), until=math.inf)
    assert read_rows(stack) == live, "a rebuild from the records alone makes what live publishing showed"


def test_instance_is_not_shown_before_its_window_has_begun(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A result that comes before the keeper is folded, but an instance of a new window gets no head by it."""
    publish("daily")
    play("Ada", 5, 1)
    windows = make_benchmark(COINS, parts=["level-1", "level-2"], windows=["daily", "weekly"])
    published = stack.aggregator.benchmarks.publish(windows)

    play("Bea", 7, 2)

    assert names(stack, "daily-2026-02-28") == ("Bea", "Ada")
    assert names(stack, "weekly-2026-w09") is None
    BoardKeeper(stack.aggregator).keep(published)
    assert names(stack, "weekly-2026-w09") == ("Bea", "Ada")


def test_day_without_results_costs_no_file(stack: StackHarness, publish: Publish, clock: Clock, play: Play) -> None:
    """The schedule makes no board of a day in which nobody plays, and reads as much after years as after a day."""
    published = publish(*WINDOWS)
    keeper = BoardKeeper(stack.aggregator)
    play("Ada", 5, MIDNIGHT)
    keeper.keep(published)
    clock.advance(days=10)
    keeper.keep(published)
    with watching(stack.cloud.s3, "GetObject") as soon, watching(stack.cloud.dynamodb, "Query") as queries:
        keeper.keep(published)
    clock.advance(days=1000)
    with watching(stack.cloud.s3, "GetObject") as later, watching(stack.cloud.dynamodb, "Query") as later_queries:
        keeper.keep(published)

    assert sorted(read_rows(stack)) == ["daily-2026-03-01", "weekly-2026-w09"]
    assert abs(len(later) - len(soon)) <= 1, "a week may have ended within a day"
    assert abs(len(later_queries) - len(queries)) <= 1


def test_rescore_reaches_closed_days_by_a_budget(
    stack: StackHarness, publish: Publish, play: Play, clock: Clock, promoter: VersionPromoter
) -> None:
    """A closed day says by its version that it is behind, until its turn comes; the newest is first."""
    publish("daily")
    records = [play("Ada", 5, MIDNIGHT + day * DAY, delivered=False) for day in range(3)]
    records.append(play("Bea", 9, MIDNIGHT + 1, delivered=False))
    stack.aggregator.update(BoardKey("coins", records[0].version), records)
    clock.advance(days=8)
    following = publish("daily", files={"evaluate.py": b"print(2)"}).next_version
    assert following is not None
    scores = {"Coins": 1, "Time": 1.0}
    rescored = [
        replace(
            record,
            version=following.version,
            scores=scores,
            evaluations=tuple(replace(each, scores=scores) for each in record.evaluations),
        )
        for record in records
    ]
    for record in rescored:
        stack.submissions.put_record(record)
    stack.aggregator.update(BoardKey("coins", following.version), rescored)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "MAX_RESTORED", 2)
        promoted = promoter.promote(stack.aggregator.benchmarks.current("coins", fresh=True))

    days = [f"daily-2026-03-0{day}" for day in range(1, 4)]
    versions = [head.version for day in days if (head := find_head(stack, day))]
    assert versions == [records[0].version] + [promoted.version] * 2
    assert stack.head().version == promoted.version
    request = RowsRequest(start=1, limit=9)
    outdated = [boards.find_rows(serve(clock), promoted, day, request).is_outdated for day in days]
    assert outdated == [True, False, False]
    late = play("Dan", 3, MIDNIGHT + 2)  # a late result for a day that is still behind
    assert names(stack, days[0]) == ("Bea", "Ada")
    promoter.keeper.keep(promoted)
    assert names(stack, days[0]) == ("Dan", "Ada", "Bea")
    assert {head and head.version for head in map(partial(find_head, stack), days)} == {promoted.version}

    stack.withdrawals.put(make_withdrawal(late))
    stack.aggregator.update(BoardKey("coins", promoted.version), [late])
    assert names(stack, days[0]) == ("Ada", "Bea")


def test_windows_come_and_go_whole(stack: StackHarness, publish: Publish, play: Play, clock: Clock) -> None:
    """Days from before a window was added have all their rows at once; a removed one leaves nothing that is public."""
    publish()
    records = [
        play(f"P{number}", number, MIDNIGHT + DAY // 4 + number * DAY // 2, delivered=False) for number in range(4)
    ]
    stack.aggregator.update(BoardKey("coins", records[0].version), records)
    clock.advance(days=9)
    benchmark = make_benchmark(COINS, parts=["level-1", "level-2"], windows=WINDOWS, time_zone="Asia/Ho_Chi_Minh")
    published = stack.aggregator.benchmarks.publish(benchmark)
    play("late", 3, MIDNIGHT + 5)
    assert read_rows(stack) == {}

    BoardKeeper(stack.aggregator).keep(published)

    assert names(stack, "daily-2026-03-01") == ("late", "P0")
    assert names(stack, "daily-2026-03-02") == ("P2", "P1")
    assert names(stack, "daily-2026-03-03") == ("P3",)
    assert len(read_rows(stack)) == 3 + 2

    published = publish("weekly", time_zone="Asia/Ho_Chi_Minh")
    BoardKeeper(stack.aggregator).keep(published)

    assert sorted(read_rows(stack)) == ["weekly-2026-w09", "weekly-2026-w10"]
    assert not [item for item in stack.items("BoardsTable") if "daily" in item["board"]["S"]]
    WindowKeeper(stack.aggregator).restore_all(published)
    assert sorted(read_rows(stack)) == ["weekly-2026-w09", "weekly-2026-w10"]


def test_windows_are_named_by_the_clock(stack: StackHarness, publish: Publish, play: Play, clock: Clock) -> None:
    """`daily` is today's board, a day without results is empty, a day that cannot be is rejected with its reason."""
    season = {"id": "next", "title": "Next", "from": "2026-04-01T00:00:00Z", "to": "2026-05-01T00:00:00Z"}
    published = publish(*WINDOWS, season)
    for day in (0, 1, 3):
        play("Ada", day, MIDNIGHT + day * DAY)
    api, request = serve(clock), RowsRequest(start=1, limit=9)
    clock.moment = datetime(2026, 3, 4, 23, 59, 59, tzinfo=UTC)

    before_midnight = boards.find_rows(api, published, "daily", request)
    clock.advance(seconds=1)
    after_midnight = boards.find_rows(api, published, "daily", request)
    yesterday = boards.find_around(api, published, "daily-2026-03-04", "guest-ada", None, above=1, below=1)
    today = boards.find_around(api, published, "daily", "guest-ada", None, above=1, below=1)

    assert (before_midnight.board, before_midnight.total) == ("daily-2026-03-04", 1)
    assert (after_midnight.board, after_midnight.total, after_midnight.rows) == ("daily-2026-03-05", 0, [])
    assert (today.rank, today.rows) == (None, [])
    assert (yesterday.rank, yesterday.is_outdated) == (1, False)
    assert boards.write_csv(api, published, "daily-2026-03-03").count("\n") == 1
    eve = boards.find_rows(api, published, "daily-2026-02-28", request)
    assert (eve.rows, eve.window and eve.window.before) == ([], None)
    listed = view_boards(published, api.clock())
    assert [(card.id, card.title, card.window and card.window.board) for card in listed.boards] == [
        ("main", None, None),
        ("daily", "Today", "daily-2026-03-05"),
        ("weekly", "This week", "weekly-2026-w10"),
        ("next", "Next", "next"),
    ]
    assert listed.model_dump(mode="json")["boards"][1]["window"] == {
        "board": "daily-2026-03-05",
        "from": "2026-03-05T00:00:00Z",
        "to": "2026-03-06T00:00:00Z",
        "time_zone": "UTC",
        "before": "daily-2026-03-04",
    }
    for board, reason in {
        "daily-2026-03-06": "begins at 2026-03-06T00:00:00+00:00; the latest are daily-2026-03-05",
        "daily-2026-02-27": "the first result came at 2026-03-01T00:00:00+00:00",
        "next": "begins at 2026-04-01",
        "daily-2026-02-30": "windows have ids such as daily-2026-03-05, weekly-2026-w10",
        "monthly": "there is no such board",
    }.items():
        with pytest.raises(Problem) as caught:
            boards.find_rows(api, published, board, request)
        assert (caught.value.status, reason in caught.value.detail) == (404, True), caught.value.detail
