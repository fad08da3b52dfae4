"""Accounts and tokens of players, in the table of a stack."""

from contextlib import suppress
from copy import replace
from typing import Any

from storage.gateway.errors import Conflict
from storage.gateway.table import Table
from storage.players.players import Account, GuestNameStore, PlayerStore
from storage.players.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, token_id_of
from storage.submissions.models import NAMELESS, Player
from tests.harness.clock import START
from tests.harness.factories import GUEST_SECRET


def keep_account(access: Table, player: Player, address: str | None = None) -> None:
    """Keep a player's account, with the address to which mail goes."""
    access.transact(PlayerStore(access).plan(Account(player, address, START)))


def keep_name(access: Table, player: Player) -> None:
    """Keep the name of a player who has one and no account; a record that is read has the id for a name."""
    if player.id not in {*NAMELESS, player.name}:
        with suppress(Conflict):
            PlayerStore(access).keep_guest(player)


def keep_guest_secret(access: Table) -> None:
    """Keep the secret by which the guests of tests have ids, before a function draws one."""
    GuestNameStore(access).keep_secrets(GUEST_SECRET)


def keep_token(access: Table, player: Player, *scopes: Scope, secret: str | None = None, **changes: Any) -> str:
    """Keep a token of a player, on all benchmarks but for the changes of its attributes; return its secret."""
    secret = secret or TOKEN_PREFIX + "-".join((player.id, *scopes, *changes.get("benchmarks", ())))
    token = Token(id=token_id_of(secret), player=player.id, scopes=frozenset(scopes), benchmarks=(), created_at=START)
    access.transact([TokenStore(access).plan(secret, replace(token, **changes))])
    return secret
