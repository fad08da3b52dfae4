"""What a guest did with a player key is taken along by joining, and a player key opens no account that exists."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from storage.players.issuer import TokenIssuer
from storage.players.players import GuestNameStore, PlayerStore
from storage.players.tokens import hash_secret
from storage.submissions.models import PlayerKind
from tests.harness.command_line import connect_commands, laurel
from tests.harness.factories import name_guest
from tests.harness.stack import GOOD, Answer, Api, StackHarness, failing, make_benchmark
from tests.integration.players.test_invitations import KEYS as REPEATS
from tests.integration.players.test_invitations import bearer, invite, join, problem
from tests.integration.players.test_own_data import erase, erase_with_crashes, public_texts, read_export

KEY, OTHER_KEY = ({"Laurel-Player-Key": f"player_{digit * 32}"} for digit in "12")
NAME = "Zoë Quartz"
QUERY = {"player": NAME}
OWNER = f"key {hash_secret(KEY['Laurel-Player-Key'])}"
REJECTED = (422, "invalid-player-key")


def play(api: Api, headers: dict[str, str] = KEY, **query: str) -> Answer:
    """Submit as the guest."""
    return api.post(headers=headers, query={**QUERY, **query})


def own_id(api: Api, played: Answer) -> str:
    """Return the id of the player of a submission."""
    assert played.status == 202, played.text
    return str(api.get(played.body["status_url"]).body["player"])


def come_between(stack: StackHarness, operation: str, text: str, act: Callable[[], None]) -> None:
    """Act once, before the next request of an operation that has a text."""
    left = [act]

    def look(model: Any, params: Any, **_: Any) -> None:
        if left and model.name == operation and text in str(params["body"]):
            left.pop()()

    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", look)


def test_guest_becomes_a_verified_player(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """Id and row stay; runs say what they were; the receipt and the token open the early ones, no key does."""
    early = play(api)
    own = own_id(api, early)

    issued = join(api, invite(api, owner)["code"], NAME, **KEY)
    token = bearer(issued)
    late = api.post({**GOOD, "text": "TR-V017-4946,5001"}, headers=token)
    work()
    with_key = [
        play(api),
        read_export(api, KEY, **QUERY),
        erase(api, KEY, own, **QUERY),
        play(api, kind="model"),
    ]
    url = early.body["status_url"]
    receipt = {"Authorization": f"Bearer {early.body['receipt']}"}

    assert (issued.body["player"], issued.body["name"], own_id(api, late)) == (own, NAME, own)
    assert [api.get(each.body["status_url"]).body["verified"] for each in (early, late)] == [False, True]
    rows = stack.rows("tiny")
    assert (rows.player, rows.verified, rows.submissions) == ((own,), (True,), (2,))
    assert [problem(answer) for answer in with_key] == [(409, "name-taken")] * 4
    assert api.ask(f"{url}/withdrawal", {"reason": "a test"}, KEY).status == 403
    withdrawn = [api.ask(f"{url}/withdrawal", {"reason": "a test"}, headers) for headers in (receipt, token)]
    assert [answer.status for answer in withdrawn] == [200, 200]
    code = invite(api, owner, player=own)["code"]
    assert join(api, code).body["player"] == own


@pytest.mark.parametrize(
    ("name", "kind", "headers"),
    [
        ("Zoe", "human", KEY),
        (NAME, "model", KEY),
        (NAME, "human", OTHER_KEY),
        (NAME, "human", {}),
        ("Erased", "human", KEY),
    ],
)
def test_other_guests_are_not_taken_along(
    api: Api, owner: dict[str, str], name: str, kind: str, headers: dict[str, str]
) -> None:
    """Another name, kind or key, none, and an erased guest: a player with a new id joins."""
    play(api)
    play(api, player="Erased")
    erased = name_guest("Erased", PlayerKind.HUMAN, owner=OWNER).id
    assert erase(api, KEY, erased, player="Erased").status == 200

    wish = {"code": invite(api, owner)["code"], "name": name, "kind": kind}
    issued = api.ask("/api/invitations/join", wish, headers)

    assert (issued.status, issued.body["player"][0]) == (201, "p")


@pytest.mark.hostile
@pytest.mark.parametrize("name", [NAME, NAME.upper(), "Olga"])
def test_player_key_opens_no_account(api: Api, stack: StackHarness, owner: dict[str, str], name: str) -> None:
    """The key of a guest who joined, with another link, gets no token of the account; nor of anybody else's."""
    play(api)
    bearer(join(api, invite(api, owner)["code"], NAME, **KEY))
    before = stack.count_tokens()
    link = invite(api, owner)

    refused = join(api, link["code"], name, **KEY)

    assert problem(refused) == (409, "name-taken")
    assert stack.count_tokens() == before
    assert join(api, link["code"], "Bo", **KEY).status == 201


