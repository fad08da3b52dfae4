"""Run tickets: how a player cheats with them, what is said then, and that a result that is rejected leaves nothing."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from api import dependencies as api_dependencies
from cli.commands.submissions import submitting as submissions
from evaluate import queue
from storage.submissions.idempotency import KEEP
from storage.submissions.models import RunStart
from submit import dependencies
from tests.harness.clock import START, Clock
from tests.harness.command_line import connect_commands, laurel
from tests.harness.stack import PLAYS, Answer, Api, StackHarness, failing, make_benchmark, make_context, make_message

RUN = {"coins": 5, "time": 2.5}
ADA = {"player": "Ada", "part": "one"}
KEY = {"Idempotency-Key": "play-1"}


@pytest.fixture(autouse=True)
def published(stack: StackHarness) -> None:
    """A benchmark whose results need tickets."""
    stack.publish(make_benchmark(PLAYS))


@pytest.fixture
def clock(clock: Clock, cloud: object) -> Clock:
    """The clock of the server, whose settings are the cloud's."""
    for room in (dependencies, api_dependencies):
        room.services().clock = clock
    return clock


def begin(api: Api, query: dict[str, str] = ADA, *, benchmark: str = "plays", **headers: str) -> Answer:
    """Get a ticket."""
    return api("POST", f"/api/benchmarks/{benchmark}/runs", query=query, headers=headers)


def end(api: Api, ticket: str | None, query: dict[str, str] = ADA, body: Any = RUN, **headers: str) -> Answer:
    """Submit a result with a ticket."""
    given = {} if ticket is None else {"Laurel-Ticket": ticket}
    return api.post(body, benchmark="plays", query=query, headers={**given, **headers})


def ticket_of(api: Api, query: dict[str, str] = ADA, **headers: str) -> str:
    """Get the text of a ticket."""
    return str(begin(api, query, **headers).body["ticket"])


def present_board(api: Api) -> str:
    """Return the id of the daily board of now."""
    boards = api.get("/api/benchmarks/plays/boards").body["boards"]
    return str(boards[-1]["window"]["board"])


def counts_of(stack: StackHarness) -> list[str]:
    """Return what the quotas of the guest's name and of the address count."""
    return [item["count"]["N"] for item in stack.items("AccessTable") if item["key"]["S"].startswith("quota#")]


def named(answer: Answer) -> tuple[int, str]:
    """Return status and problem of an answer."""
    return answer.status, str(answer.body.get("type", "")).rpartition(":")[2]


def test_play_with_a_ticket(api: Api, stack: StackHarness, clock: Clock) -> None:
    """A ticket is issued without a write; its result is accepted, and keeps when the play began and its seed."""
    before = stack.left_behind()
    begun = begin(api)
    nothing = stack.left_behind() - before
    clock.advance(seconds=3)

    answer = end(api, begun.body["ticket"])

    assert (begun.status, answer.status, nothing) == (201, 202, 0)
    assert begun.body["issued_at"] == "2026-03-01T12:00:00Z"
    assert begun.body["expires_at"] == "2026-03-01T14:00:00Z"
    assert stack.submission().run == RunStart(START, begun.body["seed"])
    assert api.get("/api/benchmarks/plays").body["runs"] == {
        "ticket": "required",
        "seed": "daily",
        "max_age_seconds": 7200,
        "at_least_seconds": 3,
        "time_zone": "UTC",
    }


