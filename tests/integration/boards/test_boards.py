"""Several boards of one benchmark: which rows each has, how one begins, and what adding and removing one changes."""

import os
from collections.abc import Callable
from copy import replace
from typing import Any

import pytest

from aggregate.benchmarks.keeper import BoardKeeper
from aggregate.dependencies import make_promoter
from aggregate.rebuilder import BATCH
from storage.benchmarks.progress import Progress, Reached
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.folding import StandingFolder
from storage.boards.models import Head
from storage.boards.standings import BoardKey
from storage.gateway.conditions import Prefix
from storage.settings import RescoreSettings
from storage.submissions.models import PlayerKind, SubmissionRecord
from tests.harness.clock import Clock
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark, watching

LEVEL_1 = {"id": "level-1", "title": "Level 1", "parts": ["level-1"]}
HUMANS = {"id": "humans", "title": "Humans", "when": {"kind": "human"}}
MODELS = {"id": "models", "title": "Models", "when": {"kind": "model"}}
FASTEST = {"id": "fastest", "title": "Fastest", "ranking": {"by": ["Time"]}, "metrics": ["Time"]}
RUNS = {"id": "runs", "title": "Runs", "ranking": {"by": ["Coins"], "rows": "label"}}

type Publish = Callable[..., PublishedBenchmark]
type Play = Callable[..., SubmissionRecord]


@pytest.fixture
def publish(stack: StackHarness) -> Publish:
    """Publish the game with two levels and these boards."""

    def publish(*boards: dict[str, Any], **changes: Any) -> PublishedBenchmark:
        definition = {"parts": ["level-1", "level-2"], **changes}
        return stack.publish(make_benchmark(COINS, **definition, boards=list(boards)))

    return publish


@pytest.fixture
def play(stack: StackHarness) -> Play:
    """Record a result of a guest, and fold it, or not."""

    def play(
        player: str,
        coins: int,
        *,
        number: int,
        part: str = "level-1",
        time: float = 1.0,
        kind: PlayerKind = PlayerKind.HUMAN,
        label: str | None = None,
        delivered: bool = True,
    ) -> SubmissionRecord:
        published = stack.aggregator.benchmarks.current("coins", fresh=True)
        scores = {"Coins": coins, "Time": time}
        made = make_guest_record(published, player, scores, number=number, part=part, kind=kind)
        record = replace(made, submission=replace(made.submission, label=label))
        stack.submissions.put_record(record)
        if delivered:
            stack.aggregator.update(BoardKey("coins", published.version), [record])
        return record

    return play


def read_standings(stack: StackHarness, board: str) -> dict[str, dict[str, int | float]]:
    """Return the scores of each row of a board, by row id."""
    published = stack.aggregator.benchmarks.current("coins", fresh=True).find_board(board)
    assert published is not None
    state = stack.aggregator.standings.read_board(published.key, None)
    return {row: dict(entry.standing.scores) for row, entry in state.standings.items()}


