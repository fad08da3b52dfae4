"""`laurel token` as the administrator types it."""

import json
import secrets
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.commands import tokens
from cli.main import app
from storage.access.players import PlayerStore
from storage.access.tokens import TOKEN_PREFIX, TokenStore
from storage.actors import Actor, Role
from storage.audit import Action, AuditTrail
from storage.aws.bucket import Bucket
from tests.harness.clock import Clock
from tests.harness.factories import make_player
from tests.harness.stack import COINS, Api, StackHarness, make_benchmark

WIDE = {"COLUMNS": "200"}
OPERATOR = Actor(id="local:admin", role=Role.OPERATOR)


@pytest.fixture(autouse=True)
def service(stack: StackHarness, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tokens.TokenService:
    """The command line speaks to this test's cloud, where two benchmarks are published."""
    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))
    service = tokens.TokenService(
        PlayerStore(stack.access),
        TokenStore(stack.access),
        AuditTrail(Bucket(stack.cloud.s3, stack.results_bucket), clock, secrets.token_bytes),
        lambda: OPERATOR,
    )
    monkeypatch.setattr(tokens, "open_token_service", lambda _: service)
    return service


def laurel(*arguments: str) -> Any:
    """Type a command."""
    return CliRunner(env=WIDE).invoke(app, ["token", *arguments])


def create(*arguments: str) -> dict[str, Any]:
    """Make a token."""
    done = laurel("create", "--player", "heron", "--json", *arguments)
    assert done.exit_code == 0, done.output
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_new_token_submits_under_its_player(api: Api) -> None:
    """A new token submits under its player's name."""
    made = create("--name", "Heron Large", "--email", "heron@example.com", "--benchmark", "tiny")

    answer = api.post(headers={"Authorization": f"Bearer {made['token']}"})

    assert made["token"].startswith(TOKEN_PREFIX)
    assert api.get(answer.body["status_url"]).body["name"] == "Heron Large"


def test_token_is_shown_once(stack: StackHarness) -> None:
    """The token is on a line of its own, and nothing shows it again."""
    done = laurel("create", "--player", "heron", "--benchmark", "tiny,coins", "--expires", "90d")

    secret, summary, advice, undo = done.stdout.splitlines()
    listed = json.loads(laurel("list", "--json").stdout)
    assert secret.startswith(TOKEN_PREFIX)
    assert summary.startswith("for heron (heron, human): submit on coins, tiny until 20")
    assert "shown only this once" in advice
    assert undo == f"To revoke it: laurel token revoke {listed[0]['id']}"
    assert secret not in laurel("list").stdout + laurel("list", "--json").stdout + str(stack.items("AccessTable"))


def test_list_shows_every_token_and_its_state() -> None:
    """Every token is listed with its player and its state."""
    first = create("--email", "heron@example.com")
    create("--scope", "own", "--scope", "submit", "--benchmark", "tiny")
    laurel("revoke", first["id"])

    listed = json.loads(laurel("list", "--json").stdout)
    shown = laurel("list").stdout

    assert [(token["state"], token["scopes"], token["benchmarks"]) for token in listed] == [
        ("revoked", ["submit"], []),
        ("active", ["own", "submit"], ["tiny"]),
    ]
    assert "heron@example.com" in shown
    assert "all" in shown


def test_revoked_token_is_rejected(api: Api, stack: StackHarness) -> None:
    """A revoked token is rejected at once."""
    stack.publish(make_benchmark())
    made = create()

    done = laurel("revoke", made["id"])

    assert done.stdout == f"token {made['id']} of heron is revoked\n"
    assert api.post(headers={"Authorization": f"Bearer {made['token']}"}).status == 401


def test_second_token_keeps_the_player() -> None:
    """Another token keeps name, kind and address of its player, unless it names others."""
    create("--name", "Heron Large", "--kind", "model", "--email", "heron@example.com")

    second = create()
    third = create("--name", "Heron Huge", "--scope", "host", "--rename")

    assert (second["name"], second["kind"], second["email"]) == ("Heron Large", "model", "heron@example.com")
    assert (third["name"], third["kind"], third["scopes"]) == ("Heron Huge", "model", ["host"])