def test_seed_is_of_the_ticket_s_day(api: Api, stack: StackHarness, clock: Clock) -> None:
    """All players have the seed of the day, which a ticket keeps over midnight; a random seed is of one ticket."""
    clock.advance(hours=11, minutes=59)
    late, same = begin(api), begin(api, {**ADA, "player": "Bo"})
    clock.advance(minutes=2)
    next_day = begin(api)
    end(api, late.body["ticket"])
    stack.publish(make_benchmark(PLAYS, runs={"ticket": "required", "seed": "random"}))
    dependencies.services().terms._cached.clear()
    random = [begin(api).body["seed"] for _ in range(2)]
    stack.publish(make_benchmark(PLAYS, runs={"ticket": "required"}))
    dependencies.services().terms._cached.clear()

    seeds = [late.body["seed"], next_day.body["seed"], *random]
    assert same.body["seed"] == late.body["seed"]
    assert len(set(seeds)) == 4
    assert stack.submission().run == RunStart(START + timedelta(hours=11, minutes=59), late.body["seed"])
    assert begin(api).body["seed"] is None


def test_seed_changes_with_the_daily_board(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Players of one daily board have one seed: the day of a seed is that of the benchmark's time zone."""
    stack.publish(make_benchmark(PLAYS, windows=["daily"], time_zone="Asia/Tokyo"))
    dependencies.services().terms._cached.clear()
    seeds: dict[str, list[str]] = {}
    for _ in range(8):  # from noon in UTC, which is 21 o'clock in Tokyo
        seeds.setdefault(present_board(api), []).append(begin(api).body["seed"])
        clock.advance(hours=3)

    assert [len(seeds[day]) for day in sorted(seeds)] == [1, 7]
    assert [len(set(seeds[day])) for day in seeds] == [1, 1]
    assert len(set().union(*seeds.values())) == 2


def test_run_is_compared_with_its_ticket(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Scoring knows the seed and the seconds since the ticket: a longer run, or another seed, is invalid."""
    fields = PLAYS["parameters"] | {"checks": [{"require": "Time <= run_seconds"}], "seed_at": "/seed"}
    published = stack.publish(make_benchmark(PLAYS, parameters=fields))
    dependencies.services().terms._cached.clear()
    begun = [begin(api).body for _ in range(3)]
    seed = begun[0]["seed"]
    clock.advance(seconds=4)
    bodies = [RUN | {"seed": seed}, RUN | {"time": 20, "seed": seed}, RUN | {"seed": "0" * 16}]
    answers = [end(api, play["ticket"], body=body) for play, body in zip(begun, bodies, strict=True)]
    evaluated = [make_message(key, number=number) for number, key in enumerate(stack.results())]
    assert queue.lambda_handler({"Records": evaluated}, make_context()) == {"batchItemFailures": []}

    records = [
        stack.submissions.find_record("plays", submission=answer.body["submission"], version=published.version)
        for answer in answers
    ]

    assert [(record.outcome, record.message) for record in records if record] == [
        ("scored", ""),
        ("invalid", "expected Time <= run_seconds; found Time 20.0, run_seconds 4.0"),
        (
            "invalid",
            f"seed: expected '{seed}' at /seed, the seed of this result's run ticket, found the string '{'0' * 16}'",
        ),
    ]


def test_ticket_costs_one_write(
    api: Api, stack: StackHarness, clock: Clock, log: Callable[[], list[dict[str, Any]]]
) -> None:
    """To issue a ticket is one read; to spend it, one write, and a name's first. No line of the log has it."""
    calls: list[str] = []
    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", lambda model, **_: calls.append(model.name))
    ticket_of(api)
    calls.clear()  # a process that names its first guest has read the secrets of their ids for a minute
    ticket = ticket_of(api)
    issued, calls[:] = [*calls], []
    clock.advance(seconds=30)
    with_ticket = [end(api, ticket), [*calls]]
    calls.clear()
    wrong = [end(api, f"{ticket}A"), end(api, ticket)]
    stack.publish(make_benchmark({**PLAYS, "id": "free", "runs": None}))
    calls.clear()
    api.post(RUN, benchmark="free", query=ADA)

    assert (issued, with_ticket[0].status, with_ticket[1]) == (
        ["BatchGetItem"],
        202,
        ["BatchGetItem", "UpdateItem", "UpdateItem", "PutItem", "PutItem"],
    )
    assert calls == ["BatchGetItem", "UpdateItem", "UpdateItem"]
    assert [answer.status for answer in wrong] == [422, 422]
    assert ticket not in " ".join(answer.text for answer in wrong)
    assert "result received" in str(log())
    assert ticket not in str(log())
    assert named(begin(api, benchmark="free")) == (404, "not-found")


def test_cheats_are_named_and_leave_nothing(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Each kind of wrong ticket has a problem of its own, which says what to do; the quota and the ticket are kept."""
    key = {"Laurel-Player-Key": f"player_{'0' * 32}"}
    stack.publish(make_benchmark(PLAYS, id="other"))
    ticket, other = ticket_of(api), str(begin(api, benchmark="other").body["ticket"])
    of_part, of_player = ticket_of(api, {**ADA, "part": "two"}), ticket_of(api, {**ADA, "player": "Bo"})
    of_key, of_model = ticket_of(api, **key), ticket_of(api, {**ADA, "kind": "model"})
    before = stack.left_behind()
    clock.advance(seconds=2.9)
    early = end(api, ticket, **KEY)
    clock.advance(seconds=1)
    cheats = {
        "ticket-needed": [None],
        "invalid-ticket": ["", "secret", ticket[:-1], f"{ticket}A", ticket.swapcase(), f"player_{'0' * 32}"],
        "ticket-of-another-benchmark": [other],
        "ticket-of-another-part": [of_part],
        "ticket-of-another-player": [of_player, of_key, of_model],
    }
    answers = {name: [end(api, cheat, **KEY) for cheat in given] for name, given in cheats.items()}
    left = stack.left_behind()
    accepted = end(api, ticket, **KEY)
    spent = end(api, ticket)
    clock.advance(hours=2)
    expired = end(api, of_part, {**ADA, "part": "two"})

    assert {name: {named(answer) for answer in given} for name, given in answers.items()} == {
        name: {(422, name)} for name in cheats
    }
    assert named(early) == (422, "too-fast")
    assert "2.9 seconds after its ticket" in early.body["detail"]
    assert "at least 3 seconds" in early.body["detail"]
    assert left == before
    assert (accepted.status, named(spent), named(expired)) == (202, (422, "spent-ticket"), (422, "expired-ticket"))
    assert (
        "ticket is of another part: two, and the result of one" in answers["ticket-of-another-part"][0].body["detail"]
    )
    assert "of 2026-03-01T12:00:00Z expired at 2026-03-01T14:00:00Z" in expired.body["detail"]
    assert "secret" not in answers["invalid-ticket"][1].text
    assert len(stack.results()) == 1
    assert counts_of(stack) == ["1"] * 2


@pytest.mark.usefixtures("lone_guest")
def test_rejected_result_keeps_its_ticket(api: Api, stack: StackHarness, clock: Clock) -> None:
    """What the quota or the benchmark's end rejects does not spend the ticket."""
    tickets = [ticket_of(api) for _ in range(2)]
    clock.advance(minutes=1)
    stack.publish(make_benchmark(PLAYS, closes="2026-01-01T00:00:00Z"))
    dependencies.services().terms._cached.clear()
    closed = [end(api, tickets[0], **KEY), begin(api)]
    stack.publish(make_benchmark(PLAYS, submissions={"per_day": 1}))
    dependencies.services().terms._cached.clear()
    first, over = end(api, tickets[0], **KEY), end(api, tickets[1])
    stack.publish(make_benchmark(PLAYS))
    dependencies.services().terms._cached.clear()

    assert [answer.status for answer in (*closed, first, over)] == [403, 403, 202, 429]
    assert end(api, tickets[1]).status == 202
    spent = [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("ticket#")]
    assert len(spent) == len(stack.results()) == 2
    assert {item["submission"]["S"] for item in spent} == {key.rpartition("/")[2] for key in stack.results()}


def test_two_tabs(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Two tickets are two plays; of eight results at once with one ticket one is accepted, and counted."""
    first, second = ticket_of(api), ticket_of(api)
    clock.advance(minutes=1)
    assert end(api, first).status == 202

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: end(api, second, body={**RUN, "coins": number}), range(8)))

    assert sorted(map(named, answers)) == [(202, ""), *[(422, "spent-ticket")] * 7]
    assert len(stack.results()) == 2
    assert counts_of(stack) == ["2"] * 2


def test_repeat_uses_no_second_ticket(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Under its idempotency key a repeat is the same submission, also after the ticket's end; no other may have it."""
    ticket, other = ticket_of(api), ticket_of(api)
    clock.advance(minutes=1)
    first = end(api, ticket, **KEY)
    clock.advance(days=6)

    again, with_other = end(api, ticket, **KEY), end(api, other, **KEY)

    assert (first.status, again.body, named(with_other)) == (202, first.repeated, (422, "idempotency-key-reused"))
    assert len(stack.results()) == 1


@pytest.mark.parametrize("headers", [KEY, {}])
def test_crash_between_ticket_and_result(api: Api, stack: StackHarness, clock: Clock, headers: dict[str, str]) -> None:
    """A repeat with an idempotency key goes through, even after the ticket's end; without one the ticket is spent."""
    ticket = ticket_of(api)
    clock.advance(minutes=1)
    with failing(stack.cloud.s3, "PutObject"):
        crashed = end(api, ticket, **headers)
    clock.advance(days=6 if headers else 0)

    again = end(api, ticket, **headers)

    assert crashed.status == 503
    assert named(again) == ((202, "") if headers else (422, "spent-ticket"))
    (spent,) = [item for item in stack.items("AccessTable") if item["key"]["S"].startswith("ticket#")]
    assert int(spent["expires_at"]["N"]) >= (START + timedelta(hours=2) + KEEP).timestamp()
    assert counts_of(stack) == ["1" if headers else "0"] * 2


def test_ticket_cannot_be_spent_in_a_failing_table(api: Api, stack: StackHarness, clock: Clock) -> None:
    """Where nobody can say whether the ticket was spent, nothing is accepted, and a repeat is."""
    ticket = ticket_of(api)
    clock.advance(minutes=1)
    with failing(stack.cloud.dynamodb, "PutItem", about="ticket#"):
        answers = [end(api, ticket), end(api, ticket, **KEY)]

    again = end(api, ticket, **KEY)

    assert [answer.status for answer in (*answers, again)] == [503, 503, 202]
    assert counts_of(stack) == ["1"] * 2


def test_command_plays_by_the_rules(
    api: Api, stack: StackHarness, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`laurel submit` gets a ticket where one is needed and waits its time, or sends the one that it is given."""
    connect_commands(api, monkeypatch)
    monkeypatch.setattr(submissions.time, "sleep", lambda seconds: clock.advance(seconds=seconds))
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        file.write_text(json.dumps(RUN))
    ada = ["--player", "Ada", "--part", "one"]

    submitted = laurel("submit", "plays", *map(str, files), *ada, "--json")
    ticket = begin(api).body["ticket"]
    clock.advance(seconds=5)
    with_ticket = [laurel("submit", "plays", str(files[0]), *ada, "--ticket", ticket, "--json") for _ in range(2)]
    two = laurel("submit", "plays", *map(str, files), *ada, "--ticket", ticket)

    assert [report["problem"] for report in json.loads(submitted.stdout)] == [{}, {}]
    assert "waiting 3 s" in submitted.stderr
    assert [done.exit_code for done in with_ticket] == [0, 1]
    assert "was used for another result" in json.loads(with_ticket[1].stdout)[0]["problem"]["detail"]
    assert "--ticket: a run ticket is for one result" in str(two.exception)
    assert len(stack.results()) == 3
