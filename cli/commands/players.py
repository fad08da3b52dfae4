"""`laurel player`, `laurel me` and `laurel ban`: a player over all benchmarks, or off one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import httpx
import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get, post
from cli.commands.reports import format_moment
from cli.console import BenchmarkId, PlayerKindName, format_json, make_console, plain, print_wide
from cli.exit_codes import UsageError
from scoring_core.metrics.spelling import show_number
from scoring_core.urls import benchmark_url

me = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Export or erase what is kept of you, with a token or a player key.",
)
Name = Annotated[str | None, typer.Option("--player", help="Your name, with a player key or a host's token.")]
Kind = Annotated[PlayerKindName | None, typer.Option(help="Whether that player is a human or a model; default: human.")]


@asks_site()
def player(
    site: SiteClient,
    player: Annotated[str, typer.Argument(help="The player's id, as `laurel board BENCHMARK --json` shows it.")],
) -> None:
    """Show a player's rank and scores on every board that shows one."""
    boards = get(site.http, f"/api/players/{quote(player, safe='')}")
    site.show(boards, lambda: _print_player(boards))


@me.command()
@asks_site("player_key", "token")
def export(
    site: SiteClient,
    file: Annotated[Path, typer.Argument(help="The file that is written.", metavar="FILE.json")],
    player: Name = None,
    kind: Kind = None,
) -> None:
    """Write what is kept of you, all submissions with their scores, into one file."""
    data = _ask_export(site.http, player, kind)
    for benchmark, view in data["benchmarks"].items():
        path = f"{benchmark_url(benchmark)}/submissions"
        while view["next"]:
            page = get(site.http, path, query={"player": data["player"], "cursor": view["next"]})
            view["history"], view["next"] = [*view["history"], *page["submissions"]], page["next"]
    file.write_text(format_json(data), encoding="utf-8")
    count = sum(len(view["history"]) for view in data["benchmarks"].values())
    summary = f"{count} submissions of {data['player']} are in {plain(str(file))}"
    site.show({"file": str(file), "submissions": count}, summary)


@me.command()
@asks_site("player_key", "token")
def erase(
    site: SiteClient,
    player: Name = None,
    kind: Kind = None,
    confirm: Annotated[str | None, typer.Option(help="Your player's id; without it you are asked.")] = None,
) -> None:
    """Erase yourself: your rows leave all boards. Nobody can undo it.

    Name and address of the account are deleted.
    """
    if confirm is None:
        own = _ask_export(site.http, player, kind)["player"]
        make_console().print(f"This erases {own}. What stays: docs/erasure.md.")
        confirm = typer.prompt("Type the player's id to go on")
    erased = post(site.http, "/api/me/erasure", {"confirm": confirm}, query={"player": player, "kind": kind})
    site.show(erased, f"{erased['player']} is erased; the rows leave the boards within seconds")


@asks_site("owner")
def ban(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str | None, typer.Argument(help="The player's id, as in the address of its page.")] = None,
    name: Annotated[str | None, typer.Option(help="A guest's name instead: it and all that look like it.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to everybody: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Lift the ban: the rows come back.")] = False,
) -> None:
    """Ban a player or a name from a benchmark, lift a ban, or list the bans."""
    if player is None and name is None:
        if reason is not None or undo:
            raise UsageError("expected a player's id, or --name")
        answer = get(site.http, f"{benchmark_url(benchmark)}/bans")
    elif player is not None and name is not None:
        raise UsageError("expected a player's id or --name, found both")
    elif undo == (reason is not None):
        raise UsageError("expected --reason, which is shown to everybody, or --undo")
    else:
        asked = {"player": player, "name": name, **({"undo": True} if undo else {"reason": reason})}
        answer = post(site.http, f"{benchmark_url(benchmark)}/ban", asked)
    site.show(answer, lambda: _print_bans(answer))


@asks_site("owner")
def extend(
    site: SiteClient,
    benchmark: BenchmarkId,
    player: Annotated[str, typer.Argument(help="The player's id, as in the address of its page.")],
    until: Annotated[str | None, typer.Option(help="When it ends, as 2026-12-23T12:00:00+01:00.")] = None,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to the player: 1-300 characters.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take it back: such results are late again.")] = False,
) -> None:
    """Add time for one player after the close, or take it back."""
    asked = {"player": player, **({"undo": True} if undo else {"until": until, "reason": reason})}
    shown = post(site.http, f"{benchmark_url(benchmark)}/extension", asked)
    state = f"has time until {format_moment(shown['until'])}" if shown["until"] else "no longer has more time"
    sentence = f"{plain(player)} {state}: {plain(shown['reason'])}"
    site.show(shown, lambda: make_console().print(f"{sentence}\n[dim]Results and boards follow within seconds.[/]"))


def _print_bans(answer: Mapping[str, Any]) -> None:
    """Print the bans of a benchmark, or the one that just changed."""
    console = make_console()
    bans: list[Mapping[str, Any]] = answer.get("bans", [answer])
    for shown in bans:
        state = "no longer banned" if shown["lifted_at"] else "banned"
        subject = plain(shown["player"] or f"the name {shown['name']!r}")
        since = format_moment(shown["lifted_at"] or shown["at"])
        console.print(f"{subject} is {state} since {since}: {plain(shown['reason'])}")
    if "bans" not in answer:
        console.print("[dim]Results and boards follow within seconds.[/]")
    elif not bans:
        console.print("nobody is banned")


def _ask_export(client: httpx.Client, player: str | None, kind: PlayerKindName | None) -> dict[str, Any]:
    path, query = "/api/me/export", {"player": player, "kind": kind}
    data = get(client, path, query=query)
    while data["next"]:
        page = get(client, path, query={**query, "after": data["next"]})
        data["benchmarks"], data["next"] = data["benchmarks"] | page["benchmarks"], page["next"]
    return data


def _print_player(boards: Mapping[str, Any]) -> None:
    console, table = make_console(), Table("benchmark", "rank", "submissions", "scores", box=None)
    for board in boards["benchmarks"]:
        rank = f"{board['rank']} of {board['total']}"
        scores = ", ".join(f"{name} {show_number(value)}" for name, value in board["scores"].items())
        table.add_row(board["benchmark"], rank, str(board["submissions"]), plain(scores or "–"))
    guest = "" if boards["verified"] else ", guest"
    console.print(f"[bold]{plain(boards['name'])}[/] {boards['player']}, {boards['kind']}{guest}")
    print_wide(table)
