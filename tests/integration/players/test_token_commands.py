"""`laurel token` and `laurel tokens` as the administrator types them: calls of the API with a token."""

import json
from typing import Any

import pytest

from storage.actors import Actor, Role
from storage.audit import Action
from storage.players.tokens import TOKEN_PREFIX, Scope
from tests.harness import command_line
from tests.harness.clock import START
from tests.harness.command_line import connect_commands
from tests.harness.factories import make_player
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

ADMIN = f"{TOKEN_PREFIX}of-the-administrator"


@pytest.fixture(autouse=True)
def connected(stack: StackHarness, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line speaks to this test's API, where two benchmarks are published."""
    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))
    stack.issue_token(make_player("gus", "Gus"), Scope.ADMIN, secret=ADMIN)
    connect_commands(api, monkeypatch)


def laurel(*arguments: str, token: str = ADMIN) -> Any:
    """Type a command."""
    return command_line.laurel(*arguments, token=token)


def create(*arguments: str) -> dict[str, Any]:
    """Make a token."""
    done = laurel("token", "--player", "heron", "--json", *arguments)
    assert done.exit_code == 0, done.output
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def list_tokens(player: str = "heron") -> list[dict[str, Any]]:
    """List the tokens of a player."""
    listed: list[dict[str, Any]] = json.loads(laurel("tokens", "--player", player, "--json").stdout)["tokens"]
    return listed


def test_new_token_submits_under_its_player(api: Api) -> None:
    """A new token submits under its player's name."""
    made = create("--name", "Heron Large", "--email", "heron@example.com", "--benchmark", "tiny")

    answer = api.post(headers={"Authorization": f"Bearer {made['secret']}"})

    assert made["secret"].startswith(TOKEN_PREFIX)
    assert api.get(answer.body["status_url"]).body["name"] == "Heron Large"


def test_token_is_shown_once(stack: StackHarness) -> None:
    """The token is on a line of its own, and nothing shows it again."""
    done = laurel("token", "--player", "heron", "--benchmark", "tiny,coins", "--expires", "90d")

    secret, summary, advice, undo = done.stdout.splitlines()
    (listed,) = list_tokens()
    assert secret.startswith(TOKEN_PREFIX)
    assert summary.startswith("for heron (heron, human): submit on coins, tiny until 20")
    assert "shown only this once" in advice
    assert undo == f"To revoke it: laurel tokens --revoke {listed['token']} --player heron"
    assert secret not in laurel("tokens", "--player", "heron").stdout + str(listed) + str(stack.items("AccessTable"))


def test_list_shows_the_tokens_that_hold() -> None:
    """Tokens that hold are listed with their scopes, the oldest first; one that is revoked is not."""
    revoked = create("--email", "heron@example.com")
    create("--scope", "own", "--scope", "submit", "--benchmark", "tiny")
    create("--scope", "admin", "--expires", "12w")
    laurel("tokens", "--revoke", revoked["token"]["token"], "--player", "heron")

    listed = list_tokens()
    shown = laurel("tokens", "--player", "heron").stdout

    assert [(token["allows"], token["benchmarks"]) for token in listed] == [
        (["own", "submit"], ["tiny"]),
        (["admin"], []),
    ]
    assert ("own, submit" in shown, "every benchmark" in shown, "heron@example.com" in shown) == (True, True, False)


def test_admin_token_ends_as_others(stack: StackHarness) -> None:
    """A token of scope admin ends at its time, and when it is revoked."""
    ended, revoked = f"{TOKEN_PREFIX}ended", create("--scope", "admin")
    stack.issue_token(make_player("ida", "Ida"), Scope.ADMIN, secret=ended, ends_at=START)

    laurel("tokens", "--revoke", revoked["token"]["token"], "--player", "heron", token=revoked["secret"])

    errors = [laurel("tokens", "--player", "heron", token=secret).exception for secret in (ended, revoked["secret"])]
    assert ["this token expired" in str(errors[0]), "this token was revoked" in str(errors[1])] == [True, True]


