"""Tokens: made, listed and revoked by whoever has the rights of the stack's administrator."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from cli.durations import read_duration
from cli.naming import check_published
from cli.owners import name_operator, open_trail
from cli.stack import find_settings
from scoring_core.benchmarks.definition import Contacts, is_benchmark_id
from scoring_core.errors import LaurelError
from storage.access.names import InvalidName, check_name
from storage.access.players import Account, PlayerStore, is_guest_id, is_player_id
from storage.access.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, token_id_of
from storage.audit import Action, Actor, AuditTrail
from storage.aws.clients import dynamodb_client
from storage.benchmarks.store import BenchmarkStore
from storage.settings import AccessSettings
from storage.submissions.models import Player, PlayerKind


class InvalidToken(LaurelError):
    """A token cannot be made as it was asked for; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class TokenService:
    """The accounts and the tokens of a stack, its audit trail, and who types."""

    players: PlayerStore
    tokens: TokenStore
    trail: AuditTrail
    find_operator: Callable[[], Actor] = name_operator


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """What a token shall be.

    Args:
        player: The player's id.
        name: The player's display name; None: as it is, or the id.
        kind: Human or model.
        email: Where the player's mail goes; None: as it is.
        benchmarks: Where the token holds; empty: everywhere.
        scopes: What it allows.
        lifetime: Such as `12h`, `90d` or `52w`; None: for ever.
    """

    player: str
    name: str | None
    kind: PlayerKind
    email: str | None
    benchmarks: Sequence[str]
    scopes: Sequence[Scope]
    lifetime: str | None


def open_token_service(stack: str | None) -> TokenService:
    """Give the desk of a stack; None: of the one that runs on this machine. Raises NoStack."""
    table = find_settings(stack, AccessSettings).access_table
    dynamodb = dynamodb_client()
    return TokenService(
        PlayerStore(dynamodb=dynamodb, table=table), TokenStore(dynamodb=dynamodb, table=table), open_trail(stack)
    )


def create_token(desk: TokenService, wish: TokenRequest, *, now: datetime) -> tuple[str, Token]:
    """Make a token, and the account of its player where there is none.

    Returns:
        The token itself, which is kept nowhere, and what it stands for.

    Raises:
        InvalidToken: The wish cannot be fulfilled.
        UnknownBenchmark: It would hold where there is nothing.
        NameTaken: Another player has the name, or one that looks like it.
    """
    _check(wish)
    for benchmark in wish.benchmarks:
        check_published(BenchmarkStore(desk.trail.s3, desk.trail.bucket, desk.trail.clock), benchmark)
    ends_at = now + _read_lifetime(wish.lifetime) if wish.lifetime else None
    known = desk.players.find(wish.player)
    name = wish.name or (known.player.name if known else wish.player)
    try:
        player = Player(wish.player, check_name(name), wish.kind, verified=True)
    except InvalidName as error:
        raise InvalidToken(f"--name: {error}") from error
    email = wish.email or (known.email if known else None)
    desk.players.put(Account(player, email, known.created_at if known else now))
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    where = ", ".join(wish.benchmarks) or "every benchmark"
    detail = {"player": player.id, "scopes": ", ".join(sorted(wish.scopes)), "benchmarks": where}
    desk.trail.add(desk.find_operator(), Action.CREATE_TOKEN, subject=token_id_of(secret), detail=detail)
    token = Token(
        id=token_id_of(secret),
        player=wish.player,
        scopes=frozenset(wish.scopes),
        benchmarks=tuple(sorted(set(wish.benchmarks))),
        created_at=now,
        ends_at=ends_at,
    )
    desk.tokens.put(secret, token)
    return secret, token


def describe_token(token: Token, account: Account | None, *, now: datetime) -> dict[str, Any]:
    """Give what `laurel token list --json` prints of a token."""
    state = "revoked" if token.revoked_at is not None else "active" if token.holds_at(now) else "expired"
    return {
        "id": token.id,
        "player": token.player,
        "name": account.player.name if account else None,
        "kind": account.player.kind.value if account else None,
        "email": account.email if account else None,
        "scopes": sorted(token.scopes),
        "benchmarks": list(token.benchmarks),
        "state": state,
        "created_at": token.created_at.isoformat(),
        "ends_at": token.ends_at.isoformat() if token.ends_at else None,
        "revoked_at": token.revoked_at.isoformat() if token.revoked_at else None,
    }


def list_tokens(desk: TokenService) -> list[dict[str, Any]]:
    """Give all tokens, the oldest first."""
    now = datetime.now(UTC)
    accounts = {one.player.id: one for one in desk.players.list_all()}
    return [describe_token(token, accounts.get(token.player), now=now) for token in desk.tokens.list_all()]


def revoke_token(desk: TokenService, token_id: str) -> dict[str, Any]:
    """Revoke a token for good. Raises NotFound."""
    now = datetime.now(UTC)
    desk.trail.add(desk.find_operator(), Action.REVOKE_TOKEN, subject=token_id)
    token = desk.tokens.revoke(token_id, now=now)
    return describe_token(token, desk.players.find(token.player), now=now)


def _check(wish: TokenRequest) -> None:
    if not is_player_id(wish.player) or is_guest_id(wish.player):
        expected = "1 to 64 of a-z, 0-9 and -, not `guest` or `guest-…`"
        raise InvalidToken(f"--player: expected {expected}, found {wish.player!r}")
    for benchmark in wish.benchmarks:
        if not is_benchmark_id(benchmark):
            raise InvalidToken(f"--benchmark: expected ids separated by commas, found {benchmark!r}")
    if Scope.OWN in wish.scopes and not wish.benchmarks:
        raise InvalidToken("--scope own: expected the benchmarks that are owned, name them with --benchmark")
    if not wish.scopes:
        raise InvalidToken("--scope: expected at least one")
    if wish.email is not None:
        _check_address(wish.email)


def _check_address(email: str) -> None:
    try:
        Contacts(owner=email)
    except ValueError as error:
        raise InvalidToken(f"--email: expected one address such as anna@example.com, found {email!r}") from error


def _read_lifetime(text: str) -> timedelta:
    lifetime = read_duration(text)
    if not lifetime:
        raise InvalidToken(f"--expires: expected hours, days or weeks such as 12h, 90d or 52w, found {text!r}")
    return lifetime
