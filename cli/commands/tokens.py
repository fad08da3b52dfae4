"""`laurel token`: makes, lists and revokes tokens, with the rights of an administrator of the stack."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.commands.audit import find_operator, open_trail
from cli.console import AsJson, StackName, make_console, plain, print_json, print_wide, read_duration, show
from cli.stack import check_published, find_settings
from scoring_core.benchmarks.definition import Contacts
from scoring_core.benchmarks.terms import is_benchmark_id
from scoring_core.errors import LaurelError
from storage.access.joining.issuer import TokenIssuer
from storage.access.names import InvalidName, check_name, is_numbered
from storage.access.players import Account, PlayerStore, is_guest_id, is_player_id
from storage.access.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, token_id_of
from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.aws.clients import dynamodb_client
from storage.aws.errors import retry_on_conflict
from storage.aws.table import Table as StoredTable
from storage.benchmarks.store import BenchmarkStore
from storage.settings import AccessSettings
from storage.submissions.models import Player, PlayerKind

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Make, list and revoke tokens; needs the rights of an administrator.",
)

_COLOURS = {"active": "green", "revoked": "red", "expired": "yellow"}


class InvalidToken(LaurelError):
    """A token cannot be made as requested; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class TokenService:
    """The accounts and tokens of a stack, its audit trail, and who runs the command."""

    players: PlayerStore
    tokens: TokenStore
    trail: AuditTrail
    find_operator: Callable[[], Actor] = find_operator


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRequest:
    """What a token should be; None leaves name, kind or email of the player unchanged. A new player is a human.

    Without `rename` the name of a player who has one must be left unchanged.
    """

    player: str
    name: str | None
    kind: PlayerKind | None
    email: str | None
    benchmarks: Sequence[str]
    scopes: Sequence[Scope]
    lifetime: str | None
    rename: bool = False


