"""Parts on boards: who has not finished, and what counts of each part."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from copy import replace
from typing import Any

import pytest

from aggregate.benchmarks.keeper import is_outdated
from storage.benchmarks.store import PublishedBenchmark
from storage.boards.standings import BoardKey
from storage.keys import head_key, parse_result_key
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, Api, StackHarness, failing, make_benchmark, watching

LEVELS = ["level-1", "level-2", "level-3"]
BELOW = {"by": ["Coins", "Time"], "unfinished": "below"}
AS_SCORED = {"by": ["Coins", "Time"]}

type Submit = Callable[[PublishedBenchmark, str, dict[str, int | float]], dict[str, Any]]
type Publish = Callable[[dict[str, Any]], PublishedBenchmark]


@pytest.fixture
def submit(api: Api, stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> Submit:
    """Submit a run as Ada and wait; it is scored, and the boards are published, while the request waits."""

    def submit(published: PublishedBenchmark, part: str, scores: dict[str, int | float]) -> dict[str, Any]:
        before = frozenset(stack.results())

        def score(_: float) -> None:
            for name in frozenset(stack.results()) - before:
                key = parse_result_key(name)
                assert key is not None
                submission = stack.submissions.find_submission(key)
                assert submission is not None
                record = replace(
                    make_guest_record(published, "Ada", scores, number=1, part=part), submission=submission
                )
                stack.submissions.put_record(record)
                stack.aggregator.update(BoardKey(published.id, published.version), [record])

        monkeypatch.setattr("handlers.http.outcomes.time.sleep", score)
        query = {"player": "Ada", "part": part}
        answer = api.post({"level": part}, benchmark="coins", query=query, headers={"Prefer": "wait=5"})
        assert answer.status == 200
        body: dict[str, Any] = answer.body
        return body

    return submit


@pytest.fixture
def publish(stack: StackHarness) -> Publish:
    """Publish the game with three levels under a ranking."""
    return lambda ranking: stack.publish(make_benchmark(COINS, parts=LEVELS, ranking=ranking))


def play(stack: StackHarness, published: PublishedBenchmark, player: str, *runs: tuple[str, int, float | None]) -> None:
    """Record runs of a guest, each of a level, and publish the board."""
    first = 1 + len(stack.items("SubmissionsTable"))
    records = [
        make_guest_record(
            published, player, {"Coins": coins} | ({} if time is None else {"Time": time}), number=number, part=part
        )
        for number, (part, coins, time) in enumerate(runs, start=first)
    ]
    for record in records:
        stack.submissions.put_record(record)
    stack.aggregator.update(BoardKey(published.id, published.version), records)


def play_all(stack: StackHarness, published: PublishedBenchmark) -> None:
    """Let Ada finish, and Bob collect more coins in one level alone."""
    play(stack, published, "Bob", ("level-1", 90, 4.0))
    play(stack, published, "Ada", ("level-1", 5, 2.0), ("level-2", 6, 3.0), ("level-3", 7, 4.0), ("level-1", 4, 1.0))
    play(stack, published, "Cy", ("level-2", 50, 1.0), ("level-3", 20, 1.0))


def test_unfinished_players_stand_below(api: Api, stack: StackHarness, publish: Publish) -> None:
    """A player with more parts done is above; head, rows, player and CSV say what is done and what counts of each."""
    published = publish(BELOW)

    play_all(stack, published)

    head = stack.head()
    assert head.rows.name == ("Ada", "Cy", "Bob")
    assert head.rows.rank == (1, 2, 3)
    assert head.rows.scores["Coins"] == (18, 70, 90)
    assert head.rows.scores["#done"] == (3, 2, 1)
    assert head.rows.scores["#level-1/Coins"] == (5, None, 90)
    assert head.rows.scores["#level-3/Time"] == (4.0, 1.0, None)
    assert head.parts
    assert head.parts.model_dump() == {
        "total": 3,
        "combine": "sum",
        "noun": "levels",
        "names": tuple(LEVELS),
        "metrics": ("Coins", "Time"),
    }
    assert [value for _, value, _, _ in head.improvements.steps] == [18], "what is unfinished is no record"
    second = api.get("/api/benchmarks/coins/rows").body["rows"][1]
    assert (second["name"], second["scores"], second["done"]) == ("Cy", {"Coins": 70}, 2)
    assert second["parts"] == {"level-2": {"Coins": 50, "Time": 1.0}, "level-3": {"Coins": 20, "Time": 1.0}}
    player = api.get("/api/benchmarks/coins/players/guest-cy").body
    listed = api("GET", "/api/benchmarks/coins/submissions", query={"player": "guest-cy"}).body["submissions"]
    assert [each["counts"] for each in listed] == [True, True]
    assert player["scores"] == {"Coins": 70}
    assert player["parts"] == [
        {"part": "level-1", "scores": None},
        {"part": "level-2", "scores": {"Coins": 50, "Time": 1.0}},
        {"part": "level-3", "scores": {"Coins": 20, "Time": 1.0}},
    ]
    table = list(csv.DictReader(io.StringIO(api.get("/api/benchmarks/coins/rows.csv").body.lstrip("\ufeff"))))
    assert [row["levels_done"] for row in table] == ["3", "2", "1"]
    assert [row["level-2 Coins"] for row in table] == ["6", "50", ""]


def test_guest_without_a_name_would_stand_among_the_unfinished(api: Api, stack: StackHarness, publish: Publish) -> None:
    """One level alone would not rank above who has done more of them, whatever its score."""
    published = publish(BELOW)
    play_all(stack, published)
    record = make_guest_record(published, "guest", {"Coins": 95, "Time": 1.0}, number=40, part="level-1")
    record = replace(
        record, submission=replace(record.submission, player=replace(record.submission.player, id="guest"))
    )
    stack.submissions.put_record(record)

    answer = api.get(f"/api/benchmarks/coins/submissions/{record.submission.id}")

    assert answer.body["would_rank"] == 3


def test_ranking_decides_where_the_unfinished_stand(stack: StackHarness, publish: Publish) -> None:
    """Published again with another rule, the board is ordered by it, and nothing is scored or folded again."""
    published = publish(AS_SCORED)
    play_all(stack, published)
    assert stack.head().rows.name == ("Bob", "Cy", "Ada")
    assert [value for _, value, _, _ in stack.head().improvements.steps] == [90]

    changed = publish(BELOW)

    assert changed.version == published.version
    assert stack.head().rows.name == ("Ada", "Cy", "Bob")
    assert [value for _, value, _, _ in stack.head().improvements.steps] == [18]


@pytest.mark.parametrize("ranking", [BELOW, AS_SCORED])
def test_board_without_part_columns_is_made_again(
    stack: StackHarness, publish: Publish, ranking: dict[str, Any]
) -> None:
    """A head without columns of parts is made again by the next result, and a large board's by the schedule."""
    published = publish(ranking)
    play_all(stack, published)
    before = stack.head()
    own = {name: column for name, column in before.rows.scores.items() if not name.startswith("#")}
    older = before.model_copy(
        update={
            "parts": None,
            "ranking": before.ranking.model_copy(update={"order": before.ranking.order[-2:]}),
            "rows": before.rows.model_copy(update={"scores": own}),
            "sequence": before.sequence + 1,
        }
    )
    stack.cloud.s3.put_object(Bucket=stack.site_bucket, Key=head_key("coins"), Body=older.to_body())

    assert is_outdated(older, published.boards[0]), "the schedule makes a large board again"
    assert not is_outdated(before, published.boards[0])
    play(stack, published, "Dot", ("level-1", 1, 1.0))

    assert stack.head().rows.name == (*before.rows.name, "Dot")
    assert stack.head().rows.scores["#done"] == (*before.rows.scores["#done"], 1)


