"""`laurel find`, `laurel player` and `laurel me`: submissions, batches and players over all benchmarks of a site."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import httpx
import typer
from rich.table import Table

from cli.client import ApiError, PathNotFound, SiteClient, asks_site, connect, get, list_benchmarks, post
from cli.commands.reports import format_moment, read_report
from cli.console import (
    AsJson,
    Host,
    StackName,
    Token,
    format_json,
    format_number,
    make_console,
    plain,
    print_wide,
    show,
)
from cli.exit_codes import FAILED, UsageError
from cli.matches import MAX_ENTRIES, Match, describe_entry, is_file
from storage.ids import is_submission_id
from storage.submissions.models import PlayerKind
from storage.urls import benchmark_url, submission_url, upload_url

me = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Export or erase what is kept of you, with a token or a player key.",
)
Name = Annotated[str | None, typer.Option("--player", help="Your name, with a player key or a host's token.")]
Kind = Annotated[PlayerKind | None, typer.Option(help="Whether that player is a human or a model; default: human.")]
REQUESTS_AT_ONCE = 4
MAX_NAMED = 5
"""Players of a board that are shown of those with a name."""
MAX_BATCHES = 20
"""The newest batches of a player in a benchmark in which a file is looked for."""


def find(
    text: Annotated[str, typer.Argument(metavar="WHAT", help="Id of a submission or batch; player; name of a file.")],
    tables: Annotated[
        bool, typer.Option("--tables", help="Look into the tables of the stack, with an operator's rights.")
    ] = False,
    stack: StackName = None,
    token: Token = None,
    host: Host = None,
    json: AsJson = False,
) -> None:
    """Find a submission, a batch, a player or a file in all benchmarks.

    With --tables or --stack an operator finds what anybody submitted; everybody else finds what is public, and files in
    the batches of the token's player. Exit code 1: nothing was found.
    """
    if tables or stack is not None:
        source = import_module("cli.tables").open_tables(stack)  # it needs the operator's packages
        matches = list(source.find(text))
    else:
        with connect(host, token=token) as client:
            matches = list(find_over_http(client, text, has_token=token is not None))
    show([match._asdict() for match in matches], lambda: _print_matches(matches, text), json=json)
    if not matches:
        raise typer.Exit(FAILED)


@asks_site()
def player(
    site: SiteClient, player: Annotated[str, typer.Argument(help="The player's id, as `laurel find NAME` shows it.")]
) -> None:
    """Show a player's rank and scores in every benchmark."""
    asked = _ask_all(site.http, lambda benchmark: _find_player(site.http, benchmark, player))
    views = {benchmark: view for benchmark, view in asked if view is not None}
    if not views:
        raise UsageError(f"no benchmark has a player {player!r}; `laurel find NAME` finds players by name")
    site.show(views, lambda: _print_player(player, views))


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
        path = f"{benchmark_url(benchmark)}/players/{quote(data['player'], safe='')}"
        while view["next"]:
            page = get(site.http, path, query={"cursor": view["next"]})
            view["history"], view["next"] = [*view["history"], *page["history"]], page["next"]
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
        make_console().print(f"This erases {own}. What stays: docs/security.md, Erasure.")
        confirm = typer.prompt("Type the player's id to go on")
    erased = post(site.http, "/api/me/erasure", {"confirm": confirm}, query={"player": player, "kind": kind})
    site.show(erased, f"{erased['player']} is erased; the rows leave the boards within seconds")


def _ask_export(client: httpx.Client, player: str | None, kind: PlayerKind | None) -> dict[str, Any]:
    path, query = "/api/me/export", {"player": player, "kind": kind}
    data = get(client, path, query=query)
    while data["next"]:
        page = get(client, path, query={**query, "after": data["next"]})
        data["benchmarks"], data["next"] = data["benchmarks"] | page["benchmarks"], page["next"]
    return data


def _print_player(player: str, views: Mapping[str, dict[str, Any]]) -> None:
    console, table = make_console(), Table("benchmark", "rank", "submissions", "scores", "last", box=None)
    for benchmark, view in views.items():
        rank = f"{view['rank']} of {view['players']}" if view["rank"] else "–"
        scores = ", ".join(f"{name} {format_number(value)}" for name, value in view["scores"].items())
        last = format_moment(view["history"][0]["submitted_at"]) if view["history"] else "–"
        table.add_row(benchmark, rank, str(view["submissions"]), plain(scores or "–"), last)
    view = next(iter(views.values()))
    console.print(f"[bold]{plain(view['name'])}[/] {player}, {_describe_kind(view)}")
    print_wide(table)


