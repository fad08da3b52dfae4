"""Tokens, sessions and accounts: what is kept opens nothing, revoking is for good, and no two players look alike."""

from copy import replace
from datetime import timedelta
from typing import Any

import pytest

from local.template import Template
from storage.gateway.errors import Conflict, NotFound
from storage.gateway.table import Table
from storage.players.players import Account, NameTaken, PlayerStore
from storage.players.tokens import Scope, Session, SessionStore, Token, TokenStore, hash_secret, token_id_of
from tests.contract.conftest import ANNA
from tests.harness.factories import NOON, make_guest, make_player
from tests.harness.raw_cloud import RawCloud

SECRET = "laurel_0123456789abcdef"  # not one of anybody's
TOKEN = Token(
    id=token_id_of(SECRET),
    player="anna",
    scopes=frozenset({Scope.SUBMIT}),
    benchmarks=("coin-run",),
    created_at=NOON,
    ends_at=NOON + timedelta(days=1),
)
SESSION = Session(token_sha256="f" * 64, ends_at=NOON + timedelta(days=1))


@pytest.fixture
def tokens(cloud: RawCloud, template: Template) -> TokenStore:
    """The store of tokens."""
    return TokenStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


@pytest.fixture
def players(cloud: RawCloud, template: Template) -> PlayerStore:
    """The store of accounts."""
    return PlayerStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


def keep(tokens: TokenStore, secret: str, token: Token) -> None:
    """Store a new token."""
    tokens.table.transact([tokens.plan(secret, token)])


@pytest.mark.parametrize(
    ("make", "put", "kept"), [(TokenStore, keep, TOKEN), (SessionStore, SessionStore.put, SESSION)]
)
def test_secret_stands_for_one(make: Any, put: Any, kept: Any, cloud: RawCloud, template: Template) -> None:
    """A token, as a session, is found by its secret and nothing else; what is kept lets nobody in."""
    store = make(Table(cloud.dynamodb, template.resources["AccessTable"].name))
    put(store, SECRET, kept)

    assert store.find(SECRET) == kept
    assert [store.find(other) for other in (SECRET + "0", "laurel_\ud800", "\ud800")] == [None] * 3
    assert SECRET.removeprefix("laurel_") not in str(cloud.dynamodb.scan(TableName=store.table.name))
    with pytest.raises(Conflict):
        put(store, SECRET, kept)


def test_revoked_token_allows_nothing(tokens: TokenStore) -> None:
    """A revoked token holds no longer; revoking it again leaves the time of the first."""
    keep(tokens, SECRET, TOKEN)

    first = tokens.revoke_hashed(hash_secret(SECRET), TOKEN, now=NOON)
    again = tokens.revoke_hashed(hash_secret(SECRET), first, now=NOON + timedelta(hours=1))

    assert again.revoked_at == NOON
    found = tokens.find(SECRET)
    assert found is not None
    assert not found.holds_at(NOON)
    assert found == again


def test_deleted_token_cannot_be_revoked(tokens: TokenStore) -> None:
    """A token that has ended, and that DynamoDB has deleted, is not stored again."""
    with pytest.raises(NotFound, match="there is no token"):
        tokens.revoke_hashed(hash_secret(SECRET), TOKEN, now=NOON)

    assert tokens.find(SECRET) is None


def test_until_when_a_token_holds() -> None:
    """A token, as a session, holds until its end, and not at it; a token without an end always."""
    end = NOON + timedelta(days=1)

    for kept in (TOKEN, SESSION):
        assert kept.holds_at(end - timedelta(microseconds=1))
        assert not kept.holds_at(end)
    assert replace(TOKEN, ends_at=None).holds_at(end)


