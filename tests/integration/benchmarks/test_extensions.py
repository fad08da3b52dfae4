"""More time: for one player, by an extension, and for all, by a `closes` that is moved; and late batches."""

import csv
import io
import json
from collections.abc import Callable
from copy import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain, repeat
from typing import Any, Final

import pytest

from aggregate import rescore
from evaluate import queue
from storage.audit import Action
from storage.keys import time_of, utc_now
from storage.players.bans import Ban, time_subject
from storage.players.tokens import Scope
from storage.submissions.store import SubmissionStore
from submit.dependencies import services
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player
from tests.harness.stack import Api, StackHarness, restart_api
from tests.integration.batches.test_batch_import import ADA, LINE, BatchHarness
from tests.integration.benchmarks import test_final as contests
from tests.integration.benchmarks.test_final import FUTURE, GOOD, LATE, LUCKY, PAST, TINY, Contest

REASON: Final = "was ill"
OWN: Final = {"until": FUTURE, "reason": REASON}
BACK: Final = {"until": None, "reason": None, "undo": True}
ADA_ALONE, BOTH = [("Ada", 39.5)], [("Ada", 39.5), ("Bea", 38.25)]


@pytest.fixture
def closed(api: Api, stack: StackHarness, work: Callable[[], None], owner: dict[str, str]) -> Contest:
    """A contest that has closed in 2020, takes late tries, and has a row of Ada's."""
    contest = Contest(api, stack, work, owner)
    contest.play(("Ada", contests.STEADY))
    contest.work()
    contest.publish(**LATE)
    return contest


@pytest.fixture
def bea(closed: Contest) -> dict[str, str]:
    """The headers of a player."""
    return closed.stack.issue_token(make_player("bea", "Bea"), Scope.SUBMIT, benchmarks=("tiny",))


def extend(contest: Contest, **body: Any) -> Any:
    """Give Bea more time, or do what the body says."""
    answer = contest.ask("extension", {"player": "bea", **OWN} | body)
    contest.work()
    return answer


def send(contest: Contest, headers: dict[str, str], result: Any = GOOD) -> Any:
    """Hand a result in, and have it scored."""
    answer = contest.api.post(result, headers=headers)
    contest.work()
    return answer


def test_what_came_within_an_extension_counts_until_it_is_taken_back(closed: Contest, bea: dict[str, str]) -> None:
    """Whether it came before or after the extension was given; each change can be repeated, and none moves another."""
    within, back = partial(send, closed, bea, LUCKY), partial(extend, closed, **BACK)
    give = partial(extend, closed)
    answers, boards, marks = [], [], []
    for step in (partial(send, closed, bea), give, give, within, back, give):
        answers.append(step())
        boards.append(closed.board)
        listed = closed.api("GET", TINY, query={"player": "bea"}, headers=bea).body["submissions"]
        marks.append([(each.get("late", False), each["extended"]) for each in listed])

    assert boards == [ADA_ALONE, BOTH, BOTH, BOTH, ADA_ALONE, BOTH]
    late, extended = (True, False), (False, True)
    assert marks == [[late], [extended], [extended], [extended] * 2, [late] * 2, [extended] * 2]
    assert (answers[0].body["late"], answers[3].body.get("late")) == (True, None)
    assert (answers[2].body, answers[4].body) == (OWN, {**OWN, "until": None})
    assert closed.stack.rows("tiny").submissions == (1, 2)
    acts = [entry.action for entry in closed.stack.trail.list_page(length=9).entries if entry.subject == "bea"]
    assert acts == [Action.EXTEND, Action.EXTEND, Action.END_EXTENSION, Action.EXTEND]


