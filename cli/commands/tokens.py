"""`laurel token`: makes, lists and revokes the tokens of any player, with an administrator's token."""

from datetime import timedelta
from typing import Annotated, Any

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get, post
from cli.console import PlayerKindName, make_console, plain, print_wide, read_duration
from cli.exit_codes import UsageError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Make, list and revoke tokens; needs an administrator's token.",
)

Player = Annotated[str, typer.Option(help="The player's id: a-z, 0-9 and -.")]


@app.command()
@asks_site("admin")
def create(
    site: SiteClient,
    player: Player,
    name: Annotated[str | None, typer.Option(help="The name to show; default: the id.")] = None,
    rename: Annotated[
        bool, typer.Option("--rename", help="Give a player who exists the name of --name, on every board.")
    ] = False,
    kind: Annotated[
        PlayerKindName | None,
        typer.Option(help="Whether the player is a human or a model; default: as before, or human."),
    ] = None,
    email: Annotated[str | None, typer.Option(help="Address for the player's mail; default: no mail.")] = None,
    benchmark: Annotated[
        str,
        typer.Option(help="Ids of benchmarks, separated by commas; default: all benchmarks.", metavar="B,…"),
    ] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What the token allows: submit, host, own, organise or admin; repeatable; default: submit."),
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(help="Lifetime in hours, days or weeks: 12h, 90d or 52w; default: unlimited.", metavar="WHEN"),
    ] = None,
) -> None:
    """Make a token, and the player if new. The token is printed only once."""
    body = {
        "player": player,
        "name": name,
        "rename": rename,
        "kind": kind,
        "email": email,
        "benchmarks": [item.strip() for item in benchmark.split(",")] if benchmark else [],
        "scopes": scope or ["submit"],
        "hours": expires and _read_hours(expires),
    }
    made = post(site.http, "/api/tokens/create", body)
    token = made["token"]
    advice = "It is shown only this once: store it where you store secrets."
    revoking = f"To revoke it: [bold]laurel token revoke {token['token']} --player {made['player']}[/]"
    named = f"{plain(made['name'])} ({made['player']}, {made['kind']}): {', '.join(token['allows'])}"
    covers = ", ".join(token["benchmarks"]) or "every benchmark"
    until = f" until {token['ends_at'][:10]}" if token["ends_at"] else ""
    site.show(made, f"[bold]{made['secret']}[/]\nfor {named} on {covers}{until}\n{advice}\n{revoking}")


@app.command("list")
@asks_site("admin")
def list_(site: SiteClient, player: Player) -> None:
    """List the tokens of a player that hold, oldest first, without their secrets."""
    listed = get(site.http, "/api/tokens", query={"player": player})
    site.show(listed, lambda: _print_tokens(listed))


@app.command()
@asks_site("admin")
def revoke(
    site: SiteClient,
    token_id: Annotated[str, typer.Argument(help="The token's id, as `laurel token list` shows it.", metavar="TOKEN")],
    player: Player,
) -> None:
    """Revoke a token of a player for good; its submissions stay."""
    revoked = post(site.http, f"/api/tokens/{token_id}/revoke", query={"player": player})
    site.show(revoked, f"token {revoked['token']} of {player} is revoked")


def _print_tokens(listed: dict[str, Any]) -> None:
    table = Table("id", "member", "scopes", "benchmarks", "until (UTC)", box=None)
    for token in listed["tokens"]:
        covers = ", ".join(token["benchmarks"]) or "all"
        until = (token["ends_at"] or "–")[:10]
        table.add_row(token["token"], plain(token["member"] or "–"), ", ".join(token["allows"]), covers, until)
    make_console().print(f"[bold]{plain(listed['name'])}[/] {listed['player']}")
    if listed["tokens"]:
        print_wide(table)
    else:
        make_console().print("no tokens; `laurel token create` makes one")


def _read_hours(text: str) -> int:
    """Return a lifetime in hours. Raises UsageError."""
    lifetime, expected = read_duration(text), "expected hours, days or weeks such as 12h, 90d or 52w"
    if lifetime and text.endswith("m"):
        raise UsageError(f"--expires: {expected}; instead of a month write 30d, found {text!r}, which is minutes")
    if not lifetime:
        raise UsageError(f"--expires: {expected}, found {text!r}")
    return lifetime // timedelta(hours=1)