@app.command()
def create(
    player: Annotated[str, typer.Option(help="The player's id: a-z, 0-9 and -.")],
    name: Annotated[str | None, typer.Option(help="The name to show; default: the id.")] = None,
    rename: Annotated[
        bool, typer.Option("--rename", help="Give a player who exists the name of --name, on every board.")
    ] = False,
    kind: Annotated[
        PlayerKind | None, typer.Option(help="Whether the player is a human or a model; default: as before, or human.")
    ] = None,
    email: Annotated[str | None, typer.Option(help="Address for the player's mail; default: no mail.")] = None,
    benchmark: Annotated[
        str,
        typer.Option(help="Ids of benchmarks, separated by commas; default: all benchmarks.", metavar="B,…"),
    ] = "",
    scope: Annotated[list[Scope], typer.Option(help="What the token allows; repeatable.")] = [Scope.SUBMIT],  # noqa: B006  # typer copies it
    expires: Annotated[
        str | None,
        typer.Option(help="Lifetime in hours, days or weeks: 12h, 90d or 52w; default: unlimited.", metavar="WHEN"),
    ] = None,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Make a token, and the player if new. The token is printed only once."""
    service = open_token_service(stack)
    now = datetime.now(UTC)
    request = TokenRequest(
        player=player,
        name=name,
        kind=kind,
        email=email,
        benchmarks=[item.strip() for item in benchmark.split(",")] if benchmark else [],
        scopes=scope,
        lifetime=expires,
        rename=rename,
    )
    secret, token = create_token(service, request, now=now)
    described = _describe_token(token, service.players.find(player), now=now)
    advice = "It is shown only this once: store it where you store secrets."
    revoking = f"To revoke it: [bold]laurel token revoke {token.id}[/]"
    lines = f"[bold]{secret}[/]\n{_summarise(described)}\n{advice}\n{revoking}"
    show({"token": secret, **described}, lines, json=json)


@app.command("list")
def list_(stack: StackName = None, json: AsJson = False) -> None:
    """List all tokens, oldest first, without their secrets."""
    service = open_token_service(stack)
    now = datetime.now(UTC)
    accounts = {account.player.id: account for account in service.players.list_all()}
    described = [_describe_token(token, accounts.get(token.player), now=now) for token in service.tokens.list_all()]
    if json:
        print_json(described)
        return
    table = Table("id", "player", "mail", "scopes", "benchmarks", "state", "until (UTC)", box=None)
    for token in described:
        table.add_row(
            token["id"],
            f"{plain(str(token['name']))} [dim]{token['player']}, {token['kind']}[/]",
            plain(token["email"] or "–"),
            ", ".join(token["scopes"]),
            ", ".join(token["benchmarks"]) or "all",
            f"[{_COLOURS[token['state']]}]{token['state']}[/]",
            (token["ends_at"] or "–")[:10],
        )
    print_wide(table)
    if not described:
        make_console().print("no tokens; `laurel token create` makes one")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="The token's id, as `laurel token list` shows it.")],
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Revoke a token for good; its submissions stay."""
    service = open_token_service(stack)
    now = datetime.now(UTC)
    service.trail.add(service.find_operator(), Action.REVOKE_TOKEN, subject=token)
    revoked = service.tokens.revoke(token, now=now)
    described = _describe_token(revoked, service.players.find(revoked.player), now=now)
    show(described, f"token {revoked.id} of {revoked.player} is revoked", json=json)


def open_token_service(stack: str | None) -> TokenService:
    """Return the token service of a stack; None: the local one. Raises NoStack."""
    settings = find_settings(stack, AccessSettings)  # first: it sets the endpoint of a local stack
    table = StoredTable(dynamodb_client(), settings.access_table)
    return TokenService(PlayerStore(table), TokenStore(table), open_trail(stack))


def create_token(service: TokenService, request: TokenRequest, *, now: datetime) -> tuple[str, Token]:
    """Make a token, and the account of its player if it has none.

    Returns:
        The secret, which is stored nowhere, and the token.

    Raises:
        InvalidToken: The request is invalid, or would rename a player without saying so.
        UnknownBenchmark: A benchmark does not exist.
        NameTaken: Another player has this name, or one that looks like it.
        TooManyListed: The player has too many tokens.
    """
    account = service.players.find(request.player) if is_player_id(request.player) else None
    _check(request, is_guest=account is None and is_guest_id(request.player))
    trail = service.trail
    for benchmark in request.benchmarks:
        check_published(BenchmarkStore(trail.bucket, trail.clock), benchmark)
    ends_at = now + _read_lifetime(request.lifetime) if request.lifetime else None
    name = request.name or (account.player.name if account else request.player)
    kind = request.kind or (account.player.kind if account else PlayerKind.HUMAN)
    try:
        player = Player(request.player, check_name(name), kind, verified=True)
    except InvalidName as error:
        raise InvalidToken(f"--name: {error}") from error
    if is_numbered(player.name):
        raise InvalidToken("--name: expected no `·` and a number at the end, as guests of one name have")
    former = account.player.name if account else player.name
    if former != player.name and not request.rename:
        raise InvalidToken(
            f"--name: the player {player.id} is called {former!r} on every board; "
            f"leave --name out to keep that, or add --rename to make it {player.name!r}"
        )
    email = request.email or (account.email if account else None)
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = Token(
        id=token_id_of(secret),
        player=player.id,
        scopes=frozenset(request.scopes),
        benchmarks=tuple(sorted(set(request.benchmarks))),
        created_at=now,
        ends_at=ends_at,
    )
    validity = ", ".join(request.benchmarks) or "every benchmark"
    detail = {"player": player.id, "scopes": ", ".join(sorted(request.scopes))}
    detail |= {"benchmarks": validity} | ({"renamed": "yes"} if former != player.name else {})
    trail.add(service.find_operator(), Action.CREATE_TOKEN, subject=token.id, detail=detail)
    issued = Account(player, email, account.created_at if account else now)
    issuer = TokenIssuer(service.players, service.tokens)
    retry_on_conflict(lambda: issuer.issue(secret, token, issued), what=f"a token of {player.id}")
    return secret, token


def _describe_token(token: Token, account: Account | None, *, now: datetime) -> dict[str, Any]:
    """Return what `laurel token list --json` prints of a token."""
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


def _summarise(described: dict[str, Any]) -> str:
    benchmarks = ", ".join(described["benchmarks"]) or "every benchmark"
    until = f" until {described['ends_at'][:10]}" if described["ends_at"] else ""
    player = f"{plain(str(described['name']))} ({described['player']}, {described['kind']})"
    return f"for {player}: {', '.join(described['scopes'])} on {benchmarks}{until}"


def _check(request: TokenRequest, *, is_guest: bool) -> None:
    if not is_player_id(request.player) or is_guest:
        expected = "1 to 64 of a-z, 0-9 and -; `guest-…` only of a guest who has joined by a link"
        raise InvalidToken(f"--player: expected {expected}, found {request.player!r}")
    for benchmark in request.benchmarks:
        if not is_benchmark_id(benchmark):
            raise InvalidToken(f"--benchmark: expected ids separated by commas, found {benchmark!r}")
    if Scope.OWN in request.scopes and not request.benchmarks:
        raise InvalidToken("--scope own: expected the benchmarks that are owned, name them with --benchmark")
    if not request.scopes:
        raise InvalidToken("--scope: expected at least one")
    if request.email is not None:
        try:
            Contacts(owner=request.email)
        except ValueError as error:
            expected = "one address such as anna@example.com"
            raise InvalidToken(f"--email: expected {expected}, found {request.email!r}") from error


def _read_lifetime(text: str) -> timedelta:
    lifetime = read_duration(text)
    if lifetime and text.endswith("m"):
        expected = "expected hours, days or weeks such as 12h, 90d or 52w"
        raise InvalidToken(f"--expires: {expected}; instead of a month write 30d, found {text!r}, which is minutes")
    if not lifetime:
        raise InvalidToken(f"--expires: expected hours, days or weeks such as 12h, 90d or 52w, found {text!r}")
    return lifetime