def test_command(closed: Contest, bea: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives time and takes it back; an error says what was expected, and changes nothing."""
    connect_commands(closed.api, monkeypatch)
    closed.publish(final={"at": "2099-06-01T00:00:00Z"}, **LATE)
    send(closed, bea)
    tokens = [headers["Authorization"].removeprefix("Bearer ") for headers in (closed.owner, bea)]

    def give(player: str = "bea", until: str = FUTURE, token: str = tokens[0]) -> Any:
        return laurel("extend", "tiny", player, "--until", until, "--reason", REASON, token=token)

    wrong = [
        (give("nobody"), "there is no such player"),
        (give(until=PAST), "until: expected a time after `closes`, which is 2020"),
        (give(until="2099-07-01T00:00:00Z"), "until: expected at most the time of the final, 2099-06-01"),
        (give(until="tomorrow"), "until"),
        (give(token=tokens[1]), "expected a token with the scope `own` on tiny"),
        (laurel("extend", "tiny", "bea", token=tokens[0]), "expected reason, or undo: true"),
        (laurel("extend", "tiny", "bea", "--undo", token=tokens[0]), "there is no such ban or extension"),
    ]
    closed.work()
    unchanged = closed.board
    given = give()
    closed.work()
    within = closed.board
    taken = laurel("extend", "tiny", "bea", "--undo", token=tokens[0])
    closed.work()

    assert [str(each.exception) for each, expected in wrong if expected not in str(each.exception)] == []
    assert (unchanged, within, closed.board) == (ADA_ALONE, BOTH, ADA_ALONE)
    assert f"bea has time until 2099-01-01 00:00 UTC: {REASON}" in given.stdout
    assert f"bea no longer has more time: {REASON}" in taken.stdout


def test_late_results_are_folded_again_after_a_change_alone(
    closed: Contest, bea: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once after each, and once when nothing is folded any more that began before it."""
    read, read_all = list[str](), SubmissionStore.all_records

    def spy(*asked: Any, **options: Any) -> Any:
        read.extend([options["since"]] if options.get("since") else [])
        return read_all(*asked, **options)

    monkeypatch.setattr(SubmissionStore, "all_records", spy)
    counts = []
    for act in (partial(send, closed, bea), partial(extend, closed), closed.work, partial(extend, closed, **BACK)):
        act()
        counts.append(len(read))
    monkeypatch.setattr("aggregate.benchmarks.keeper.FOLD_TIME", timedelta(0))
    for _ in range(2):
        closed.work()

    assert (counts, len(read)) == ([0, 1, 1, 2], 3)


def test_an_extension_counts_though_nothing_ran_for_days(closed: Contest, bea: dict[str, str]) -> None:
    """A machine that was off since it was given folds what came within when it runs again."""
    send(closed, bea)
    given = Ban(subject=time_subject("bea"), name="", reason=REASON, at=utc_now() - timedelta(days=2))
    rescore.promoter().bans.put("tiny", replace(given, until=datetime.fromisoformat(FUTURE)))
    closed.work()

    assert closed.board == BOTH


def test_only_the_player_and_owners_see_an_extension(closed: Contest, bea: dict[str, str]) -> None:
    """The player reads it beside the benchmark and each submission, owners in the list and the CSV, nobody else."""
    api, other = closed.api, closed.stack.issue_token(make_player("cem", "Cem"), Scope.SUBMIT, benchmarks=("tiny",))
    page, bans = f"{TINY}/{send(closed, bea).body['submission']}", "/api/benchmarks/tiny/bans"
    before = api.get(bans).text
    extend(closed)

    table = api.get(TINY, headers={**closed.owner, "Accept": "text/csv"}).body.removeprefix("\ufeff")
    seen = [api.get(path, headers=bea).body["extension"] for path in (page, "/api/benchmarks/tiny")]
    hidden = [api.get(path, headers=reader).text for path in (page, "/api/benchmarks/tiny") for reader in (other, {})]

    assert (seen, api.get(bans).text) == ([OWN, OWN], before)
    assert [row["extended"].lower() for row in csv.DictReader(io.StringIO(table))] == ["false", "true"]
    assert not [text for text in hidden if REASON in text or json.loads(text)["extension"]]


def test_an_extension_where_late_tries_are_not_taken(closed: Contest, bea: dict[str, str]) -> None:
    """Only its player may submit; to all others it is closed, whatever they send, as if nobody had more time."""
    closed.publish()
    strange = {"Authorization": f"Bearer laurel_{'0' * 64}"}
    asked = [({}, {"player": "Ada"}), ({}, {"player": "\u202e"}), (strange, {})]
    before = [closed.api.post(GOOD, query=query, headers=headers).body for headers, query in asked]
    extend(closed)

    after = [closed.api.post(GOOD, query=query, headers=headers).body for headers, query in asked]

    assert (after, send(closed, bea).status, closed.board) == (before, 202, BOTH)
    assert (extend(closed, **BACK).status, closed.board, send(closed, bea).status) == (200, ADA_ALONE, 403)


def test_quotas_follow(closed: Contest, bea: dict[str, str]) -> None:
    """Late tries have a quota of their own, also of invalid ones; within an extension the contest's own counts."""
    limits = {"per_day": 3, "invalid_per_day": 1, "in_all": 2}
    closed.publish(submissions={"anonymous": False, "late": "scored", **limits})
    restart_api()
    late = [send(closed, bea).status for _ in range(4)]
    left = closed.api.get("/api/benchmarks/tiny", headers=bea).body
    cem = closed.stack.issue_token(make_player("cem", "Cem"), Scope.SUBMIT, benchmarks=("tiny",))
    invalid = [send(closed, cem, {"question": "none"}).status for _ in range(2)]
    extend(closed)

    within = [send(closed, bea).status for _ in range(3)]

    assert (late, invalid, within) == ([202, 202, 202, 429], [202, 429], [202, 202, 403])
    assert (left["quota_left"], left["left_in_all"]) == (0, None)


@pytest.mark.parametrize(
    ("until", "status"),
    [(PAST, 409), (FUTURE, 409), ("2098-01-01T00:00:00Z", 200), (None, 422), ("2098-01-01", 422)],
)
def test_what_cannot_be_given(closed: Contest, bea: dict[str, str], until: str | None, status: int) -> None:
    """Nothing before the close or after the final, and only by owners; a mistake changes nothing."""
    closed.publish(final={"at": "2098-06-01T00:00:00Z"}, **LATE)
    before, asked = closed.stack.items("AccessTable"), ("/api/benchmarks/tiny/extension", {"player": "bea", **OWN})

    others = [closed.api.ask(*asked, headers).status for headers in (None, bea)]
    answer = extend(closed, until=until)

    assert (answer.status, closed.stack.items("AccessTable") == before) == (status, status != 200)
    assert (others, closed.ask("extension", {"player": "cem", "undo": True}).status) == ([401, 403], 404)


def test_the_final_waits_for_an_extension_and_takes_it(closed: Contest, bea: dict[str, str]) -> None:
    """As long as anybody has time it does not begin; then it ranks what came within, and nothing later."""
    moment = time_of(send(closed, bea).body["submission"])
    asked = closed.reveal()
    extend(closed)
    early = closed.reveal()
    closed.publish(final={"at": PAST}, **LATE)
    closed.work()
    waited = closed.is_final
    closed.publish(**LATE)
    extend(closed, until=(moment + timedelta(milliseconds=1)).isoformat())
    send(closed, bea, LUCKY)
    closed.reveal()
    closed.work()

    assert (asked.status, "a player has time until" in early.body["detail"], waited) == (202, True, False)
    assert (closed.is_final, closed.board) == (True, [("Bea", 48.5), ("Ada", 47.25)])
    assert closed.stack.rows("tiny").submissions == (1, 1)
    assert extend(closed).body["type"] == "urn:laurel:problem:no-more-time"
    assert (extend(closed, **BACK).status, closed.board) == (200, [("Ada", 47.25)])


@pytest.mark.parametrize("is_taken_back", [True, False])
def test_more_time_after_a_final_began(closed: Contest, bea: dict[str, str], *, is_taken_back: bool) -> None:
    """What was late when it was scored for the final is scored once more, and ranks by its hidden scores."""
    moment = time_of(send(closed, bea, LUCKY).body["submission"])
    closed.reveal()
    rescore.promoter().step("tiny", patience_seconds=0)
    source = closed.stack.queue_poller(queue.lambda_handler, queue="EvaluateQueue", function="EvaluateFunction")
    while source.deliver():
        pass
    until = moment + timedelta(milliseconds=1)
    if is_taken_back:
        closed.publish(title="Not yet", **LATE)
        extend(closed, until=until.isoformat())
        closed.reveal()
    else:  # the owner's request had been let in before it began
        given = Ban(subject=time_subject("bea"), name="", reason=REASON, at=utc_now(), until=until)
        rescore.promoter().bans.put("tiny", given)
    closed.work()

    assert (closed.is_final, closed.board) == (True, [("Bea", 50.0), ("Ada", 47.25)])


def test_a_close_that_is_moved_forward(closed: Contest, bea: dict[str, str]) -> None:
    """It needs a reason, which everybody reads; late tries within the new time count, and the check needs none."""
    contests.publish(closed, contests.make_contest(**LATE))  # with a salt, so that it is scored again
    closed.ask("rescore", None)
    send(closed, bea)
    later = contests.make_contest(closes=FUTURE, **LATE)
    checked, refused = (contests.publish(closed, later, only_checks=only) for only in (True, False))
    unchanged = closed.board

    done = contests.publish(closed, later, reason="the server was down")
    closed.work()
    marks = closed.api.get("/api/benchmarks/tiny/boards").body

    assert [checked.status, refused.status, done.status] == ["checked", "refused", "published"]
    assert "expected a reason, which everybody can read" in (refused.detail or "")
    assert (unchanged, closed.board) == (ADA_ALONE, BOTH)
    assert (marks["moved"]["before"], marks["moved"]["reason"]) == (PAST, "the server was down")
    assert marks["late"] == {"until": None, "shows": None}


@pytest.mark.parametrize("before", [None, FUTURE])
def test_a_close_that_is_moved_back(closed: Contest, before: str | None) -> None:
    """Not to before now, for results that came in time would be late; to a time to come it may."""
    closed.publish(closes=before)
    moments = (PAST, (utc_now() + timedelta(hours=1)).isoformat())

    reports = [contests.publish(closed, contests.make_contest(closes=closes)) for closes in moments]

    assert [report.status for report in reports] == ["refused", "published"]


@pytest.mark.parametrize(
    ("rules", "status", "late", "within"),
    [({"late": "scored", "drop_per_day": 2}, 201, 2, 2), ({"late": {"until": "2021-01-01T00:00:00Z"}}, 403, 0, 3)],
)
def test_late_batches(closed: Contest, rules: dict[str, Any], status: int, late: int, within: int) -> None:
    """Uploads and their entries follow the rule of single results, with a late quota; an extension opens both."""
    batches, lines, path = BatchHarness(closed.stack), b"\n".join([LINE] * 3), "/api/benchmarks/tiny/uploads"
    headers = closed.stack.issue_token(ADA, Scope.SUBMIT, benchmarks=("tiny",))
    closed.stack.keep_account(ADA, "ada@example.com")
    closed.publish(submissions=rules)
    restart_api()
    statuses, counts, shown = [], [], []
    for name in ("a.jsonl", "b.jsonl"):
        statuses.append(closed.api.ask(path, {"bytes": len(lines), "filename": name}, headers).status)
        report = batches.send(lines, name)
        counts.append(sum(entry.submission is not None for entry in report.entries))
        closed.work()
        assert closed.stack.check_boards("tiny") == []
        rows = closed.stack.rows("tiny")
        shown.append(dict(zip(rows.player, rows.submissions, strict=True)).get("ada"))
        extend(closed, player="ada")

    assert (statuses, counts, shown) == ([status, 201], [late, within], [None, late + within])


def test_sixty_in_the_last_second(closed: Contest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that is received before the close is in, however long the answer takes: the moment is read once."""
    closes = utc_now() + timedelta(hours=1)
    closed.publish(closes=closes.isoformat())
    restart_api()
    answers = []
    for number in range(60):  # the clock passes the close behind the first look at it
        moments = chain([closes - timedelta(seconds=0.5)], repeat(closes + timedelta(seconds=1)))
        monkeypatch.setattr(services(), "clock", moments.__next__)
        answers.append(closed.api.post(GOOD, query={"player": f"Player {number}"}))

    assert {(answer.status, answer.body.get("late")) for answer in answers} == {(202, None)}
