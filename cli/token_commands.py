"""`laurel token`: who may hand in under a verified name, who owns a benchmark, who administers."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cli import display, tokens
from cli.options import AsJson, StackName
from storage.access.tokens import Scope
from storage.submissions.models import PlayerKind

app = typer.Typer(no_args_is_help=True, help="Make, list and revoke tokens. Needs the rights of the administrator.")

_COLOURS = {"active": "green", "revoked": "red", "expired": "yellow"}


@app.command()
def create(
    player: Annotated[str, typer.Option(help="The player's id: a-z, 0-9 and -.")],
    name: Annotated[str | None, typer.Option(help="The name that is shown; without it, the id.")] = None,
    kind: Annotated[PlayerKind, typer.Option(help="Who plays.")] = PlayerKind.MODEL,
    email: Annotated[str | None, typer.Option(help="Where mail for the player goes; without it, nowhere.")] = None,
    benchmark: Annotated[
        str,
        typer.Option(help="Ids, separated by commas, where the token holds; without it, everywhere.", metavar="B,…"),
    ] = "",
    scope: Annotated[list[Scope], typer.Option(help="What it allows; may be repeated.")] = [Scope.SUBMIT],  # noqa: B006  # typer copies it
    expires: Annotated[
        str | None, typer.Option(help="After 12h, 90d or 52w; without it, never.", metavar="WHEN")
    ] = None,
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Make a token, and the player where there is none; the token is printed once and kept nowhere."""
    desk = tokens.open_token_service(stack)
    now = datetime.now(UTC)
    wish = tokens.TokenRequest(
        player=player,
        name=name,
        kind=kind,
        email=email,
        benchmarks=[one.strip() for one in benchmark.split(",")] if benchmark else [],
        scopes=scope,
        lifetime=expires,
    )
    secret, token = tokens.create_token(desk, wish, now=now)
    described = tokens.describe_token(token, desk.players.find(player), now=now)
    if json:
        display.print_json({"token": secret, **described})
        return
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"[bold]{secret}[/]")
    console.print(f"{_summarise(described)}\nIt is shown this once: keep it where secrets are kept.")


@app.command("list")
def list_(stack: StackName = None, json: AsJson = False) -> None:
    """List every token, the oldest first; none of them is shown."""
    described = tokens.list_tokens(tokens.open_token_service(stack))
    if json:
        display.print_json(described)
        return
    table = Table("id", "player", "mail", "scopes", "benchmarks", "state", "until", box=None)
    for one in described:
        table.add_row(
            one["id"],
            f"{display.plain(str(one['name']))} [dim]{one['player']}, {one['kind']}[/]",
            display.plain(one["email"] or "–"),
            ", ".join(one["scopes"]),
            ", ".join(one["benchmarks"]) or "all",
            f"[{_COLOURS[one['state']]}]{one['state']}[/]",
            (one["ends_at"] or "–")[:10],
        )
    Console(highlight=False, width=display.fit_width(table)).print(table)
    if not described:
        Console().print("no tokens; `laurel token create` makes one")


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(help="Its id, as `laurel token list` shows it.")],
    stack: StackName = None,
    json: AsJson = False,
) -> None:
    """Revoke a token for good; what it handed in stays."""
    revoked = tokens.revoke_token(tokens.open_token_service(stack), token)
    if json:
        display.print_json(revoked)
    else:
        Console(highlight=False).print(f"token {revoked['id']} of {revoked['player']} is revoked")


def _summarise(described: dict[str, Any]) -> str:
    where = ", ".join(described["benchmarks"]) or "every benchmark"
    until = f" until {described['ends_at'][:10]}" if described["ends_at"] else ""
    name = display.plain(str(described["name"]))
    return (
        f"for {name} ({described['player']}, {described['kind']}): {', '.join(described['scopes'])} on {where}{until}"
    )
