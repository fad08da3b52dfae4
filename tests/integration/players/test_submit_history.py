"""A player's page: rank and scores of the board, the history by pages, and what nobody learns."""

import base64
from collections.abc import Sequence
from copy import replace
from functools import partial
from typing import Any

import pytest

from scoring_core.outcome import Outcome
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.entries import BoardEntry, make_entry, make_entry_write
from storage.boards.standings import BoardKey
from storage.gateway import table
from storage.submissions.models import SubmissionRecord
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, Answer, Api, StackHarness, make_benchmark

ADA = "/api/benchmarks/coins/players/guest-ada"
LIST = "/api/benchmarks/coins/submissions"


def test_player_is_shown_with_rank_and_history(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A player is shown as on the board, with the outcomes of all submissions, newest first."""
    records = [
        make_guest_record(published, "Ada", {"Coins": 5, "Time": 2.5}, number=1),
        make_guest_record(published, "Ada", {"Coins": 3, "Time": 0.5}, number=2),
        make_guest_record(published, "Ada", {}, number=3, outcome=Outcome.INVALID),
        make_guest_record(published, "Bob", {"Coins": 9, "Time": 1.0}, number=4),
    ]
    _keep(stack, records)
    stack.follow(records)

    answer = api.get(ADA)

    assert answer.status == 200
    history = _list(api)["submissions"]
    assert answer.body.pop("improvements") == [
        {"submission": records[0].submission.id, "submitted_at": "2026-02-28T12:01:00Z", "value": 5}
    ]
    assert answer.body == {
        "player": "guest-ada",
        "name": "Ada",
        "kind": "human",
        "verified": False,
        "rank": 2,
        "total": 2,
        "players": 2,
        "submissions": 2,
        "scores": {"Coins": 5, "Time": 2.5},
        "parts": [],
        "banned": None,
    }
    assert [entry["submission"] for entry in history] == [record.submission.id for record in records[2::-1]]
    assert [entry["status"] for entry in history] == ["invalid", "scored", "scored"]
    assert [entry["scores"] for entry in history] == [None, {"Coins": 3, "Time": 0.5}, {"Coins": 5, "Time": 2.5}]
    assert [entry["counts"] for entry in history] == [False, False, True]
    assert history[2]["submitted_at"] == "2026-02-28T12:01:00Z"


def test_player_without_a_score_has_no_rank(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A player who was never scored has a page without a rank."""
    _keep(stack, [make_guest_record(published, "Ada", {}, number=1, outcome=Outcome.EVALUATOR_ERROR)])

    body = api.get(ADA).body

    assert (body["name"], body["rank"], body["players"], body["submissions"]) == ("Ada", None, 0, 0)
    assert body["scores"] == {}


@pytest.mark.parametrize(
    "player", ["guest-bob", "Ada", "-", "%2e%2e", "ada%00", "a" * 65, "guest-ada%23", "%F0%9F%8F%86"]
)
def test_unknown_player_is_not_found(api: Api, stack: StackHarness, published: PublishedBenchmark, player: str) -> None:
    """A player of whom nothing is recorded here is not found, whatever the id."""
    _keep(stack, [make_guest_record(published, "Ada", {"Coins": 5}, number=1)])

    answer = api.get(f"/api/benchmarks/coins/players/{player}")

    assert answer.status == 404


def test_history_is_paged_newest_first(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Fifty to a page, `next` leads through the whole history, without a gap or a repeat."""
    records = [make_guest_record(published, "Ada", {"Coins": n, "Time": 1.0}, number=n) for n in range(101)]
    _keep(stack, records)

    pages = _turn_pages(api)

    assert [len(page["submissions"]) for page in pages] == [50, 50, 1]
    listed = [entry["submission"] for page in pages for entry in page["submissions"]]
    assert listed == [record.submission.id for record in reversed(records)]


def test_a_full_last_page(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A page that holds the oldest submission has no next one, though it is full."""
    _keep(stack, [make_guest_record(published, "Ada", {"Coins": n}, number=n) for n in range(50)])

    (page,) = _turn_pages(api)

    assert len(page["submissions"]) == 50


def test_history_leaves_out_former_versions(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """Outcomes under a former version are left out; who has only such is not known."""
    former = [make_guest_record(published, "Ada", {"Coins": n}, number=n) for n in range(60)]
    _keep(stack, [*former, make_guest_record(published, "Ada", {}, number=60, outcome=Outcome.INVALID)])
    anew = stack.publish(make_benchmark(COINS, parameters={"timeout_seconds": 3}))
    before = api.get(ADA).status
    _keep(stack, [replace(record, version=anew.version) for record in former[::2]])

    pages = _turn_pages(api)

    assert before == 404
    listed = [entry["submission"] for page in pages for entry in page["submissions"]]
    assert listed == [record.submission.id for record in former[::-1] if record in former[::2]]


def test_history_goes_on_behind_many_former_versions(
    api: Api, stack: StackHarness, published: PublishedBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a request only skips former versions, no score of below comes before what failed between the scores."""
    monkeypatch.setattr(table, "MAX_READS", 1)
    invalid = partial(make_guest_record, published, "Ada", {}, outcome=Outcome.INVALID)
    latest = [invalid(number=n) for n in range(100, 160)]
    records = [
        make_guest_record(published, "Ada", {"Coins": 1}, number=50),
        invalid(number=40),
        make_guest_record(published, "Ada", {"Coins": 2}, number=30),
    ]
    _keep(stack, [*(replace(record, version="0" * 16) for record in latest), *records])

    pages = _turn_pages(api)

    assert [len(page["submissions"]) for page in pages] == [0, 3]
    assert [line["submission"] for line in pages[1]["submissions"]] == [record.submission.id for record in records]


def test_foreign_cursor_is_refused(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A cursor of another player or benchmark, a changed one, and what is none are rejected."""
    for player in ("Ada", "Bob"):
        _keep(stack, [make_guest_record(published, player, {"Coins": n}, number=n) for n in range(51)])
    cursor = _list(api)["next"]
    stack.publish(make_benchmark(COINS, id="other"))
    position = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    forged = base64.urlsafe_b64encode(position[:-1].encode() + b"x").decode()

    answers = [
        _ask(api, LIST, cursor, player="guest-bob"),
        _ask(api, LIST.replace("coins", "other"), cursor),
        *(_ask(api, LIST, text) for text in (forged, cursor + "=", cursor[:-1], "-1", "é", "x" * 5000, "AAAA", "\x00")),
    ]

    assert _ask(api, LIST, cursor).status == 200
    assert {answer.status for answer in answers} == {400}
    assert {answer.body["errors"][0]["parameter"] for answer in answers} == {"cursor"}


def test_rank_from_a_page(api: Api, stack: StackHarness, published: PublishedBenchmark) -> None:
    """A row that the head does not hold comes from a page."""
    stack.follow(
        [make_guest_record(published, f"P{n}", {"Coins": 1000 - n, "Time": 1.0}, number=n) for n in range(102)]
    )

    body = api.get("/api/benchmarks/coins/players/guest-p101").body

    assert (body["rank"], body["players"], body["scores"]) == (102, 102, {"Coins": 899, "Time": 1.0})


def test_what_scored_and_what_did_not_make_one_history(
    api: Api, stack: StackHarness, published: PublishedBenchmark
) -> None:
    """What is in the index and what is in the entries makes one history, in order and without a repeat."""
    records = [
        make_guest_record(
            published,
            "Ada",
            {"Coins": number, "Time": 1.0} if number % 3 else {},
            number=number,
            outcome=Outcome.SCORED if number % 3 else Outcome.INVALID,
        )
        for number in range(160)
    ]
    _keep(stack, records)

    pages = _turn_pages(api)

    listed = [entry for page in pages for entry in page["submissions"]]
    assert [entry["submission"] for entry in listed] == [record.submission.id for record in records[::-1]]
    assert [entry["scores"] for entry in listed] == [record.scores or None for record in records[::-1]]
    assert [len(page["submissions"]) for page in pages] == [50, 50, 50, 10]


def test_history_of_a_board_with_labels(api: Api, stack: StackHarness) -> None:
    """Submissions with several labels are in order of time, whatever their labels."""
    labelled = stack.publish(make_benchmark(COINS, ranking={"by": ["Coins"], "rows": "label"}))
    records = [make_guest_record(labelled, "Ada", {"Coins": n, "Time": 1.0}, number=n) for n in range(60)]
    for number, record in enumerate(records):
        stack.submissions.put_record(record)
        _put_entry(
            stack, BoardKey("coins", record.version), make_entry(record, None)._replace(label=f"step-{number % 7}")
        )

    pages = _turn_pages(api)

    listed = [entry["submission"] for page in pages for entry in page["submissions"]]
    assert listed == [record.submission.id for record in records[::-1]]


def _keep(stack: StackHarness, records: Sequence[SubmissionRecord]) -> None:
    for record in records:
        stack.submissions.put_record(record)
        if record.outcome is Outcome.SCORED:
            _put_entry(stack, BoardKey("coins", record.version), make_entry(record, None))


def _put_entry(stack: StackHarness, board: BoardKey, entry: BoardEntry) -> None:
    stack.aggregator.standings.table.transact([make_entry_write(board, entry, replacing=None)])


def _ask(api: Api, path: str, cursor: str, player: str = "guest-ada") -> Answer:
    return api("GET", path, query={"player": player, "cursor": cursor})


def _list(api: Api) -> dict[str, Any]:
    return dict(api("GET", LIST, query={"player": "guest-ada"}).body)


def _turn_pages(api: Api) -> list[dict[str, Any]]:
    pages = [_list(api)]
    while pages[-1]["next"] is not None:
        pages.append(_ask(api, LIST, pages[-1]["next"]).body)
    return pages