def test_second_token_keeps_the_player() -> None:
    """Another token keeps name and kind of its player."""
    create("--name", "Heron Large", "--kind", "model")

    second = create()
    third = create("--scope", "host")

    for made, scope in ((second, "submit"), (third, "host")):
        assert (made["name"], made["kind"], made["token"]["allows"]) == ("Heron Large", "model", [scope])


def test_player_is_renamed_only_if_asked(api: Api, stack: StackHarness) -> None:
    """Another name for a player who has one is an error that stores nothing; the trail says that it is new."""
    create("--name", "Heron Large")
    before = stack.items("AccessTable")

    refused = laurel("token", "--player", "heron", "--name", "Other")
    unchanged = stack.items("AccessTable") == before
    asked = {"player": "heron", "name": "Other", "rename": True}
    renamed = api.ask("/api/tokens/create", asked, {"Authorization": f"Bearer {ADMIN}"})

    assert "the player heron is called 'Heron Large' on every board" in str(refused.exception)
    assert "`rename: true` makes it 'Other'" in str(refused.exception)
    assert (unchanged, renamed.status, renamed.body["name"]) == (True, 201, "Other")
    details = [entry.detail for entry in stack.trail.list_page(length=1000).entries]
    assert {detail.get("renamed") for detail in details} == {None, "yes"}
    assert "Heron" not in str(details)


def test_guest_who_joined_gets_another_token(api: Api, stack: StackHarness) -> None:
    """The account of a guest who has joined is one as any other."""
    own = f"guest--{'0' * 20}"
    stack.keep_account(make_player(own, "Ada"))

    made = create("--player", own)

    answer = api.post(headers={"Authorization": f"Bearer {made['secret']}"})
    assert (made["name"], api.get(answer.body["status_url"]).body["player"]) == ("Ada", own)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--player", "Heron"), "player: expected 1 to 64 of a-z, 0-9 and -"),
        (("--player", "guest-heron"), "`guest-…` only of a guest who has joined"),
        (("--player", "heron", "--name", "a\u202eb"), "name: this name contains an invisible character (U+202E)"),
        (("--player", "heron", "--email", "a@b\nBcc: c@d"), "/email: expected "),
        (("--player", "heron", "--benchmark", "tiny,coin"), "there is no benchmark 'coin'; did you mean 'coins'?"),
        (("--player", "heron", "--scope", "own"), "scopes: expected the benchmarks"),
        (("--player", "heron", "--expires", "soon"), "--expires: expected 12h, 90d or 52w"),
        (("--player", "heron", "--expires", "1m"), "for a month 30d, found '1m'"),
    ],
)
def test_invalid_token_request_is_rejected(stack: StackHarness, arguments: tuple[str, ...], words: str) -> None:
    """The error says what was expected, and nothing is stored."""
    before = stack.items("AccessTable")

    done = laurel("token", *arguments)

    assert done.exit_code != 0
    assert words in str(done.exception)
    assert stack.items("AccessTable") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tokens", "--player", "nobody"), "there is no player of this id"),
        (("tokens", "--revoke", "abc", "--player", "gus"), "gus has no such token"),
        (("tokens", "--revoke", "abc", "--player", "Gus"), "there is no player of this id"),
    ],
)
def test_what_does_not_exist_is_an_error(arguments: tuple[str, ...], words: str) -> None:
    """The error says what there is not."""
    assert words in str(laurel(*arguments).exception)


def test_audit_trail_has_create_and_revoke(stack: StackHarness) -> None:
    """The entries name the administrator and the token, and hold no secret."""
    made = create("--benchmark", "tiny")
    laurel("tokens", "--revoke", made["token"]["token"], "--player", "heron")

    lines = stack.trail.list_page(length=1000).entries

    assert sorted(entry.action for entry in lines) == [Action.CREATE_TOKEN, Action.REVOKE_TOKEN]
    assert {(entry.actor, entry.subject) for entry in lines} == {
        (Actor(id="gus", role=Role.ADMIN), made["token"]["token"])
    }
    assert made["secret"].removeprefix("laurel_") not in str(lines)
