"""Invitations: who comes by a link gets a token, each use once, whatever else happens at that moment."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from http import HTTPStatus
from threading import Barrier
from typing import Any

import pytest

from api.dependencies import services
from api.players.invitations import routes
from api.players.invitations.views import JoinRequest
from handlers.http.auth import Caller
from handlers.http.problems import Problem
from storage.audit import Action
from storage.benchmarks.owners import OwnerStore
from storage.keys import utc_now
from storage.players.invitations import Invitation, InvitationStore
from storage.players.players import PlayerStore
from storage.players.tokens import Scope
from tests.harness.factories import make_player
from tests.harness.stack import COINS, Answer, Api, StackHarness, failing, make_benchmark

KEYS = [f"{digit * 32}" for digit in "0123456789abcdef"]


def invite(api: Api, owner: dict[str, str], **wish: Any) -> Any:
    """Make an invitation, and return it."""
    made = api.ask("/api/benchmarks/tiny/invite", wish, owner)
    assert made.status == 201, made.text
    return made.body


def join(api: Api, code: str, name: str | None = None, key: str | None = None, **headers: str) -> Answer:
    """Come by a link."""
    keyed = {"Idempotency-Key": key} if key else {}
    return api.ask("/api/invitations/join", {"code": code} | ({"name": name} if name else {}), {**keyed, **headers})


def bearer(issued: Answer) -> dict[str, str]:
    """Return the headers of a request with an issued token."""
    assert issued.status == 201, issued.text
    return {"Authorization": f"Bearer {issued.body['secret']}"}


def problem(answer: Answer) -> tuple[int, str]:
    """Return the status and the name of a problem."""
    return answer.status, answer.body["type"].removeprefix("urn:laurel:problem:")


def unlisted(stack: StackHarness) -> set[str]:
    """Return the tokens and invitations that are in no list."""
    items = stack.items("AccessTable")
    listed = {sha256 for item in items for sha256 in item.get("hashes", {}).get("SS", ())}
    keys = [item["key"]["S"].partition("#") for item in items]
    return {sha256 for kind, _, sha256 in keys if kind in {"token", "invitation"}} - listed


def test_from_an_invitation_to_a_submission(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """An owner invites; who opens the link gives a name, gets a token once, and submits; only hashes are stored."""
    made = invite(api, owner, uses=2, note="Class 7b")

    opened = api.ask("/api/invitations/open", {"code": made["code"]})
    issued = join(api, made["code"], "Ada")
    handed_in = api.post(headers=bearer(issued))

    assert (made["path"], made["state"], made["uses"]) == (f"/join#{made['code']}", "open", 2)
    assert (opened.body["title"], opened.body["allows"], opened.body["member"]) == ("Tiny", ["submit"], False)
    assert (issued.body["name"], issued.body["token"]["benchmarks"]) == ("Ada", ["tiny"])
    status = api.get(handed_in.body["status_url"]).body
    assert (status["name"], status["verified"], status["player"]) == ("Ada", True, issued.body["player"])
    stored = str(stack.items("AccessTable"))
    assert made["code"] not in stored
    assert issued.body["secret"].removeprefix("laurel_") not in stored
    found = api.get("/api/benchmarks/tiny/invitations", headers=owner).body
    (listed,) = found["invitations"]
    assert (listed["used"], listed["note"], "code" in listed) == ([issued.body["player"]], "Class 7b", False)
    assert found["names"] == {issued.body["player"]: "Ada"}
    assert [entry.action for entry in stack.trail.list_page(length=1000).entries] == [Action.INVITE]


def test_a_lost_answer_loses_no_use(api: Api, owner: dict[str, str]) -> None:
    """A repeat with its key gets the same token, also of a link that is used up; another key or name does not."""
    code = invite(api, owner)["code"]

    first, again = join(api, code, "Ada", KEYS[0]), join(api, code, "Ada", KEYS[0])
    other_key, other_name = join(api, code, "Bo", KEYS[1]), join(api, code, "Bo", KEYS[0])
    weak = join(api, code, "Bo", "1")

    assert (again.status, again.body) == (201, first.body)
    assert problem(other_key) == (409, "invitation-used-up")
    assert problem(other_name) == (422, "idempotency-key-reused")
    assert problem(weak) == (400, "invalid-idempotency-key")


def test_a_crash_leaves_neither_a_token_nor_a_use(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """If the transaction fails, the link can still be used, the name is free, and no token is stored."""
    code = invite(api, owner)["code"]
    before = stack.count_tokens()

    with failing(stack.cloud.dynamodb, "TransactWriteItems"):
        failed = join(api, code, "Ada", KEYS[0])
    tokens = stack.count_tokens()
    namesake = PlayerStore(stack.access).find_namesake("Ada")
    issued = join(api, code, "Ada", KEYS[0])

    assert failed.status in {500, 503}
    assert (tokens, namesake, issued.status) == (before, None, 201)


def test_a_token_lists_ends_and_erases_no_more_than_it_covers(
    api: Api, stack: StackHarness, owner: dict[str, str]
) -> None:
    """Neither another scope nor what its player created: each ends itself, and the last one may erase the player."""
    plays = join(api, invite(api, owner)["code"], "Ada")
    may_own = join(api, invite(api, owner, allows=["own"])["code"], **bearer(plays))
    player = plays.body["player"]
    for token, other in ((plays, may_own), (may_own, plays)):
        listed = api.get("/api/tokens", headers=bearer(token)).body["tokens"]
        ended = api.ask(f"/api/tokens/{other.body['token']['token']}/revoke", {}, bearer(token))
        erased = api.ask("/api/me/erasure", {"confirm": player}, bearer(token))

        assert [each["token"] for each in listed] == [token.body["token"]["token"]]
        assert (problem(ended), problem(erased)) == ((404, "not-found"), (403, "not-covered"))
        assert other.body["token"]["token"] in erased.body["detail"]

    assert api.ask(f"/api/tokens/{may_own.body['token']['token']}/revoke", {}, bearer(may_own)).status == 200
    OwnerStore(stack.access).claim("tiny", player=player)
    assert "created" in api.ask("/api/me/erasure", {"confirm": player}, bearer(plays)).body["detail"]


def test_who_submits_and_hosts_exports_and_erases_itself(
    api: Api, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """A host that names nobody is meant itself; whom it names is that player, whose results its export has."""
    both = bearer(join(api, invite(api, owner, allows=["submit", "host"])["code"], "Ada"))
    handed_in = api.post(headers=both, query={"player": "Bo"}).body["submission"]
    work()

    own = api.get("/api/me/export", headers=both)
    other = api("GET", "/api/me/export", headers=both, query={"player": "Bo"})

    assert (own.body["name"], other.body["name"]) == ("Ada", "Bo")
    assert (handed_in in own.text, handed_in in other.text) == (False, True)
    assert api.ask("/api/me/erasure", {"confirm": own.body["player"]}, both).status == 200


@pytest.mark.hostile
def test_many_at_once_get_as_many_tokens_as_there_are_uses(
    api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of eight who come at once by a link for three, three get a token: all have read it before one writes."""
    code = invite(api, owner, uses=3)["code"]
    find, first, together = InvitationStore.find, iter(range(8)), Barrier(8)

    def find_together(store: InvitationStore, sha256: str) -> Invitation | None:
        found = find(store, sha256)
        if next(first, None) is not None:
            together.wait(60)
        return found

    monkeypatch.setattr(InvitationStore, "find", find_together)

    def come(name: str) -> int:
        request = JoinRequest(code=code, name=f"Player {name}")
        try:
            routes.join(services(), Caller(origin="an address"), {}, request)
        except Problem as refused:
            return refused.status
        return HTTPStatus.CREATED

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(come, "abcdefgh"))

    assert statuses == [201] * 3 + [409] * 5
    assert stack.count_tokens() == 4  # with the owner's