def test_each_board_has_the_rows_that_it_takes(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A submission counts on each board whose parts and condition fit it, by the ranking of that board."""
    publish(LEVEL_1, HUMANS, FASTEST)

    play("Ada", 5, number=1, part="level-1", time=9.0)
    play("Ada", 7, number=2, part="level-2", time=3.0)
    play("tern", 8, number=3, part="level-2", time=2.0, kind=PlayerKind.MODEL)

    assert read_standings(stack, "main") == {
        "guest-ada": {"Coins": 12, "Time": 12.0},
        "guest-tern": {"Coins": 8},
    }
    assert read_standings(stack, "level-1") == {"guest-ada": {"Coins": 5, "Time": 9.0}}
    assert read_standings(stack, "humans") == {"guest-ada": {"Coins": 12, "Time": 12.0}}
    assert read_standings(stack, "fastest") == {"guest-ada": {"Time": 12.0}, "guest-tern": {}}


def test_twelve_checkpoints_are_twelve_rows(api: Api, stack: StackHarness, publish: Publish, play: Play) -> None:
    """Under one player each label has a row, by which players are compared; the main board has one row."""
    publish(RUNS)
    labels = [f"step {number}00" for number in range(1, 13)]

    for number, label in enumerate(labels, start=1):
        play("heron", number, number=number, label=label)
    play("heron", 99, number=13)
    play("heron", 3, number=14, label="step 100")

    assert read_standings(stack, "runs") == {
        **{f"guest-heron/{label.replace(' ', '%20')}": {"Coins": number}
           for number, label in enumerate(labels, start=1)},
        "guest-heron/step%20100": {"Coins": 3},
        "guest-heron/": {"Coins": 99},
    }  # fmt: skip
    assert read_standings(stack, "main") == {"guest-heron": {"Coins": 99}}
    compared = api("GET", "/api/benchmarks/coins/rows", query={"board": "runs", "players": "guest-heron"}).body["rows"]
    assert [each["label"] for each in compared] == ["", *reversed(labels[3:]), "step 300", "step 100", "step 200"]


def read_head(stack: StackHarness, board: str = "main") -> Head | None:
    """Read the head of a board."""
    return stack.find_head("coins", board)


def names(stack: StackHarness, board: str = "main") -> tuple[str, ...]:
    """Return the names that the head of a board shows, in order."""
    head = read_head(stack, board)
    assert head is not None
    return head.rows.name


def read_files(stack: StackHarness) -> dict[str, bytes]:
    """Return every file of the main board, but no file of another board."""
    keys = [key for key in stack.keys(stack.site_bucket, "data/b/coins/") if "/boards" not in key]
    bucket = stack.site_bucket
    return {key: stack.cloud.s3.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}


def read_list(stack: StackHarness) -> list[str] | None:
    """Return the boards of boards.json; None if there is no such file."""
    stored = stack.aggregator.lists.find("coins")
    return [board.id for board in stored.value.boards] if stored else None


def test_other_boards_change_no_byte_of_main(stack: StackHarness, publish: Publish, play: Play, clock: Clock) -> None:
    """Adding, changing and removing other boards leaves every file of the main board as it is, its pages included."""
    main = publish().boards[0].key
    records = [play(f"P{number}", number, number=number, delivered=False) for number in range(1, 121)]
    stack.aggregator.update(main, records)
    before = read_files(stack)
    assert len(before) > 4

    for boards in (
        [LEVEL_1],
        [LEVEL_1, HUMANS],
        [{**LEVEL_1, "title": "One"}, RUNS],
        [{**RUNS, "parts": ["level-1"]}],
        [],
    ):
        clock.advance(minutes=5)
        published = publish(*boards)
        BoardKeeper(stack.aggregator).keep(published)
        assert read_files(stack) == before


def test_added_board_has_what_came_before(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A board shows what was submitted before it was added, and what comes after."""
    publish()
    play("Ada", 5, number=1)
    play("tern", 8, number=2, kind=PlayerKind.MODEL)

    publish(HUMANS, RUNS)
    play("Bea", 9, number=3)

    assert names(stack, "humans") == ("Bea", "Ada")
    assert names(stack, "runs") == ("Bea", "tern", "Ada")
    assert read_list(stack) == ["main", "humans", "runs"]


def test_board_is_not_shown_before_it_has_all_rows(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A result that comes before the keeper is folded, but only a board with all results gets a head."""
    publish()
    play("Ada", 5, number=1)
    benchmark = make_benchmark(COINS, parts=["level-1", "level-2"], boards=[HUMANS])
    published = stack.aggregator.benchmarks.publish(benchmark)

    play("Bea", 9, number=2)

    assert read_head(stack, "humans") is None
    BoardKeeper(stack.aggregator).keep(published)
    assert names(stack, "humans") == ("Bea", "Ada")


def test_first_result_of_a_player_is_on_a_board_that_begins_meanwhile(
    stack: StackHarness, publish: Publish, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing keeps who has no anchor from writing, so the definition is looked at again after that."""
    publish()
    fold = StandingFolder.fold

    def act(self: StandingFolder, version: Any, entries: Any) -> Any:
        monkeypatch.undo()
        publish(HUMANS)
        return fold(self, version, entries)

    monkeypatch.setattr(StandingFolder, "fold", act)

    play("Ada", 5, number=1)

    assert names(stack, "humans") == ("Ada",)


def test_board_that_begins_goes_on_where_it_stopped(stack: StackHarness, publish: Publish, play: Play) -> None:
    """A call whose time is up shows nothing and loses nothing; the next ones finish."""
    main = publish().boards[0].key
    records = [play(f"P{number}", number, number=number, delivered=False) for number in range(1, 2 * BATCH + 50)]
    stack.aggregator.fold_standings(main, records)
    published = stack.aggregator.benchmarks.publish(
        make_benchmark(COINS, parts=["level-1", "level-2"], boards=[HUMANS])
    )
    moments = iter([0.0, 0.0, 2.0])
    impatient = BoardKeeper(stack.aggregator, begin_seconds=1.0, monotonic=lambda: next(moments))

    impatient.keep(published)
    stopped = [begun for _, begun in stack.aggregator.standings.list_players(main)]
    assert read_head(stack, "humans") is None
    with watching(stack.cloud.dynamodb, "TransactWriteItems") as writes:
        BoardKeeper(stack.aggregator).keep(published)

    head = read_head(stack, "humans")
    assert head is not None
    assert (head.total, head.counts.submissions) == (2 * BATCH + 49, 2 * BATCH + 49)
    rows = [write for write in writes if "humans" in str(write) and "player#" in str(write)]
    assert stopped == [published.publish_number] * BATCH + [1] * (BATCH + 49)
    assert stack.aggregator.progress.read(Reached.BEGUN_BOARDS, main) == Progress(published.publish_number)
    assert len(rows) == BATCH + 49


def test_player_who_cannot_be_folded_keeps_only_new_boards_back(
    stack: StackHarness, publish: Publish, play: Play
) -> None:
    """While an entry cannot be read the others show what was published, and the new board comes once it can be."""
    published = publish(MODELS)
    play("Ada", 5, number=1)
    play("Bea", 7, number=2)
    table = stack.aggregator.standings.table
    (item,) = table.query(("board", str(published.boards[0].key)), Prefix("item", "entry#guest-ada"))
    table.client.put_item(TableName=table.name, Item={**item, "scores": {"S": "?"}})
    changed = make_benchmark(COINS, parts=["level-1", "level-2"], boards=[MODELS, HUMANS], title="Changed")
    published = stack.aggregator.benchmarks.publish(changed)

    with pytest.raises(ValueError, match="Expecting value"):
        BoardKeeper(stack.aggregator).keep(published)

    heads = {board: read_head(stack, board) for board in ("main", "models", "humans")}
    assert {board: head and head.title for board, head in heads.items()} == {
        "main": "Changed", "models": "Changed", "humans": None
    }  # fmt: skip
    table.client.put_item(TableName=table.name, Item=item)
    BoardKeeper(stack.aggregator).keep(published)
    assert names(stack, "humans") == ("Bea", "Ada")


@pytest.mark.parametrize(
    "changed",
    [{**HUMANS, "when": {"kind": "model"}}, {**HUMANS, "parts": ["level-2"]}],
    ids=["condition", "parts"],
)
def test_changed_board_begins_again(stack: StackHarness, publish: Publish, play: Play, changed: dict[str, Any]) -> None:
    """It has no row that it would not take, and keeps its address; what was stored of the old one is deleted."""
    publish(HUMANS)
    play("Ada", 5, number=1, part="level-1")
    play("tern", 8, number=2, part="level-2", kind=PlayerKind.MODEL)
    play("Bea", 2, number=3, part="level-2")

    publish(changed)

    expected = ("tern",) if changed["when"]["kind"] == "model" else ("Bea",)
    assert names(stack, "humans") == expected
    partitions = {item["board"]["S"] for item in stack.items("BoardsTable")}
    assert {partition.partition("/")[2] for partition in partitions} == {"", "humans~2"}


def test_removed_board_is_deleted(stack: StackHarness, publish: Publish, play: Play) -> None:
    """Its files and standings are gone, and the list of boards with the last of them; it can come back."""
    publish(LEVEL_1, HUMANS)
    play("Ada", 5, number=1)

    publish(LEVEL_1)
    assert read_list(stack) == ["main", "level-1"]
    assert not stack.keys(stack.site_bucket, "data/b/coins/boards/humans/")
    publish()

    assert read_list(stack) is None
    assert not stack.keys(stack.site_bucket, "data/b/coins/boards")
    assert {item["board"]["S"].partition("/")[2] for item in stack.items("BoardsTable")} == {""}
    publish(HUMANS)
    assert names(stack, "humans") == ("Ada",)


def test_rows_of_the_main_board_become_labels(stack: StackHarness, publish: Publish, play: Play) -> None:
    """The board begins again under the same address, and back again; no row of the other kind is left."""
    publish()
    play("Ada", 5, number=1)
    play("Ada", 7, number=2)

    by_label = {"by": ["Coins"], "rows": "label"}
    publish(ranking=by_label)
    play("Ada", 6, number=3, label="red")
    head = read_head(stack)
    assert head is not None
    assert (head.ranking.rows, head.rows.label, head.total) == ("label", ("", "red"), 2)

    publish()
    head = read_head(stack)
    assert head is not None
    assert (head.ranking.rows, head.rows.name, head.rows.submissions) == ("player", ("Ada",), (3,))


def test_version_that_returns_while_its_old_board_is_deleted(
    stack: StackHarness, publish: Publish, play: Play, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is deleted of a board that is about to be shown again, and nothing that it had counts twice."""
    clients = {"s3": stack.cloud.objects, "dynamodb": stack.cloud.tables, "sqs": stack.cloud.messages}
    promoter = make_promoter(RescoreSettings.read(os.environ), **clients, clock=clock)
    by_label = {"by": ["Coins"], "rows": "label"}
    first = publish(HUMANS)
    records = [play("Ada", 5, number=number) for number in range(1, 21)]
    for record in records:
        stack.submissions.put_result(record.submission, b"{}")
    monkeypatch.setattr("aggregate.benchmarks.keeper.MAX_DELETED", 1)
    publish(HUMANS, ranking=by_label)

    for changes in ({"files": {"evaluate.py": b"print(2)"}}, {}):
        following = publish(HUMANS, **changes).next_version
        assert following is not None
        rescored = [replace(record, version=following.version) for record in records]
        for record in rescored:
            stack.submissions.put_record(record)
        stack.aggregator.update(BoardKey("coins", following.version), rescored[:2])
        for _ in range(4):
            promoter.keeper.keep(stack.aggregator.benchmarks.current("coins", fresh=True))
        promoter.promote(stack.aggregator.benchmarks.current("coins", fresh=True))

    head = read_head(stack)
    assert head is not None
    assert (head.version, head.rows.submissions, head.counts.submissions) == (first.version, (20,), 20)
