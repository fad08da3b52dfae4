"""Frozen boards: what comes is scored and waits, nobody sees more of it than a count, and it is released as a span."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest

from notify import stream as notices
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import utc_now
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, name_guest
from tests.harness.stack import GOOD, GOOD_SCORE, TRUTH, Api, StackHarness, make_benchmark
from tests.integration.benchmarks.test_final import FUTURE, HIDDEN, LUCKY, PAST, STEADY, Contest
from tests.integration.http.test_mcp import call
from tests.integration.submissions.test_reviews import FAIR

FROZEN: Final[dict[str, Any]] = {"from": PAST}
BLIND: Final[dict[str, Any]] = {**FROZEN, "shows": "owner"}
TINY: Final = "/api/benchmarks/tiny/submissions"


def thawed() -> dict[str, Any]:
    """Return the review of a board that has thawed a moment ago."""
    return {**FROZEN, "until": (utc_now() - timedelta(seconds=1)).isoformat()}


@pytest.fixture
def contest(api: Api, stack: StackHarness, work: Callable[[], None], owner: dict[str, str]) -> Contest:
    """A board with a row of Ada's, which nobody has frozen yet."""
    contest = Contest(api, stack, work, owner)
    stack.publish(make_benchmark())
    api.post(FAIR, query={"player": "Ada"})
    work()
    return contest


def freeze(contest: Contest, **changes: Any) -> PublishedBenchmark:
    """Publish it with a review and changes."""
    return contest.stack.publish(make_benchmark(**{"review": FROZEN, **changes}))


def post(contest: Contest, player: str, result: Any = GOOD, **headers: str) -> Any:
    """Hand a result in, and let everything work."""
    answer = contest.api.post(result, query={"player": player}, headers=headers).body
    contest.work()
    return answer


def names(contest: Contest) -> list[str]:
    """Return who is on the board, in order."""
    return [name for name, _ in contest.board]


@pytest.mark.parametrize("shows", ["owner", "player"])
def test_what_the_player_sees(contest: Contest, shows: str) -> None:
    """That it is valid: the score only with `shows: player`, and on no way a rank; the owner sees all."""
    stack, api = contest.stack, contest.api
    token = stack.issue_token(make_player("vera", "Vera"), Scope.SUBMIT, benchmarks=("tiny",))
    freeze(contest, review={**FROZEN, "shows": shows})
    accepted = api.post(GOOD, headers={**token, "Idempotency-Key": "a"}).body
    contest.work()
    stack.read_stream(notices.lambda_handler, function="NotifyFunction")

    receipt = {"Authorization": f"Bearer {accepted['receipt']}"}
    path, expected = accepted["status_url"], {"score": GOOD_SCORE} if shows == "player" else None
    repeated = api.post(GOOD, headers={**token, "Idempotency-Key": "a", "Prefer": "wait=1"}).body
    bare = {"Idempotency-Key": "a", "Prefer": "wait=1, return=minimal"}
    _, asked = call(api, "read_submission", {"benchmark": "tiny", "submission": accepted["submission"]}, **token)
    for view in (api.get(path, headers=receipt).body, api.get(path, headers=token).body, repeated, asked):
        told = {name: view[name] for name in ("outcome", "in_review", "frozen", "scores", "detail", "parts", "rank")}
        assert (told["outcome"], told["in_review"], told["frozen"], told["rank"]) == ("scored", True, True, None)
        assert told["scores"] == expected
        assert shows == "player" or (str(GOOD_SCORE) not in json.dumps(view) and "per_event" not in json.dumps(view))
    assert "submission" in api.post(GOOD, headers={**token, **bare}).body
    for headers in (token, {**token, "Accept": "text/csv"}):
        assert str(GOOD_SCORE) not in api("GET", TINY, query={"player": "vera"}, headers=headers).text
    assert str(GOOD_SCORE) not in api.get("/api/me/export", headers=token).text
    public = api.get(path).body
    assert (public["status"], public["in_review"], public["frozen"], public["scores"]) == ("queued", False, False, None)
    (listed,) = api("GET", TINY, query={"in_review": "true"}, headers=contest.owner).body["submissions"]
    assert (listed["frozen"], listed["scores"]) == (True, {"score": GOOD_SCORE})
    assert stack.items("MailTable") == [], "neither player nor owner is mailed of each result"