@pytest.mark.hostile
def test_a_link_that_has_ended(
    api: Api, owner: dict[str, str], stack: StackHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that expired or was taken back issues nothing, and says why; so do tokens that are revoked with it."""
    codes_ = [invite(api, owner, days=2)["code"], (second := invite(api, owner, uses=2))["code"]]
    came = join(api, second["code"], "Ada")
    path = f"/api/benchmarks/tiny/invitations/{second['invitation']}/revoke"

    revoked = [api.ask(path, {}, owner), api.ask(path, {"tokens": True}, owner)]
    monkeypatch.setattr(services(), "clock", lambda: utc_now() + timedelta(days=3))
    late = [join(api, code, "Bo") for code in codes_]
    states = [api.ask("/api/invitations/open", {"code": code}).body["state"] for code in codes_]

    assert [problem(answer) for answer in late] == [(409, "invitation-expired"), (409, "invitation-revoked")]
    assert states == ["expired", "revoked"]
    assert [answer.body["state"] for answer in revoked] == ["revoked"] * 2
    assert problem(api.post(headers=bearer(came))) == (401, "revoked-token")
    assert [api.ask(path.replace("tiny", other), {}, owner).status for other in ("none",)] == [404]


@pytest.mark.hostile
def test_wrong_code_opens_nothing(api: Api, owner: dict[str, str]) -> None:
    """A code has 128 random bits, and no variant of it is one; a token does not help."""
    code = invite(api, owner)["code"]

    wrong = [join(api, guess, "Bo", **owner) for guess in (code[:-1], f"{code} ")]

    assert [problem(answer) for answer in wrong] == [(404, "not-found")] * 2
    assert len(code) == len("join_") + 22


@pytest.mark.hostile
def test_who_may_invite_to_what(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """Only an owner invites, to the own benchmark, and to no more than that."""
    stranger = stack.issue_token(make_player("bo", "Bo"), Scope.SUBMIT)
    host = bearer(join(api, invite(api, owner, allows=["host", "submit"])["code"], "Maze"))
    path = "/api/benchmarks/tiny/invite"

    refused = [api.ask(path, {}, headers) for headers in ({}, stranger, host)]
    wrong = [api.ask(path, wish, owner).status for wish in ({"allows": ["admin"]}, {"allows": ["organise"]})]
    wrong += [api.ask(path, wish, owner).status for wish in ({"uses": 0}, {"uses": 501}, {"days": 366}, {"x": 1})]

    assert [problem(answer)[0] for answer in refused] == [401, 403, 403]
    assert wrong == [422] * 6
    assert api.post(headers=host, query={"player": "Nina"}).status == 202


@pytest.mark.hostile
def test_a_name_that_cannot_be_given(api: Api, owner: dict[str, str]) -> None:
    """A name that is taken, claims a rank, or is a code is refused, and uses nothing up."""
    code = invite(api, owner)["code"]

    taken = join(api, code, "OIga")
    refused = [join(api, code, name) for name in ("Official", f"x {code}", " ", None)]

    assert problem(taken) == (409, "name-taken")
    assert [answer.status for answer in refused] == [422] * 4
    assert code not in refused[1].text
    assert join(api, code, "Ada").status == 201


def test_a_player_with_a_token_joins_another_benchmark(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """A player who comes with a token stays that player, with one more token, which ends only what it covers."""
    stack.publish(make_benchmark(COINS))
    both = stack.issue_token(make_player("olga", "Olga"), Scope.OWN)
    first = join(api, invite(api, owner)["code"], "Ada")
    code = api.ask("/api/benchmarks/coins/invite", {}, both).body["code"]

    named = join(api, code, "Bo", **bearer(first))
    second = join(api, code, **bearer(first))
    path = f"/api/tokens/{first.body['token']['token']}/revoke"
    listed = api.get("/api/tokens", headers=bearer(second)).body["tokens"]

    assert problem(named) == (422, "name-beside-player")
    assert (second.body["player"], second.body["token"]["benchmarks"]) == (first.body["player"], ["coins"])
    assert [token["benchmarks"] for token in listed] == [["coins"]]
    assert problem(api.ask(path, headers=bearer(second))) == (404, "not-found")
    assert api.post(headers=bearer(first)).status == 202


def test_a_team_from_first_to_last_day(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """A player's own link adds members: one row; each has a token, which the player revokes or its member ends."""
    captain = bearer(came := join(api, invite(api, owner)["code"], "Blue Team"))
    link = api.ask("/api/invitations", {"uses": 2}, captain)

    joined = [join(api, link.body["code"], name) for name in ("Ada", "Bo", "Cy")]
    ada, bo = map(bearer, joined[:2])
    handed_in = [api.post(headers=headers) for headers in (captain, ada, bo)]
    work()
    team = api.get("/api/tokens", headers=captain).body
    ids = {token["member"]: token["token"] for token in team["tokens"]}
    refused = [
        api.ask(f"/api/tokens/{ids[None]}/revoke", headers=ada),
        api.ask(f"/api/tokens/{ids['Bo']}/revoke", headers=ada),
        api.ask("/api/invitations", {}, ada),
        join(api, invite(api, owner)["code"], **ada),
        api.ask(f"/api/tokens/{ids['Bo']}/revoke", headers=owner),
    ]
    ended = [
        api.ask(f"/api/tokens/{ids['Ada']}/revoke", headers=ada),
        api.ask(f"/api/tokens/{ids['Bo']}/revoke", headers=captain),
    ]

    assert problem(joined[2]) == (409, "invitation-used-up")
    assert {answer.body["player"] for answer in (came, *joined[:2])} == {team["player"]}
    assert [answer.status for answer in handed_in] == [202] * 3
    assert [(token["member"], token["current"]) for token in team["tokens"]] == [
        (None, True),
        ("Ada", False),
        ("Bo", False),
    ]
    assert api.get("/api/tokens", headers=ada).status == 401
    assert [answer.status for answer in refused] == [403, 403, 403, 403, 404]
    assert [answer.status for answer in ended] == [200, 200]
    assert problem(api.post(headers=bo)) == (401, "revoked-token")
    assert "Ada" not in str(stack.items("AccessTable"))
    assert stack.rows("tiny").name == ("Blue Team",)


def test_two_members_at_once_spend_the_last_try(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """A member who submits while another does gets the last try, or the other does; both learn that none is left."""
    stack.publish(make_benchmark(submissions={"per_day": 2, "in_all": 1, "anonymous": False}))
    captain = bearer(join(api, invite(api, owner)["code"], "Blue Team"))
    code = api.ask("/api/invitations", {"uses": 2}, captain).body["code"]
    ada, bo = (bearer(join(api, code, name)) for name in ("Ada", "Bo"))
    answers: list[Answer] = []
    members = [bo]

    def come_between(model: Any, params: Any, **_: Any) -> None:
        if members and model.name == "UpdateItem" and "quota#" in str(params["body"]):
            answers.append(api.post(headers=members.pop()))

    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", come_between)
    answers.append(api.post(headers=ada))

    assert [answer.status for answer in answers] == [202, 403]
    assert problem(answers[1]) == (403, "tries-used-up")
    left = [api.get("/api/benchmarks/tiny", headers=headers).body["left_in_all"] for headers in (captain, ada, bo)]
    assert left == [0] * 3


def test_erasing_a_player_ends_its_team(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """With a player its members' tokens end, and their names go; a link to it opens nothing any more."""
    captain = bearer(came := join(api, invite(api, owner)["code"], "Blue Team"))
    code = api.ask("/api/invitations", {"uses": 2}, captain).body["code"]
    member = bearer(join(api, code, "Nina"))
    wish = {"confirm": came.body["player"]}

    late: list[Answer] = []
    names = ["Otto"]

    def come_between(model: Any, params: Any, **_: Any) -> None:
        if names and model.name in {"PutItem", "TransactWriteItems"} and "erased_at" in str(params["body"]):
            late.append(join(api, code, names.pop()))

    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", come_between)
    refused, erased = api.ask("/api/me/erasure", wish, member), api.ask("/api/me/erasure", wish, captain)

    assert (refused.status, erased.status, late[0].status) == (403, 200, 201)
    assert [api.post(headers=headers).status for headers in (member, bearer(late[0]))] == [401, 401]
    stored = str(stack.items("AccessTable"))
    assert not [name for name in ("Nina", "Otto", "Blue Team") if name in stored]
    assert PlayerStore(stack.access).find_namesake("Blue Team") is None
    assert problem(join(api, code, "Bo")) == (404, "not-found")


def test_a_lost_token_is_replaced_by_the_organiser(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """A link for a player who came by an invitation replaces the token on this benchmark; of others none is made."""
    heron = stack.issue_token(make_player("heron", "Heron"), Scope.SUBMIT)
    lost = bearer(came := join(api, invite(api, owner)["code"], "Ada"))
    member = bearer(join(api, api.ask("/api/invitations", {}, lost).body["code"], "Bo"))

    code = invite(api, owner, player=came.body["player"])["code"]
    opened = api.ask("/api/invitations/open", {"code": code}).body
    found = join(api, code)

    assert (opened["player_name"], opened["member"]) == ("Ada", False)
    assert found.body["player"] == came.body["player"]
    assert [api.post(headers=headers).status for headers in (lost, bearer(found), member)] == [401, 202, 202]
    assert problem(api.ask("/api/benchmarks/tiny/invite", {"player": "heron"}, owner)) == (404, "not-found")
    assert api.post(headers=heron).status == 202


@pytest.mark.parametrize("kind", ["token", "invitation"])
def test_what_is_about_to_be_stored_stays_listed(
    api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """If two take the last place of a list at the same moment, all that is stored is listed."""
    monkeypatch.setattr("storage.players.invitations.MAX_OPEN", 3)
    monkeypatch.setattr("storage.players.issuer.MAX_TOKENS", 2)
    captain = bearer(join(api, invite(api, owner, uses=2)["code"], "Team"))
    links = [api.ask("/api/invitations", {}, captain).body["code"] for _ in "ab"]
    invite(api, owner)
    before = unlisted(stack)
    answers: list[Answer] = []
    writes = {"PutItem", "TransactWriteItems"}

    def make(number: int) -> Answer:
        if kind == "token":
            return join(api, links[number], f"Member {number}")
        return api.ask("/api/benchmarks/tiny/invite", {}, owner)

    def come_between(model: Any, params: Any, **_: Any) -> None:
        if model.name in writes and f"{kind}#" in str(params["body"]):
            writes.clear()
            answers.append(make(1))

    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", come_between)
    answers.append(make(0))

    assert [answer.status for answer in answers] == [201, 409]
    assert unlisted(stack) == before


def test_tokens_and_links_have_an_end(api: Api, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark has so many open links and a player so many tokens; ended ones make room."""
    monkeypatch.setattr("storage.players.invitations.MAX_OPEN", 2)
    monkeypatch.setattr("storage.players.issuer.MAX_TOKENS", 2)
    link = invite(api, owner, uses=3)
    captain = bearer(join(api, link["code"], "Team"))
    members = api.ask("/api/invitations", {"uses": 3}, captain).body

    first, second, third = (join(api, members["code"], name) for name in ("Ada", "Bo", "Bo"))
    invite(api, owner)
    many = api.ask("/api/benchmarks/tiny/invite", {}, owner)
    api.ask(f"/api/benchmarks/tiny/invitations/{link['invitation']}/revoke", {}, owner)
    api.ask(f"/api/invitations/{members['invitation']}/revoke", headers=captain)

    assert [problem(answer) for answer in (second, third)] == [(409, "too-many-tokens")] * 2
    assert first.status == 201
    assert problem(many) == (409, "too-many-invitations")
    assert invite(api, owner)["state"] == "open"
    assert problem(join(api, members["code"], "Cy")) == (409, "invitation-revoked")