def test_answer_says_what_a_submission_brought(api: Api, stack: StackHarness, submit: Submit) -> None:
    """A player who waits learns the best before and now, the rank on the level's board, and what the quota has left."""
    first = {"id": "first", "title": "First level", "parts": ["level-1"]}
    published = stack.publish(make_benchmark(COINS, parts=LEVELS, ranking=BELOW, boards=[first]))
    play(stack, published, "Bob", ("level-1", 6, 4.0), ("level-3", 2, 4.0))

    answers = [
        submit(published, part, {"Coins": coins, "Time": time})
        for part, coins, time in (("level-1", 5, 2.0), ("level-1", 7, 3.0), ("level-2", 9, 1.0), ("level-1", 7, 3.5))
    ]

    bests = [answer["personal_best"] for answer in answers]
    assert [(best["part"], best["is_new"]) for best in bests] == [
        ("level-1", True), ("level-1", True), ("level-2", True), ("level-1", False)
    ]  # fmt: skip
    assert [best["before"] for best in bests] == [
        None, {"Coins": 5, "Time": 2.0}, None, {"Coins": 7, "Time": 3.0}
    ]  # fmt: skip
    assert [best["scores"]["Coins"] for best in bests] == [5, 7, 9, 7]
    ranks = [answer["part_rank"] for answer in answers]
    assert ranks[0] == {"board": "first", "rank": 2, "players": 2}
    assert (ranks[1]["rank"], ranks[2], ranks[3]["rank"]) == (1, None, 1)
    left = [answer["quota_left"] for answer in answers]
    assert left == [left[0], left[0] - 1, left[0] - 2, left[0] - 3]
    for answer in answers:
        receipt = {"Authorization": f"Bearer {answer['receipt']}"}
        read, public = (
            api.get(f"/api/benchmarks/coins/submissions/{answer['submission']}", headers=headers).body
            for headers in (receipt, {})
        )
        assert read["personal_best"] == answer["personal_best"], "read later, it follows from the entries"
        assert public["personal_best"] is None
        assert public["rank_before"] == (2 if answer is answers[2] else None), "where the row rests on it"


def test_rank_of_a_part_never_fails_the_answer(api: Api, stack: StackHarness, submit: Submit) -> None:
    """A part's board that cannot be read, or does not show the submission yet, gives no rank."""
    first = {"id": "first", "title": "First level", "parts": ["level-1"]}
    published = stack.publish(make_benchmark(COINS, parts=LEVELS, boards=[first]))
    submit(published, "level-1", {"Coins": 5, "Time": 2.0})
    stale = {"Bucket": stack.site_bucket, "Key": head_key("coins", "first", version=published.version)}
    before = stack.cloud.s3.get_object(**stale)["Body"].read()
    answer = submit(published, "level-1", {"Coins": 7, "Time": 2.0})
    path = f"/api/benchmarks/coins/submissions/{answer['submission']}"
    receipt = {"Authorization": f"Bearer {answer['receipt']}"}

    with watching(stack.cloud.s3, "GetObject") as reads:
        shown = api.get(path, headers=receipt)
    with failing(stack.cloud.s3, "GetObject", about="boards/first/"):
        unread = api.get(path, headers=receipt)
    stack.cloud.s3.put_object(**stale, Body=before)
    outdated = api.get(path, headers=receipt)

    assert answer["part_rank"] == shown.body["part_rank"] == {"board": "first", "rank": 1, "players": 1}
    assert [(read.status, read.body["part_rank"]) for read in (unread, outdated)] == [(200, None)] * 2
    heads = Counter(call["Key"] for call in reads if call["Key"].endswith("head.json"))
    assert set(heads.values()) == {1}, "one read of each board"
    assert len(heads) == 2
