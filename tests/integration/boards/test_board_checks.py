"""The check of boards against the records of their submissions: what differs, and what does not."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from aggregate.checking import BoardOperator, Difference
from aggregate.rebuilder import Rebuilder
from storage.benchmarks.operations import OperationStore
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.models import Head, Rows
from storage.keys import head_key
from storage.submissions.models import SubmissionRecord
from tests.harness.clock import Clock
from tests.harness.factories import make_guest, make_guest_record
from tests.harness.stack import COINS, StackHarness, make_benchmark

NAMES = ("Ada", "Bob", "Cid", "Dee")


@dataclass
class Checked:
    """A board of four players with two submissions each, and what happens while the check waits."""

    stack: StackHarness
    published: PublishedBenchmark
    clock: Clock
    waits: list[Callable[[], None]] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    @property
    def checker(self) -> BoardOperator:
        """What checks."""
        operations = OperationStore(self.stack.trail.bucket)
        return BoardOperator(Rebuilder(self.stack.aggregator), operations, self.clock, self.sleep)

    def sleep(self, seconds: float) -> None:
        """Count a pause, in which the next thing happens."""
        self.waited.append(seconds)
        if self.waits:
            self.waits.pop(0)()

    def check(self) -> list[Difference]:
        """Check all boards."""
        return self.checker.check("coins")

    def record(self, name: str, coins: int, *, number: int) -> SubmissionRecord:
        """Record a submission, which no board has yet."""
        record = make_guest_record(self.published, name, {"Coins": coins, "Time": 1.5}, number=number)
        assert self.stack.submissions.put_record(record)
        return record

    def play(self, name: str, coins: int, *, number: int) -> None:
        """Record a submission, and deliver it to the board."""
        self.stack.follow([self.record(name, coins, number=number)])

    def spoil(self, change: Callable[[Head], dict[str, Any]]) -> None:
        """Change the head behind everybody's back."""
        head = self.stack.head()
        body = head.model_copy(update=change(head)).to_body()
        self.stack.aggregator.snapshots.bucket.overwrite(head_key("coins"), body)


@pytest.fixture
def checked(stack: StackHarness, published: PublishedBenchmark, clock: Clock) -> Checked:
    """A board that is right."""
    checked = Checked(stack, published, clock)
    for number, name in enumerate(NAMES * 2, start=1):
        checked.play(name, number, number=number)
    return checked


def change_rows(rows: Rows, change: Callable[[list[Any]], list[Any]], *columns: str) -> dict[str, Any]:
    """Return a head's rows with other columns; without any named, all are changed."""
    plain = {name: column for name, column in dict(rows).items() if isinstance(column, tuple) and column}
    changed = {name: tuple(change(list(plain[name]))) for name in columns or plain}
    scores = rows.scores if columns else {name: tuple(change(list(column))) for name, column in rows.scores.items()}
    return {"rows": rows.model_copy(update={**changed, "scores": scores})}


def test_board_that_is_right_differs_nowhere(checked: Checked) -> None:
    """Rows and records agree, and nobody waits."""
    assert checked.check() == []
    assert checked.waited == []


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda head: change_rows(head.rows, lambda column: [7, *column[1:]], "submissions"),
            ", 7 submissions, the rec",
        ),
        (lambda head: change_rows(head.rows, lambda column: ["other", *column[1:]], "submission"), " of other, 2 sub"),
        (
            lambda head: {
                "rows": head.rows.model_copy(update={"scores": {**head.rows.scores, "Coins": (99, 7, 6, 5)}})
            },
            "the board shows Coins 99, Time 1.5 of ",
        ),
        (
            lambda head: change_rows(head.rows, lambda column: column[1:]),
            "the board shows nothing, the records say Coins",
        ),
    ],
    ids=["count", "submission", "score", "missing"],
)
def test_wrong_row_is_reported(checked: Checked, change: Callable[[Head], dict[str, Any]], text: str) -> None:
    """A row with another score, submission or count, and one that is missing, is named after three looks."""
    checked.spoil(change)

    differences = [difference for difference in checked.check() if difference.row_id]

    assert [difference.row_id for difference in differences] == [make_guest("Dee").id]
    assert text in differences[0].text
    assert checked.waited == [60.0, 60.0]


def test_row_without_a_record_is_reported(checked: Checked) -> None:
    """A row that no record stands for is a difference, as the count that lacks it is none."""
    checked.spoil(lambda head: change_rows(head.rows, lambda column: ["ghost", *column[1:]], "player"))

    texts = {difference.row_id: difference.text for difference in checked.check()}

    assert texts.keys() == {"ghost", make_guest("Dee").id}
    assert texts["ghost"].endswith("2 submissions, the records say nothing")


def test_record_that_never_reached_its_board_is_reported(checked: Checked) -> None:
    """The board is as its standings are, and lacks a submission."""
    checked.record("Eve", 50, number=20)

    (difference,) = checked.check()

    assert (difference.board, difference.row_id) == (checked.published.boards[0].key, make_guest("Eve").id)
    assert difference.text.startswith("the board shows nothing, the records say Coins 50, Time 1.5 of ")


def test_wrong_order_and_counts_are_reported(checked: Checked) -> None:
    """Rows that are not in rank order, and a head that counts otherwise, are named."""
    checked.spoil(lambda head: change_rows(head.rows, lambda column: column[::-1]))
    out_of_order = checked.check()
    checked.spoil(lambda head: change_rows(head.rows, lambda column: column[::-1]))
    checked.spoil(lambda head: {"counts": head.counts.model_copy(update={"submissions": 99})})

    (miscounted,) = checked.check()

    assert "the row is not after the one before it" in {difference.text for difference in out_of_order}
    assert str(miscounted) == ("the whole board: the head counts 4 rows and 99 submissions, the rows are 4 with 8")


def test_change_that_is_on_its_way_is_no_difference(checked: Checked) -> None:
    """A record that reaches the board while the check waits is not reported, nor a player who goes on."""
    record = checked.record("Bob", 50, number=20)
    checked.waits = [lambda: checked.stack.follow([record])]
    late = checked.check()
    checked.record("Ada", 60, number=21)
    checked.waits = [lambda: checked.record("Ada", 61, number=22) and None, lambda: None]

    going_on = checked.check()

    assert (late, going_on) == ([], [])
    assert checked.waited == [60.0, 60.0]


def test_board_that_is_yet_to_be_rendered_by_new_rules_is_no_difference(checked: Checked) -> None:
    """What was published a moment ago is what the next rendering will show."""
    rankings = ({"keep": keep, "combine": "sum", "by": ["Coins"]} for keep in ("best", "latest"))
    shown, changed = (
        make_benchmark(COINS, boards=[{"id": "fast", "title": "Fast", "ranking": each}]) for each in rankings
    )
    checked.stack.publish(shown)
    checked.play("Ada", 3, number=20)

    checked.stack.aggregator.benchmarks.publish(changed)

    assert checked.stack.find_head("coins", "fast") is not None
    assert checked.check() == []
    assert checked.waited == []
