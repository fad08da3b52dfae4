"""A guest's player key: whose the name is, what it costs, and that it is seen nowhere."""

import json
from typing import Any

import pytest

from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player, name_guest
from tests.harness.stack import Answer, Api, StackHarness, make_benchmark

pytestmark = pytest.mark.usefixtures("tiny")

KEYS = [f"player_{digit * 32}" for digit in "0123456789abcdef"]
ADA = {"player": "Ada"}


def play(api: Api, key: str | None, name: str = "Ada", **headers: str) -> Answer:
    """Submit as a guest, with a player key or without."""
    return api.post(headers=headers | ({} if key is None else {"Laurel-Player-Key": key}), query={"player": name})


def shown(api: Api, answer: Answer) -> tuple[str, str]:
    """Return id and name of the player of a submission."""
    body: dict[str, Any] = api.get(answer.body["status_url"]).body
    return body["player"], body["name"]


def test_name_is_its_keys(api: Api) -> None:
    """The same name with another key is another player, told apart on sight; without one it is who it was before."""
    first, second, plain, again = (shown(api, play(api, key)) for key in (KEYS[0], KEYS[1], None, KEYS[0]))
    other_name = shown(api, play(api, KEYS[0], "Bo"))

    assert [name for _, name in (first, second, plain, again)] == ["Ada", "Ada ·2", "Ada", "Ada"]
    assert first == again
    assert len({first[0], second[0], plain[0]}) == 3
    assert plain[0] == name_guest("Ada", PlayerKind.HUMAN).id
    assert other_name[1] == "Bo"


@pytest.mark.parametrize(
    ("headers", "query", "problem"),
    [
        ({"Laurel-Player-Key": "secret"}, ADA, "invalid-player-key"),
        ({"Laurel-Player-Key": KEYS[10].upper()}, ADA, "invalid-player-key"),
        ({"Laurel-Player-Key": f"{KEYS[0]}0"}, ADA, "invalid-player-key"),
        ({"Laurel-Player-Key": KEYS[0]}, {}, "player-needed"),
        ({"Laurel-Player-Key": KEYS[0]}, {"player": "Ada ·2"}, "invalid-player"),
        ({}, {"player": KEYS[0]}, "invalid-player"),
    ],
)
def test_wrong_key_is_rejected(
    api: Api, stack: StackHarness, headers: dict[str, str], query: dict[str, str], problem: str
) -> None:
    """A key of another form, without a name or in the place of one is rejected and not repeated; nothing is left."""
    before = stack.left_behind()

    answer = api.post(headers=headers, query=query)

    assert (answer.status, answer.body["type"]) == (422, f"urn:laurel:problem:{problem}")
    assert KEYS[0] not in answer.text
    assert "secret" not in answer.text
    assert stack.left_behind() == before


def test_key_beside_a_token_is_rejected(api: Api, stack: StackHarness) -> None:
    """The token says who played, a host's too."""
    for scope in (Scope.SUBMIT, Scope.HOST):
        headers = stack.issue_token(make_player("maze", "Maze"), scope)
        query = ADA if scope is Scope.HOST else {}

        answer = api.post(headers={**headers, "Laurel-Player-Key": KEYS[0]}, query=query)

        assert (answer.status, answer.body["errors"][0]["parameter"]) == (422, "Laurel-Player-Key")


def test_idempotency_key_of_another_player(api: Api, stack: StackHarness) -> None:
    """A repeat is the same submission; with another player key, or none, an idempotency key is another one."""
    first = play(api, KEYS[0], **{"Idempotency-Key": "run-1"})
    again = play(api, KEYS[0], **{"Idempotency-Key": "run-1"})
    own = play(api, KEYS[0], "Ida", **{"Idempotency-Key": "run-1"})
    others = [play(api, key, **{"Idempotency-Key": "run-1"}) for key in (KEYS[1], None)]

    assert again.body == first.repeated
    assert (own.status, own.body["type"]) == (422, "urn:laurel:problem:idempotency-key-reused")
    assert [other.status for other in others] == [202, 202]
    assert len({first.body["submission"], *(other.body["submission"] for other in others)}) == 3
    assert len(stack.results()) == 3