@pytest.mark.hostile
def test_key_is_checked_and_only_for_new_players(api: Api, owner: dict[str, str]) -> None:
    """A malformed key, one beside a token, and one by the link of a player or a team are rejected; no use is lost."""
    play(api)
    captain = bearer(came := join(api, invite(api, owner)["code"], "Blue Team"))
    member = api.ask("/api/invitations", {}, captain).body["code"]
    lost = invite(api, owner, player=came.body["player"])["code"]
    link = invite(api, owner)["code"]

    refused = [
        join(api, link, NAME, **{"Laurel-Player-Key": KEY["Laurel-Player-Key"].upper()}),
        join(api, link, **KEY, **captain),
        join(api, member, NAME, **KEY),
        join(api, lost, **KEY),
    ]

    assert [problem(answer) for answer in refused] == [REJECTED] * 4
    assert "expected none" in refused[1].text + refused[2].text + refused[3].text
    assert [join(api, *wish).status for wish in ((link, NAME), (member, NAME), (lost,))] == [201] * 3


@pytest.mark.hostile
@pytest.mark.parametrize(("subject", "status"), [("player", 403), ("name", 202)])
def test_joining_ends_no_ban_of_the_player(
    api: Api, owner: dict[str, str], work: Callable[[], None], subject: str, status: int
) -> None:
    """A ban of the guest's id holds for the account; that of a name is one of guests, as for all who join."""
    own = own_id(api, play(api))
    ban = {subject: own if subject == "player" else NAME, "reason": "sends the answers of others"}
    assert api.ask("/api/benchmarks/tiny/ban", ban, owner).status == 200
    work()

    issued = join(api, invite(api, owner)["code"], NAME, **KEY)

    assert issued.body["player"] == own
    assert api.post(headers=bearer(issued)).status == status


