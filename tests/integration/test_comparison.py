"""The daily comparison of boards with their standings, and of standings with their entries; and its mail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from notify import send
from scoring_core.ranking.order import RankOrder
from storage.aws.clients import dynamodb_client
from storage.aws.table import Table
from storage.benchmarks.boards import PublishedBoard
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry, BoardEntryStore
from storage.boards.folding import StandingFolder
from storage.boards.models import Counts, Head
from storage.boards.pages import Row
from storage.boards.reading import BoardReader
from storage.boards.standings import PlayerStanding, StandingStore, standing_key
from storage.keys import head_key
from storage.mail.outbox import MailOutbox
from tests.harness.clock import Clock
from tests.harness.factories import make_guest
from tests.harness.role_wall import running
from tests.harness.stack import COINS, InProcess, StackHarness, make_benchmark
from tests.integration.test_notify import Post, text_of
from tests.unit.board_rows import MemoryFiles
from tests.unit.heads import make_head_of
from upkeep import comparison
from upkeep.comparison import BoardComparison, Difference
from upkeep.reports import report_differences

ID = "coins"
DAY = date(2026, 1, 15)
NAMES = ("Ada", "Bob", "Cid", "Dee")


@dataclass
class Compared:
    """A board in the table, its files, and what happens while the comparison waits."""

    stack: StackHarness
    published: PublishedBenchmark
    files: MemoryFiles = field(default_factory=MemoryFiles)
    waits: list[Callable[[], None]] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    @property
    def board(self) -> PublishedBoard:
        """The main board."""
        return self.published.boards[0]

    @property
    def table(self) -> Table:
        """The boards table."""
        return Table(dynamodb_client(), self.stack.template.resources["BoardsTable"].name)

    @property
    def comparison(self) -> BoardComparison:
        """The comparison."""

        def sleep(seconds: float) -> None:
            self.waited.append(seconds)
            if self.waits:
                self.waits.pop(0)()

        return BoardComparison(BoardReader(self.files), StandingStore(self.table), BoardEntryStore(self.table), sleep)

    def fold(self, name: str, coins: int, *, number: int) -> None:
        """Fold a submission of a player."""
        submission = f"019bc119-0100-78a3-a5e8-{number:012x}"
        entry = BoardEntry(make_guest(name), submission, 1, {"": {"Coins": coins, "Time": 1.5}})
        StandingFolder(BoardEntryStore(self.table)).fold(self.published.all_boards, [entry])

    def publish(self, change: Callable[[Row], Row | None] = lambda row: row, *, counts: int | None = None) -> None:
        """Publish the rows of the standings, each changed or left out."""
        standings = StandingStore(self.table).read_board(self.board.key, None).standings
        rows = [row for stored in standings.values() if (row := change(_make_row(stored))) is not None]
        self.files.heads[head_key(ID)] = _make_head(self.published, rows, counts=counts)

    def compare(self) -> list[Difference]:
        """Compare the board."""
        return self.comparison.compare(self.board, DAY)

    def spoil(self, name: str, **attributes: Any) -> None:
        """Change attributes of a standing behind everybody's back."""
        names = {f"#{attribute}": attribute for attribute in attributes}
        self.stack.cloud.dynamodb.update_item(
            TableName=self.table.name,
            Key={"board": {"S": str(self.board.key)}, "item": {"S": standing_key(make_guest(name).id)}},
            UpdateExpression=f"SET {', '.join(f'#{attribute} = :{attribute}' for attribute in attributes)}",
            ExpressionAttributeNames=names,
            ExpressionAttributeValues={f":{attribute}": value for attribute, value in attributes.items()},
        )


@pytest.fixture
def compared(stack: StackHarness) -> Compared:
    """A board of four players, each with two submissions, published as it is."""
    compared = Compared(stack, stack.publish(make_benchmark(COINS)))
    for number, name in enumerate(NAMES * 2):
        compared.fold(name, number, number=number)
    compared.publish()
    return compared


def test_board_that_is_right_differs_nowhere(compared: Compared) -> None:
    """Rows, standings and entries agree, and nobody waits."""
    assert compared.compare() == []
    assert compared.waited == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda row: row._replace(scores={**row.scores, "Coins": 99}), "shows Coins 99, Time 1.5"),
        (lambda row: row._replace(submissions=7), "7 submissions, the standing"),
        (lambda row: row._replace(name="Eve"), "the board shows Coins"),
        (lambda _: None, "the board shows nothing, the standing has Coins"),
    ],
)
def test_wrong_row_is_reported(compared: Compared, change: Callable[[Row], Row | None], text: str) -> None:
    """A row with other scores, counts or name, and one that is missing, is named after three looks."""
    bob = make_guest("Bob").id
    compared.publish(lambda row: change(row) if row.player == bob else row)

    differences = [difference for difference in compared.compare() if difference.row_id]

    assert [difference.row_id for difference in differences] == [bob]
    assert text in differences[0].text
    assert compared.waited == [60.0, 60.0]


def test_row_without_a_standing_is_reported(compared: Compared) -> None:
    """A row that nobody's standing stands for is found by a second look at the board."""
    head = compared.files.heads[head_key(ID)]
    rows = [_make_row(stored) for stored in _standings(compared).values()]
    ghost = rows[-1]._replace(player="ghost", name="Ghost", submission="019bc119-0100-78a3-a5e8-0000000000ff")
    compared.files.heads[head_key(ID)] = _make_head(compared.published, [*rows, ghost], counts=None)

    differences = compared.compare()

    assert [difference.row_id for difference in differences] == ["ghost"]
    assert "the standing has nothing" in differences[0].text
    assert head.total == 4