def test_it_thaws_at_its_time_and_what_is_too_good_waits_on(contest: Contest) -> None:
    """What came before counts as of when it came; the condition holds in both times, and once more nothing happens."""
    freeze(contest, review={**FROZEN, "when": "score > 78", "until": FUTURE})
    post(contest, "Bea", LUCKY)
    too_good = post(contest, "Cem", STEADY)["submission"]
    frozen = contest.stack.head("tiny").frozen
    held = names(contest)

    freeze(contest, review={**thawed(), "when": "score > 78"})
    contest.work()
    contest.work()
    after = post(contest, "Dora", FAIR)

    listed = contest.api("GET", TINY, query={"in_review": "true"}, headers=contest.owner).body["submissions"]
    assert (frozen and frozen.count, held, contest.stack.head("tiny").frozen) == (2, ["Ada"], None)
    assert set(names(contest)) == {"Ada", "Bea", "Dora"}
    assert [(each["submission"], each["frozen"]) for each in listed] == [(too_good, False)]
    assert contest.api.get(after["status_url"]).body["outcome"] == "scored"


def test_by_hand(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One command accepts what waits only because it is frozen; what comes later waits, what is late does not count."""
    connect_commands(contest.api, monkeypatch)
    token = contest.owner["Authorization"].removeprefix("Bearer ")
    freeze(contest, review={**FROZEN, "when": "score > 78"})
    post(contest, "Bea", LUCKY)
    post(contest, "Cem", STEADY)

    done = [laurel("accept", "tiny", "--frozen", "--json", token=token) for _ in range(2)]
    wrong = laurel("accept", "tiny", token=token)
    post(contest, "Dora", FAIR)
    freeze(contest, submissions={"late": "scored"}, closes=utc_now().isoformat())

    assert post(contest, "Eva", FAIR)["late"]
    assert [len(json.loads(each.stdout)["accepted"]) for each in done] == [1, 0]
    assert wrong.exit_code != 0
    assert set(names(contest)) == {"Ada", "Bea"}
    assert contest.stack.head("tiny").frozen.count == 3  # type: ignore[union-attr]


@pytest.mark.parametrize("review", ["score > 1000", {"from": FUTURE}])
def test_the_time_is_taken_away_or_moved(contest: Contest, review: Any) -> None:
    """What waited counts, and nothing waits any more, though no schedule ran for months after the publishing."""
    freeze(contest)
    post(contest, "Bea")
    held = names(contest)

    freeze(contest, review=review)
    contest.work()
    post(contest, "Cem")

    assert (held, set(names(contest))) == (["Ada"], {"Ada", "Bea", "Cem"})
    assert contest.stack.head("tiny").frozen is None


def test_with_the_final(contest: Contest) -> None:
    """The final ranks what was frozen, and what meets the condition is decided before; nothing else releases it."""
    hidden: dict[str, Any] = {"files": {"hidden.csv": HIDDEN.encode()}, "final": {"ground_truth": "hidden.csv"}}
    review = {**BLIND, "from": "2019-01-01T00:00:00Z", "when": "score > 78", "until": "final"}
    freeze(contest, review=review, **hidden)
    lucky, steady = (post(contest, name, result) for name, result in (("Bea", LUCKY), ("Cem", STEADY)))
    freeze(contest, review=review, closes=PAST, **hidden)
    contest.work()
    held = names(contest)
    contest.reveal()
    contest.work()
    waits = contest.reveal().body["waits"]
    blocked = (contest.is_final, steady["submission"] in waits, lucky["submission"] in waits)
    contest.ask(f"submissions/{steady['submission']}/acceptance", {"reason": None})
    contest.work()

    receipt = {"Authorization": f"Bearer {lucky['receipt']}"}
    shown = contest.api.get(lucky["status_url"], headers=receipt).body
    assert (held, blocked) == (["Ada"], (False, True, False))
    assert set(names(contest)) == {"Ada", "Bea", "Cem"}
    assert (contest.is_final, contest.stack.head("tiny").frozen) == (True, None)
    assert (shown["in_review"], shown["scores"]["#public/score"]) == (False, 73.5)
    ranks = {row.name: (row.rank_before, row.value_before) for row in contest.corrections[0].listed}
    assert (ranks["Cem"], ranks["Bea"]) == ((1, 39.5), (2, 36.75)), "what was frozen has a public rank, too"


def test_a_late_try_of_a_frozen_board(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is as blind as others, or its score would tell theirs; no list that others read has it as more than queued."""
    review = {**BLIND, "from": "2019-01-01T00:00:00Z"}
    freeze(contest, review=review, closes=PAST, submissions={"late": "scored"})
    late = post(contest, "Ada")

    own = contest.api.get(late["status_url"], headers={"Authorization": f"Bearer {late['receipt']}"}).body
    ada = name_guest("Ada", PlayerKind.HUMAN).id
    listed = contest.api("GET", TINY, query={"player": ada}).body["submissions"]
    (queued,) = (each for each in listed if each["submission"] == late["submission"])
    assert (queued["status"], queued["scores"], queued["frozen"]) == ("queued", None, False)
    assert (own["late"], own["frozen"], own["scores"]) == (True, True, None)
    connect_commands(contest.api, monkeypatch)
    assert laurel("status", "tiny", late["submission"], "--receipt", late["receipt"]).stdout.count("on no board") == 1


def test_acts_while_it_is_frozen(contest: Contest) -> None:
    """A ban, a withdrawal and an erasure hold when it thaws; a restored result thaws, and the count tells nothing."""
    api, stack = contest.api, contest.stack
    vera = stack.issue_token(make_player("vera", "Vera"), Scope.SUBMIT, benchmarks=("tiny",))
    freeze(contest)
    withdrawn, restored, _, banned = (post(contest, name) for name in ("Bea", "Cem", "Dora", "Eve"))
    api.post(GOOD, headers=vera)
    contest.work()
    eve = api.get(banned["status_url"]).body["player"]
    for each in (withdrawn, restored):
        contest.ask(f"submissions/{each['submission']}/withdrawal", {"reason": "copied"})
    contest.ask("ban", {"player": eve, "reason": "copied"})
    api.ask("/api/me/erasure", {"confirm": "vera"}, vera)
    contest.work()
    head = stack.head("tiny")
    held = names(contest)

    freeze(contest, review=thawed())
    contest.work()
    contest.ask(f"submissions/{restored['submission']}/withdrawal", {"undo": True})
    contest.work()

    assert (held, head.notices, head.frozen and head.frozen.count) == (["Ada"], (), 5)
    assert set(names(contest)) == {"Ada", "Cem", "Dora"}


def test_a_correction_while_it_is_frozen(contest: Contest) -> None:
    """Everything is scored again, moves rows that are shown, and names nobody of those that wait."""
    review, corrected = {"from": utc_now().isoformat()}, TRUTH.replace("5020", "5021")
    freeze(contest, review=review)
    post(contest, "Bea")
    freeze(contest, review=review, truth=corrected)
    contest.ask("rescore", None)
    contest.work()
    head, held = contest.stack.head("tiny"), names(contest)
    listed = contest.corrections[0]

    freeze(contest, review=thawed(), truth=corrected)
    contest.work()

    assert (held, head.frozen and head.frozen.count) == (["Ada"], 1)
    assert "Bea" not in str(listed)
    assert set(names(contest)) == {"Ada", "Bea"}
