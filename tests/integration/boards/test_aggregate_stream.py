"""The stream of outcomes: which records reach a board, and that order, repeats and strangers change nothing."""

import json
from collections.abc import Callable, Sequence
from copy import replace
from typing import Any

import pytest

from aggregate import stream
from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from storage.gateway.schema import marshal
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record
from tests.harness.stack import (
    COINS,
    ROOT,
    InProcess,
    StackHarness,
    failing,
    make_benchmark,
    make_change,
    make_stream_event,
    sequence_number,
    watching,
)

type Log = Callable[[], list[dict[str, Any]]]

FUNCTION = InProcess(stream.lambda_handler, "AggregateFunction")
TWO_PARTS = {**COINS, "parts": ["a", "b"]}

pytestmark = pytest.mark.usefixtures("named")


@pytest.fixture
def published(stack: StackHarness) -> PublishedBenchmark:
    """The benchmark `coins`, with two parts."""
    return stack.publish(make_benchmark(TWO_PARTS))


@pytest.fixture
def records(published: PublishedBenchmark) -> list[SubmissionRecord]:
    """Outcomes of three players: a tie, an absent value, a part never tried, worse tries, failures."""

    def scored(player: str, coins: int, time: float, *, number: int, part: str = "a") -> SubmissionRecord:
        return make_guest_record(published, player, {"Coins": coins, "Time": time}, number=number, part=part)

    return [
        scored("Ada", 5, 9.5, number=1),
        scored("Bob", 5, 9.0, number=2),
        scored("Bob", 4, 1.0, number=3, part="b"),
        make_guest_record(published, "Cy", {}, number=4, outcome=Outcome.INVALID),
        scored("Ada", 6, 9.5, number=5),
        scored("Cy", 10, 2.0, number=6, part="b"),
        scored("Ada", 1, 1.0, number=7),
        make_guest_record(published, "Dee", {}, number=8, outcome=Outcome.EVALUATOR_ERROR),
        scored("Ada", 3, 0.5, number=9, part="b"),
    ]


