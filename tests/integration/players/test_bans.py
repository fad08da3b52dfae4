"""Bans: a banned player's results are rejected, the rows go off the boards and come back."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aggregate import rescore
from storage.audit import Action
from storage.batches.reports import BatchState
from storage.benchmarks.rescores import ask_rescore
from storage.benchmarks.store import BenchmarkStore
from storage.flags import FlagStore
from storage.gateway.conditions import Absent
from storage.gateway.schema import Schema
from storage.keys import BatchKey, utc_now
from storage.players import bans as stored_bans
from storage.players.bans import Ban, BanStore, TooManyBans, name_subject
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from submit import dependencies
from submit.batch_import.importer import import_batch
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import make_player, name_guest
from tests.harness.stack import GOOD, TRUTH, Answer, Api, StackHarness, make_benchmark, make_context

ADA, BEA = (name_guest(name, PlayerKind.HUMAN).id for name in ("Ada", "Bea"))
HERON = make_player("heron", "Heron", PlayerKind.MODEL)
KEY = f"player_{'1' * 32}"
REASON = {"reason": "sends the answers of others"}


def ask(api: Api, path: str, body: Any, headers: dict[str, str] | None = None) -> Answer:
    """Send a JSON body to a path of the benchmark."""
    return api.ask(f"/api/benchmarks/tiny/{path}", body, headers)


def play(api: Api, name: str, **headers: str) -> Answer:
    """Submit a good result as a guest."""
    return api.post(GOOD, query={"player": name}, headers=headers)


def test_banned_player_is_off_the_board_and_back(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None], invoked: list[Any]
) -> None:
    """From its next run on, which each change begins; a rescore goes on, and everybody may read why."""
    played = play(api, "Ada").body["submission"]
    play(api, "Bea")
    work()

    def preview() -> str:
        return str(api.get(f"/api/data/b/tiny/s/{played}").body).partition("</head>")[0]

    def draw(**query: str) -> int:
        return api("GET", "/api/benchmarks/tiny/rows.png", query=query).status

    assert "<title>Ada (guest): 1st of 2 ·" in preview()
    assert "Ada (guest): " in api("GET", "/api/benchmarks/tiny/rows.atom").body
    assert f"/api/benchmarks/tiny/rows.png?submission={played}" in preview()
    assert (draw(submission=played), draw(player=ADA)) == (200, 200)
    following = stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))
    flags = FlagStore(stack.access)
    ask_rescore(following, flags, now=utc_now())

    banned = ask(api, "ban", {"player": ADA, **REASON}, owner)
    work()
    rejected, other, owned = play(api, "ada"), play(api, "Bea"), play(api, "Ada", **{"Laurel-Player-Key": KEY})
    work()

    assert (banned.status, banned.body["player"], banned.body["reason"]) == (200, ADA, REASON["reason"])
    assert invoked == [{"benchmark": "tiny"}]
    assert (rejected.status, rejected.body["type"]) == (403, "urn:laurel:problem:banned")
    assert REASON["reason"] in rejected.body["detail"]
    assert (other.status, owned.status) == (202, 202)
    published = stack.aggregator.benchmarks.current("tiny", fresh=True)
    assert (published.version, published.next) == (following.next and following.next.version, None)
    assert stack.head("tiny").version == published.version
    assert ADA not in stack.rows("tiny").player
    assert "Ada" not in api("GET", "/api/benchmarks/tiny/rows.atom").body
    assert "Ada" not in preview()
    assert '/rows.png">' in preview()
    assert (draw(submission=played), draw(player=ADA), draw()) == (404, 404, 200)
    assert stack.head("tiny").total == 2
    listed = api("GET", "/api/benchmarks/tiny/submissions", query={"player": ADA}).body["submissions"]
    assert [each["counts"] for each in listed] == [None], "nothing of the banned counts"
    assert api.get("/api/benchmarks/tiny/bans").body["bans"][0]["player"] == ADA
    assert stack.check_boards("tiny") == []

    lifted = ask(api, "ban", {"player": ADA, "undo": True}, owner)
    assert len(invoked) == 2
    work()

    after = stack.rows("tiny")
    assert (after.player.count(ADA), len(after.player), bool(lifted.body["lifted_at"])) == (1, 3, True)
    acts = [(entry.action, entry.subject) for entry in stack.trail.list_page(benchmark="tiny", length=1000).entries]
    assert acts == [(Action.BAN, ADA), (Action.LIFT_BAN, ADA)]
    assert api.get("/api/benchmarks/tiny/boards").body["banned"] == 0
    assert play(api, "Ada").status == 202
    assert api.get("/api/benchmarks/tiny/bans").body == {"bans": []}


def test_schedule_that_died_is_made_up_for(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the schedule dies after the pointer, its next run publishes the boards and goes on with a rescore."""
    play(api, "Ada")
    play(api, "Bea")
    work()
    corrected = stack.publish(make_benchmark(truth=TRUTH.replace("5020", "5021")))
    assert ask(api, "rescore", {}, owner).status == 202
    ask(api, "ban", {"player": ADA, **REASON}, owner)
    with monkeypatch.context() as dying:
        put_bans = BenchmarkStore.put_bans

        def die(store: BenchmarkStore, benchmark: str, bans: dict[str, str]) -> None:
            put_bans(store, benchmark, bans)
            raise ConnectionError("died after the pointer")

        dying.setattr(BenchmarkStore, "put_bans", die)
        with pytest.raises(ExceptionGroup):
            rescore.lambda_handler({}, make_context())
    assert ADA in stack.rows("tiny").player

    work()

    assert stack.rows("tiny").player == (BEA,)
    assert corrected.next is not None
    assert stack.aggregator.benchmarks.current("tiny", fresh=True).version == corrected.next.version


