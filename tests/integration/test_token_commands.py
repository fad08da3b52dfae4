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
from storage.audit import Action, Actor, AuditTrail, Role
from storage.aws.bucket import Bucket
from storage.aws.table import Table
from tests.harness.stack import COINS, Api, Clock, StackHarness, make_benchmark

WIDE = {"COLUMNS": "200"}
OPERATOR = Actor(id="local:admin", role=Role.OPERATOR)


@pytest.fixture(autouse=True)
def desk(stack: StackHarness, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tokens.TokenService:
    """The command line speaks to this test's cloud, where two benchmarks are published."""
    stack.publish(make_benchmark())
    stack.publish(make_benchmark(COINS))
    table = stack.template.resources["AccessTable"].name
    here = tokens.TokenService(
        PlayerStore(Table(stack.cloud.dynamodb, table)),
        TokenStore(Table(stack.cloud.dynamodb, table)),
        AuditTrail(Bucket(stack.cloud.s3, stack.results_bucket), clock, secrets.token_bytes),
        lambda: OPERATOR,
    )
    monkeypatch.setattr(tokens, "open_token_service", lambda _: here)
    return here


def laurel(*arguments: str) -> Any:
    """Type a command."""
    return CliRunner(env=WIDE).invoke(app, ["token", *arguments])


def create(*arguments: str) -> dict[str, Any]:
    """Make a token."""
    done = laurel("create", "--player", "heron", "--json", *arguments)
    assert done.exit_code == 0, done.output
    made: dict[str, Any] = json.loads(done.stdout)
    return made


def test_a_token_opens_the_door(api: Api) -> None:
    """A token that was just made hands in under its player's name."""
    made = create("--name", "Heron Large", "--email", "heron@example.com", "--benchmark", "tiny")

    answer = api.post(headers={"Authorization": f"Bearer {made['token']}"})

    assert made["token"].startswith(TOKEN_PREFIX)
    assert api.get(answer.body["status_url"]).body["name"] == "Heron Large"


def test_the_token_is_shown_once(stack: StackHarness) -> None:
    """For people the token stands on a line of its own, and nothing shows it again."""
    done = laurel("create", "--player", "heron", "--benchmark", "tiny,coins", "--expires", "90d")

    secret, summary, advice = done.stdout.splitlines()
    assert secret.startswith(TOKEN_PREFIX)
    assert summary.startswith("for heron (heron, model): submit on coins, tiny until 20")
    assert "shown only this once" in advice
    assert secret not in laurel("list").stdout + laurel("list", "--json").stdout + str(stack.items("AccessTable"))


def test_list() -> None:
    """Every token is listed with whose it is and whether it holds."""
    first = create("--email", "heron@example.com")
    create("--scope", "own", "--scope", "submit", "--benchmark", "tiny")
    laurel("revoke", first["id"])

    listed = json.loads(laurel("list", "--json").stdout)
    shown = laurel("list").stdout

    assert [(one["state"], one["scopes"], one["benchmarks"]) for one in listed] == [
        ("revoked", ["submit"], []),
        ("active", ["own", "submit"], ["tiny"]),
    ]
    assert "heron@example.com" in shown
    assert "all" in shown


def test_revoked(api: Api, stack: StackHarness) -> None:
    """A revoked token opens nothing from that moment on."""
    stack.publish(make_benchmark())
    made = create()

    done = laurel("revoke", made["id"])

    assert done.stdout == f"token {made['id']} of heron is revoked\n"
    assert api.post(headers={"Authorization": f"Bearer {made['token']}"}).status == 401


def test_a_second_token_keeps_the_player() -> None:
    """Another token for a player leaves the name and the address as they are, unless it names others."""
    create("--name", "Heron Large", "--email", "heron@example.com")

    second = create()
    third = create("--name", "Heron Huge")

    assert (second["name"], second["email"]) == ("Heron Large", "heron@example.com")
    assert third["name"] == "Heron Huge"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--player", "Heron"), "--player: expected 1 to 64 of a-z, 0-9 and -"),
        (("--player", "guest-heron"), "not `guest` or `guest-…`"),
        (("--player", "heron", "--name", "a\u202eb"), "--name: expected no control"),
        (("--player", "heron", "--email", "a@b\nBcc: c@d"), "--email: expected one address"),
        (("--player", "heron", "--email", "heron"), "--email: expected one address"),
        (("--player", "heron", "--benchmark", "tiny,coin"), "there is no benchmark 'coin'; did you mean 'coins'?"),
        (("--player", "heron", "--benchmark", "tiny,,coins"), "--benchmark: expected ids separated by commas"),
        (("--player", "heron", "--scope", "own"), "--scope own: expected the benchmarks"),
        (("--player", "heron", "--expires", "soon"), "--expires: expected hours, days or weeks"),
        (("--player", "heron", "--expires", "0d"), "--expires: expected hours, days or weeks"),
    ],
)
def test_what_cannot_be_made(stack: StackHarness, arguments: tuple[str, ...], words: str) -> None:
    """A wish that cannot be fulfilled is refused with what was expected, and leaves nothing."""
    done = laurel("create", *arguments)

    assert done.exit_code == 1
    assert words in str(done.exception)
    assert stack.items("AccessTable") == []


def test_a_name_like_anothers(stack: StackHarness) -> None:
    """No two verified players look alike."""
    create("--name", "Heron")
    before = stack.items("AccessTable")

    done = laurel("create", "--player", "imposter", "--name", "Неrоn")  # three Cyrillic letters

    assert "is taken, or looks like one that is" in str(done.exception)
    assert stack.items("AccessTable") == before


def test_revoke_nothing() -> None:
    """An id that no token has is an error that says so."""
    done = laurel("revoke", "abc")

    assert (done.exit_code, str(done.exception)) == (1, "there is no token 'abc'")


def test_the_audit_trail_tells(desk: tokens.TokenService) -> None:
    """Who made and who revoked a token is kept, and nothing that opens a door."""
    made = create("--benchmark", "tiny")
    laurel("revoke", made["id"])

    lines = list(desk.trail.list_entries())

    assert [(one.action, one.actor, one.subject) for one in sorted(lines, key=lambda one: one.action)] == [
        (Action.CREATE_TOKEN, OPERATOR, made["id"]),
        (Action.REVOKE_TOKEN, OPERATOR, made["id"]),
    ]
    assert made["token"].removeprefix("laurel_") not in str(lines)