@pytest.mark.parametrize(
    ("scopes", "benchmarks", "scope", "allowed"),
    [
        ({Scope.SUBMIT}, ("coin-run",), Scope.SUBMIT, True),
        ({Scope.SUBMIT}, ("other",), Scope.SUBMIT, False),
        ({Scope.SUBMIT}, (), Scope.SUBMIT, True),
        ({Scope.SUBMIT}, (), Scope.OWN, False),
        ({Scope.OWN}, ("coin-run",), Scope.SUBMIT, False),
        ({Scope.OWN}, ("coin-run",), Scope.OWN, True),
        ({Scope.OWN}, ("coin-run",), Scope.ADMIN, False),
        ({Scope.ADMIN}, ("other",), Scope.OWN, True),
        ({Scope.ADMIN}, (), Scope.HOST, False),
        ({Scope.HOST}, ("coin-run",), Scope.HOST, True),
        ({Scope.HOST}, ("other",), Scope.HOST, False),
    ],
)
def test_what_a_token_allows(scopes: set[Scope], benchmarks: tuple[str, ...], scope: Scope, *, allowed: bool) -> None:
    """A scope holds for the benchmarks of its token; `admin` is everything but `host`, everywhere."""
    token = replace(TOKEN, scopes=frozenset(scopes), benchmarks=benchmarks)

    assert token.allows(scope, "coin-run") is allowed


@pytest.mark.parametrize(
    ("own", "other", "covered"),
    [
        ({Scope.SUBMIT}, {Scope.SUBMIT}, True),
        ({Scope.SUBMIT}, {Scope.SUBMIT, Scope.OWN}, False),
        ({Scope.OWN}, {Scope.SUBMIT}, False),
        ({Scope.ORGANISE}, {Scope.OWN}, False),
        ({Scope.ADMIN}, {Scope.ORGANISE, Scope.SUBMIT}, True),
        ({Scope.ADMIN}, {Scope.HOST}, False),
        ({Scope.SUBMIT}, {Scope.ADMIN}, False),
    ],
)
def test_what_a_token_covers(own: set[Scope], other: set[Scope], *, covered: bool) -> None:
    """It covers a token all of whose scopes it has, on as many benchmarks; `admin` has all but `host`, everywhere."""
    token, its = (replace(TOKEN, scopes=frozenset(scopes), benchmarks=("coin-run",)) for scopes in (own, other))

    assert token.covers(its) is covered
    assert token.covers(replace(its, benchmarks=("coin-run", "other"))) is (covered and Scope.ADMIN in own)
    assert token.covers(replace(its, benchmarks=())) is (covered and Scope.ADMIN in own)
    assert replace(token, benchmarks=()).covers(replace(its, benchmarks=())) is covered


def test_guest_is_named_until_erased(players: PlayerStore) -> None:
    """The latest name is shown, and makes no account; an erased guest, and who has no item, is shown by the id."""
    guest, anna = make_guest("ada"), Account(ANNA, None, NOON)
    unnamed = [replace(player, name=player.id) for player in (guest, ANNA, make_guest("bo"))]
    players.table.transact(players.plan(anna))
    for name in ("ada", "Ada"):
        players.keep_guest(replace(guest, name=name))

    assert [player.name for player in players.name(unnamed)] == ["Ada", ANNA.name, "guest-bo"]
    assert (players.find(guest.id), players.find("anna")) == (None, anna)
    for _ in range(2):
        players.erase_guest(guest.id, now=NOON)
    for player in (guest, ANNA):
        with pytest.raises(Conflict):
            players.keep_guest(player)
    assert players.name(unnamed[:1]) == unnamed[:1]


@pytest.mark.parametrize("name", ["Anna Ångström", "ANNA ÅNGSTRÖM", "Аnna Ångström"])  # a Cyrillic letter
def test_a_name_that_is_taken(players: PlayerStore, name: str) -> None:
    """Nobody else takes a verified name, or one that looks like it; nothing of the attempt is kept."""
    players.table.transact(players.plan(Account(ANNA, None, NOON)))

    with pytest.raises(NameTaken, match="is taken, or looks like one that is"):
        players.table.transact(players.plan(Account(make_player("imposter", name), None, NOON)))

    assert players.find("imposter") is None
    assert (players.find_namesake(name), players.find_namesake("Bo")) == ("anna", None)
