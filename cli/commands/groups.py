"""`laurel group`: makes a group, joins and leaves it, shows its members or their rows of a board."""

from typing import Annotated, Any
from urllib.parse import quote

import typer
from rich.table import Table

from cli.client import SiteClient, asks_site, get, post
from cli.console import make_console, plain, print_wide
from cli.exit_codes import UsageError
from scoring_core.benchmarks.boards import MAIN
from scoring_core.metrics.spelling import show_number
from storage.submissions.models import PlayerKind
from storage.urls import benchmark_url

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Compare with a class or with friends, by a code; changes need a player key or a token.",
)

Code = Annotated[str, typer.Argument(help="The group's code, in any case.", metavar="CODE")]


@app.command()
@asks_site("player_key", "token")
def new(
    site: SiteClient, name: Annotated[str, typer.Argument(help="What the group is called: 1-64 characters.")]
) -> None:
    """Make a group, and print its code."""
    made = post(site.http, "/api/groups", {"name": name})
    advice = "Who has the code can read the group and join it: [bold]laurel group join CODE --player NAME[/]"
    site.show(made, f"[bold]{made['code']}[/] {plain(made['name'])}\n{advice}")


@app.command()
@asks_site("player_key", "token")
def join(
    site: SiteClient,
    code: Code,
    player: Annotated[str | None, typer.Option(help="Your name, with a player key or a host's token.")] = None,
    kind: Annotated[
        PlayerKind | None, typer.Option(help="Whether that player is a human or a model; default: human.")
    ] = None,
) -> None:
    """Join a group, as the player who submits with the same key and name, or token."""
    joined = post(site.http, f"{_path(code)}/members", query={"player": player, "kind": kind and kind.value})
    site.show(joined, f"{plain(joined['player_name'])} is in {plain(joined['name'])} ({joined['code']})")


@app.command()
@asks_site("player_key", "token")
def leave(
    site: SiteClient,
    code: Code,
    player: Annotated[str, typer.Argument(help="The member's id or name, as `laurel group show CODE` lists them.")],
) -> None:
    """Leave a group, or take a member off one that you made."""
    member = _find_member(get(site.http, _path(code)), player)
    left = post(site.http, f"{_path(code)}/members/{quote(member, safe='')}/leave")
    site.show(left, f"{plain(left['player_name'])} is no longer in {plain(left['name'])} ({left['code']})")


@app.command()
@asks_site()
def show(
    site: SiteClient,
    code: Code,
    benchmark: Annotated[str | None, typer.Argument(help="Show the members' rows of this benchmark's board.")] = None,
    board: Annotated[str, typer.Option("--board", help="The board; default: the main one.")] = MAIN,
    start: Annotated[int, typer.Option("--from", min=1, help="Number of the first row.", metavar="NUMBER")] = 1,
    top: Annotated[int, typer.Option(min=1, max=100, help="Number of rows.")] = 50,
) -> None:
    """Show a group's members, or their rows of a board."""
    if benchmark is None:
        group = get(site.http, _path(code))
        site.show(group, lambda: _print_members(group))
        return
    path = f"{benchmark_url(benchmark)}/groups/{quote(code, safe='')}"
    page = get(site.http, path, query={"board": board, "from": start, "limit": top})
    site.show(page, lambda: _print_rows(page, get(site.http, benchmark_url(benchmark))["headers"]))


@app.command()
@asks_site("player_key", "token")
def delete(site: SiteClient, code: Code) -> None:
    """Delete a group that you made; its members and their scores stay."""
    deleted = post(site.http, f"{_path(code)}/delete")
    site.show(deleted, f"{plain(deleted['name'])} ({deleted['code']}) is deleted")


def _path(code: str) -> str:
    return f"/api/groups/{quote(code, safe='')}"


def _find_member(group: dict[str, Any], player: str) -> str:
    """Return the id of a member. Raises UsageError if none or several match."""
    members = group["members"]
    ids = [member["player"] for member in members if member["player"] == player]
    ids = ids or [member["player"] for member in members if member["name"].casefold() == player.casefold()]
    if len(ids) == 1:
        return str(ids[0])
    if not ids:
        raise UsageError(f"{group['code']} has no member {player!r}")
    raise UsageError(f"{len(ids)} members are called {player!r}; expected one of the ids {', '.join(ids)}")


def _print_members(group: dict[str, Any]) -> None:
    table = Table("player", "id", title=plain(group["name"]))
    for member in group["members"]:
        table.add_row(plain(member["name"]), member["player"])
    print_wide(table)
    make_console().print(_count_members(len(group["members"]), group["code"]))


def _print_rows(page: dict[str, Any], metrics: list[dict[str, Any]]) -> None:
    has_labels = any(row["label"] for row in page["rows"])
    table = Table("rank", "player", *(["label"] if has_labels else []), title=plain(page["name"]))
    for metric in metrics:
        table.add_column(plain(metric["name"]), justify="right")
    table.add_column("on the board", justify="right")
    for row in page["rows"]:
        labels = [plain(row["label"] or "")] if has_labels else []
        scores = [
            show_number(row["scores"].get(metric["name"]), metric["decimals"], metric["unit"]) for metric in metrics
        ]
        rank = "–" if row["board_rank"] is None else f"{row['board_rank']} of {page['board_total']}"
        table.add_row(str(row["rank"]), plain(row["name"]), *labels, *scores, rank)
    print_wide(table)
    counts = f"{len(page['rows'])} of {page['total']} rows"
    make_console().print(f"{counts}, {_count_members(page['members'], page['code'])}")


def _count_members(members: int, code: str) -> str:
    return f"{members} {'member' if members == 1 else 'members'} of {code}"
