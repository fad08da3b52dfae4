"""`results: public`: everybody reads the raw result that a row names, for as long as a board shows the row."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from scoring_core.benchmarks.owner_changes import ArchiveMark
from storage.boards.standings import BoardKey
from tests.harness.clock import START
from tests.harness.engine import look_inside
from tests.harness.factories import make_guest_record
from tests.harness.stack import COINS, GOOD, Answer, Api, StackHarness, make_benchmark, restart_api

FAIR: Final = {"question": "1", "text": "TR-V017-4945"}
KEY: Final = {"Laurel-Player-Key": f"player_{'1' * 32}"}
MISSING: Final = {"status_url": "/api/benchmarks/tiny/submissions/019b7ea9-9800-7123-8456-789abcdef012"}
PUBLIC: Final = {"results": "public", "review": "score > 70"}

type Work = Callable[[], None]


def play(api: Api, name: str, result: Any = FAIR, headers: dict[str, str] | None = None) -> Any:
    """Submit a result as a guest, and return the answer."""
    return api.post(result, query={"player": name}, headers=headers or {}).body


def read(api: Api, accepted: Any) -> Answer:
    """Ask for a raw result as anybody."""
    return api.get(f"{accepted['status_url']}/result")


@pytest.mark.parametrize("listed", [True, False])
def test_result_of_a_row_is_read_by_everybody(api: Api, stack: StackHarness, work: Work, *, listed: bool) -> None:
    """The bytes alone, without the receipt and the address; as the board, also of a benchmark on no list."""
    stack.publish(make_benchmark(**PUBLIC, listed=listed))
    accepted = play(api, "Ada")
    work()

    answer = read(api, accepted)

    downloaded = look_inside().download(answer.headers["location"])
    assert answer.status == 303
    assert b"TR-V017-4945" in downloaded.body
    assert accepted["receipt"] not in str(downloaded)


def test_result_stays_private_where_the_benchmark_does_not_publish_it(
    api: Api, stack: StackHarness, work: Work
) -> None:
    """Without the key a row's result is its player's and the owner's."""
    stack.publish(make_benchmark(results="private"))
    accepted = play(api, "Ada")
    work()

    assert stack.rows("tiny").submission == (accepted["submission"],)
    assert (read(api, accepted).status, read(api, accepted).body) == (404, read(api, MISSING).body)


@pytest.mark.hostile
def test_result_that_no_row_names_is_not_there(api: Api, stack: StackHarness, work: Work) -> None:
    """What waits, is beaten, in review or without a score answers as one that never was."""
    stack.publish(make_benchmark(**PUBLIC))
    hidden = [
        play(api, "Bea", FAIR | {"text": "nothing"}),
        play(api, "Di", {"question": "9"}),
        play(api, "Eve", GOOD),
        api.post(FAIR).body,
    ]
    work()
    play(api, "Bea")
    work()
    hidden.append(play(api, "Flo"))

    assert stack.head("tiny").total == 1
    assert {read(api, each).status for each in hidden} == {404}
    assert all(read(api, each).body == read(api, MISSING).body for each in hidden)


@pytest.mark.hostile
@pytest.mark.parametrize("mark", ["withdrawal", "erasure", "ban", "archive"])
def test_result_goes_at_once_with_its_row(
    api: Api, stack: StackHarness, work: Work, owner: dict[str, str], mark: str
) -> None:
    """A mark takes the result away before the board follows; to the owner it stays."""
    stack.publish(make_benchmark(**PUBLIC))
    accepted = play(api, "Ada", headers=KEY)
    work()
    assert read(api, accepted).status == 303
    player = stack.rows("tiny").player[0]

    if mark == "withdrawal":
        assert api.ask(f"{accepted['status_url']}/withdrawal", {"reason": "oops"}, KEY).status == 200
    elif mark == "erasure":
        assert api.ask("/api/me/erasure", {"confirm": player}, KEY, query={"player": "Ada"}).status == 200
    elif mark == "ban":
        stack.aggregator.benchmarks.put_bans("tiny", {player: "cheats"})
    else:
        stack.aggregator.benchmarks.put_archive("tiny", ArchiveMark(START, "over"))
    restart_api()

    assert stack.rows("tiny").submission == (accepted["submission"],)
    assert (read(api, accepted).status, read(api, accepted).body) == (404, read(api, MISSING).body)
    assert api.get(f"{accepted['status_url']}/result", headers=owner).status == 303


def test_result_is_public_by_any_board_that_shows_it(api: Api, stack: StackHarness) -> None:
    """A board of a part names the best run of its level, a window the best of its day."""
    boards = [{"id": "level-1", "title": "Level 1", "parts": ["a"], "windows": ["daily"]}]
    published = stack.publish(make_benchmark(COINS, parts=["a", "b"], boards=boards, results="public"))
    runs = [("a", 9, 1), ("b", 5, 2), ("a", 4, 24 * 60), ("a", 3, 24 * 60 + 1)]  # with their minutes
    records = [
        make_guest_record(published, "Ada", {"Coins": coins, "Time": 1.0}, number=number, part=part)
        for part, coins, number in runs
    ]
    for record in records:
        stack.submissions.put_result(record.submission, b"{}")
        stack.submissions.put_record(record)
    stack.aggregator.update(BoardKey("coins", published.version), records)

    urls = [f"/api/benchmarks/coins/submissions/{record.submission.id}/result" for record in records]
    assert [api.get(url).status for url in urls] == [303, 303, 303, 404]