def test_player_is_renamed_only_if_asked(service: tokens.TokenService, stack: StackHarness) -> None:
    """Another name for a player who has one is an error that stores nothing; the trail says that it is new."""
    create("--name", "Heron Large")
    before = stack.items("AccessTable")

    refused = laurel("create", "--player", "heron", "--name", "Other")
    unchanged = stack.items("AccessTable") == before
    create("--name", "Other", "--rename")

    assert "the player heron is called 'Heron Large' on every board" in str(refused.exception)
    assert "add --rename to make it 'Other'" in str(refused.exception)
    assert unchanged
    details = [entry.detail for entry in service.trail.list_entries()]
    assert {detail.get("renamed") for detail in details} == {None, "yes"}
    assert "Heron" not in str(details)


def test_guest_who_joined_gets_another_token(api: Api, stack: StackHarness) -> None:
    """The account of a guest who has joined is one as any other."""
    own = f"guest--{'0' * 20}"
    stack.keep_account(make_player(own, "Ada"))

    made = create("--player", own)

    answer = api.post(headers={"Authorization": f"Bearer {made['token']}"})
    assert (made["name"], api.get(answer.body["status_url"]).body["player"]) == ("Ada", own)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--player", "Heron"), "--player: expected 1 to 64 of a-z, 0-9 and -"),
        (("--player", "guest-heron"), "`guest-…` only of a guest who has joined"),
        (("--player", "heron", "--name", "a\u202eb"), "--name: this name contains an invisible character (U+202E)"),
        (("--player", "heron", "--email", "a@b\nBcc: c@d"), "--email: expected one address"),
        (("--player", "heron", "--email", "heron"), "--email: expected one address"),
        (("--player", "heron", "--benchmark", "tiny,coin"), "there is no benchmark 'coin'; did you mean 'coins'?"),
        (("--player", "heron", "--benchmark", "tiny,,coins"), "--benchmark: expected ids separated by commas"),
        (("--player", "heron", "--scope", "own"), "--scope own: expected the benchmarks"),
        (("--player", "heron", "--expires", "soon"), "--expires: expected hours, days or weeks"),
        (("--player", "heron", "--expires", "0d"), "--expires: expected hours, days or weeks"),
        (("--player", "heron", "--expires", "1m"), "; instead of a month write 30d, found '1m', which is minutes"),
    ],
)
def test_invalid_token_request_is_rejected(stack: StackHarness, arguments: tuple[str, ...], words: str) -> None:
    """The error says what was expected, and nothing is stored."""
    before = stack.items("AccessTable")

    done = laurel("create", *arguments)

    assert done.exit_code == 1
    assert words in str(done.exception)
    assert stack.items("AccessTable") == before


def test_name_like_that_of_another_player_is_rejected(stack: StackHarness) -> None:
    """No two verified players look alike."""
    create("--name", "Heron")
    before = stack.items("AccessTable")

    done = laurel("create", "--player", "imposter", "--name", "Неrоn")  # three Cyrillic letters

    assert "is taken, or looks like one that is" in str(done.exception)
    assert stack.items("AccessTable") == before


def test_revoke_of_unknown_token_is_an_error() -> None:
    """The error names the id."""
    done = laurel("revoke", "abc")

    assert (done.exit_code, str(done.exception)) == (1, "there is no token 'abc'")


def test_audit_trail_has_create_and_revoke(service: tokens.TokenService) -> None:
    """The entries name operator and token, and hold no secret."""
    made = create("--benchmark", "tiny")
    laurel("revoke", made["id"])

    lines = list(service.trail.list_entries())

    assert [(entry.action, entry.actor, entry.subject) for entry in sorted(lines, key=lambda entry: entry.action)] == [
        (Action.CREATE_TOKEN, OPERATOR, made["id"]),
        (Action.REVOKE_TOKEN, OPERATOR, made["id"]),
    ]
    assert made["token"].removeprefix("laurel_") not in str(lines)