def test_wrong_order_and_counts_are_reported(compared: Compared) -> None:
    """Rows that are not in rank order, and a head that counts otherwise, are named."""
    head = compared.files.heads[head_key(ID)]
    reversed_rows = {
        name: tuple(reversed(column)) for name, column in dict(head.rows).items() if isinstance(column, tuple)
    }
    scores = {name: tuple(reversed(column)) for name, column in head.rows.scores.items()}
    rows = head.rows.model_copy(update={**reversed_rows, "scores": scores, "rank": head.rows.rank})
    compared.files.heads[head_key(ID)] = head.model_copy(update={"rows": rows})
    out_of_order = compared.compare()
    compared.publish(counts=99)

    miscounted = compared.compare()

    assert {"the row is not after the one before it"} <= {difference.text for difference in out_of_order}
    assert miscounted == [Difference("", "the head counts 4 rows and 99 submissions, the rows are 4 with 8")]


def test_change_that_is_on_its_way_is_no_difference(compared: Compared) -> None:
    """A standing that is published while the comparison waits, or folded again, is not reported."""
    compared.fold("Bob", 50, number=100)
    compared.fold("Ada", 60, number=101)
    compared.waits = [lambda: compared.fold("Ada", 61, number=102), compared.publish]

    assert compared.compare() == []
    assert compared.waited == [60.0, 60.0]


def test_player_who_goes_on_is_no_difference(compared: Compared) -> None:
    """A standing that is folded again between the looks is never reported, though its row is behind each time."""
    compared.fold("Bob", 50, number=100)
    compared.waits = [lambda number=number: compared.fold("Bob", number, number=number) for number in (101, 102)]  # type: ignore[misc]

    assert compared.compare() == []
    assert compared.waited == [60.0]


def test_standing_that_does_not_follow_from_its_entries_is_reported(compared: Compared) -> None:
    """A standing with other scores than its entries give is named, also where the board shows the same."""
    compared.spoil("Cid", scores={"S": '{"Coins": 1000, "Time": 1.5}'})
    compared.publish()

    (difference,) = compared.compare()

    assert difference.row_id == make_guest("Cid").id
    assert difference.text.startswith("the standing has Coins 1000, Time 1.5 of 019bc119")


def test_large_board_is_folded_in_slices(compared: Compared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every standing has its day, and no day has all."""
    monkeypatch.setattr(comparison, "MAX_FOLDED", 2)
    for name in NAMES:
        compared.spoil(name, scores={"S": '{"Coins": 1000, "Time": 1.5}'})
    compared.publish()

    days = [compared.comparison.compare(compared.board, date.fromordinal(number)) for number in range(1, 6)]

    assert sorted(difference.row_id for day in days for difference in day) == sorted(
        make_guest(name).id for name in NAMES
    )
    assert max(map(len, days)) < len(NAMES)


def test_administrator_gets_a_mail(compared: Compared, clock: Clock) -> None:
    """The mail names benchmark, board, row and what differs; there is one a day, however often the schedule comes."""
    outbox = MailOutbox(Table(dynamodb_client(), compared.stack.template.resources["MailTable"].name))
    bob = make_guest("Bob").id
    compared.publish(lambda row: row._replace(submissions=7) if row.player == bob else row)
    report: Mapping[str, Any] = {
        "benchmarks": compared.stack.aggregator.benchmarks,
        "comparison": compared.comparison,
        "outbox": outbox,
    }

    with running("UpkeepFunction"):
        differs = [report_differences(ID, **report, now=clock()) for _ in range(2)]
    InProcess(send.lambda_handler, "SendFunction").invoke({"detail-type": "Scheduled Event"})
    clock.advance(days=1)
    compared.publish()
    differs.append(report_differences(ID, **report, now=clock()))

    (mail,) = Post(compared.stack).sent()
    assert differs == [True, True, False]
    assert mail["To"] == "admin@example.org"
    assert mail["Subject"].endswith("a board differs from its submissions")
    text = text_of(mail)
    assert f"{bob}: the board shows" in text
    assert f"laurel rebuild {ID}" in text
    assert str(compared.board.key) in text
    assert f"https://laurel.example.org/b/{ID}" in text


def _standings(compared: Compared) -> dict[str, PlayerStanding]:
    return StandingStore(compared.table).read_board(compared.board.key, None).standings


def _make_row(stored: PlayerStanding) -> Row:
    player, standing = stored.player, stored.standing
    kind, scores = player.kind.value, dict(standing.scores)
    return Row(player.id, player.name, kind, player.verified, None, scores, standing.submissions, standing.submission)


def _make_head(published: PublishedBenchmark, rows: list[Row], *, counts: int | None) -> Head:
    board = published.boards[0].board
    order = tuple((name, board.score_type.metric(name).direction) for name in board.ranking.by)
    ordered = sorted(rows, key=lambda row: row.place(RankOrder(order)))
    head = make_head_of([row.name for row in ordered])
    shown = head.rows.model_copy(
        update={
            "player": tuple(row.player for row in ordered),
            "scores": {name: tuple(row.scores[name] for row in ordered) for name in ("Coins", "Time")},
            "submissions": tuple(row.submissions for row in ordered),
            "submission": tuple(row.submission for row in ordered),
        }
    )
    submissions = sum(row.submissions for row in rows) if counts is None else counts
    return head.model_copy(
        update={
            "id": published.id,
            "version": published.version,
            "order": order,
            "rows": shown,
            "total": len(rows),
            "counts": Counts(players=len(rows), submissions=submissions),
        }
    )