def test_banned_name_and_token(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A banned name is no guest's, whatever the key; a banned player of a token can neither submit nor upload."""
    connect_commands(api, monkeypatch)
    token = owner["Authorization"].removeprefix("Bearer ")
    heron = stack.issue_token(HERON, Scope.SUBMIT)

    play(api, "Zoe")
    work()
    named = laurel("ban", "tiny", "--name", "Iris", "--reason", "not her", token=token)
    work()
    assert api.get("/api/benchmarks/tiny/boards").body["banned"] == 1
    laurel("ban", "tiny", "heron", "--reason", "spam", token=token)
    listed = laurel("ban", "tiny")
    work()

    assert "the name 'Iris' is banned since" in named.stdout
    assert [line.partition(" is banned")[0] for line in listed.stdout.splitlines()] == ["the name 'Iris'", "heron"]
    answers = [
        play(api, "lris", **{"Laurel-Player-Key": KEY}),
        play(api, "Iris"),
        api.post(headers=heron),
        ask(api, "uploads", {"bytes": 9, "filename": "a.json"}, heron),
    ]
    assert [(answer.status, answer.body["type"]) for answer in answers] == [(403, "urn:laurel:problem:banned")] * 4
    assert play(api, "Iris Murdoch").status == 202
    key = BatchKey("tiny", "heron", "a.json")
    put = stack.cloud.s3.put_object(Bucket=stack.results_bucket, Key=str(key), Body=json.dumps(GOOD).encode())
    report = import_batch(dependencies.batch_services(), key, put["VersionId"])
    assert (report.state, "spam" in str(report)) == (BatchState.QUARANTINED, True)
    assert laurel("ban", "tiny", "heron", "--undo", token=token).stdout.startswith("heron is no longer banned")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"player": "guest", **REASON}, 422),
        ({"player": "heron"}, 422),
        ({"player": "heron", "name": "Heron", **REASON}, 422),
        (REASON, 422),
        ({"name": "a\u202eb", **REASON}, 422),
        ({"player": "heron", "undo": True}, 404),
        ({"player": "heron", "undo": True, **REASON}, 422),
    ],
)
def test_wrong_ban_is_rejected(api: Api, stack: StackHarness, owner: dict[str, str], body: Any, status: int) -> None:
    """The answer says what was expected, and nothing is stored; nobody but an owner bans."""
    before = stack.items("AccessTable")

    wrong = ask(api, "ban", body, owner)
    nobodys = ask(api, "ban", {"name": "Heron", **REASON})

    assert (wrong.status, nobodys.status) == (status, 401)
    assert stack.items("AccessTable") == before


def test_bans_have_an_end(stack: StackHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark has so many bans; a repeat is the ban that holds, and a lifted one is forgotten after a day."""
    monkeypatch.setattr(stored_bans, "MAX_BANS", 5)
    bans, now = BanStore(stack.access), datetime(2026, 1, 1, tzinfo=UTC)
    held = [Ban(subject=f"player-{number}", name="", reason="x", at=now) for number in range(5)]
    for ban in held[:2]:
        bans.put("tiny", ban)
    bans.lift("tiny", "player-1", now=now)
    assert set(bans.read("tiny").reasons) == {"player-0"}
    assert bans.read("tiny").players == {"player-0", "player-1"}

    for ban in held:
        bans.put("tiny", ban)

    with pytest.raises(TooManyBans):
        bans.put("tiny", Ban(subject=name_subject("Ada"), name="Ada", reason="x", at=now))
    assert bans.put("tiny", Ban(subject="player-0", name="", reason="y", at=now)).reason == "x"
    bans.lift("tiny", "player-3", now=now)
    with pytest.raises(TooManyBans):  # or an owner who lifts as many would fill the item
        bans.put("tiny", Ban(subject="soon", name="", reason="x", at=now))
    bans.put("tiny", Ban(subject="late", name="", reason="x", at=now + timedelta(days=2)))
    assert "player-3" not in bans.read("tiny").stored


def test_longest_bans_fit_into_their_item(stack: StackHarness) -> None:
    """As many bans as there may be, with the longest names and reasons, are stored."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    longest = {"reason": "\U0001f3c5" * 300, "name": "\U0001f3c5" * 63 + "x", "at": now.isoformat(), "changes": 1}
    longest |= {"lifted_at": None, "until": None}
    stored = [{"subject": f"{number:064}", **longest} for number in range(stored_bans.MAX_BANS - 1)]
    text = json.dumps(stored, ensure_ascii=False)
    stack.access.put(Schema.BANS, {"key": "bans#tiny", "counter": 1, "bans": text}, Absent("key"))

    BanStore(stack.access).put("tiny", Ban(subject="last", name="", reason="x", at=now))

    assert len(BanStore(stack.access).read("tiny").active) == stored_bans.MAX_BANS