def find_over_http(client: httpx.Client, text: str, *, has_token: bool) -> Iterator[Match]:
    """Find what anybody may see, and with a token the files of its player.

    At most four requests for each benchmark, and with a file the reports of its 20 newest batches. Raises ApiError.
    """
    public, private = (_find_submission, _find_batch) if is_submission_id(text) else (_find_named, _find_file)

    def search(benchmark: str) -> list[Match]:
        matches = list(public(client, benchmark, text))
        return [*matches, *private(client, benchmark, text)] if has_token else matches

    for _, matches in _ask_all(client, search):
        yield from matches


def _ask_all[Answer](client: httpx.Client, ask: Callable[[str], Answer]) -> Iterator[tuple[str, Answer]]:
    """Ask the same of every benchmark, some at once; in order of their ids."""
    benchmarks = sorted(list_benchmarks(client))
    with ThreadPoolExecutor(REQUESTS_AT_ONCE) as pool:
        yield from zip(benchmarks, pool.map(ask, benchmarks), strict=True)


def _find_submission(client: httpx.Client, benchmark: str, submission: str) -> Iterator[Match]:
    try:
        view = get(client, submission_url(benchmark, submission))
    except PathNotFound:
        return
    outcome = view["outcome"] or view["status"]
    withdrawn = ", withdrawn" if view["withdrawn"] else ""
    summary = f"{outcome}{withdrawn}, by {view['name']} ({view['player']}), {format_moment(view['submitted_at'])}"
    yield Match(benchmark, "submission", submission, summary)


def _find_batch(client: httpx.Client, benchmark: str, batch: str) -> Iterator[Match]:
    try:
        view = get(client, upload_url(benchmark, batch))
    except ApiError:  # no token for this benchmark
        return
    if view["drop"] is not None:  # any id might be that of an upload that is still to come
        yield Match(benchmark, "batch", batch, f"{view['file']}, {view['entries']} entries, {view['status']}")


def _find_named(client: httpx.Client, benchmark: str, text: str) -> Iterator[Match]:
    rows: dict[str, str] = {}
    with suppress(ApiError):
        named = get(client, f"{benchmark_url(benchmark)}/rows", query={"q": text[:64], "limit": MAX_NAMED})
        rows = {row["player"]: _describe_row(row) for row in named["rows"]}
    own = _find_player(client, benchmark, text) if text not in rows else None
    if own is not None:
        rows[text] = _describe_row(own)
    for player, summary in rows.items():
        yield Match(benchmark, "player", player, summary)


def _find_player(client: httpx.Client, benchmark: str, player: str) -> dict[str, Any] | None:
    """Return a player's view; None if the benchmark has no such player."""
    try:
        return get(client, f"{benchmark_url(benchmark)}/players/{quote(player, safe='')}")
    except PathNotFound:
        return None


def _find_file(client: httpx.Client, benchmark: str, text: str) -> Iterator[Match]:
    try:
        cards = get(client, f"{benchmark_url(benchmark)}/batches")["batches"]
    except ApiError:  # no token for this benchmark
        return
    matches = 0
    for card in cards[:MAX_BATCHES]:
        if is_file(text, card["file"]):
            yield Match(benchmark, "batch", card["drop"], f"{card['file']}, {card['entries']} entries")
        view = read_report(client, benchmark, card["drop"])
        for entry in view["page"]:
            if is_file(text, entry["entry"]) and matches < MAX_ENTRIES:
                matches += 1
                yield describe_entry(benchmark, card["file"], entry["entry"], entry["submission"], entry["status"])


def _describe_row(view: dict[str, Any]) -> str:
    rank = f"rank {view['rank']}" if view["rank"] else "without a rank"
    return f"{view['name']}, {_describe_kind(view)}, {rank}, {view['submissions']} submissions"


def _describe_kind(view: dict[str, Any]) -> str:
    return f"{view['kind']}{'' if view['verified'] else ', guest'}"


def _print_matches(matches: Sequence[Match], text: str) -> None:
    if not matches:
        make_console().print(f"nothing has the id, name or file {plain(text)!r}")
        return
    table = Table("benchmark", "what", "id", "", box=None)
    for match in matches:
        table.add_row(*map(plain, match))
    print_wide(table)