def test_owned_guest_takes_no_verified_name(api: Api, stack: StackHarness) -> None:
    """A verified player's name, and one that looks like it, is nobody else's, whatever the key."""
    stack.keep_account(make_player("iris", "Iris"))

    answer = play(api, KEYS[0], "lris")

    assert (answer.status, answer.body["type"]) == (409, "urn:laurel:problem:name-taken")


def test_rejected_guest_owns_no_name(api: Api, stack: StackHarness) -> None:
    """A submission over the quota numbers no name: the next owner is the first."""
    stack.publish(make_benchmark(closes="2026-01-01T00:00:00Z"))

    answer = play(api, KEYS[0])

    assert answer.status == 403
    assert not [item for item in stack.items("AccessTable") if "owners" in item]


def test_name_costs_a_write_and_once(api: Api, stack: StackHarness) -> None:
    """A first submission costs a write, and one with a key another; later ones none; the key is stored nowhere."""
    calls: list[str] = []
    stack.cloud.dynamodb.meta.events.register("before-call.dynamodb", lambda model, **_: calls.append(model.name))

    def count(key: str | None) -> list[str]:
        play(api, "player_" + "f" * 32, "Warm")
        calls.clear()
        play(api, key)
        return sorted(calls)

    plain, first, later, second = count(None), count(KEYS[0]), count(KEYS[0]), count(KEYS[1])

    assert later == count(None) == ["BatchGetItem", "UpdateItem", "UpdateItem"]
    assert plain == ["BatchGetItem", "PutItem", "UpdateItem", "UpdateItem"]
    assert first == second == [*plain, "UpdateItem"]
    stored = json.dumps(
        [
            stack.items("AccessTable"),
            [stack.cloud.s3.head_object(Bucket=stack.results_bucket, Key=key)["Metadata"] for key in stack.results()],
        ],
        default=str,
    )
    assert not [key for key in KEYS if key.removeprefix("player_") in stored]


@pytest.mark.parametrize("name", ["Ada", "Bo", "ＡＤＡ", "Rubber Ducks", "Nguyễn Anh", "Zoë 👩‍💻"])
def test_key_opens_and_withdraws_what_it_made(api: Api, name: str) -> None:
    """Without its receipt a submission is its key's: details, withdrawal and undo; with any other key it is public."""
    play(api, KEYS[1], name)  # so that the name of the next owner is shown with a number
    path = play(api, KEYS[0], name).body["status_url"]
    own, other = ({"Laurel-Player-Key": key} for key in KEYS[:2])

    seen = [api.get(path, headers=headers).body for headers in (own, other, {})]
    refused = api.ask(f"{path}/withdrawal", {"reason": "Mine."}, other)
    withdrawn = api.ask(f"{path}/withdrawal", {"reason": "A mistake."}, own)
    undone = api.ask(f"{path}/withdrawal", {"undo": True}, own)

    assert [body["quota_left"] is not None for body in seen] == [True, False, False]
    assert (refused.status, refused.body["type"]) == (403, "urn:laurel:problem:not-yours")
    assert (withdrawn.status, withdrawn.body["withdrawn"]["by"]) == (200, "player")
    assert (undone.status, undone.body["withdrawn"]) == (200, None)
    assert [api.get(f"{path}/result", headers=headers).status for headers in (own, other)] == [303, 404]


@pytest.mark.parametrize("player", [None, "Ada"])
def test_key_opens_nothing_that_was_made_without_one(api: Api, player: str | None) -> None:
    """A guest without a name, and one whose name is nobody's, have no key."""
    path = api.post(query={"player": player} if player else {}).body["status_url"]

    answer = api.get(path, headers={"Laurel-Player-Key": KEYS[0]})

    assert (answer.status, answer.body["quota_left"]) == (200, None)


def test_malformed_key_opens_nothing(api: Api) -> None:
    """What is no player key is said, and not taken for none."""
    path = play(api, KEYS[0]).body["status_url"]

    answer = api.get(path, headers={"Laurel-Player-Key": "secret"})

    assert (answer.status, answer.body["type"]) == (422, "urn:laurel:problem:invalid-player-key")