def test_joining_renews_no_tries(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """What the guest has used of a quota, the account has used."""
    stack.publish(make_benchmark(submissions={"per_day": 1}))
    play(api)

    token = bearer(join(api, invite(api, owner)["code"], NAME, **KEY))

    assert problem(api.post({**GOOD, "text": "TR-V017-4946,5001"}, headers=token)) == (429, "quota-exhausted")


def test_account_of_a_guest_is_exported_and_erased(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """The export has what came before and after; the erasure takes all of it, the guest's number too, for good."""
    stack.publish(make_benchmark(id="twin", title="Twin"))
    play(api, OTHER_KEY)
    own = own_id(api, play(api))
    token = bearer(join(api, invite(api, owner)["code"], NAME, **KEY))
    api.post({**GOOD, "text": "TR-V017-4946,5001"}, headers=token)
    work()
    export = read_export(api, token).body

    answer, deaths = erase_with_crashes(api, stack, token, own)
    work()

    assert (export["name"], export["verified"], len(export["benchmarks"]["tiny"]["history"])) == (NAME, True, 2)
    assert (answer.status, deaths >= 4) == (200, True)
    assert own not in "".join(public_texts(stack))
    guest = name_guest(NAME, PlayerKind.HUMAN, owner=OWNER)
    owners = GuestNameStore(stack.access).read(guest)
    assert (owners.is_erased, owners.is_verified, owners.kept) == (True, False, None)
    assert guest.id[7:19] not in owners.numbers
    assert [problem(play(api))[0], play(api, OTHER_KEY).status] == [403, 202]
    again = join(api, invite(api, owner)["code"], NAME, **KEY)
    assert (again.status, again.body["player"][0]) == (201, "p")


@pytest.mark.hostile
def test_interrupted_erasure_opens_no_account(api: Api, stack: StackHarness, owner: dict[str, str]) -> None:
    """While the names of an account are free already, the guest's key still adds nothing to it, nor revives it."""
    own = own_id(api, play(api))
    token = bearer(join(api, invite(api, owner)["code"], NAME, **KEY))
    with failing(stack.cloud.dynamodb, "TransactWriteItems"):
        assert erase(api, token, own).status in {500, 503}
    assert PlayerStore(stack.access).find_namesake(NAME) is None

    played, joined = play(api), join(api, invite(api, owner)["code"], NAME, **KEY)

    assert problem(played) == (409, "name-taken")
    assert (joined.status, joined.body["player"] != own) == (201, True)
    assert erase(api, token, own).status == 200


@pytest.mark.hostile
@pytest.mark.parametrize("moment", ["read", "write"])
def test_two_who_join_at_once_by_one_key(
    api: Api, stack: StackHarness, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """One gets the account, the other is told that the name is taken, and the link stays; a repeat is the same."""
    own = own_id(api, play(api))
    links = [invite(api, owner) for _ in "ab"]
    answers: list[Answer] = []

    def come() -> None:
        answers.append(join(api, links[1]["code"], NAME, REPEATS[1], **KEY))

    if moment == "read":  # between that of the guest and that of the account
        issue, left = TokenIssuer.issue, [come]

        def issue_later(*given: Any, **more: Any) -> None:
            if left:
                left.pop()()
            issue(*given, **more)

        monkeypatch.setattr(TokenIssuer, "issue", issue_later)
    else:
        come_between(stack, "TransactWriteItems", "player#guest--", come)
    answers.append(join(api, links[0]["code"], NAME, REPEATS[0], **KEY))

    assert [answers[0].body["player"], problem(answers[1])] == [own, (409, "name-taken")]
    assert join(api, links[1]["code"], NAME, REPEATS[1], **KEY).body == answers[0].body
    assert [stack.count_tokens(), join(api, links[0]["code"], "Bo").status] == [2, 201]


@pytest.mark.hostile
def test_who_erases_and_joins_at_once(
    api: Api, stack: StackHarness, owner: dict[str, str], work: Callable[[], None]
) -> None:
    """If the guest is erased first, a new player joins; if it joins first, the account and its rows stay."""
    own = own_id(api, play(api))
    codes = [invite(api, owner)["code"] for _ in "ab"]
    joined: list[Answer] = []
    come_between(stack, "PutItem", "erased_at", lambda: joined.append(join(api, codes[0], NAME, **KEY)))

    late = erase(api, KEY, own, **QUERY)
    work()

    assert (joined[0].body["player"], problem(late)) == (own, (409, "name-taken"))
    assert stack.rows("tiny").player == (own,)
    bo = own_id(api, play(api, player="Bo"))
    come_between(stack, "TransactWriteItems", bo, lambda: joined.append(erase(api, KEY, bo, player="Bo")))
    issued = join(api, codes[1], "Bo", **KEY)
    assert (joined[1].status, issued.status, issued.body["player"][0]) == (200, 201, "p")


def test_command_joins_with_the_key(api: Api, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`laurel join` with a player key takes the guest along."""
    own = own_id(api, play(api))
    code = invite(api, owner)["code"]
    connect_commands(api, monkeypatch)

    joined = laurel("join", code, "--name", NAME, "--player-key", KEY["Laurel-Player-Key"], "--json")

    assert json.loads(joined.stdout)["player"] == own