def test_records_become_a_ranked_board(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """A batch becomes a board: kept by part, combined, ranked with ties, what is absent shown as such."""
    answer = _deliver(records)

    rows = stack.rows()
    assert answer == []
    assert rows.name == ("Cy", "Bob", "Ada")
    assert (rows.scores["Coins"], rows.scores["Time"]) == ((10, 9, 9), (None, 10.0, 10.0))
    assert (rows.scores["#done"], rows.scores["#b/Time"]) == ((1, 2, 2), (2.0, 1.0, 0.5))
    assert (rows.rank, rows.tied) == ((1, 2, 2), (False, True, True))
    assert rows.submissions == (1, 2, 4)
    assert rows.submission == tuple(records[index].submission.id for index in (5, 2, 8))
    assert rows.at == tuple(int(records[index].submission.submitted_at.timestamp() * 1000) for index in (5, 2, 8))


def test_recorded_event_is_read(stack: StackHarness) -> None:
    """The event of events/aggregate.json is read by this very code and reaches a board."""
    event = json.loads((ROOT / "events/aggregate.json").read_text())
    published = stack.publish(make_benchmark(id="aic-2025"))
    event["Records"][0]["dynamodb"]["NewImage"]["version"]["S"] = published.version

    answer = FUNCTION.invoke(event)

    assert answer == {"batchItemFailures": []}
    assert stack.rows("aic-2025").name == ("Ada",)


def test_redelivered_records_write_nothing(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """The same batch again writes nothing at all to the site."""
    _deliver(records)

    with watching(stack.cloud.s3, "PutObject") as writes:
        answer = _deliver(records)

    assert answer == []
    assert writes == []


@pytest.mark.parametrize("outcome", [Outcome.INVALID, Outcome.EVALUATOR_ERROR, Outcome.INTERNAL_ERROR])
def test_outcome_without_scores_changes_no_board(
    stack: StackHarness, published: PublishedBenchmark, outcome: Outcome
) -> None:
    """An outcome without scores touches no board."""
    with watching(stack.cloud.s3, "PutObject") as writes:
        answer = _deliver([make_guest_record(published, "Ada", {}, number=1, outcome=outcome)])

    assert answer == []
    assert writes == []
    assert stack.items("BoardsTable") == []


def test_first_failed_record_is_reported(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """Where a row cannot be written the others are shown, and the batch is retried from its first record."""
    with failing(stack.cloud.dynamodb, "TransactWriteItems", about="entry#guest-bob"):
        answer = _deliver(records)
    before = stack.rows().name

    again = _deliver(records)

    assert (answer, before, again) == ([sequence_number(1)], ("Cy", "Ada"), [])
    assert stack.rows().name == ("Cy", "Bob", "Ada")


def test_unpublished_board_is_reported(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """Where one board fails the other is published; reported is the first record that touched the failed one."""
    other = stack.publish(make_benchmark(COINS, id="other"))
    strangers = [make_guest_record(other, "Eve", {"Coins": 1, "Time": 1.0}, number=20 + number) for number in range(2)]

    with failing(stack.cloud.s3, "PutObject", about="/b/other/"):
        answer = _deliver([*records, *strangers])

    assert answer == [sequence_number(10)]
    assert stack.rows("coins").name == ("Cy", "Bob", "Ada")
    assert stack.rows("other").name == ()


def test_failed_record_keeps_no_other_of_its_batch_back(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """Where a record fails, those before it and those behind it are on the board; it comes again with the latter."""
    with failing(stack.cloud.dynamodb, "UpdateItem") as refused:
        answer = _deliver(records)
    before = stack.rows().name

    again = _deliver(records[3:], first=4)

    assert (answer, before, again) == ([sequence_number(4)], ("Cy", "Bob", "Ada"), [])
    assert refused, "the quota of the invalid result is settled by an update"
    assert stack.rows().name == ("Cy", "Bob", "Ada")


def test_record_of_unpublished_benchmark_is_set_aside(stack: StackHarness, published: PublishedBenchmark) -> None:
    """A record of a benchmark that nobody published does not hold up the boards of others."""
    stray = make_guest_record(published.model_copy(update={"version": "0" * 16}), "Eve", {"Coins": 1}, number=1)
    stray = replace(stray, submission=replace(stray.submission, benchmark="nowhere"))

    answer = _deliver([stray, make_guest_record(published, "Ada", {"Coins": 5, "Time": 1.0}, number=2, part="a")])

    assert answer == []
    assert [stall.board.benchmark for stall in stack.aggregator.stalls.list_all()] == ["nowhere"]
    assert stack.rows().name == ("Ada",)


SPOILED: dict[str, Any] = {
    "outcome": {"S": "splendid"},
    "kind": {"S": "robot"},
    "scores": {"S": "{"},
    "evaluations": {"S": "5"},
    "revision": {"S": "one"},
}
FOREIGN: list[dict[str, Any]] = [
    {},
    {"benchmark": {"S": "coins"}, "submission_version": {"S": "x"}},
    {"benchmark": {"B": "eA=="}},
    {"benchmark": {"NULL": True}},
]


@pytest.mark.parametrize("image", [*FOREIGN, *SPOILED])
def test_invalid_item_is_skipped_and_logged(
    stack: StackHarness, records: list[SubmissionRecord], log: Log, image: dict[str, Any] | str
) -> None:
    """An item that is not ours, or is but for one attribute, is never retried, and holds up no other."""
    if isinstance(image, str):
        image = marshal(records[0].to_item(long_output=records[0].long_output())) | {image: SPOILED[image]}
    event = make_stream_event(records)
    event["Records"].insert(1, make_change(image, number=0))

    assert FUNCTION.invoke(event) == {"batchItemFailures": []}
    assert stack.rows().name == ("Cy", "Bob", "Ada")
    assert [line["message"] for line in log() if line["level"] == "ERROR"] == ["invalid item skipped"]


def test_removed_item_is_ignored(stack: StackHarness, published: PublishedBenchmark) -> None:
    """An item that was removed says nothing."""
    change = make_change({}, number=1)
    change["eventName"] = "REMOVE"
    del change["dynamodb"]["NewImage"]

    assert FUNCTION.invoke({"Records": [change]}) == {"batchItemFailures": []}


def test_sequence_numbers_are_numbers(stack: StackHarness, records: list[SubmissionRecord]) -> None:
    """The first record is found by its number, not by its digits as text."""
    event = make_stream_event([records[0], records[3], records[5]])
    for record, number in zip(event["Records"], ("9", "10", "11"), strict=True):
        record["dynamodb"]["SequenceNumber"] = number

    with (
        failing(stack.cloud.dynamodb, "UpdateItem"),
        failing(stack.cloud.s3, "PutObject"),
    ):
        answer = FUNCTION.invoke(event)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "9"}]}


def _deliver(records: Sequence[SubmissionRecord], *, first: int = 1) -> list[str]:
    """Hand a batch over; give the sequence number of what failed."""
    answer = FUNCTION.invoke(make_stream_event(records, first=first))
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]
